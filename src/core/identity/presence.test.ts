// Whether an agent lives in a pane (rule 10): the process tree decides where it can be read.

import { describe, expect, test } from 'vitest';
import {
  agents,
  claude,
  local,
  paneFacts,
  paneKey,
  processSignature,
  Run,
  runtimeId,
  runtimeStarts,
  T0,
} from '../../../tests/scenario.ts';
import type { EventDraft } from '../../schema/event.ts';
import { id } from '../../schema/ids.ts';
import { sessionAt } from '../world.ts';
import { type FoundAgent, nextPaneEpoch, observeProcesses, type ProcessLook } from './presence.ts';

const agent = (changes: Partial<FoundAgent> = {}): FoundAgent => ({
  runtimeId: runtimeId(0),
  agent: claude,
  pid: 2_001,
  startedAtMs: T0,
  suspended: false,
  signature: processSignature,
  ...changes,
});
const look = (
  found: FoundAgent | null,
  tree: Partial<NonNullable<ProcessLook['tree']>> = {},
  atMs = T0 + 10,
): ProcessLook => ({
  paneKey: paneKey(0),
  atMs,
  tree: { found, pidGone: false, exitCode: null, crashed: false, ...tree },
});
const types = (run: Run, seen: ProcessLook) =>
  observeProcesses(run.world, seen).map(({ type }) => type);
const looks = (run: Run, ...seen: readonly ProcessLook[]) =>
  run.observe(...seen.map((each) => ({ kind: 'look' as const, look: each })));
const empty = () => new Run(agents().slice(0, -1));
const startBy = (basis: string): EventDraft =>
  ({ ...runtimeStarts(0), basis, pid: null }) as EventDraft;

describe('an agent that is found', () => {
  test('in an empty pane has started', () => {
    const run = looks(empty(), look(agent({ sessionKey: id('s-1') })));
    expect(run.row()).toMatchObject({
      presence: 'managed',
      runtimeId: runtimeId(0),
      agent: 'claude',
      signature: { class: 'heuristic', confidence: 1 },
    });
    expect(run.world.sessions.get(sessionAt(local, id('s-1')))?.runtimeId).toBe(runtimeId(0));
  });

  test('where it already was makes no event', () => {
    expect(types(new Run(), look(agent()))).toEqual([]);
  });

  test('in place of another ends that runtime and its claims', () => {
    const run = looks(new Run(), look(agent({ runtimeId: runtimeId(0, 2), pid: 2_002 })));
    expect(run.eventTypes().slice(-2)).toEqual(['runtime.ended', 'runtime.started']);
    expect(run.events.at(-2)).toMatchObject({ runtimeId: runtimeId(0), reason: 'replaced' });
    expect(run.row()).toMatchObject({ runtimeId: runtimeId(0, 2), presence: 'managed' });
    expect(run.world.panes.get(paneKey(0))?.paneEpoch).toBe(2);
  });
});

describe('an agent that is not found', () => {
  test('is missed at the first look and ended at the second', () => {
    const run = looks(new Run(), look(null));
    expect(run.eventTypes().at(-1)).toBe('runtime.missed');
    expect(run.row().presence).toBe('managed');
    looks(run, look(null, {}, T0 + 20));
    expect(run.events.at(-1)).toMatchObject({ type: 'runtime.ended', reason: 'no_agent' });
    expect(run.row()).toMatchObject({ presence: 'unmanaged', reasonCode: 'no_agent' });
  });

  test('is not ended when a look in between finds it', () => {
    const run = looks(new Run(), look(null), look(agent(), {}, T0 + 20), look(null, {}, T0 + 30));
    expect(run.eventTypes().slice(-3)).toEqual([
      'runtime.missed',
      'runtime.found',
      'runtime.missed',
    ]);
    expect(run.row().presence).toBe('managed');
  });

  test('is ended at once when its process is gone', () => {
    const run = looks(new Run(), look(null, { pidGone: true, exitCode: 0 }));
    expect(run.events.at(-1)).toMatchObject({
      type: 'runtime.ended',
      reason: 'process_gone',
      exitCode: 0,
      crashed: false,
    });
    expect(run.row().presence).toBe('unmanaged');
  });

  test('leaves a crash in the attention of the pane when it crashed', () => {
    const run = looks(new Run(), look(null, { pidGone: true, exitCode: 139, crashed: true }));
    expect(run.row().attention.kinds).toEqual(['crash']);
  });

  test('is managed again when a later look finds it', () => {
    const run = looks(new Run(), look(null), look(null, {}, T0 + 20), look(agent(), {}, T0 + 30));
    expect(run.row()).toMatchObject({ presence: 'managed', runtimeId: runtimeId(0) });
    expect(types(run, look(agent(), {}, T0 + 40))).toEqual([]);
  });

  test('makes no event in a pane without an agent', () => {
    expect(types(empty(), look(null))).toEqual([]);
    expect(types(empty(), look(null, { pidGone: true }))).toEqual([]);
  });

  test.each(['event', 'osc', 'option', 'tag', 'command', 'screen'])(
    'is ended after two looks when it was recognised by %s and the tree can be read',
    (basis) => {
      const run = looks(empty().apply(startBy(basis)), look(null), look(null, {}, T0 + 20));
      expect(run.row().presence).toBe('unmanaged');
    },
  );
});

describe('a tree that could not be read', () => {
  test('makes no event, however often', () => {
    const unread = { ...look(null), tree: null };
    const run = looks(new Run(), unread, unread, unread);
    expect(types(run, unread)).toEqual([]);
    expect(run.row().presence).toBe('managed');
  });

  test('does not count as a look', () => {
    const run = looks(new Run(), look(null), { ...look(null), tree: null });
    expect(run.row().presence).toBe('managed');
  });
});

describe('in an opaque pane', () => {
  const facts = paneFacts(0, { opaque: true, command: 'ssh' });
  const opaque = (start: EventDraft) =>
    empty().apply({ type: 'pane.changed', atMs: T0, paneKey: paneKey(0), facts }, start);

  test.each(['event', 'osc', 'option', 'tag', 'command', 'screen'])(
    'the tree never ends a runtime that was recognised by %s',
    (basis) => {
      const run = opaque(startBy(basis));
      for (let index = 0; index < 5; index += 1) looks(run, look(null, { pidGone: true }));
      expect(run.row().presence).toBe('managed');
      expect(run.eventTypes()).not.toContain('runtime.missed');
    },
  );

  test('a runtime with a local process ends when the process is gone', () => {
    const run = looks(opaque(runtimeStarts(0)), look(null, { pidGone: true }));
    expect(run.row().presence).toBe('unmanaged');
  });
});

describe('a stopped process', () => {
  test('is suspended until it continues, and each change makes one event', () => {
    const run = looks(new Run(), look(agent({ suspended: true })));
    expect(run.row()).toMatchObject({ state: 'unknown', reasonCode: 'suspended' });
    expect(types(run, look(agent({ suspended: true })))).toEqual([]);
    looks(run, look(agent()));
    expect(run.row().reasonCode).toBe('no_evidence');
  });
});

describe('after a start', () => {
  test('finding the process makes one event', () => {
    const run = new Run().apply({ type: 'host.woke', atMs: T0 + 5 });
    expect(types(run, look(agent()))).toEqual(['runtime.found']);
    expect(types(looks(run, look(agent())), look(agent()))).toEqual([]);
  });
});

describe('a look at a gone or unknown pane', () => {
  test('makes no event', () => {
    expect(types(new Run([]), look(agent()))).toEqual([]);
    const closed = new Run().apply({
      type: 'pane.gone',
      atMs: T0 + 5,
      paneKey: paneKey(0),
      reason: 'closed',
    });
    expect(types(closed, look(agent()))).toEqual([]);
  });
});

test('the next epoch of a pane counts its runtimes', () => {
  expect(nextPaneEpoch(new Run([]).world, paneKey(0))).toBe(1);
  expect(nextPaneEpoch(empty().world, paneKey(0))).toBe(1);
  expect(nextPaneEpoch(new Run().world, paneKey(0))).toBe(2);
  expect(nextPaneEpoch(new Run().apply(runtimeStarts(0, 2, T0 + 1)).world, paneKey(0))).toBe(3);
});
