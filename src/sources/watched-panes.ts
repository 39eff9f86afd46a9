// What the watch of a server remembers of each pane between two listings: its place, its first
// process, its title, and what a listing shows of changes on its screen.

import type { Listing } from '../core/identity/instance.ts';
import type { RuntimeId } from '../schema/ids.ts';
import type { PaneFacts } from '../schema/pane.ts';
import type { HostProcesses } from '../tmux/host.ts';
import { LISTED_MAX, type ListedPane } from '../tmux/listing.ts';
import type { ServerPlace } from './known-pane.ts';
import { listingFacts, type PaneMemory, withoutSpinner } from './listing-facts.ts';
import { ownText } from './own-text.ts';

/** That an agent works is told once in this time. */
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
  pulse: string;
  /** When it was last told that something was printed. */
  workedAtMs: number;
}

export class WatchedPanes {
  readonly #place: ServerPlace;
  readonly #processes: HostProcesses;
  /** What the daemon remembers of a pane from before our start. */
  readonly #factsOf: (paneId: string) => PaneFacts | null;
  readonly #panes = new Map<string, WatchedPane>();
  #rows: readonly ListedPane[] = [];
  #text = '';
  #comparedMs = Number.NEGATIVE_INFINITY;

  constructor(
    place: ServerPlace,
    processes: HostProcesses,
    factsOf: (paneId: string) => PaneFacts | null,
  ) {
    this.#place = place;
    this.#processes = processes;
    this.#factsOf = factsOf;
  }

  get all(): readonly WatchedPane[] {
    return [...this.#panes.values()];
  }

  get ids(): readonly string[] {
    return [...this.#panes.keys()];
  }

  at(paneId: string): WatchedPane | undefined {
    return this.#panes.get(paneId);
  }

  /** Whether it is to be told that the pane prints; it does so many times a second. */
  isWorkNews(paneId: string, nowMs: number): boolean {
    const watched = this.#panes.get(paneId);
    if (!watched || nowMs - watched.workedAtMs < WORK_MS) return false;
    watched.workedAtMs = nowMs;
    return true;
  }

  /** The server has ended: the next listing is compared anew, whatever it shows. */
  clear(): void {
    this.#rows = [];
    this.#panes.clear();
    this.#text = '';
    this.#comparedMs = Number.NEGATIVE_INFINITY;
  }

  /** Takes over a listing. While rows of it cannot be read, no pane counts as closed. */
  listed(read: readonly ListedPane[], unreadCount = 0): void {
    const all = unreadCount === 0 ? read : [...read, ...this.#missingIn(read)];
    const rows = all.slice(0, LISTED_MAX);
    this.#rows = rows;
    const sessions = new Map<string, string[]>();
    for (const row of rows) {
      const known = sessions.get(row.paneId) ?? [];
      // A session that ends when its last client leaves must not be entered by us.
      if (!row.destroyUnattached) known.push(row.sessionId);
      sessions.set(row.paneId, known);
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
    const known = this.#panes.get(row.paneId);
    if (known && isSameLife(known.row, row)) {
      known.row = row;
      known.sessionIds = sessionIds;
      return;
    }
    const titles = { titleBefore: null, lastTitle: null, pulse: '' };
    const none = { memory: null, runtimeId: null, ...titles, workedAtMs: 0 };
    this.#panes.set(row.paneId, { row, sessionIds, ...none });
  }

  /**
   * The facts of all panes, or null when they are as they were. After `backstopMs` they are
   * compared with the world in any case.
   */
  factsIfNew(
    nowMs: number,
    backstopMs: number,
    isOpaque: (row: ListedPane) => boolean,
  ): Listing | null {
    const text = JSON.stringify(this.#rows.map((row) => factText(row, isOpaque(row))));
    const isDue = nowMs - this.#comparedMs >= backstopMs;
    if (text === this.#text && !isDue) return null;
    this.#text = text;
    this.#comparedMs = nowMs;
    const listing = listingFacts({
      place: this.#place,
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
      const { memory } = pane;
      const titleAtMs = memory?.title === title ? memory.titleAtMs : nowMs;
      pane.memory = { birth, title, titleAtMs };
    }
    return listing;
  }

  #fromBefore(paneId: string, nowMs: number): PaneMemory | null {
    const facts = this.#factsOf(paneId);
    return facts && { birth: facts.birth, title: facts.title, titleAtMs: nowMs };
  }

  /** The title that stood there before the runtime came; to be asked once a sweep. */
  titleBefore(pane: WatchedPane, runtimeId: RuntimeId | null): string | null {
    if (pane.runtimeId !== runtimeId) {
      pane.runtimeId = runtimeId;
      pane.titleBefore = pane.lastTitle === null ? null : ownText(pane.lastTitle);
    }
    pane.lastTitle = pane.row.title;
    return pane.titleBefore;
  }

  /**
   * Whether the screen of a pane that is not tapped may have changed. tmux counts activity in whole
   * seconds, so a change may hide behind an earlier one until the second is over.
   */
  isChanged(pane: WatchedPane, nowMs: number): boolean {
    const { windowActivity, cursor, historySize, title, alternateOn, width, height } = pane.row;
    const place = [cursor.x, cursor.y, historySize, title, alternateOn, width, height];
    const pulse = JSON.stringify([windowActivity, ...place]);
    const isNew = pulse !== pane.pulse;
    pane.pulse = pulse;
    return isNew || nowMs / 1000 - windowActivity < 2;
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
