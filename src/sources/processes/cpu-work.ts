// Whether an agent computes, by the processor time of its processes between two scans. A spinner
// costs a little all the time, so the agent's own process must do more than that; its children are
// tools, and whatever they do is work.

import type { LocalProcess } from '../../platform/process/processes.ts';
import type { RuntimeId } from '../../schema/ids.ts';
import type { KnownRuntime } from '../known-pane.ts';

/** Agents that only turn a spinner take up to a tenth of a core. */
const OWN_SHARE = 0.15;
/** Servers that wait take next to nothing. */
const TOOLS_SHARE = 0.01;
/** The system counts in steps of 10 ms: a shorter time says little. */
const SPAN_MIN_MS = 1_000;

/** What the processes of an agent had used at one scan. */
export interface CpuSample {
  readonly runtimeId: RuntimeId;
  readonly atMs: number;
  readonly ownMs: number;
  readonly toolsMs: number;
}

/** Whether the agent has computed between two scans; false where they do not show it. */
export function hasComputed(before: CpuSample | null, now: CpuSample | null): boolean {
  if (before?.runtimeId !== now?.runtimeId || !before || !now) return false;
  const spanMs = now.atMs - before.atMs;
  if (spanMs < SPAN_MIN_MS) return false;
  return (
    now.ownMs - before.ownMs >= OWN_SHARE * spanMs ||
    now.toolsMs - before.toolsMs >= TOOLS_SHARE * spanMs
  );
}

/** What an agent's processes have used; null where that cannot be read. */
export function cpuSampleOf(
  { pid, runtimeId }: KnownRuntime,
  tree: readonly LocalProcess[],
  atMs: number,
): CpuSample | null {
  const own = tree.find((each) => each.pid === pid);
  if (own?.cpu === undefined) return null;
  // Parents come first, so one pass finds everything below the agent.
  const within = new Set([own.pid]);
  let toolsMs = own.cpu.reapedMs;
  for (const { pid: child, ppid, cpu } of tree) {
    if (!within.has(ppid)) continue;
    within.add(child);
    toolsMs += (cpu?.usedMs ?? 0) + (cpu?.reapedMs ?? 0);
  }
  return { runtimeId, atMs, ownMs: own.cpu.usedMs, toolsMs };
}
