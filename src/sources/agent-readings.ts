// What a listing tells of agents besides where they are: their titles and their options, and that a
// program which nobody knows has set one.

import type { Adapter } from '../agents/adapter.ts';
import { adapterOf, type Registry } from '../agents/registry.ts';
import type { Observation } from '../core/ingest.ts';
import type { Evidence } from '../schema/evidence.ts';
import type { ChannelName, RuntimeId } from '../schema/ids.ts';
import type { TmuxLink } from '../tmux/link.ts';
import { ownOptionsCommand, readOwnOptions } from '../tmux/listing.ts';
import type { Daemon, KnownPane, KnownRuntime, ServerPlace } from './known-pane.ts';
import { OptionSource } from './option-source.ts';
import { OwnOptions } from './own-options.ts';
import type { PresenceSource } from './presence-source.ts';
import { startOfSpeaker } from './self-declared.ts';
import { TitleSource } from './title-source.ts';
import type { WatchedPane, WatchedPanes } from './watched-panes.ts';

/** Panes whose options are asked for in one sweep; the rest in the next. */
const CHECKS_MAX = 64;

export interface AgentReadingsOptions {
  readonly place: ServerPlace;
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

  constructor(options: AgentReadingsOptions) {
    this.#options = options;
    this.#titles = new TitleSource(options.daemon, options.channel);
    this.#agentOptions = new OptionSource(options.daemon, options.channel);
  }

  /** The agent that is known in a pane. One that nobody described has what every agent has. */
  agentIn(pane: KnownPane | null): PaneAgent | null {
    const runtime = pane?.runtime ?? null;
    const registry = this.#options.registry();
    if (runtime === null) return null;
    const adapter = adapterOf(registry, runtime.agent) ?? adapterOf(registry, 'generic');
    return adapter ? { runtime, adapter } : null;
  }

  /** Asks tmux which of the options that changed are the panes' own. */
  async checkOptions(link: TmuxLink, deadlineMs: number): Promise<void> {
    const { panes } = this.#options;
    const unknown = panes.all.filter(({ row }) => this.#owned.isUnknown(row));
    const asked = unknown.slice(0, CHECKS_MAX).map(async ({ row: { paneId } }) => {
      const [reply] = await link.run([ownOptionsCommand(paneId)], { deadlineMs });
      if (reply) this.#owned.answered(paneId, readOwnOptions(reply));
    });
    await Promise.all(asked);
  }

  /** Programs that nobody knows and that set their own option: they are agents. */
  meet(nowMs: number): readonly Observation[] {
    const { panes, registry, presence } = this.#options;
    const listed = new Set(panes.ids);
    this.#owned.keep(listed);
    this.#agentOptions.keepPanes(listed);
    const generic = adapterOf(registry(), 'generic');
    if (generic?.health.status !== 'ok') return [];
    return panes.all.flatMap(({ row }) => {
      const pane = this.#known(row.paneId);
      const options = this.#owned.of(row);
      if (pane?.runtime !== null || options === null) return [];
      const told = this.#agentOptions.unclaimed(row.paneId, generic, options);
      const start = told && startOfSpeaker(pane, told, presence, { basis: 'option', nowMs });
      if (!start) return [];
      this.#agentOptions.claim(start.runtimeId);
      return [start.observation];
    });
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
      told.push(this.#titles.read({ ...agent, title: row.title, before }));
      const options = this.#owned.of(row);
      const { runtime, adapter } = agent;
      told.push(options && this.#agentOptions.read(row.paneId, runtime, adapter, options));
    }
    this.#titles.keep(living);
    this.#agentOptions.keep(living);
    return told.filter((each) => each !== null);
  }

  /**
   * The title that a look at the screen showed. A runtime that the listing has not met yet may
   * stand under the title of another: then it says nothing.
   */
  readTitle(agent: PaneAgent, title: string, watched: WatchedPane | undefined): Evidence | null {
    if (watched?.runtimeId !== agent.runtime.runtimeId) return null;
    return this.#titles.read({ ...agent, title, before: watched.titleBefore });
  }

  #known(paneId: string): KnownPane | null {
    return this.#options.daemon.paneAt(this.#options.place, paneId);
  }
}
