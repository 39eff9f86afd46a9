import { expect, it } from 'vitest';
import type { LocalProcess } from '../../platform/process/processes.ts';
import { type AgentName, id, type RuntimeId } from '../../schema/ids.ts';
import { cpuSampleOf, hasComputed } from './cpu-work.ts';

const runtime = {
  runtimeId: id<RuntimeId>('r1'),
  agent: id<AgentName>('claude'),
  pid: 10,
  startedAtMs: 0,
  basis: 'process' as const,
  sessionKey: null,
};
const process = (pid: number, ppid: number, usedMs: number, reapedMs = 0): LocalProcess => ({
  pid,
  ppid,
  comm: 'x',
  argv: ['x'],
  stat: 'S+',
  startedAtMs: 0,
  cpu: { usedMs, reapedMs },
});
const at = (atMs: number, ...tree: LocalProcess[]) => cpuSampleOf(runtime, tree, atMs);
const shell = process(1, 0, 0);

it.each([
  ['the agent computes', [process(10, 1, 2_000)], true],
  ['it turns a spinner', [process(10, 1, 600)], false],
  ['a tool computes a little', [process(10, 1, 0), process(11, 10, 100)], true],
  ['a tool of a tool does', [process(10, 1, 0), process(11, 10, 0), process(12, 11, 100)], true],
  ['a tool has ended', [process(10, 1, 0, 100)], true],
  ['a server waits', [process(10, 1, 0), process(11, 10, 10)], false],
  ['the shell beside it computes', [process(10, 1, 0), process(20, 1, 9_000)], false],
])('%s: work is %j', (_what, tree, isWork) => {
  const before = at(0, shell, process(10, 1, 0));
  expect(hasComputed(before, at(8_000, shell, ...tree))).toBe(isWork);
});

it('an agent has not computed where there are no two scans of it', () => {
  const now = at(8_000, shell, process(10, 1, 5_000));
  expect(hasComputed(null, now)).toBe(false);
  expect(hasComputed(now, null)).toBe(false);
  expect(hasComputed(at(7_900, shell, process(10, 1, 0)), now)).toBe(false);
  const other = { ...runtime, runtimeId: id<RuntimeId>('r2') };
  expect(hasComputed(cpuSampleOf(other, [process(10, 1, 0)], 0), now)).toBe(false);
  expect(at(0, shell)).toBeNull();
});
