// What becomes an event and what is only a sighting: beats, readings, repeats, signs of work.

import { describe, expect, test } from 'vitest';
import { channel, claim, evidence, Run, runtimeId, source, T0 } from '../../tests/scenario.ts';
import { ingest, type Observation } from './ingest.ts';
import { reduceAll } from './reduce.ts';
import { forgetEnded, keepLatest, readingKey } from './sightings.ts';

const typesOf = (run: Run, observation: Observation) =>
  ingest(run.world, run.sightings, observation).map(({ type }) => type);
const beat = (atMs: number): Observation => ({
  kind: 'heartbeat',
  channel: channel('hooks@local'),
  atMs,
});

describe('a heartbeat', () => {
  test('of a new or stale channel makes channel.changed', () => {
    expect(typesOf(new Run(), beat(T0))).toEqual(['channel.changed']);
    const stale = new Run().beat('hooks', T0).tick(T0 + 3_001);
    expect(typesOf(stale, beat(T0 + 4_000))).toEqual(['channel.changed']);
  });

  test('of a fresh channel is a sighting', () => {
    const run = new Run().beat('hooks', T0);
    expect(typesOf(run, beat(T0 + 1_000))).toEqual([]);
    expect(run.sightings.beatAtMs.get(channel('hooks@local'))).toBe(T0 + 1_000);
  });

  test('comes with every piece of evidence, before it', () => {
    const observation: Observation = { kind: 'evidence', evidence: evidence('hooks', T0, []) };
    expect(typesOf(new Run(), observation)).toEqual(['channel.changed', 'evidence.observed']);
  });
});

describe('a level that is read again', () => {
  const level = (atMs: number) => evidence('file', atMs, [claim('running')], { kind: 'level' });

  test('is a sighting, and the latest one counts in any order', () => {
    const run = new Run().see(level(T0), level(T0 + 900), level(T0 + 400));
    expect(run.sightings.readAtMs.get(readingKey(runtimeId(0), source('file')))).toBe(T0 + 900);
    expect(run.eventTypes().filter((type) => type === 'evidence.observed')).toHaveLength(1);
  });

  test('with another activity beside the same claim makes an event', () => {
    const run = new Run().see(level(T0));
    const again = { ...level(T0 + 5), activity: { tool: 'Bash' } };
    expect(typesOf(run, { kind: 'evidence', evidence: again })).toEqual(['evidence.observed']);
  });

  test('is compared with the last reading of the same source only', () => {
    const run = new Run().see(level(T0), evidence('hooks', T0 + 5, [claim('waiting_input')]));
    expect(typesOf(run, { kind: 'evidence', evidence: level(T0 + 9) })).toEqual([]);
  });
});

test('a sign of work is a sighting and no event', () => {
  const run = new Run();
  expect(typesOf(run, { kind: 'work', runtimeId: runtimeId(0), atMs: T0 + 7 })).toEqual([]);
  expect(run.sightings.workAtMs.get(runtimeId(0))).toBe(T0 + 7);
});

describe('sightings', () => {
  test('keep the later of two moments', () => {
    const table = new Map<string, number>();
    keepLatest(table, 'a', 5);
    keepLatest(table, 'a', 3);
    expect(table.get('a')).toBe(5);
  });

  test('of an ended runtime are removed, and of no other', () => {
    const run = new Run().see(evidence('file', T0, [], { kind: 'level' }));
    keepLatest(run.sightings.workAtMs, runtimeId(0), T0);
    keepLatest(run.sightings.readAtMs, readingKey(runtimeId(1), source('file')), T0);
    run.apply({
      type: 'runtime.ended',
      atMs: T0 + 5,
      runtimeId: runtimeId(0),
      reason: 'process_gone',
      exitCode: 0,
      crashed: false,
    });
    forgetEnded(run.sightings, reduceAll(new Run([]).world, run.events).changes);
    expect(run.sightings.workAtMs.size).toBe(0);
    expect([...run.sightings.readAtMs.keys()]).toEqual([readingKey(runtimeId(1), source('file'))]);
  });
});
