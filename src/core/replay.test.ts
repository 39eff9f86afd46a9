// The world as text and back, and the world from a snapshot plus the events after it.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allStreams, interleave, someChoices } from '../../tests/laws/streams.ts';
import {
  agents,
  claim,
  config,
  evidence,
  local,
  paneKey,
  Run,
  runtimeId,
  runtimeStarts,
  T0,
} from '../../tests/scenario.ts';
import type { Evidence } from '../schema/evidence.ts';
import { id, type PaneKey } from '../schema/ids.ts';
import { decodeWorld, encodeWorld, replay } from './replay.ts';
import { emptyWorld, sessionAt, type World } from './world.ts';

/** A run with pauses, a restart, a second agent and a pane that goes. */
function lively(pieces: readonly Evidence[], marks: readonly number[]): Run {
  const run = new Run(agents(2));
  pieces.forEach((piece, index) => {
    const mark = marks[index % marks.length] ?? 0;
    run.see(piece);
    if (mark === 1) run.tick(piece.ingestedAtMs + 700);
    if (mark === 2) run.see({ ...piece, runtimeId: null, bind: null, dedupeKey: `p${index}` });
  });
  const lastMs = Math.max(T0, ...pieces.map(({ ingestedAtMs }) => ingestedAtMs));
  if (marks[0] === 3) run.apply({ type: 'daemon.started', atMs: lastMs + 1, config });
  run.apply(runtimeStarts(1, 2, lastMs + 2));
  if (marks[0] === 4) {
    run.apply({ type: 'pane.gone', atMs: lastMs + 3, paneKey: paneKey(1), reason: 'closed' });
  }
  return run.tick(lastMs + 20_000);
}

const runs = fc
  .tuple(allStreams(), someChoices, someChoices)
  .map(([streams, choices, marks]) => lively(interleave(streams, choices), marks));

const read = (parts: Iterable<string>): World | null => decodeWorld([...parts].join(''));

describe('a world', () => {
  test('written and read back is the same', () => {
    fc.assert(
      fc.property(runs, ({ world }) => {
        expect(read(encodeWorld(world))).toEqual(world);
      }),
      { numRuns: 200 },
    );
  });

  test('written twice is the same text', () => {
    fc.assert(
      fc.property(runs, ({ world }) => {
        const parts = [...encodeWorld(world)];
        expect([...encodeWorld(read(parts) ?? emptyWorld)]).toEqual(parts);
      }),
      { numRuns: 50 },
    );
  });

  test('with many panes is written in parts', () => {
    const { world } = new Run();
    const [pane] = world.panes.values();
    if (!pane) throw new Error('no pane');
    const keys = Array.from({ length: 500 }, (_, n) => id<PaneKey>(`many-${n}-\u{1F600}`));
    const many = { ...world, panes: new Map(keys.map((paneKey) => [paneKey, pane])) };
    const parts = [...encodeWorld(many)];
    expect(read(parts)).toEqual(many);
    expect(parts.length).toBeGreaterThan(3);
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(65_536);
  });

  test('keeps texts that look like its own notation', () => {
    const odd = '{"$map":[["a",1]]}';
    const run = new Run().see(
      evidence(
        'hooks',
        T0,
        [claim('waiting_input', { request: { kind: 'question', text: odd } })],
        {
          activity: { title: odd, prompt: '__proto__' },
        },
      ),
    );
    expect(read(encodeWorld(run.world))).toEqual(run.world);
  });

  test('of another format is refused', () => {
    const text = [...encodeWorld(new Run().world)].join('');
    expect(decodeWorld(text.replace('"format":2', '"format":999'))).toBeNull();
    expect(decodeWorld('{}')).toBeNull();
    expect(decodeWorld('null')).toBeNull();
    expect(decodeWorld('[]')).toBeNull();
  });

  test('of the first format had its sessions without their targets', () => {
    const { world } = new Run().see(
      evidence('hooks', T0 + 1, [claim('running')], { sessionKey: id('s-1') }),
    );
    const session = world.sessions.get(sessionAt(local, id('s-1')));
    expect(session).toBeDefined();
    const lost = { runtimeId: runtimeId(7), atMs: T0 };
    const sessions = new Map([
      ['s-1', session],
      ['s-2', lost],
    ]);
    const text = [...encodeWorld({ ...world, sessions } as World)].join('');
    expect(decodeWorld(text.replace('"format":2', '"format":1'))).toEqual(world);
  });
});

describe('replay', () => {
  test('of all events is the world', () => {
    fc.assert(
      fc.property(runs, ({ events, world }) => {
        expect(replay(events)).toEqual(world);
      }),
      { numRuns: 200 },
    );
  });

  test('from a snapshot plus the events after it is the world from the start', () => {
    fc.assert(
      fc.property(runs, fc.nat(), ({ events, world }, at) => {
        const cut = at % (events.length + 1);
        const snapshot = read(encodeWorld(replay(events.slice(0, cut))));
        if (!snapshot) throw new Error('no snapshot');
        expect(replay(events.slice(cut), snapshot)).toEqual(world);
      }),
      { numRuns: 300 },
    );
  });

  test('of events that were written as JSON is the same world', () => {
    fc.assert(
      fc.property(runs, ({ events, world }) => {
        expect(replay(JSON.parse(JSON.stringify(events)))).toEqual(world);
      }),
      { numRuns: 100 },
    );
  });

  test('of nothing is the empty world', () => {
    expect(replay([])).toEqual(emptyWorld);
  });
});
