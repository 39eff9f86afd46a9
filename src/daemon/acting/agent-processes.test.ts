import { expect, it } from 'vitest';
import { emptyWorld, type RuntimeRecord } from '../../core/world.ts';
import { id, type RuntimeId } from '../../schema/ids.ts';
import { isAgentAlive } from './agent-processes.ts';

const runtimeId = id<RuntimeId>('one');
const alive = (changes: Partial<RuntimeRecord>, startedAtMs: number | null = 5): boolean => {
  const runtime = { runtimeId, pid: 20, startedAtMs: 5, endedAtMs: null, ...changes };
  const runtimes = new Map([[runtimeId, runtime as RuntimeRecord]]);
  return isAgentAlive({ ...emptyWorld, runtimes }, runtimeId, { startedAtMs: () => startedAtMs });
};

it('an agent is alive as long as its process is', () => {
  expect(alive({})).toBe(true);
  expect(alive({}, null)).toBe(false);
  expect(alive({}, 6)).toBe(false);
});

it('an agent that has ended is not alive, whatever its process is now', () => {
  expect(alive({ endedAtMs: 9 })).toBe(false);
  expect(alive({ endedAtMs: 9, pid: null })).toBe(false);
  expect(isAgentAlive(emptyWorld, runtimeId, null)).toBe(false);
});

it('an agent whose process cannot be seen counts as alive', () => {
  expect(alive({ pid: null })).toBe(true);
});
