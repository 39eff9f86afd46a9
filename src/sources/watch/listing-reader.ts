// Reads one listing of a server, in the order in which its parts depend on each other: panes,
// processes, agents that declare themselves, titles and options; and decides which panes are
// captured and tapped from then on. server-watch.ts says when, and hands in what is read.

import { readClients } from '../../tmux/listing.ts';
import type { Batches } from '../known-pane.ts';
import type { ListingMode } from './listing-pace.ts';
import type { Listed } from './listings.ts';
import type { PaneHint } from './pane-hints.ts';
import type { WatchOptions, WatchParts } from './watch-parts.ts';
import { sessionsShowing, type WatchedPane } from './watched-panes.ts';

/** After so long without output, five listings a second show nothing that two do not. */
const QUIET_MS = 10_000;

export class ListingReader {
  readonly #options: WatchOptions;
  readonly #parts: WatchParts;
  /** The agent of each pane at the last listing. */
  #occupants = '';
  /** The sessions that people were attached to at the last listing. */
  #attachedIds = '';
  /** When a pane last printed, as far as cheap listings show. */
  #movedMs = Number.NEGATIVE_INFINITY;

  constructor(options: WatchOptions, parts: WatchParts) {
    this.#options = options;
    this.#parts = parts;
  }

  /** Whether processes are those of another machine: they are scanned with each listing. */
  get isFar(): boolean {
    return this.#options.processes.refresh !== null;
  }

  get mode(): ListingMode {
    const { state, plain } = this.#options.link.status;
    if (state === 'degraded') return 'degraded';
    // No notification says that a pane has come or gone.
    if (plain !== undefined) return this.#nowMs - this.#movedMs < QUIET_MS ? 'untapped' : 'quiet';
    const { paneIds } = this.#parts.schedule;
    return paneIds.every((paneId) => this.#isTapped(paneId)) ? 'tapped' : 'untapped';
  }

  /** Takes over the rows of a listing that was read whole. */
  noteRows(): void {
    const { panes, presence } = this.#parts;
    this.#options.link.avoid(panes.fragileSessionIds);
    for (const { row } of panes.all) presence.listed(row);
    presence.keep(new Set(panes.ids));
  }

  /** Reads the processes of another machine in one go, before the listing is judged by them. */
  async refreshProcesses(): Promise<void> {
    const { processes } = this.#options;
    const { panes, presence } = this.#parts;
    if (processes.refresh === null) return;
    const { pids } = panes;
    const isDue =
      presence.nextMs <= this.#nowMs || pids.some((pid) => processes.startedAtMs(pid) === null);
    if (isDue) await processes.refresh(pids);
  }

  /** Everything in a listing: each batch is read in the world that the last one made. */
  *read(listed: Listed, hinted: readonly PaneHint[], hasQueried: boolean): Batches {
    const { channel, tapChannel, taps } = this.#parts;
    // tmux has answered: its channels are fresh.
    const channels = taps.hasTaps ? [channel, tapChannel] : [channel];
    const atMs = this.#nowMs;
    yield channels.map((each) => ({ kind: 'heartbeat', channel: each, atMs }));
    if (listed.moved.length > 0) this.#movedMs = atMs;
    yield* this.#readOutput(listed.moved, this.#nowMs);
    // A listing without a change is read all the same where something else has changed.
    const hasChanged = listed.isWhole || hasQueried || this.isFar || hinted.length > 0;
    if (hasChanged || this.#occupants !== this.#parts.readings.occupants()) {
      yield* this.#readPanes(hinted);
    }
    if (listed.clients) this.#readClients(listed.clients);
  }

  /** Captures these panes and taps their sessions from now on, and no others. */
  *follow(followed: readonly WatchedPane[], nowMs: number): Batches {
    const { link, tap, config, isTapAllowed, viewedPaneIds } = this.#options;
    const { captures, screens, panes, taps } = this.#parts;
    const followedIds = new Set(followed.map(({ row }) => row.paneId));
    for (const paneId of captures.follow(followedIds, nowMs)) screens.forget(paneId);
    yield* this.#readOutput(panes.takeChanged(nowMs), nowMs);
    const { state, plain } = link.status;
    const { tap: whose } = config().tmux;
    const isViewed = ({ row }: WatchedPane): boolean => viewedPaneIds().has(row.paneId);
    const viewed = panes.all.filter(isViewed);
    const read = whose === 'agents' ? followed.filter((pane) => !isViewed(pane)) : [];
    const wanted = {
      // Those that somebody views come first, where there may not be taps for all.
      sessionIds: sessionsShowing([...viewed, ...read]),
      viewedCount: sessionsShowing(viewed).length,
      paneCount: panes.ids.length,
      countMax: config().tmux.tapsMax,
      isAllowed: isTapAllowed() && state === 'connected' && plain === undefined,
      attachWaitMs: link.attachWaitMs,
      isOneByOne: link.hasAttachFault,
    };
    const sessionIds = taps.want(wanted, nowMs);
    if (sessionIds !== null) tap(sessionIds);
  }

  *#readPanes(hinted: readonly PaneHint[]): Batches {
    const { panes, presence, hints, readings, osc, paneOf } = this.#parts;
    const nowMs = this.#nowMs;
    const isOpaque = ({ paneId }: { paneId: string }): boolean => presence.isOpaque(paneId);
    const listing = panes.factsIfNew(nowMs, this.#options.config().tmux.listingMs, isOpaque);
    if (listing) yield [{ kind: 'listing', listing }];
    if (panes.owesTitle) this.#parts.listings.ask();
    yield* hints.resolve(hinted, presence, { nowMs, paneOf });
    yield readings.leavers(nowMs);
    yield* readings.startNewcomers(nowMs);
    yield readings.read().map((evidence) => ({ kind: 'evidence', evidence }));
    yield* osc.read();
    // Screens are captured, and output is tapped, where an agent is or cannot be ruled out.
    const mayHoldAgent = ({ row: { paneId } }: WatchedPane): boolean =>
      (paneOf(paneId)?.runtime ?? null) !== null || presence.isOpaque(paneId);
    yield* this.follow(panes.all.filter(mayHoldAgent), nowMs);
    this.#occupants = readings.occupants();
  }

  /** Reads the agents and screens of panes that may have printed something. */
  *#readOutput(paneIds: readonly string[], nowMs: number): Batches {
    const { presence, schedule, panes } = this.#parts;
    for (const paneId of paneIds) presence.noteOutput(paneId, nowMs);
    const untapped = paneIds.filter((paneId) => schedule.has(paneId) && !this.#isTapped(paneId));
    for (const paneId of untapped) schedule.changed(paneId, nowMs);
    // What was printed is not known: to take it for news raises no wrong doubt.
    yield panes.workIn(untapped, untapped, nowMs);
  }

  #readClients(clients: NonNullable<Listed['clients']>): void {
    const { seen, paneOf } = this.#parts;
    const listed = readClients(clients);
    this.noteAttached(listed.flatMap((each) => (each.control ? [] : [each.sessionId])));
    const shown = seen.shown(listed, this.#nowMs).map(paneOf);
    const panes = shown.filter((pane) => pane !== null);
    if (panes.length > 0) this.#options.onSeen(panes);
  }

  /** People are attached to these sessions. */
  noteAttached(sessionIds: readonly string[]): void {
    const attachedIds = [...new Set(sessionIds)].sort().join(' ');
    if (attachedIds === this.#attachedIds) return;
    this.#attachedIds = attachedIds;
    this.#options.onAttached(new Set(sessionIds));
  }

  #isTapped(paneId: string): boolean {
    const { panes, taps } = this.#parts;
    const pane = panes.at(paneId);
    return pane === undefined || taps.isTapped(pane.sessionIds);
  }

  get #nowMs(): number {
    return this.#options.daemon.nowMs();
  }
}
