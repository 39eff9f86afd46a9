import { expect, it } from 'vitest';
import { emptyWorld, type RuntimeRecord, type World } from '../../core/world.ts';
import { id, type RuntimeId } from '../../schema/ids.ts';
import { callingAgent } from './calling-agent.ts';

const agent = (changes: Partial<RuntimeRecord>): RuntimeRecord =>
  ({ targetId: 'local', pid: 20, startedAtMs: 5, endedAtMs: null, ...changes }) as RuntimeRecord;
const worldOf = (changes: Partial<RuntimeRecord>): World => {
  const runtimeId = id<RuntimeId>('one');
  return { ...emptyWorld, runtimes: new Map([[runtimeId, agent({ runtimeId, ...changes })]]) };
};

/** A shell, an agent in it, a shell of the agent and the command that asks. */
const parents = new Map([
  [1, 0],
  [10, 1],
  [20, 10],
  [30, 20],
  [40, 30],
]);
const processes = {
  read(pid: number) {
    const ppid = parents.get(pid);
    return ppid === undefined ? null : { ppid, startedAtMs: 5 };
  },
};

it('an agent is found among the ancestors of the command', () => {
  expect(callingAgent(worldOf({}), processes, 40)).toBe('one');
  expect(callingAgent(worldOf({}), processes, 10)).toBe(null);
  expect(callingAgent(worldOf({}), processes, 99)).toBe(null);
});

it.each([
  ['has ended', { endedAtMs: 9 }],
  ['had the same process id before', { startedAtMs: 4 }],
  ['is on another machine', { targetId: id<RuntimeRecord['targetId']>('vm1') }],
  ['has no process', { pid: null }],
])('an agent that %s does not count', (_why, changes) => {
  expect(callingAgent(worldOf(changes), processes, 40)).toBe(null);
});
