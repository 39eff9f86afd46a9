// What the watch of a server remembers of each pane between two listings: its sessions, its first
// process, its title, and what a listing shows of changes on its screen.

import type { ServerListing } from '../../core/identity/instance.ts';
import type { Observation } from '../../core/ingest.ts';
import type { RuntimeId } from '../../schema/ids.ts';
import type { HostProcesses } from '../../tmux/host.ts';
import { LISTED_MAX, type ListedPane, listingReader } from '../../tmux/listing.ts';
import type { Reply } from '../../tmux-wire/control-parser.ts';
import type { KnownPane, ServerAddress } from '../known-pane.ts';
import { ownText } from '../own-text.ts';
import {
  isTitleOwed,
  listingFacts,
  type PaneMemory,
  rememberTitle,
  withoutSpinner,
} from '../panes/listing-facts.ts';

/** That an agent works is reported once in this time. */
const WORK_MS = 1_000;

export interface WatchedPane {
  row: ListedPane;
  /** Sessions that show it and may be tapped, in the order of tmux. */
  sessionIds: readonly string[];
  memory: PaneMemory | null;
  runtimeId: RuntimeId | null;
  /** The title when there was another runtime here, or none; null when the pane is new to us. */
  titleBefore: string | null;
  lastTitle: string | null;
  /** Whether the title of its row was read: a capture may have shown a later one since. */
  isTitleRead: boolean;
  /** The row at the last `takeChanged`. */
  comparedRow: ListedPane | null;
  /** When a repaint, and when news, was last reported. */
  movedAtMs: number;
  workedAtMs: number;
}

export class WatchedPanes {
  readonly #address: ServerAddress;
  readonly #processes: HostProcesses;
  /** The pane as the daemon knows it, also from before our start. */
  readonly #paneOf: (paneId: string) => KnownPane | null;
  readonly #panes = new Map<string, WatchedPane>();
  readonly #readRows = listingReader();
  #rows: readonly ListedPane[] = [];
  #text = '';
  #comparedRows: readonly ListedPane[] = [];
  #comparedOpaque = '';
  #comparedMs = Number.NEGATIVE_INFINITY;
  #owesTitle = false;
  #activityMs = Number.NEGATIVE_INFINITY;

  constructor(
    address: ServerAddress,
    processes: HostProcesses,
    paneOf: (paneId: string) => KnownPane | null,
  ) {
    this.#address = address;
    this.#processes = processes;
    this.#paneOf = paneOf;
  }

  get all(): readonly WatchedPane[] {
    return [...this.#panes.values()];
  }

  /** Whether a title that came soon after another is still to be taken over. */
  get owesTitle(): boolean {
    return this.#owesTitle;
  }

  get ids(): readonly string[] {
    return [...this.#panes.keys()];
  }

  /** The first process of each pane. */
  get pids(): readonly number[] {
    return this.all.map(({ row }) => row.panePid);
  }

  /** Sessions that end when their last client leaves. */
  get fragileSessionIds(): ReadonlySet<string> {
    const rows = this.#rows.filter(({ destroyUnattached }) => destroyUnattached);
    return new Set(rows.map(({ sessionId }) => sessionId));
  }

  at(paneId: string): WatchedPane | undefined {
    return this.#panes.get(paneId);
  }

  /** Work of agents whose panes printed: news and repaints, each at most once a second. */
  workIn(
    changed: readonly string[],
    news: readonly string[],
    atMs: number,
  ): readonly Observation[] {
    const isNews = new Set(news);
    const observations: Observation[] = [];
    for (const paneId of changed) {
      const watched = this.#panes.get(paneId);
      const isRepaint = !isNews.has(paneId);
      const which = isRepaint ? 'movedAtMs' : 'workedAtMs';
      if (!watched || atMs - watched[which] < WORK_MS) continue;
      watched[which] = atMs;
      const runtimeId = this.#paneOf(paneId)?.runtime?.runtimeId;
      if (runtimeId) observations.push({ kind: 'work', runtimeId, atMs, isRepaint });
    }
    return observations;
  }

  /** The server has ended: the next listing is compared anew, whatever it shows. */
  clear(): void {
    this.#rows = [];
    this.#panes.clear();
    this.#text = '';
    this.#comparedRows = [];
    this.#comparedMs = Number.NEGATIVE_INFINITY;
  }

  /** Reads a listing and takes it over; returns how many rows of it cannot be read. */
  read(reply: Reply): number {
    const { panes, unreadCount } = this.#readRows(reply);
    this.listed(panes, unreadCount);
    return unreadCount;
  }

  /** Takes over a listing. While rows of it cannot be read, no pane counts as closed. */
  listed(read: readonly ListedPane[], unreadCount = 0): void {
    const all = unreadCount === 0 ? read : [...read, ...this.#missingIn(read)];
    // The same listing stays the same: nothing of it is compared again.
    const rows = all.length > LISTED_MAX ? all.slice(0, LISTED_MAX) : all;
    this.#rows = rows;
    const sessions = new Map<string, string[]>();
    for (const row of rows) {
      const sessionIds = sessions.get(row.paneId) ?? [];
      // Never attach to a session that ends when its last client leaves.
      if (!row.destroyUnattached) sessionIds.push(row.sessionId);
      sessions.set(row.paneId, sessionIds);
    }
    for (const row of rows) this.#take(row, sessions.get(row.paneId) ?? []);
    for (const paneId of this.#panes.keys()) {
      if (!sessions.has(paneId)) this.#panes.delete(paneId);
    }
  }

  /** Rows of the listing before, for panes of the same server that this one does not show. */
  #missingIn(rows: readonly ListedPane[]): readonly ListedPane[] {
    const shown = new Set(rows.map(({ paneId }) => paneId));
    const [first = this.#rows[0]] = rows;
    return this.#rows.filter(
      (row) => !shown.has(row.paneId) && first !== undefined && isSameServer(row, first),
    );
  }

  #take(row: ListedPane, sessionIds: readonly string[]): void {
    const watched = this.#panes.get(row.paneId);
    if (watched && isSameLife(watched.row, row)) {
      watched.isTitleRead &&= watched.row === row;
      watched.row = row;
      watched.sessionIds = sessionIds;
      return;
    }
    const titles = { titleBefore: null, lastTitle: null, isTitleRead: false, comparedRow: null };
    const none = { memory: null, runtimeId: null, ...titles, movedAtMs: 0, workedAtMs: 0 };
    this.#panes.set(row.paneId, { row, sessionIds, ...none });
  }

  /** The facts of all panes, or null if unchanged; never null after `backstopMs`. */
  factsIfNew(
    nowMs: number,
    backstopMs: number,
    isOpaque: (row: ListedPane) => boolean,
  ): ServerListing | null {
    const isDue = nowMs - this.#comparedMs >= backstopMs;
    if (!this.#isTextNew(isOpaque) && !isDue && !this.#owesTitle) return null;
    this.#comparedMs = nowMs;
    const listing = listingFacts({
      address: this.#address,
      rows: this.#rows,
      nowMs,
      remembered: (paneId) => this.#panes.get(paneId)?.memory ?? this.#fromBefore(paneId, nowMs),
      rereadsBirths: isDue,
      startedAtMs: (pid) => this.#processes.startedAtMs(pid),
      isOpaque,
    });
    for (const { paneId, birth, title } of listing.panes) {
      const pane = this.#panes.get(paneId);
      if (!pane) continue;
      pane.memory = { birth, ...rememberTitle(pane.memory, title, nowMs) };
    }
    this.#owesTitle = this.all.some(({ row, memory }) => memory && isTitleOwed(row, memory));
    return listing;
  }

  #isTextNew(isOpaque: (row: ListedPane) => boolean): boolean {
    const opaque = this.#rows.map((row) => (isOpaque(row) ? '1' : '0')).join('');
    if (this.#rows === this.#comparedRows && opaque === this.#comparedOpaque) return false;
    this.#comparedRows = this.#rows;
    this.#comparedOpaque = opaque;
    const text = JSON.stringify(this.#rows.map((row) => factText(row, isOpaque(row))));
    const isNew = text !== this.#text;
    this.#text = text;
    return isNew;
  }

  #fromBefore(paneId: string, nowMs: number): PaneMemory | null {
    const facts = this.#paneOf(paneId)?.facts;
    if (!facts) return null;
    return { birth: facts.birth, title: facts.title, titleAtMs: nowMs, quickTitles: 0 };
  }

  /** The title before the runtime came; to be called once for each listing. */
  titleBefore(pane: WatchedPane, runtimeId: RuntimeId | null): string | null {
    if (pane.runtimeId !== runtimeId) {
      pane.runtimeId = runtimeId;
      pane.titleBefore = pane.lastTitle === null ? null : ownText(pane.lastTitle);
    }
    if (!pane.isTitleRead) pane.lastTitle = pane.row.title;
    pane.isTitleRead = true;
    return pane.titleBefore;
  }

  /**
   * The panes whose screens may have changed since the last call. tmux counts activity in whole
   * seconds: what moved in that of the last listing, or the one before, may have moved after it.
   */
  takeChanged(nowMs: number): readonly string[] {
    const changed: string[] = [];
    const sinceSecond = Math.floor(this.#activityMs / 1_000) - 1;
    this.#activityMs = nowMs;
    for (const [paneId, pane] of this.#panes) {
      const { row, comparedRow: before } = pane;
      pane.comparedRow = row;
      const isSame = row === before || (before !== null && hasSameActivity(row, before));
      if (!isSame || row.windowActivity >= sinceSecond) changed.push(paneId);
    }
    return changed;
  }
}

/** As few sessions as show all of these panes. */
export function sessionsShowing(panes: readonly WatchedPane[]): readonly string[] {
  const sessions = new Set<string>();
  for (const { sessionIds } of panes) {
    const [first] = sessionIds;
    if (first !== undefined && !sessionIds.some((each) => sessions.has(each))) sessions.add(first);
  }
  return [...sessions];
}

const isSameServer = (a: ListedPane, b: ListedPane): boolean =>
  a.serverPid === b.serverPid && a.serverStartTime === b.serverStartTime;

const isSameLife = (a: ListedPane, b: ListedPane): boolean =>
  a.panePid === b.panePid && isSameServer(a, b);

const hasSameActivity = (a: ListedPane, b: ListedPane): boolean =>
  a.windowActivity === b.windowActivity &&
  a.cursor.x === b.cursor.x &&
  a.cursor.y === b.cursor.y &&
  a.historySize === b.historySize &&
  a.title === b.title &&
  a.alternateOn === b.alternateOn &&
  a.width === b.width &&
  a.height === b.height;

/** What of a row can be news to the world. */
function factText(row: ListedPane, opaque: boolean): readonly unknown[] {
  return [
    row.serverPid,
    row.serverStartTime,
    row.sessionId,
    row.sessionName,
    row.windowId,
    row.windowIndex,
    row.windowName,
    row.windowActive && row.paneActive,
    row.paneId,
    row.paneIndex,
    row.panePid,
    row.dead,
    withoutSpinner(row.title),
    row.currentCommand,
    row.currentPath,
    opaque,
  ];
}
