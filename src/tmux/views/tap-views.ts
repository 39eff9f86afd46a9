// The panes that somebody views, on the thread that reads taps: their bytes and their snapshots in
// one order, so that nothing is missing between the two and nothing comes twice. What is not taken
// in time is dropped, and the pane gets a gap in its place. No I/O: the worker feeds it.

import type { Reply } from '../../tmux-wire/control-parser.ts';
import { commandLine } from '../../tmux-wire/quote.ts';
import { type OutputState, outputState } from './output-state.ts';
import {
  type PaneSnapshot,
  readSnapshot,
  SNAPSHOT_REPLIES,
  snapshotCommands,
  snapshotRequestOf,
} from './pane-snapshot.ts';

/** What waits for one pane; a viewer that needs more gets a snapshot. */
const WAITING_BYTES_MAX = 1024 * 1024;
/** Snapshots that a tap was asked for and has not answered. */
const REQUESTS_MAX = 256;

/** A pane, with the session of the tap that reads it. */
export interface ViewedPane {
  readonly server: string;
  readonly sessionId: string;
  readonly paneId: string;
}

export interface SnapshotRequest extends ViewedPane {
  readonly request: number;
  readonly historyCount: number;
}

export type ViewItem = { readonly server: string; readonly paneId: string } & (
  | { readonly kind: 'bytes'; readonly bytes: string }
  | {
      readonly kind: 'snapshot';
      readonly request: number;
      /** Null: the pane is gone, or its tap is. */
      readonly snapshot: PaneSnapshot | null;
      /** What comes after it, so that the next bytes go on as in the pane. */
      readonly state: string;
    }
  /** Bytes were lost, or the size has changed: only a snapshot helps. */
  | { readonly kind: 'gap' }
);

interface View extends ViewedPane {
  readonly state: OutputState;
  waitingBytes: number;
  /** After a gap nothing is kept before the next snapshot. */
  hasGap: boolean;
}

/** The replies of a snapshot as they come. */
interface Answer {
  readonly request: SnapshotRequest;
  readonly replies: Reply[];
}

const keyOf = ({ server, paneId }: { readonly server: string; readonly paneId: string }): string =>
  `${paneId} ${server}`;
const tapOf = ({ server, sessionId }: Omit<ViewedPane, 'paneId'>): string =>
  `${sessionId} ${server}`;

export class TapViews {
  #views = new Map<string, View>();
  /** Asked for and not answered. */
  readonly #requests = new Map<number, SnapshotRequest>();
  /** By tap: a snapshot of which some replies have come. */
  readonly #answers = new Map<string, Answer>();
  #items: ViewItem[] = [];

  /** These panes are viewed from now on, and no others. */
  set(viewed: readonly ViewedPane[]): void {
    const before = this.#views;
    this.#views = new Map();
    for (const pane of viewed) {
      const known = before.get(keyOf(pane));
      const fresh = { ...pane, state: outputState(), waitingBytes: 0, hasGap: false };
      const isSame = known?.sessionId === pane.sessionId;
      this.#views.set(keyOf(pane), isSame ? known : fresh);
    }
  }

  /** The viewed panes of a server. */
  paneIdsOf(server: string): ReadonlySet<string> {
    const own = [...this.#views.values()].filter((view) => view.server === server);
    return new Set(own.map(({ paneId }) => paneId));
  }

  /** The line to write to the tap for a snapshot; null where it cannot be had. */
  request(request: SnapshotRequest): string | null {
    const view = this.#views.get(keyOf(request));
    if (view?.sessionId !== request.sessionId || this.#requests.size >= REQUESTS_MAX) {
      this.#answer(request, null);
      return null;
    }
    this.#requests.set(request.request, request);
    const commands = snapshotCommands(request.paneId, request);
    return commands.map(commandLine).join(' ; ');
  }

  onOutput(pane: ViewedPane, bytes: string): void {
    const view = this.#views.get(keyOf(pane));
    if (view?.sessionId !== pane.sessionId) return;
    view.state.feed(bytes);
    if (view.hasGap) return;
    view.waitingBytes += bytes.length;
    if (view.waitingBytes > WAITING_BYTES_MAX) {
      this.#gap(view);
      return;
    }
    const last = this.#items.at(-1);
    const { server, paneId } = view;
    if (last?.kind === 'bytes' && last.paneId === paneId && last.server === server) {
      this.#items[this.#items.length - 1] = { ...last, bytes: last.bytes + bytes };
    } else this.#items.push({ server, paneId, kind: 'bytes', bytes });
  }

  /** Output of a pane was lost. */
  onLost(pane: ViewedPane): void {
    const view = this.#views.get(keyOf(pane));
    if (view?.sessionId === pane.sessionId && !view.hasGap) this.#gap(view);
  }

  /** The windows of a session have another size, perhaps. */
  onResized(tap: Omit<ViewedPane, 'paneId'>): void {
    for (const view of this.#views.values()) {
      if (tapOf(view) === tapOf(tap) && !view.hasGap) this.#gap(view);
    }
  }

  onReply(tap: Omit<ViewedPane, 'paneId'>, reply: Reply): void {
    // Only replies to our own commands; tmux also reports those of hooks.
    if (reply.flags !== 1) return;
    const key = tapOf(tap);
    const number = snapshotRequestOf(reply);
    const request = number === null ? undefined : this.#requests.get(number);
    if (request) this.#answers.set(key, { request, replies: [] });
    const answer = this.#answers.get(key);
    if (!answer) return;
    answer.replies.push(reply);
    if (reply.ok && answer.replies.length < SNAPSHOT_REPLIES) return;
    this.#answers.delete(key);
    const { historyCount } = answer.request;
    this.#answer(answer.request, readSnapshot(answer.replies, historyCount));
  }

  /** The tap has ended: what it was asked for does not come. */
  onTapEnded(tap: Omit<ViewedPane, 'paneId'>): void {
    this.#answers.delete(tapOf(tap));
    for (const request of this.#requests.values()) {
      if (tapOf(request) === tapOf(tap)) this.#answer(request, null);
    }
  }

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  /** What came since the last time. */
  take(): readonly ViewItem[] {
    const items = this.#items;
    this.#items = [];
    for (const view of this.#views.values()) view.waitingBytes = 0;
    return items;
  }

  #answer(request: SnapshotRequest, snapshot: PaneSnapshot | null): void {
    const { server, paneId, request: number } = request;
    this.#requests.delete(number);
    const view = this.#views.get(keyOf(request));
    if (view && snapshot !== null) view.hasGap = false;
    const state = view?.state.bytes ?? '';
    this.#items.push({ server, paneId, kind: 'snapshot', request: number, snapshot, state });
  }

  #gap(view: View): void {
    const { server, paneId } = view;
    const isOther = (item: ViewItem): boolean =>
      item.kind !== 'bytes' || item.paneId !== paneId || item.server !== server;
    this.#items = this.#items.filter(isOther);
    this.#items.push({ server, paneId, kind: 'gap' });
    view.hasGap = true;
    view.waitingBytes = 0;
  }
}
