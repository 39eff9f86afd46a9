// What is read of the agents of one server besides where they are: titles, options and screens;
// and that a program without an adapter has set an option, which makes it an agent.

import type { Adapter } from '../../agents/adapter.ts';
import { adapterOf, type Registry } from '../../agents/registry.ts';
import type { Observation } from '../../core/ingest.ts';
import type { Evidence } from '../../schema/evidence.ts';
import type { ChannelName, RuntimeId } from '../../schema/ids.ts';
import type { CapturedScreen } from '../../tmux/capture.ts';
import type { TmuxLink } from '../../tmux/link.ts';
import { type ListedPane, ownOptionsCommand, readOwnOptions } from '../../tmux/listing.ts';
import type { Batches, Daemon, KnownPane, ServerAddress } from '../known-pane.ts';
import { agentIn, type PaneAgent } from '../pane-agent.ts';
import { ForeignOptions } from '../panes/foreign-options.ts';
import { OptionSource } from '../panes/option-source.ts';
import { OwnOptions } from '../panes/own-options.ts';
import { PrintedLines } from '../panes/printed-lines.ts';
import type { ScreenJudgement, ScreenSource } from '../panes/screen-source.ts';
import { TitleSource } from '../panes/title-source.ts';
import type { PresenceSource } from '../processes/presence-source.ts';
import { endOfSpeaker, startOfSpeaker } from '../processes/self-declared.ts';
import type { WatchedPanes } from './watched-panes.ts';

/** Panes whose options are asked for with one listing; the rest with the next. */
const CHECKS_MAX = 64;

export interface AgentReadingsOptions {
  readonly address: ServerAddress;
  readonly daemon: Daemon;
  readonly channel: ChannelName;
  readonly registry: () => Registry;
  readonly presence: PresenceSource;
  readonly panes: WatchedPanes;
  readonly screens: ScreenSource;
}

/** What was read from a captured screen. */
export interface ScreenReading extends ScreenJudgement {
  /** The evidence of the title and of the screen, captured together. */
  readonly all: readonly Evidence[];
  /** Whether an agent may have come or gone. */
  readonly asksScan: boolean;
}

export class AgentReadings {
  readonly #options: AgentReadingsOptions;
  readonly #titles: TitleSource;
  readonly #owned = new OwnOptions();
  readonly #agentOptions: OptionSource;
  readonly #foreign: ForeignOptions;
  readonly #printed: PrintedLines;

  constructor(options: AgentReadingsOptions) {
    this.#options = options;
    this.#titles = new TitleSource(options.daemon, options.channel);
    this.#agentOptions = new OptionSource(options.daemon, options.channel, options.registry);
    this.#foreign = new ForeignOptions(options.daemon, options.channel);
    this.#printed = new PrintedLines(options.daemon, options.channel);
  }

  *#agents(): Iterable<readonly [string, PaneAgent]> {
    for (const { row } of this.#options.panes.all) {
      const agent = this.#agentIn(row.paneId);
      if (agent !== null) yield [row.paneId, agent];
    }
  }

  /** The agent of each pane, which may change between two equal listings. */
  occupants(): string {
    const { panes, presence } = this.#options;
    const inPane = (paneId: string): string =>
      `${this.#known(paneId)?.runtime?.runtimeId ?? '-'}${presence.isOpaque(paneId) ? '?' : ''}`;
    return panes.ids.map(inPane).join(' ');
  }

  /** Asks tmux which changed options are the panes' own. False when there was nothing to ask. */
  async checkOptions(link: Pick<TmuxLink, 'run'>, deadlineMs: number): Promise<boolean> {
    const { panes, registry } = this.#options;
    const hasForeign = registry().adapters.some(({ options }) => options.length > 0);
    if (hasForeign) await this.#foreign.ask(link, this.#agents(), deadlineMs);
    const unknown = panes.all.filter(({ row }) => this.#owned.isUnknown(row));
    let left = unknown.slice(0, CHECKS_MAX).map(({ row }) => row.paneId);
    const hasQueried = hasForeign || left.length > 0;
    while (left.length > 0) {
      const replies = await link.run(left.map(ownOptionsCommand), { deadlineMs });
      if (replies.length === 0) break;
      for (const [index, reply] of replies.entries()) {
        const paneId = left[index];
        if (paneId !== undefined) this.#owned.answered(paneId, readOwnOptions(reply));
      }
      // An error ends the line: its pane has just been closed, and those after it are left.
      left = left.slice(replies.length);
    }
    return hasQueried;
  }

  /** Starts of agents known only by their own option; retried at the next listing. */
  *startNewcomers(nowMs: number): Batches {
    const { panes, registry } = this.#options;
    const listed = new Set(panes.ids);
    this.#owned.keep(listed);
    this.#options.screens.keep(listed);
    this.#printed.keep(listed);
    this.#agentOptions.keepPanes(listed);
    const generic = adapterOf(registry(), 'generic');
    if (generic?.health.status !== 'ok') return;
    const newcomers = panes.all.flatMap(({ row }) => this.#newcomerIn(row, generic, nowMs));
    const isStored = yield newcomers.map(({ start }) => start.observation);
    if (!isStored) return;
    for (const { start, paneId, options } of newcomers) {
      this.#agentOptions.claim(start.runtimeId);
      this.#agentOptions.note(paneId, options);
    }
  }

  /** Ends of agents that were known only by their own option, and took it back. */
  leavers(nowMs: number): readonly Observation[] {
    return this.#options.panes.all.flatMap(({ row }) => {
      const runtime = this.#known(row.paneId)?.runtime;
      const hasLeft = runtime?.basis === 'option' && this.#owned.hasNone(row);
      return hasLeft ? [endOfSpeaker(runtime.runtimeId, nowMs)] : [];
    });
  }

  #newcomerIn(row: ListedPane, generic: Adapter, nowMs: number) {
    const { paneId } = row;
    const pane = this.#known(paneId);
    const options = this.#owned.of(row);
    if (pane?.runtime !== null || options === null) return [];
    const signal = this.#agentOptions.unclaimed(paneId, generic, options);
    const how = { basis: 'option', nowMs } as const;
    const start = signal && startOfSpeaker(pane, signal, this.#options.presence, how);
    if (start) return [{ start, paneId, options }];
    this.#agentOptions.note(paneId, options);
    return [];
  }

  /** Titles and options of every pane with an agent. */
  read(): readonly Evidence[] {
    const { panes } = this.#options;
    const living = new Set<RuntimeId>();
    const evidence: (Evidence | null)[] = [];
    for (const watched of panes.all) {
      const { row } = watched;
      const agent = this.#agentIn(row.paneId);
      const before = panes.titleBefore(watched, agent?.runtime.runtimeId ?? null);
      if (agent === null) continue;
      living.add(agent.runtime.runtimeId);
      const isLeft = this.#isLeft(row.paneId, agent);
      const title = watched.lastTitle ?? row.title;
      evidence.push(this.#titles.read({ ...agent, title, before, isLeft }));
      const options = this.#owned.of(row);
      evidence.push(options && this.#agentOptions.read(row.paneId, agent, options));
      evidence.push(...this.#foreign.read(agent));
    }
    this.#titles.keep(living);
    this.#agentOptions.keep(living);
    this.#foreign.keep(living);
    return evidence.filter((each) => each !== null);
  }

  /** Reads a captured screen, and the title of the same moment. */
  readScreen(paneId: string, screen: CapturedScreen): ScreenReading {
    const agent = this.#agentIn(paneId);
    const origin = agent ? this.#titles.originOf(agent.runtime.runtimeId, screen.title) : 'own';
    const judgement = this.#options.screens.read(paneId, screen, agent, origin);
    const title = agent && this.#readTitle(paneId, agent, screen.title);
    const printed = agent ? this.#printed.read(paneId, screen, agent) : [];
    return {
      ...judgement,
      all: [title, ...printed, judgement.evidence].filter((each) => each !== null),
      // Where no process can be seen an agent may have come; where no rule matches, it may be gone.
      asksScan: agent === null ? judgement.isNew : judgement.isUnknown,
    };
  }

  /** A title is no evidence of a runtime that no listing has shown yet: it may be another's. */
  #readTitle(paneId: string, agent: PaneAgent, title: string): Evidence | null {
    const watched = this.#options.panes.at(paneId);
    if (watched?.runtimeId !== agent.runtime.runtimeId) return null;
    // Whoever comes next finds this title, also when no listing has shown it.
    watched.lastTitle = title;
    const isLeft = this.#isLeft(paneId, agent);
    return this.#titles.read({ ...agent, title, before: watched.titleBefore, isLeft });
  }

  /** Whether the agent of a pane that cannot be looked into seems to have ended. */
  #isLeft(paneId: string, { runtime }: PaneAgent): boolean {
    const panePid = this.#known(paneId)?.facts.birth.pid;
    if (runtime.pid !== null || panePid === undefined) return false;
    return this.#options.screens.showsShell(paneId, panePid);
  }

  #agentIn(paneId: string): PaneAgent | null {
    return agentIn(this.#known(paneId), this.#options.registry());
  }

  #known(paneId: string): KnownPane | null {
    return this.#options.daemon.paneAt(this.#options.address, paneId);
  }
}
