// What a listing tells of agents besides where they are: their titles and their options, and that a
// program which nobody knows has set one.

import type { Adapter } from '../../agents/adapter.ts';
import { adapterOf, type Registry } from '../../agents/registry.ts';
import type { Observation } from '../../core/ingest.ts';
import type { Evidence } from '../../schema/evidence.ts';
import type { ChannelName, RuntimeId } from '../../schema/ids.ts';
import type { TmuxLink } from '../../tmux/link.ts';
import { type ListedPane, ownOptionsCommand, readOwnOptions } from '../../tmux/listing.ts';
import type { Daemon, KnownPane, KnownRuntime, ServerAddress } from '../known-pane.ts';
import { ForeignOptions } from '../panes/foreign-options.ts';
import { OptionSource } from '../panes/option-source.ts';
import { OwnOptions } from '../panes/own-options.ts';
import { type TitleOrigin, TitleSource } from '../panes/title-source.ts';
import type { PresenceSource } from '../processes/presence-source.ts';
import { startOfSpeaker } from '../processes/self-declared.ts';
import type { WatchedPane, WatchedPanes } from './watched-panes.ts';

/** Panes whose options are asked for in one sweep; the rest in the next. */
const CHECKS_MAX = 64;

export interface AgentReadingsOptions {
  readonly address: ServerAddress;
  readonly daemon: Daemon;
  readonly channel: ChannelName;
  readonly registry: () => Registry;
  readonly presence: PresenceSource;
  readonly panes: WatchedPanes;
}

/** The agent in a pane, with the knowledge of its kind. */
export interface PaneAgent {
  readonly runtime: KnownRuntime;
  readonly adapter: Adapter;
}

export class AgentReadings {
  readonly #options: AgentReadingsOptions;
  readonly #titles: TitleSource;
  readonly #owned = new OwnOptions();
  readonly #agentOptions: OptionSource;
  readonly #foreign: ForeignOptions;

  constructor(options: AgentReadingsOptions) {
    this.#options = options;
    this.#titles = new TitleSource(options.daemon, options.channel);
    this.#agentOptions = new OptionSource(options.daemon, options.channel);
    this.#foreign = new ForeignOptions(options.daemon, options.channel);
  }

  /** The agent that is known in a pane. One that nobody described has what every agent has. */
  agentIn(pane: KnownPane | null): PaneAgent | null {
    const runtime = pane?.runtime ?? null;
    const registry = this.#options.registry();
    if (runtime === null) return null;
    const adapter = adapterOf(registry, runtime.agent) ?? adapterOf(registry, 'generic');
    return adapter ? { runtime, adapter } : null;
  }

  *#agents(): Iterable<readonly [string, PaneAgent]> {
    for (const { row } of this.#options.panes.all) {
      const agent = this.agentIn(this.#known(row.paneId));
      if (agent !== null) yield [row.paneId, agent];
    }
  }

  /** Who is in which pane: agents come and go, and become visible, between two equal listings. */
  occupants(): string {
    const { panes, presence } = this.#options;
    const inPane = (paneId: string): string =>
      `${this.#known(paneId)?.runtime?.runtimeId ?? '-'}${presence.isOpaque(paneId) ? '?' : ''}`;
    return panes.ids.map(inPane).join(' ');
  }

  /**
   * Asks tmux which of the options that changed are the panes' own, of all panes at once. False
   * where there was nothing to ask.
   */
  async checkOptions(link: Pick<TmuxLink, 'run'>, deadlineMs: number): Promise<boolean> {
    const { panes, registry } = this.#options;
    const hasForeign = registry().adapters.some(({ options }) => options.length > 0);
    if (hasForeign) await this.#foreign.ask(link, this.#agents(), deadlineMs);
    const unknown = panes.all.filter(({ row }) => this.#owned.isUnknown(row));
    let left = unknown.slice(0, CHECKS_MAX).map(({ row }) => row.paneId);
    const hasAsked = hasForeign || left.length > 0;
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
    return hasAsked;
  }

  /**
   * Programs that nobody knows and that set their own option: they are agents. What cannot be
   * submitted now (false) is met again at the next listing.
   */
  meet(nowMs: number, submit: (observations: readonly Observation[]) => boolean): void {
    const { panes, registry } = this.#options;
    const listed = new Set(panes.ids);
    this.#owned.keep(listed);
    this.#agentOptions.keepPanes(listed);
    const generic = adapterOf(registry(), 'generic');
    if (generic?.health.status !== 'ok') return;
    const met = panes.all.flatMap(({ row }) => this.#meetIn(row, generic, nowMs));
    if (!submit(met.map(({ start }) => start.observation))) return;
    for (const { start, paneId, options } of met) {
      this.#agentOptions.claim(start.runtimeId);
      this.#agentOptions.note(paneId, options);
    }
  }

  #meetIn(row: ListedPane, generic: Adapter, nowMs: number) {
    const { paneId } = row;
    const pane = this.#known(paneId);
    const options = this.#owned.of(row);
    if (pane?.runtime !== null || options === null) return [];
    const told = this.#agentOptions.unclaimed(paneId, generic, options);
    const how = { basis: 'option', nowMs } as const;
    const start = told && startOfSpeaker(pane, told, this.#options.presence, how);
    if (start) return [{ start, paneId, options }];
    this.#agentOptions.note(paneId, options);
    return [];
  }

  /** Titles and options of every pane with an agent. */
  read(): readonly Evidence[] {
    const { panes } = this.#options;
    const living = new Set<RuntimeId>();
    const told: (Evidence | null)[] = [];
    for (const watched of panes.all) {
      const { row } = watched;
      const agent = this.agentIn(this.#known(row.paneId));
      const before = panes.titleBefore(watched, agent?.runtime.runtimeId ?? null);
      if (agent === null) continue;
      living.add(agent.runtime.runtimeId);
      told.push(this.#titles.read({ ...agent, title: watched.lastTitle ?? row.title, before }));
      const options = this.#owned.of(row);
      const { runtime, adapter } = agent;
      told.push(options && this.#agentOptions.read(row.paneId, runtime, adapter, options));
      told.push(...this.#foreign.read(agent));
    }
    this.#titles.keep(living);
    this.#agentOptions.keep(living);
    this.#foreign.keep(living);
    return told.filter((each) => each !== null);
  }

  /**
   * The title that a look at the screen showed. A runtime that the listing has not met yet may
   * stand under the title of another: then it says nothing.
   */
  readTitle(agent: PaneAgent, title: string, watched: WatchedPane | undefined): Evidence | null {
    if (watched?.runtimeId !== agent.runtime.runtimeId) return null;
    // Whoever comes next finds this title, also when no listing has shown it.
    watched.lastTitle = title;
    return this.#titles.read({ ...agent, title, before: watched.titleBefore });
  }

  /** Whose the title of a pane is. No rule may go by one that is not its agent's. */
  titleOrigin({ runtime }: PaneAgent, title: string): TitleOrigin {
    return this.#titles.originOf(runtime.runtimeId, title);
  }

  #known(paneId: string): KnownPane | null {
    return this.#options.daemon.paneAt(this.#options.address, paneId);
  }
}
