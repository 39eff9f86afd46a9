import { expect, it } from 'vitest';
import { emptyWorld, type PaneRecord, type World } from '../../core/world.ts';
import { id, type PaneKey, type TargetId } from '../../schema/ids.ts';
import type { HostProcesses } from '../../tmux/host.ts';
import { withWholeRefresh } from './agent-processes.ts';

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
