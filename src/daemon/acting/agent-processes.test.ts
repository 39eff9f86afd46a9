import { expect, it } from 'vitest';
import { emptyWorld, type PaneRecord, type RuntimeRecord, type World } from '../../core/world.ts';
import { id, type PaneKey, type RuntimeId, type TargetId } from '../../schema/ids.ts';
import type { HostProcesses } from '../../tmux/host.ts';
import { isAgentAlive, withWholeRefresh } from './agent-processes.ts';

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

const vm = id<TargetId>('vm1');
const pane = (pid: number, targetId: TargetId, goneAtMs: number | null = null) =>
  [
    id<PaneKey>(`pane ${pid}`),
    { goneAtMs, facts: { targetId, birth: { pid } } } as unknown as PaneRecord,
  ] as const;
const panes = new Map([pane(10, vm), pane(11, vm), pane(12, id('local')), pane(13, vm, 5)]);
const world = (): World => ({ ...emptyWorld, panes });

it('a reading for an action keeps the processes of every other pane of the host', async () => {
  const read: (readonly number[])[] = [];
  const remote: HostProcesses = {
    refresh: async (pids) => void read.push(pids),
    tree: () => null,
    startedAtMs: () => 5,
    signOf: () => null,
    foregroundOf: null,
  };
  const processes = withWholeRefresh(remote, world, vm);
  await processes?.refresh?.([11, 99]);
  expect(read).toEqual([[10, 11, 99]]);
  expect(processes?.startedAtMs(11)).toBe(5);
});
