// When the processes of each pane are scanned: at once after what may have started or ended an
// agent; else every few seconds where an agent is, and with growing intervals in shells in which
// nothing happens. The scan itself is process-scan.ts.

import type { Registry } from '../../agents/registry.ts';
import type { ScreenView } from '../../agents/screen/screen-view.ts';
import type { FoundAgent } from '../../core/identity/presence.ts';
import type { Observation } from '../../core/ingest.ts';
import type { LocalProcess } from '../../platform/process/processes.ts';
import type { Config } from '../../schema/config.ts';
import type { ChannelName, RuntimeId } from '../../schema/ids.ts';
import type { HostProcesses } from '../../tmux/host.ts';
import type { ListedPane } from '../../tmux/listing.ts';
import type { Daemon, KnownPane, ServerAddress } from '../known-pane.ts';
import { ownText } from '../own-text.ts';
import { type CpuSample, cpuSampleOf, hasComputed } from './cpu-work.ts';
import { type ForegroundPane, ForegroundWatch } from './foreground-watch.ts';
import { scanProcesses } from './process-scan.ts';
import { wrappedWork } from './wrapped-work.ts';

interface PaneSchedule extends ForegroundPane {
  dueMs: number;
  /** Until then the agent's own process counts for all of them. */
  wholeDueMs: number;
  /** The agent's own process at the last whole scan. */
  sign: string | null;
  waitMs: number;
  command: string;
  exitCode: number | null;
  opaque: boolean;
  tagged: string | undefined;
  cpu: CpuSample | null;
  /** The agent that waits at a prompt, and when it was last found. */
  interactive: { readonly runtimeId: RuntimeId; foundMs: number } | null;
  /** When its own process was first listed as dead, without an exit status. */
  deadSinceMs: number | null;
  /** Since when an opaque pane shows that no agent is there, and whether one was ended for it. */
  leftSinceMs: number | null;
  hasLeft: boolean;
}

const unscanned = {
  dueMs: 0,
  foreground: null,
  isSettling: false,
  wholeDueMs: 0,
  sign: null,
  cpu: null,
  interactive: null,
  deadSinceMs: null,
  leftSinceMs: null,
  hasLeft: false,
};

/** tmux shows that a program is dead a moment before its exit status, and sometimes never. */
const STATUS_MS = 2_500;

/** A tag outlives the daemon in the runtime that it made. */
const tagOf = ({ runtime }: KnownPane, { tagged }: PaneSchedule): string | undefined =>
  tagged ?? (runtime?.basis === 'tag' ? runtime.agent : undefined);

/** Whether the known agent was not found, where it could have been. */
const isDoubtful = (
  { runtime }: KnownPane,
  opaque: boolean,
  observations: readonly Observation[],
): boolean =>
  runtime !== null &&
  (runtime.pid !== null || !opaque) &&
  observations.some((each) => each.kind === 'scan' && each.scan.tree?.found === null);

const isEnd = (each: Observation): boolean =>
  each.kind === 'scan' && each.scan.tree?.leftOpaque === true;

/** How long ago an agent was found whose end is judged: before that anything may have happened. */
const FOUND_MS = 15_000;

const wasInteractive = ({ runtime }: KnownPane, { interactive }: PaneSchedule, nowMs: number) =>
  interactive !== null &&
  interactive.runtimeId === runtime?.runtimeId &&
  nowMs - interactive.foundMs <= FOUND_MS;

/** An agent that was the pane's own process: whether it crashed is worth a moment's wait. */
function awaitsStatus({ facts, runtime }: KnownPane, pane: PaneSchedule, nowMs: number): boolean {
  if (!facts.dead || pane.exitCode !== null || runtime?.pid !== facts.birth.pid) return false;
  pane.deadSinceMs ??= nowMs;
  return nowMs - pane.deadSinceMs < STATUS_MS;
}

export interface PresenceOptions {
  readonly address: ServerAddress;
  readonly daemon: Daemon;
  readonly channel: ChannelName;
  readonly processes: HostProcesses;
  readonly registry: () => Registry;
  /** Read each time, because the configuration may change. */
  readonly config: () => Config['process'];
  readonly screenOf: (paneId: string, panePid: number) => ScreenView | null;
}

export class PresenceSource {
  readonly #panes = new Map<string, PaneSchedule>();
  readonly #options: PresenceOptions;
  readonly #foregrounds: ForegroundWatch;

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#foregrounds = new ForegroundWatch(options.processes.foregroundOf);
  }

  /** Whether the processes of a pane cannot be seen, as of the last scan. */
  isOpaque(paneId: string): boolean {
    return this.#panes.get(paneId)?.opaque ?? false;
  }

  /** A pane as it was listed; another program in its foreground asks for a scan. */
  listed({ paneId, currentCommand, panePid, dead, ...row }: ListedPane): void {
    // As shells count: 128 and the signal.
    const exitCode = row.deadStatus ?? (row.deadSignal === null ? null : 128 + row.deadSignal);
    const command = `${currentCommand} ${dead}`;
    const schedule = this.#panes.get(paneId);
    if (schedule?.panePid !== panePid) {
      const opaque = this.#wasOpaque(paneId, panePid);
      const rest = { waitMs: this.#options.config().shellMinMs, opaque, tagged: undefined };
      const own = ownText(command);
      this.#panes.set(paneId, { ...unscanned, panePid, command: own, exitCode, ...rest });
    } else if (schedule.command !== command || schedule.exitCode !== exitCode) {
      schedule.command = ownText(command);
      schedule.exitCode = exitCode;
      this.ask(paneId);
    }
  }

  /** Asks for a scan as soon as possible. */
  ask(paneId: string): void {
    const pane = this.#panes.get(paneId);
    if (!pane) return;
    pane.dueMs = 0;
    pane.wholeDueMs = 0;
    pane.waitMs = this.#options.config().shellMinMs;
  }

  /** Output may mean that an agent started in the background or ended. */
  noteOutput(paneId: string, nowMs: number): void {
    const pane = this.#panes.get(paneId);
    if (!pane) return;
    if (pane.sign !== null && this.#options.processes.refresh === null) pane.dueMs = 0;
    pane.waitMs = this.#options.config().shellMinMs;
    pane.dueMs = Math.min(pane.dueMs, nowMs + pane.waitMs);
  }

  tag(paneId: string, agent: string | undefined): void {
    const pane = this.#panes.get(paneId);
    if (!pane) return;
    pane.tagged = agent;
    pane.hasLeft = false;
    this.ask(paneId);
  }

  keep(listed: ReadonlySet<string>): void {
    for (const paneId of this.#panes.keys()) {
      if (!listed.has(paneId)) this.#panes.delete(paneId);
    }
  }

  scan(nowMs: number): readonly Observation[] {
    const observations: Observation[] = [];
    for (const pane of this.#foregrounds.changed(this.#shells(), nowMs)) pane.dueMs = 0;
    for (const [paneId, pane] of this.#panes) {
      if (pane.dueMs <= nowMs) observations.push(...this.#scanDue(paneId, pane, nowMs));
    }
    return observations;
  }

  #scanDue(paneId: string, pane: PaneSchedule, nowMs: number): readonly Observation[] {
    const { daemon, address, config } = this.#options;
    const known = daemon.paneAt(address, paneId);
    if (!known) {
      pane.dueMs = nowMs + config().shellMinMs;
    } else if (this.#isAsBefore(known, pane, nowMs)) {
      pane.dueMs = nowMs + config().agentMs;
      if (pane.interactive) pane.interactive.foundMs = nowMs;
    } else if (awaitsStatus(known, pane, nowMs)) {
      pane.dueMs = nowMs + config().doubtMs;
    } else return this.#scanPane(known, pane, nowMs);
    return [];
  }

  /** Panes in which no agent was found: one may be started there. */
  *#shells(): Iterable<PaneSchedule> {
    for (const pane of this.#panes.values()) if (pane.sign === null && !pane.opaque) yield pane;
  }

  /** Between two whole scans one file shows that the agent runs as before. */
  #isAsBefore({ runtime }: KnownPane, pane: PaneSchedule, nowMs: number): boolean {
    if (nowMs >= pane.wholeDueMs || pane.sign === null || runtime?.pid == null) return false;
    return pane.sign === this.#options.processes.signOf(runtime.pid);
  }

  #scanPane(known: KnownPane, pane: PaneSchedule, nowMs: number): readonly Observation[] {
    const { facts } = known;
    const tree = this.treeOf(known);
    const { observations, opaque, showsNone, interactive, wrapped } = scanProcesses(
      {
        pane: known,
        tree,
        screen: this.#options.screenOf(facts.paneId, facts.birth.pid),
        isRuntimeAlive: this.#isAlive(known),
        tagged: tagOf(known, pane),
        // Only of an agent that is the pane's own process is the exit status known.
        exitCode: known.runtime?.pid === facts.birth.pid ? pane.exitCode : null,
        leftSinceMs: pane.leftSinceMs,
        leftMs: this.#options.config().leftMs,
        hasLeft: pane.hasLeft,
        isInteractive: wasInteractive(known, pane, nowMs),
        nowMs,
      },
      this.#options.registry(),
    );
    pane.opaque = opaque;
    // A process that has just ended may be missed once before it is seen to be gone.
    if (interactive !== null) pane.interactive = { runtimeId: interactive, foundMs: nowMs };
    pane.leftSinceMs = showsNone ? (pane.leftSinceMs ?? nowMs) : null;
    pane.hasLeft = showsNone === true && (pane.hasLeft || observations.some(isEnd));
    const isDoubt = isDoubtful(known, opaque, observations);
    const { agentMs, treeMs, doubtMs, shellMaxMs } = this.#options.config();
    const { pid = null } = known.runtime ?? {};
    pane.sign = pid === null || isDoubt ? null : this.#options.processes.signOf(pid);
    pane.wholeDueMs = nowMs + treeMs;
    const steadyMs = known.runtime === null ? pane.waitMs : agentMs;
    pane.dueMs = nowMs + (isDoubt ? doubtMs : steadyMs);
    pane.waitMs = Math.min(pane.waitMs * 2, shellMaxMs);
    const cpu = known.runtime && tree && cpuSampleOf(known.runtime, tree, nowMs);
    const isNew = wrapped !== null && wrapped.runtimeId !== known.runtime?.runtimeId;
    const started = isNew ? this.#wrappedWork(wrapped, nowMs) : [];
    return [...observations, ...started, ...this.#workOf(pane, cpu)];
  }

  #wrappedWork(wrapped: FoundAgent, nowMs: number): readonly Observation[] {
    const { daemon, channel, registry } = this.#options;
    return wrappedWork(wrapped, { daemon, channel, registry: registry(), nowMs });
  }

  /** Reports that the agent uses CPU, so it is not stuck. */
  #workOf(pane: PaneSchedule, now: CpuSample | null): readonly Observation[] {
    const isWork = hasComputed(pane.cpu, now);
    pane.cpu = now;
    return now && isWork ? [{ kind: 'work', runtimeId: now.runtimeId, atMs: now.atMs }] : [];
  }

  /** As it was before the daemon was restarted: until a scan says otherwise, it still is. */
  #wasOpaque(paneId: string, panePid: number): boolean {
    const facts = this.#options.daemon.paneAt(this.#options.address, paneId)?.facts;
    return facts?.birth.pid === panePid && facts.opaque;
  }

  #isAlive({ runtime }: KnownPane): boolean {
    if (runtime === null || runtime.pid === null) return false;
    return this.#options.processes.startedAtMs(runtime.pid) === runtime.startedAtMs;
  }

  /** The processes of a pane: empty when its own has ended, null when they cannot be read. */
  treeOf({ facts }: KnownPane): readonly LocalProcess[] | null {
    if (facts.dead) return [];
    const tree = this.#options.processes.tree(facts.birth.pid);
    const [root] = tree ?? [];
    return root?.startedAtMs === facts.birth.startedAtMs ? tree : null;
  }

  /** When the next scan is due. */
  get nextMs(): number {
    if (this.#panes.size === 0) return Number.POSITIVE_INFINITY;
    let { nextMs } = this.#foregrounds;
    for (const { dueMs } of this.#panes.values()) nextMs = Math.min(nextMs, dueMs);
    return nextMs;
  }
}
