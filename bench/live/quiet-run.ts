// What watching costs where nothing happens: CPU of the daemon and what it adds to the tmux server,
// memory, and processes started, beside the naive poller on the same panes.

import { pause, until } from './clock.ts';
import { makeSession, type PaneKind } from './fake-panes.ts';
import type { Check } from './figures.ts';
import { startDaemon } from './live-daemon.ts';
import { NaivePoller } from './naive-poller.ts';
import { Place } from './place.ts';
import { cpuBetween, cpuTimes, lastPid, type Memory, memoryOf, treeOf } from './usage.ts';

export interface QuietSize {
  readonly sessions: number;
  readonly panesEach: number;
  readonly agentsEach: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** Options of Node for the daemon. */
  readonly nodeArgs?: readonly string[];
}

export interface QuietFigures {
  /** Percent of a core. */
  readonly serverAlone: number;
  readonly daemon: number;
  readonly clients: number;
  readonly serverWatched: number;
  /** Of the daemon, which runs its own copy of Node, and its clients. */
  readonly memory: Memory;
  /** Null where there is no PID namespace of our own. */
  readonly spawned: number | null;
  readonly pollerWithServer: number;
  readonly pollerSpawned: number | null;
}

/** Percent of a core that processes used while nothing was started by us. */
async function shares(
  measureMs: number,
  groups: readonly (() => readonly number[])[],
): Promise<{ readonly percent: readonly number[]; readonly spawned: number | null }> {
  const pidBefore = lastPid();
  const before = groups.map((pids) => cpuTimes(pids()));
  const startedMs = performance.now();
  await pause(measureMs);
  const spentMs = performance.now() - startedMs;
  const percent = groups.map((pids, index) => {
    const first = before[index] ?? new Map<number, number>();
    return (cpuBetween(first, cpuTimes(pids())) / spentMs) * 100;
  });
  const pidAfter = lastPid();
  const spawned = pidBefore === null || pidAfter === null ? null : pidAfter - pidBefore;
  return { percent, spawned };
}

export async function measureQuiet(size: QuietSize): Promise<QuietFigures> {
  using place = new Place();
  const { sessions, panesEach, agentsEach, warmUpMs, measureMs, nodeArgs = [] } = size;
  const agents = ['claude', 'codex', 'gemini'] as const;
  for (let session = 0; session < sessions; session += 1) {
    const kinds = Array.from({ length: panesEach }, (_, index): PaneKind => {
      return index < agentsEach ? (agents[(session + index) % 3] ?? 'claude') : 'shell';
    });
    makeSession(place, `quiet${session}`, kinds);
  }
  const server = place.serverPid();
  const serverOnly = (): readonly number[] => [server];
  await pause(1_000);
  const alone = await shares(measureMs / 2, [serverOnly]);
  let watched: Awaited<ReturnType<typeof shares>>;
  let memory: Memory;
  {
    const node = place.ownNode();
    await using daemon = await startDaemon(place, { nodeArgs, node });
    const { pid } = daemon;
    const client = await daemon.connect();
    await until('every agent is known', 20_000, async () => {
      const { summary } = await client.call('list_panes', {});
      return summary.agents === sessions * agentsEach;
    });
    client.close();
    await pause(warmUpMs);
    const groups = [() => [pid], () => treeOf(pid).slice(1), serverOnly];
    watched = await shares(measureMs, groups);
    memory = memoryOf(treeOf(pid), node);
  }
  using poller = new NaivePoller(place, ['a1', 'a2', 'a3'], () => undefined);
  await pause(1_000);
  const polled = await shares(measureMs / 2, [() => [poller.pid], serverOnly]);
  const [daemon = Number.NaN, clients = Number.NaN, serverWatched = Number.NaN] = watched.percent;
  return {
    serverAlone: alone.percent[0] ?? Number.NaN,
    daemon,
    clients,
    serverWatched,
    memory,
    spawned: watched.spawned,
    pollerWithServer: (polled.percent[0] ?? Number.NaN) + (polled.percent[1] ?? Number.NaN),
    pollerSpawned: polled.spawned,
  };
}

/** What watching adds, in percent of a core. */
export const quietCost = (figures: QuietFigures): number =>
  figures.daemon + figures.clients + figures.serverWatched - figures.serverAlone;

export function quietChecks(figures: QuietFigures, factor: number): readonly Check[] {
  const { spawned, memory } = figures;
  const { totalMb, withoutProgramMb } = memory;
  const started = { name: 'quiet processes started', value: spawned ?? 0, limit: 1, unit: '' };
  return [
    { name: 'quiet CPU', value: quietCost(figures), limit: 1 * factor, unit: '% of a core' },
    // A busy machine makes no program larger.
    { name: 'quiet memory', value: totalMb, limit: 100, unit: 'MB' },
    { name: 'quiet memory without Node', value: withoutProgramMb, limit: 60, unit: 'MB' },
    ...(spawned === null ? [] : [started]),
  ];
}
