// The watch of one tmux server: a listing at a pace, looks at the screens that changed, looks at
// processes, and what the taps and the wake-ups tell. It owns the pace; what each reading means
// stands in the source beside it. No process is started for any of it.

import type { Observation } from '../../core/ingest.ts';
import { Fault } from '../../platform/fault.ts';
import { type ChannelName, id } from '../../schema/ids.ts';
import type { Outcome } from '../../schema/outcome.ts';
import { readClients } from '../../tmux/listing.ts';
import type { TapReport } from '../../tmux/taps/tap-report.ts';
import type { KnownPane } from '../known-pane.ts';
import { OscSource } from '../panes/osc-source.ts';
import { SeenPanes } from '../panes/seen-source.ts';
import { PresenceSource } from '../processes/presence-source.ts';
import { startOfSpeaker } from '../processes/self-declared.ts';
import { tagPane } from '../processes/tagging.ts';
import { TapRequests } from '../taps/tap-requests.ts';
import { AgentReadings } from './agent-readings.ts';
import { type ListingMode, ListingPace } from './listing-pace.ts';
import { Listings } from './listings.ts';
import { OscInbox } from './osc-inbox.ts';
import { type PaneHint, PaneHints } from './pane-hints.ts';
import { ScreenCaptures, type ScreenReading } from './screen-captures.ts';
import type { WatchCounts, WatchOptions } from './watch-options.ts';
import { sessionsShowing, type WatchedPane, WatchedPanes } from './watched-panes.ts';

export class ServerWatch {
  readonly #options: WatchOptions;
  readonly #channel: ChannelName;
  readonly #tapChannel: ChannelName;
  readonly #pace: ListingPace;
  readonly #panes: WatchedPanes;
  readonly #listings: Listings;
  readonly #captures: ScreenCaptures;
  readonly #presence: PresenceSource;
  readonly #readings: AgentReadings;
  readonly #osc: OscInbox;
  readonly #seen = new SeenPanes();
  readonly #taps: TapRequests;
  readonly #hints = new PaneHints();
  readonly #counts = { listings: 0, unreadRows: 0, osc: 0 };
  /** Who was in which pane when the listing was last read whole. */
  #occupants = '';
  #timer: NodeJS.Timeout | null = null;
  #isListing = false;
  #isClosed = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#pace = new ListingPace(() => options.config().tmux);
    const { address, daemon, processes, registry } = options;
    const where = `${address.targetId}:${address.server}`;
    const channel = id<ChannelName>(`tmux@${where}`);
    this.#channel = channel;
    this.#tapChannel = id<ChannelName>(`tap@${where}`);
    const factsOf = (paneId: string) => this.#known(paneId)?.facts ?? null;
    const panes = new WatchedPanes(address, processes, factsOf);
    this.#panes = panes;
    const run = (commands: readonly (readonly string[])[]) =>
      options.link.run(commands, { deadlineMs: this.#deadlineMs });
    this.#captures = this.#screenLooks();
    this.#listings = new Listings({ panes, run, captures: this.#captures });
    const screenOf = (paneId: string, panePid: number) => this.#captures.viewOf(paneId, panePid);
    const config = () => options.config().process;
    const watched = { address, daemon, registry };
    const presence = new PresenceSource({ ...watched, processes, config, screenOf });
    this.#presence = presence;
    this.#readings = new AgentReadings({ ...watched, channel, presence, panes });
    const source = new OscSource({ ...watched, channel: this.#tapChannel, presence });
    this.#osc = new OscInbox({ source, submit: (observations) => this.#submit(observations) });
    this.#taps = new TapRequests({
      isAllowed: () => options.isTapAllowed() && options.link.status.state === 'connected',
      countMax: () => options.config().tmux.tapsMax,
      tap: options.tap,
      onQuiet: () => this.ask(),
    });
  }

  #screenLooks(): ScreenCaptures {
    const { link, daemon, config, onFault } = this.#options;
    return new ScreenCaptures({
      link,
      daemon,
      config,
      onFault,
      channel: this.#channel,
      known: (paneId) => this.#known(paneId),
      agentIn: (pane) => this.#readings.agentIn(pane),
      titleOrigin: (agent, title) => this.#readings.titleOrigin(agent, title),
      onSeen: (seen) => this.#readScreen(seen),
      onStranger: () => this.ask(),
      onFree: () => this.#schedule(),
    });
  }

  get counts(): WatchCounts {
    return { ...this.#counts, captures: this.#captures.count };
  }

  /** Begins, or begins anew after the link was lost. */
  connected(): void {
    this.ask();
  }

  /** The server has ended: its panes are gone. */
  serverGone(): void {
    const { daemon, address } = this.#options;
    this.#clear();
    const listing = { ...address, generation: null, panes: [], atMs: daemon.nowMs() };
    this.#submit([{ kind: 'listing', listing }]);
  }

  /** The taps were closed from outside, because their guard is gone. */
  tapsClosed(): void {
    this.#taps.closed();
  }

  noticed(): void {
    this.#taps.noticed(this.#options.daemon.nowMs());
    this.ask();
  }

  /** Something may be new: a wake-up. A notice (above) also holds taps back. */
  ask(): void {
    this.#listings.ask();
    this.#pace.ask(this.#options.daemon.nowMs());
    this.#schedule();
  }

  /** An event was told of a pane: is its agent known, and what does it show? */
  hint(told: PaneHint): void {
    const { paneId } = told;
    const nowMs = this.#options.daemon.nowMs();
    if (this.#options.processes.refresh === null) {
      this.#presence.ask(paneId);
      this.#lookAfter([told], nowMs);
    } else if (this.#known(paneId)) {
      this.#hints.note(told);
      this.#listings.ask();
      this.#pace.ask(nowMs);
    }
    this.#captures.ask(paneId, nowMs);
    this.#schedule();
  }

  /**
   * Takes a person's word for the agent in a pane whose processes cannot be seen. Rejects with a
   * Fault where its machine does not answer.
   */
  async tag(paneId: string, agent: string | undefined): Promise<Outcome<null>> {
    const { processes, daemon } = this.#options;
    await processes.refresh?.(this.#panes.all.map(({ row }) => row.panePid));
    const tagged = tagPane({
      paneId,
      agent,
      presence: this.#presence,
      known: () => this.#known(paneId),
      submit: (observations) => this.#submit(observations),
      nowMs: daemon.nowMs(),
    });
    if (tagged.ok) this.ask();
    return tagged;
  }

  /** What the taps of this server saw; `steadyNowMs` is now by the clock of their worker. */
  tapped(report: TapReport, steadyNowMs: number): void {
    const nowMs = this.#options.daemon.nowMs();
    const { changed, news, titled, bells, gaps, closed, osc } = report;
    for (const paneId of [...news, ...titled, ...bells, ...gaps]) {
      this.#captures.changed(paneId, nowMs);
    }
    for (const paneId of changed) this.#captures.repainted(paneId, nowMs);
    this.#taps.ended(closed, nowMs);
    this.#workIn(changed, news, nowMs);
    this.#counts.osc += osc.length;
    this.#osc.add(
      osc.map((each) => ({ osc: each, atMs: nowMs - Math.max(0, steadyNowMs - each.atMs) })),
    );
    this.#osc.read();
    this.#schedule();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#captures[Symbol.dispose]();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#taps[Symbol.dispose]();
  }

  #workIn(changed: readonly string[], news: readonly string[], atMs: number): void {
    const runtimeOf = (paneId: string) => this.#known(paneId)?.runtime ?? null;
    this.#submit([...this.#panes.workIn(changed, new Set(news), { atMs, runtimeOf })]);
  }

  #schedule(): void {
    if (this.#isClosed || !this.#isUp) return;
    const nowMs = this.#options.daemon.nowMs();
    const sweepMs = this.#isListing ? Number.POSITIVE_INFINITY : this.#pace.dueMs;
    const nextMs = Math.min(sweepMs, this.#captures.nextMs, this.#processesMs);
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (nextMs === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.#run(), Math.max(0, nextMs - nowMs));
  }

  /** On another machine processes are looked at with each listing. */
  get #processesMs(): number {
    const { refresh } = this.#options.processes;
    return refresh === null ? this.#presence.nextMs : Number.POSITIVE_INFINITY;
  }

  #run(): void {
    this.#timer = null;
    const nowMs = this.#options.daemon.nowMs();
    if (this.#processesMs <= nowMs) this.#submit(this.#presence.scan(nowMs));
    if (!this.#isListing && this.#pace.dueMs <= nowMs) void this.#sweep();
    this.#captures.run(nowMs);
    this.#schedule();
  }

  /** A healthy tmux answers in milliseconds; one that does not is not counted on. */
  get #deadlineMs(): number {
    return this.#options.config().tmux.commandTimeoutMs;
  }

  get #isUp(): boolean {
    const { state } = this.#options.link.status;
    return state === 'connected' || state === 'degraded';
  }

  async #sweep(): Promise<void> {
    const { daemon, link } = this.#options;
    this.#isListing = true;
    this.#pace.begin();
    const startedMs = daemon.nowMs();
    const hint = this.#hints.all;
    for (const { paneId } of hint) this.#presence.ask(paneId);
    // No notice comes there.
    if (this.#mode() === 'degraded') this.#listings.ask();
    try {
      const listed = await this.#listings.read(startedMs);
      if (this.#isClosed || listed === null) return;
      this.#counts.listings += 1;
      this.#counts.unreadRows += listed.unreadCount;
      if (listed.isWhole) this.#listed();
      const hasAsked = await this.#readings.checkOptions(link, this.#deadlineMs);
      await this.#readProcesses();
      if (this.#isClosed) return;
      this.#beat();
      this.#activityIn(listed.moved, daemon.nowMs());
      if (listed.isWhole || hasAsked || this.#hasMore(hint)) this.#readListing(hint);
      if (listed.clients) this.#readClients(readClients(listed.clients), daemon.nowMs());
    } catch (error) {
      this.#fault(error);
    } finally {
      this.#isListing = false;
      const nowMs = daemon.nowMs();
      this.#pace.end(nowMs, nowMs - startedMs, this.#mode());
      this.#schedule();
    }
  }

  /** Whether a listing that is as before may tell something all the same. */
  #hasMore(hint: readonly PaneHint[]): boolean {
    const isFar = this.#options.processes.refresh !== null;
    return isFar || hint.length > 0 || this.#occupants !== this.#readings.occupants();
  }

  #listed(): void {
    this.#options.link.avoid(this.#panes.fragileSessionIds);
    for (const { row } of this.#panes.all) this.#presence.listed(row);
    this.#presence.keep(new Set(this.#panes.ids));
  }

  /** On another machine they are read in one go, before the listing is judged by them. */
  async #readProcesses(): Promise<void> {
    const { processes, daemon } = this.#options;
    if (processes.refresh === null) return;
    const pids = this.#panes.all.map(({ row }) => row.panePid);
    const isDue =
      this.#presence.nextMs <= daemon.nowMs() ||
      pids.some((pid) => processes.startedAtMs(pid) === null);
    if (isDue) await processes.refresh(pids);
  }

  /** Everything that one listing tells, in the order in which it depends on itself. */
  #readListing(hint: readonly PaneHint[]): void {
    const { daemon, config } = this.#options;
    const nowMs = daemon.nowMs();
    const isOpaque = ({ paneId }: { paneId: string }) => this.#presence.isOpaque(paneId);
    const listing = this.#panes.factsIfNew(nowMs, config().tmux.listingMs, isOpaque);
    if (listing) this.#submit([{ kind: 'listing', listing }]);
    this.#lookAfter(hint, nowMs);
    this.#readings.meet(nowMs, (starts) => this.#submit(starts));
    this.#submit(this.#readings.read().map((evidence) => ({ kind: 'evidence', evidence })));
    this.#osc.read();
    this.#followAgents(nowMs);
    this.#occupants = this.#readings.occupants();
  }

  /** tmux has answered. */
  #beat(): void {
    const atMs = this.#options.daemon.nowMs();
    const channels = this.#taps.hasTaps ? [this.#channel, this.#tapChannel] : [this.#channel];
    this.#submit(channels.map((channel) => ({ kind: 'heartbeat', channel, atMs })));
  }

  /** Looks at processes, and takes those who spoke and are no agent that we know at their word. */
  #lookAfter(hint: readonly PaneHint[], nowMs: number): void {
    this.#submit(this.#presence.scan(nowMs));
    for (const told of hint) {
      const { paneId, agent } = told;
      this.#hints.forget(told);
      const pane = this.#known(paneId);
      if (pane?.runtime !== null || agent === null) continue;
      const start = startOfSpeaker(pane, { agent }, this.#presence, { basis: 'event', nowMs });
      if (start) this.#submit([start.observation]);
    }
  }

  /** Screens are looked at, and output is tapped, where an agent is or cannot be ruled out. */
  #followAgents(nowMs: number): void {
    const followed = this.#panes.all.filter(
      ({ row: { paneId } }) =>
        (this.#known(paneId)?.runtime ?? null) !== null || this.#presence.isOpaque(paneId),
    );
    this.#captures.follow(new Set(followed.map(({ row }) => row.paneId)), nowMs);
    this.#activityIn(this.#panes.takeChanged(nowMs), nowMs);
    this.#taps.want(sessionsShowing(followed), this.#panes.ids.length, nowMs);
  }

  /** These panes may have printed something: who is there, and what do they show? */
  #activityIn(paneIds: readonly string[], nowMs: number): void {
    for (const paneId of paneIds) this.#presence.noteOutput(paneId, nowMs);
    const untapped = paneIds.filter((paneId) => {
      const watched = this.#captures.isFollowed(paneId) ? this.#panes.at(paneId) : undefined;
      return watched && !this.#isTapped(watched);
    });
    for (const paneId of untapped) this.#captures.changed(paneId, nowMs);
    // What was printed is not known: that it is news raises no wrong doubt.
    this.#workIn(untapped, untapped, nowMs);
  }

  #isTapped = ({ sessionIds }: WatchedPane): boolean => this.#taps.isTapped(sessionIds);

  #mode(): ListingMode {
    if (this.#options.link.status.state === 'degraded') return 'degraded';
    const followed = this.#captures.paneIds.map((paneId) => this.#panes.at(paneId));
    return followed.every((pane) => !pane || this.#isTapped(pane)) ? 'tapped' : 'untapped';
  }

  #readClients(clients: ReturnType<typeof readClients>, nowMs: number): void {
    const panes = this.#seen.shown(clients, nowMs).map((paneId) => this.#known(paneId));
    const known = panes.filter((pane) => pane !== null);
    if (known.length > 0) this.#options.onSeen(known);
  }

  #readScreen({ paneId, agent, screen, look }: ScreenReading): void {
    const watched = this.#panes.at(paneId);
    const title = agent && this.#readings.readTitle(agent, screen.title, watched);
    const told = [title, look.evidence].filter((each) => each !== null);
    this.#submit(told.map((evidence) => ({ kind: 'evidence', evidence })));
    // Where nothing can be looked into an agent may have come; where no rule knows it, it may go.
    if (agent === null ? look.isNew : look.isUnknown) this.#presence.ask(paneId);
  }

  #known(paneId: string): KnownPane | null {
    return this.#options.daemon.paneAt(this.#options.address, paneId);
  }

  /** False where they could not be stored. */
  #submit(observations: readonly Observation[]): boolean {
    if (observations.length === 0 || this.#isClosed) return true;
    try {
      this.#options.daemon.submit(observations);
      return true;
    } catch (error) {
      this.#fault(error);
      return false;
    }
  }

  /** The world misbehaves: what was read now is read again soon. Our own bugs are not caught. */
  #fault(error: unknown): void {
    if (!(error instanceof Fault)) throw error;
    this.#options.onFault(error);
  }

  #clear(): void {
    const nowMs = this.#options.daemon.nowMs();
    this.#panes.clear();
    this.#listings.ask();
    this.#captures.follow(new Set(), nowMs);
    this.#presence.keep(new Set());
    this.#osc.clear();
    this.#hints.clear();
    this.#taps.want([], 0, nowMs);
  }
}
