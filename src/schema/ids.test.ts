// Keys: the same identity has the same key, and no two different ones share one.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AgentName,
  id,
  type PaneIdentity,
  type PaneKey,
  paneKeyOf,
  panelessKeyOf,
  type RuntimeParts,
  runtimeSeedOf,
  type SessionKey,
  type TargetId,
} from './ids.ts';

/** Few letters, most of them the ones that keys are made of, so that collisions would be found. */
const part = fc.oneof(
  fc.string({
    unit: fc.constantFrom('a', '|', '%', '7', 'C', '2', '5', '/', 'none'),
    maxLength: 5,
  }),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const small = fc.nat(3);
const life = fc.record({ pid: small, startedAtMs: small });
const pane = fc.record({
  targetId: part.map((text) => id<TargetId>(text)),
  server: part,
  generation: life,
  paneId: part,
  birth: life,
}) as fc.Arbitrary<PaneIdentity>;
const runtime = fc.record({
  paneKey: part.map((text) => id<PaneKey>(text)),
  agent: part.map((text) => id<AgentName>(text)),
  process: fc.option(life),
  paneEpoch: small,
}) as fc.Arbitrary<RuntimeParts>;
const seat = fc.tuple(part, part, part);
const seatKey = ([target, agent, session]: [string, string, string]) =>
  panelessKeyOf(id<TargetId>(target), id<AgentName>(agent), id<SessionKey>(session));

const canonical = (value: unknown): string => JSON.stringify(value);

function expectOneKeyEach<Each>(
  parts: fc.Arbitrary<Each>,
  keyOf: (each: Each) => string,
  identityOf: (each: Each) => unknown = (each) => each,
): void {
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      const same = canonical(identityOf(a)) === canonical(identityOf(b));
      expect(keyOf(a) === keyOf(b)).toBe(same);
    }),
    { numRuns: 5_000 },
  );
}

describe('two identities share a key only when they are one', () => {
  const ordered = ({ targetId, server, generation, paneId, birth }: PaneIdentity) => [
    ...[targetId, server, paneId],
    ...[generation.pid, generation.startedAtMs, birth.pid, birth.startedAtMs],
  ];

  test('for panes', () => {
    expectOneKeyEach(pane, paneKeyOf, ordered);
  });

  test('for panes that differ in one part', () => {
    fc.assert(
      fc.property(pane, part, part, (each, first, second) => {
        fc.pre(first !== second);
        for (const field of ['targetId', 'server', 'paneId'] as const) {
          const key = (text: string) => paneKeyOf({ ...each, [field]: text });
          expect(key(first)).not.toBe(key(second));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('however the mark between parts is moved into one, or written as it is escaped', () => {
    fc.assert(
      fc.property(pane, part, part, part, (each, a, b, c) => {
        const key = (targetId: string, server: string) =>
          paneKeyOf({ ...each, targetId: id<TargetId>(targetId), server });
        expect(key(`${a}|${b}`, c)).not.toBe(key(a, `${b}|${c}`));
        expect(key(`${a}|${b}`, c)).not.toBe(key(`${a}%7C${b}`, c));
        expect(key(`${a}%${b}`, c)).not.toBe(key(`${a}%25${b}`, c));
      }),
      { numRuns: 500 },
    );
  });

  test('for paneless agents', () => {
    expectOneKeyEach(seat, seatKey);
  });

  test('for runtimes, by process where one is visible and by epoch where not', () => {
    expectOneKeyEach(runtime, runtimeSeedOf, ({ paneKey, agent, process, paneEpoch }) => [
      ...[paneKey, agent],
      process ? [process.pid, process.startedAtMs] : `epoch ${paneEpoch}`,
    ]);
  });

  test('for a paneless agent and a pane, never', () => {
    fc.assert(
      fc.property(pane, seat, (each, other) => {
        expect(paneKeyOf(each)).not.toBe(seatKey(other));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('each part of a pane counts', () => {
  const base: PaneIdentity = {
    targetId: id('local'),
    server: 'default',
    generation: { pid: 1, startedAtMs: 2 },
    paneId: '%3',
    birth: { pid: 4, startedAtMs: 5 },
  };
  const changes: [string, Partial<PaneIdentity>][] = [
    ['target', { targetId: id<TargetId>('vm1') }],
    ['server', { server: 'second' }],
    ['process of the server', { generation: { pid: 9, startedAtMs: 2 } }],
    ['start of the server', { generation: { pid: 1, startedAtMs: 9 } }],
    ['pane id', { paneId: '%9' }],
    ['process of the pane', { birth: { pid: 9, startedAtMs: 5 } }],
    ['start of the pane', { birth: { pid: 4, startedAtMs: 9 } }],
  ];
  test.each(changes)('%s', (_name, change) => {
    expect(paneKeyOf({ ...base, ...change })).not.toBe(paneKeyOf(base));
    expect(paneKeyOf({ ...base })).toBe(paneKeyOf(base));
  });
});

test('the epoch does not count where a process is visible', () => {
  const parts = { paneKey: id<PaneKey>('p'), agent: id<AgentName>('claude') };
  const process = { pid: 1, startedAtMs: 2 };
  const seed = (paneEpoch: number) => runtimeSeedOf({ ...parts, process, paneEpoch });
  expect(seed(1)).toBe(seed(2));
});
