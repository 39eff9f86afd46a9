// What watching costs where many agents are busy: CPU of the daemon, of its clients and what it
// adds to the tmux server under the same load, the lag of state changes, and memory over time,
// beside the naive poller on the same panes.

import { BusyLoad, type PairedLags } from './busy-load.ts';
import { monoMs, pause, until } from './clock.ts';
import { type FakeAgent, type FakePane, makeSession, type PaneKind } from './fake-panes.ts';
import { type Check, type Spread, spreadOf } from './figures.ts';
import { type LiveDaemon, startDaemon } from './live-daemon.ts';
import { NaivePoller } from './naive-poller.ts';
import { Place } from './place.ts';
import { busyFaces } from './recordings.ts';
import type { BusyPane } from './repainter.ts';
import { RowWatch, type TimedState } from './row-watch.ts';
import { cpuBetween, cpuTimes, type Memory, memoryOf, treeOf } from './usage.ts';

export interface BusySize {
  readonly sessions: number;
  readonly panesEach: number;
  readonly agentsEach: number;
  /** Of the agents of all sessions, so many change their state now and then. */
  readonly changing: number;
  readonly warmUpMs: number;
  readonly aloneMs: number;
  readonly measureMs: number;
  readonly pollerMs: number;
  /**
   * Watched and alone take so many turns: on a shared machine the same work costs tmux a third more
   * in one minute than in the next.
   */
  readonly rounds: number;
  /** Options of Node for the daemon. */
  readonly nodeArgs?: readonly string[];
}

export interface Lags extends Spread {
  readonly missed: number;
}

export interface BusyFigures {
  readonly panes: number;
  readonly agents: number;
  readonly repaintsPerSecond: readonly [alone: number, watched: number, polled: number];
  /** Percent of a core; the server alone is scaled to the repaints that were done while watched. */
  readonly serverAlone: number;
  readonly daemon: number;
  readonly clients: number;
  readonly serverWatched: number;
  readonly lags: Lags;
  /** Every ten seconds, of the daemon, which runs its own copy of Node, and its clients. */
  readonly memory: readonly Memory[];
  readonly poller: {
    readonly own: number;
    readonly server: number;
    readonly rounds: number;
    readonly lags: Lags;
  };
}

const AGENTS: readonly FakeAgent[] = ['claude', 'codex', 'gemini'];
const MEMORY_EVERY_MS = 10_000;
/** A change that no push reports within this time counts as missed. */
const GRACE_MS = 4_000;

function makePanes(place: Place, size: BusySize): readonly FakePane[] {
  const { sessions, panesEach, agentsEach } = size;
  return Array.from({ length: sessions }, (_, session) => {
    const kinds = Array.from({ length: panesEach }, (__, index): PaneKind => {
      return index < agentsEach ? (AGENTS[index % 3] ?? 'claude') : 'shell';
    });
    return makeSession(place, `busy${session}`, kinds);
  }).flat();
}

function busyPanesOf(panes: readonly FakePane[], changing: number): readonly BusyPane[] {
  const agents = panes.filter(({ kind }) => kind !== 'shell');
  const every = Math.max(1, Math.floor(agents.length / changing));
  return agents.map(({ paneId, tty, kind }, index) => ({
    paneId,
    tty,
    agent: kind === 'shell' ? 'claude' : kind,
    changes: index % every === 0,
  }));
}

const lagsOf = ({ lagsMs, missedCount }: PairedLags): Lags => ({
  ...spreadOf(lagsMs),
  missed: missedCount,
});

/** CPU of groups of processes and the rate of repaints over a time. */
async function over(
  measureMs: number,
  load: BusyLoad,
  groups: readonly (() => readonly number[])[],
  everyTenSeconds: () => void = () => undefined,
): Promise<{ readonly percent: readonly number[]; readonly perSecond: number }> {
  const before = groups.map((pids) => cpuTimes(pids()));
  const paintedBefore = load.paintedCount;
  const startedMs = monoMs();
  const endMs = startedMs + measureMs;
  everyTenSeconds();
  while (monoMs() < endMs) {
    await pause(Math.min(MEMORY_EVERY_MS, Math.max(1, endMs - monoMs())));
    everyTenSeconds();
  }
  const spentMs = monoMs() - startedMs;
  const percent = groups.map((pids, index) => {
    const first = before[index] ?? new Map<number, number>();
    return (cpuBetween(first, cpuTimes(pids())) / spentMs) * 100;
  });
  return { percent, perSecond: ((load.paintedCount - paintedBefore) / spentMs) * 1_000 };
}

interface Watched {
  readonly percent: readonly number[];
  readonly perSecond: number;
  readonly paired: PairedLags;
  readonly memory: readonly Memory[];
}

async function measureWatched(
  daemon: LiveDaemon,
  load: BusyLoad,
  { size, agents, server, node }: { size: BusySize; agents: number; server: number; node: string },
): Promise<Watched> {
  const { pid } = daemon;
  using watch = new RowWatch(await daemon.connect());
  const client = await daemon.connect();
  await until('every agent is known', 60_000, async () => {
    const { summary } = await client.call('list_panes', {});
    return summary.agents === agents;
  });
  client.close();
  await pause(size.warmUpMs);
  load.forget();
  const fromMs = monoMs();
  const memory: Memory[] = [];
  const groups = [() => [pid], () => treeOf(pid).slice(1), () => [server]];
  const { percent, perSecond } = await over(size.measureMs / size.rounds, load, groups, () => {
    memory.push(memoryOf(treeOf(pid), node));
  });
  const paired = load.pair(fromMs, GRACE_MS, (paneId) => watch.statesOf(paneId));
  return { percent, perSecond, paired, memory };
}

async function measurePolled(
  place: Place,
  load: BusyLoad,
  { size, server }: { size: BusySize; server: number },
): Promise<BusyFigures['poller'] & { readonly perSecond: number }> {
  const states = new Map<string, TimedState[]>();
  const marks = AGENTS.map((agent) => busyFaces(agent)[1].mark);
  using poller = new NaivePoller(place, marks, (paneId, state) => {
    const known = states.get(paneId) ?? [];
    states.set(paneId, known);
    if (known.at(-1)?.state !== state) known.push({ state, atMs: monoMs() });
  });
  load.forget();
  const fromMs = monoMs();
  const { percent, perSecond } = await over(size.pollerMs, load, [
    () => [poller.pid],
    () => [server],
  ]);
  const lags = lagsOf(load.pair(fromMs, GRACE_MS, (paneId) => states.get(paneId) ?? []));
  const [own = Number.NaN, serverShare = Number.NaN] = percent;
  return { own, server: serverShare, rounds: poller.rounds, lags, perSecond };
}

export async function measureBusy(size: BusySize): Promise<BusyFigures> {
  using place = new Place();
  const panes = makePanes(place, size);
  const busy = busyPanesOf(panes, size.changing);
  const server = place.serverPid();
  const node = place.ownNode();
  using load = new BusyLoad(place, busy);
  await until('the load runs', 20_000, () => load.paintedCount > busy.length * 5);
  const alone = [await measureAlone(size, load, server)];
  const watched: Watched[] = [];
  for (let round = 0; round < size.rounds; round += 1) {
    {
      await using daemon = await startDaemon(place, { nodeArgs: size.nodeArgs ?? [], node });
      watched.push(await measureWatched(daemon, load, { size, agents: busy.length, server, node }));
    }
    await pause(1_000);
    alone.push(await measureAlone(size, load, server));
  }
  const { perSecond: polledPerSecond, ...poller } = await measurePolled(place, load, {
    size,
    server,
  });
  const perSecond = mean(watched.map((each) => each.perSecond));
  const percentOf = (index: number): number =>
    mean(watched.map(({ percent }) => percent[index] ?? Number.NaN));
  return {
    panes: panes.length,
    agents: busy.length,
    repaintsPerSecond: [mean(alone.map((each) => each.perSecond)), perSecond, polledPerSecond],
    serverAlone: mean(alone.map((each) => each.percent / each.perSecond)) * perSecond,
    daemon: percentOf(0),
    clients: percentOf(1),
    serverWatched: percentOf(2),
    lags: lagsOf({
      lagsMs: watched.flatMap(({ paired }) => paired.lagsMs),
      missedCount: watched.reduce((sum, { paired }) => sum + paired.missedCount, 0),
    }),
    memory: watched.at(-1)?.memory ?? [],
    poller,
  };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, each) => sum + each, 0) / values.length;

async function measureAlone({ aloneMs, rounds }: BusySize, load: BusyLoad, server: number) {
  const { percent, perSecond } = await over(aloneMs / rounds, load, [() => [server]]);
  return { percent: percent[0] ?? Number.NaN, perSecond };
}

/** What watching adds, in percent of a core. */
export const busyCost = (figures: BusyFigures): number =>
  figures.daemon + figures.clients + figures.serverWatched - figures.serverAlone;

/** Growth between the first and the last fifth of the readings, in MB. */
export function growthMb(memory: readonly Memory[]): number {
  const memoryMb = memory.map(({ withoutProgramMb }) => withoutProgramMb);
  const count = Math.max(1, Math.floor(memoryMb.length / 5));
  return mean(memoryMb.slice(-count)) - mean(memoryMb.slice(0, count));
}

export function busyChecks(figures: BusyFigures, factor: number): readonly Check[] {
  const { lags, memory } = figures;
  // A heap breathes: only a long run tells growth from that.
  const isLong = memory.length * MEMORY_EVERY_MS >= 300_000;
  const growth = { name: 'busy memory growth', value: growthMb(memory), limit: 5, unit: 'MB' };
  return [
    { name: 'busy CPU', value: busyCost(figures), limit: 25 * factor, unit: '% of a core' },
    { name: 'busy lag p95', value: lags.p95Ms, limit: 2_000 * factor, unit: 'ms' },
    { name: 'busy changes missed', value: lags.missed, limit: 1, unit: '' },
    ...(isLong ? [growth] : []),
  ];
}
