// Changes of state in a window: in the order of writing, with what was before, and with ends.

import { describe, expect, it } from 'vitest';
import { transitionsIn, type WindowEntry, watchCursorOf, watchCursorText } from './transitions.ts';

const T0 = Date.parse('2026-03-01T10:00:00.000Z');
const timeAt = (ms: number): string => new Date(T0 + ms).toISOString();

let lastStep = 0;
function entry(pane: string, atMs: number, fields: Partial<WindowEntry>): WindowEntry {
  lastStep += 1;
  return {
    ...{ step_id: lastStep, at: timeAt(atMs), pane_key: pane, ref: pane, pane: pane },
    ...{ agent: 'claude', runtime_id: 'r1', state: 'idle', reason_code: null },
    ...{ presence: 'managed', source: null, state_version: lastStep, lasted_ms: null },
    ...fields,
  };
}

/** Newest first, as the daemon lists them. */
const listed = (...entries: readonly WindowEntry[]) => entries.toReversed();
const short = (entries: readonly WindowEntry[], stepId: number | null, atMs = T0) =>
  transitionsIn(entries, { atMs, stepId }).map(({ name, before, after }) => [name, before, after]);

describe('transitions in a window', () => {
  it('have what was before, also where that is older than the window', () => {
    const old = entry('a', 0, { state: 'running' });
    const asks = entry('a', 10, { state: 'waiting_approval' });
    const works = entry('a', 20, { state: 'running' });
    expect(short(listed(old, asks, works), old.step_id)).toEqual([
      ['claude', 'running', 'waiting_approval'],
      ['claude', 'waiting_approval', 'running'],
    ]);
    expect(short(listed(old, asks, works), works.step_id)).toEqual([]);
  });

  it('are those written since a step, however early they began', () => {
    const known = entry('a', 1_000, { state: 'running' });
    const late = entry('b', 900, { state: 'error' });
    expect(short(listed(known, late), known.step_id)).toEqual([['claude', null, 'error']]);
    expect(short(listed(known, late), null, T0 + 1_000)).toEqual([]);
  });

  it('show an agent that came and went, and the next one in its pane as new', () => {
    const shell = {
      agent: null,
      runtime_id: null,
      state: 'unknown',
      presence: 'unmanaged',
    } as const;
    const entries = listed(
      entry('a', 0, shell),
      entry('a', 1, { state: 'running' }),
      entry('a', 2, shell),
      entry('a', 3, { agent: 'codex', runtime_id: 'r2' }),
      entry('a', 4, { ...shell, agent: 'codex', state: 'error' }),
    );
    expect(short(entries, 0)).toEqual([
      ['claude', null, 'running'],
      ['claude', 'running', 'exited'],
      ['codex', null, 'idle'],
      ['codex', 'idle', 'error'],
    ]);
  });

  it('are one where only the reason changes, or a pane without an agent', () => {
    const entries = listed(
      entry('a', 1, { state: 'running' }),
      entry('a', 2, { state: 'running', reason_code: 'retrying' }),
      entry('b', 3, { agent: null, runtime_id: null, state: 'unknown', presence: 'unmanaged' }),
    );
    expect(short(entries, 0)).toEqual([['claude', null, 'running']]);
  });
});

describe('a cursor', () => {
  it('is a time, with the step where one is known', () => {
    const at = timeAt(5);
    expect(watchCursorOf(watchCursorText({ at, stepId: 7 }))).toEqual({ atMs: T0 + 5, stepId: 7 });
    expect(watchCursorOf(at)).toEqual({ atMs: T0 + 5, stepId: null });
  });

  it('is nothing else', () => {
    for (const text of [
      '',
      'yesterday',
      '5',
      '#5',
      `${timeAt(0)}#x`,
      `${timeAt(0)}#-1`,
      `${timeAt(0)}#1#2`,
    ]) {
      expect(watchCursorOf(text)).toBeNull();
    }
  });
});
