// The order of one source's evidence: dedupe keys, cursors, clocks that are not believed.

import { describe, expect, test } from 'vitest';
import { claim, evidence, Run, T0 } from '../../../tests/scenario.ts';
import type { SourceCursor } from '../../schema/change.ts';
import { type EventId, id } from '../../schema/ids.ts';
import {
  compareCursors,
  cursorOf,
  effectiveTimeMs,
  isLate,
  RECENT_KEYS_MAX,
  rememberKey,
} from './ordering.ts';

const cursor = (changes: Partial<SourceCursor> = {}): SourceCursor => ({
  sourceSeq: null,
  eventTimeMs: T0,
  ingestedAtMs: T0,
  eventId: id<EventId>('m'),
  ...changes,
});

describe('the effective time of an event', () => {
  const cases: [string, number, number][] = [
    ['its own, when the clocks agree', 0, 0],
    ['its own, eleven seconds before it arrived', -11_000, -11_000],
    ['its own, however long before it arrived', -86_400_000, -86_400_000],
    ['its arrival, when it lies in the future', 1, 0],
  ];
  test.each(cases)('is %s', (_name, offMs, effectiveMs) => {
    const piece = { eventTimeMs: T0 + offMs, ingestedAtMs: T0 };
    expect(effectiveTimeMs(piece)).toBe(T0 + effectiveMs);
  });

  test('decides: an old end that arrives late ends no approval that was asked later', () => {
    const asked = evidence('hooks', T0 + 60_000, [claim('waiting_approval')]);
    const ended = (eventTimeMs: number) =>
      evidence('osc', eventTimeMs, [claim('completed')], { ingestedAtMs: T0 + 90_000 });
    const run = new Run().see(asked, ended(T0 + 40_000));
    expect(run.row().state).toBe('waiting_approval');
    expect(new Run().see(asked, ended(T0 + 80_000)).row().state).toBe('completed');
  });
});

describe('two cursors compare', () => {
  const cases: [string, Partial<SourceCursor>, Partial<SourceCursor>][] = [
    [
      'by sequence before anything else',
      { sourceSeq: 1, eventTimeMs: T0 + 9, ingestedAtMs: T0 + 9 },
      { sourceSeq: 2 },
    ],
    ['by event time when one has no sequence', { sourceSeq: 9 }, { eventTimeMs: T0 + 1 }],
    [
      'by event time when the sequences are equal',
      { sourceSeq: 3 },
      { sourceSeq: 3, eventTimeMs: T0 + 1 },
    ],
    ['by event time before arrival', { ingestedAtMs: T0 + 9 }, { eventTimeMs: T0 + 1 }],
    ['by arrival before the id', { eventId: id('z') }, { ingestedAtMs: T0 + 1, eventId: id('a') }],
    ['by the id at last', { eventId: id('a') }, { eventId: id('b') }],
  ];
  test.each(cases)('%s', (_name, first, second) => {
    expect(compareCursors(cursor(first), cursor(second))).toBeLessThan(0);
    expect(compareCursors(cursor(second), cursor(first))).toBeGreaterThan(0);
  });

  test('as equal only when all four parts are', () => {
    expect(compareCursors(cursor(), cursor())).toBe(0);
  });

  test('a cursor holds the effective time, not the reported one', () => {
    const wild = evidence('hooks', T0, [], { eventTimeMs: T0 + 3_600_000, sourceSeq: 7 });
    expect(cursorOf(wild)).toMatchObject({ eventTimeMs: T0, ingestedAtMs: T0, sourceSeq: 7 });
  });
});

describe('evidence is late', () => {
  test('never for a source without a cursor', () => {
    expect(isLate(evidence('hooks', 0, []), undefined)).toBe(false);
  });

  test('when it is the very one at the cursor', () => {
    const piece = evidence('hooks', T0, []);
    expect(isLate(piece, cursorOf(piece))).toBe(true);
  });

  test('when a level was read before the reading at the cursor, whatever its age', () => {
    const before = evidence('file', T0 + 5, [], {
      kind: 'level',
      eventTimeMs: T0 + 900,
      sourceSeq: 50,
    });
    const at = cursor({ ingestedAtMs: T0 + 10, sourceSeq: 49 });
    expect(isLate(before, at)).toBe(true);
    expect(isLate({ ...before, kind: 'edge' }, at)).toBe(false);
  });

  test('when a level was read at the very moment of the reading at the cursor', () => {
    const again = evidence('file', T0, [], { kind: 'level', eventTimeMs: T0 + 5 });
    expect(isLate(again, cursor())).toBe(true);
  });

  test('one cursor a source: a source with high numbers never starves another', () => {
    const run = new Run().see(
      evidence('hooks', T0 + 50, [claim('running')], { sourceSeq: 900 }),
      evidence('osc', T0 + 60, [claim('waiting_input')], { sourceSeq: 1 }),
    );
    expect(run.row().state).toBe('waiting_input');
  });

  test('late evidence moves no cursor and is kept once', () => {
    const run = new Run().see(evidence('hooks', T0 + 50, [claim('running')], { sourceSeq: 5 }));
    const older = evidence('hooks', T0 + 60, [claim('error')], { sourceSeq: 4 });
    run.see(older, older);
    expect(run.events.filter(({ type }) => type === 'evidence.observed')).toHaveLength(2);
    const [runtime] = run.world.runtimes.values();
    expect(runtime?.sources.get(older.source)?.cursor.sourceSeq).toBe(5);
  });
});

describe('the keys of a source', () => {
  test('are forgotten oldest first and never grow beyond their limit', () => {
    let keys: readonly string[] = [];
    for (let index = 0; index < RECENT_KEYS_MAX + 3; index += 1)
      keys = rememberKey(keys, `k${index}`);
    expect(keys).toHaveLength(RECENT_KEYS_MAX);
    expect(keys[0]).toBe('k3');
    expect(keys.at(-1)).toBe(`k${RECENT_KEYS_MAX + 2}`);
  });

  test('a repeat is recognised by runtime, source and key, and makes no event', () => {
    const piece = evidence('hooks', T0, [claim('running')]);
    const run = new Run().see(piece);
    const before = run.events.length;
    run.see({ ...piece, eventId: id('another'), eventTimeMs: T0 + 5, ingestedAtMs: T0 + 5 });
    expect(run.events).toHaveLength(before);
    run.see({ ...piece, source: id('osc'), ingestedAtMs: T0 + 5 });
    expect(run.events.length).toBe(before + 1);
  });
});
