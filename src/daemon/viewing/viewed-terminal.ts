// One pane with everybody who views it: one tap for all of them, or one capture for all where there
// is no tap. A viewer that is too slow gets a fresh snapshot in place of what it missed.

import type { OutputMessage, StreamSink } from '../../operations/ports/stream-message.ts';
import { Fault } from '../../platform/fault.ts';
import type { TmuxLink } from '../../tmux/link.ts';
import {
  type PaneSnapshot,
  readSnapshot,
  repaintBytes,
  snapshotBytes,
  snapshotCommands,
} from '../../tmux/views/pane-snapshot.ts';
import type { SnapshotRequest, ViewItem } from '../../tmux/views/tap-views.ts';

/** Without a tap. */
const CAPTURE_EVERY_MS = 200;
/** What a viewer may leave unread before it counts as slow. */
const UNREAD_BYTES_MAX = 512 * 1024;
/** Snapshots that were lost on the way are asked for again. */
const ANSWER_MS = 5_000;

export interface ViewedTerminalParts {
  readonly server: string;
  readonly paneId: string;
  /** Null while no tap reads the pane. */
  readonly sessionId: () => string | null;
  readonly link: () => Pick<TmuxLink, 'run'> | null;
  readonly commandTimeoutMs: () => number;
  readonly ask: (request: SnapshotRequest) => void;
  readonly nextRequest: () => number;
  /** The tap did not give a snapshot: another one may, or the same one later. */
  readonly onLost: () => void;
}

interface Viewer {
  readonly sink: StreamSink<OutputMessage>;
  readonly historyCount: number;
  /** waiting: for a snapshot. behind: it has to read first. */
  state: 'waiting' | 'live' | 'behind';
  epoch: number;
  seq: number;
  unreadBytesMax: number;
}

export class ViewedTerminal implements Disposable {
  readonly #parts: ViewedTerminalParts;
  readonly #viewers = new Set<Viewer>();
  /** The tap through which it is read; null while it is captured. */
  #sessionId: string | null;
  /** Whether a snapshot is on its way, and since when. */
  #request: { readonly number: number; readonly timer: NodeJS.Timeout } | null = null;
  #capturing: NodeJS.Timeout | null = null;
  /** As it was captured last; what is equal is not sent again. */
  #shown: PaneSnapshot | null = null;
  #isCapturing = false;

  constructor(parts: ViewedTerminalParts) {
    this.#parts = parts;
    this.#sessionId = parts.sessionId();
  }

  get sessionId(): string | null {
    return this.#sessionId;
  }

  get isUnused(): boolean {
    return this.#viewers.size === 0;
  }

  get viewerCount(): number {
    return this.#viewers.size;
  }

  /** Begins to send; the first message is a snapshot. Returns what the viewer may do. */
  add(
    sink: StreamSink<OutputMessage>,
    historyCount: number,
  ): { leave: () => void; drained: () => void } {
    const viewer: Viewer = {
      ...{ sink, historyCount, state: 'waiting', epoch: 0, seq: 0 },
      unreadBytesMax: UNREAD_BYTES_MAX,
    };
    this.#viewers.add(viewer);
    this.refresh();
    return {
      leave: () => {
        this.#viewers.delete(viewer);
        if (this.isUnused) this.#rest();
      },
      drained: () => {
        viewer.unreadBytesMax = UNREAD_BYTES_MAX;
        if (viewer.state !== 'behind') return;
        viewer.state = 'waiting';
        this.refresh();
      },
    };
  }

  /** The tap that can read it now. */
  get nextSessionId(): string | null {
    return this.#parts.sessionId();
  }

  /** Goes over to the tap that can read it now; `refresh` follows when that one knows. */
  follow(): void {
    this.#rest();
    this.#sessionId = this.nextSessionId;
    for (const viewer of this.#viewers) if (viewer.state === 'live') viewer.state = 'waiting';
  }

  /** Gets a snapshot for everybody who waits for one. */
  refresh(): void {
    const waiting = [...this.#viewers].filter(({ state }) => state === 'waiting');
    if (this.#sessionId === null) {
      this.#captureSoon(waiting.length > 0 ? 0 : CAPTURE_EVERY_MS);
      return;
    }
    if (waiting.length === 0 || this.#request !== null) return;
    const { server, paneId, ask, nextRequest } = this.#parts;
    const number = nextRequest();
    const timer = setTimeout(() => this.#restart(), ANSWER_MS).unref();
    this.#request = { number, timer };
    const historyCount = Math.max(...waiting.map((viewer) => viewer.historyCount));
    ask({ server, paneId, sessionId: this.#sessionId, request: number, historyCount });
  }

  take(item: ViewItem): void {
    if (item.kind === 'bytes') this.#takeBytes(item.bytes);
    else if (item.kind === 'gap') this.#restart();
    else if (item.request === this.#request?.number) this.#takeSnapshot(item);
  }

  /** Tells everybody that nothing more comes. */
  end(reason: string): void {
    this.#rest();
    for (const viewer of this.#viewers) this.#send(viewer, { type: 'output_ended', reason });
    this.#viewers.clear();
  }

  [Symbol.dispose](): void {
    this.#rest();
    this.#viewers.clear();
  }

  #rest(): void {
    if (this.#request) clearTimeout(this.#request.timer);
    if (this.#capturing) clearTimeout(this.#capturing);
    this.#request = null;
    this.#capturing = null;
    this.#shown = null;
  }

  /** Everybody needs a snapshot. */
  #restart(): void {
    for (const viewer of this.#viewers) if (viewer.state === 'live') viewer.state = 'waiting';
    if (this.#request) clearTimeout(this.#request.timer);
    this.#request = null;
    this.refresh();
  }

  #takeBytes(text: string): void {
    const bytes = Buffer.from(text, 'latin1');
    for (const viewer of this.#viewers) {
      if (viewer.state === 'live') this.#send(viewer, { type: 'output_bytes', bytes });
    }
  }

  #takeSnapshot({ snapshot, state }: Extract<ViewItem, { readonly kind: 'snapshot' }>): void {
    if (this.#request) clearTimeout(this.#request.timer);
    this.#request = null;
    if (snapshot === null) {
      // Its tap has ended, or the pane has. Until that is known it is captured.
      this.#sessionId = null;
      this.refresh();
      this.#parts.onLost();
      return;
    }
    this.#sendSnapshot(snapshot, state);
    // Who came while it was on its way was not there for the bytes after it.
    this.refresh();
  }

  /** To everybody who waits for one. */
  #sendSnapshot(snapshot: PaneSnapshot, state: string): void {
    const live = this.#sessionId !== null;
    const { cols, rows } = snapshot;
    const made = new Map<number, Buffer>();
    for (const viewer of this.#viewers) {
      if (viewer.state !== 'waiting') continue;
      // Snapshot after snapshot would wait for one that has stopped.
      if (viewer.sink.bufferedBytes() > UNREAD_BYTES_MAX) {
        viewer.state = 'behind';
        continue;
      }
      const { historyCount } = viewer;
      const bytes =
        made.get(historyCount) ?? Buffer.from(bytesOf(snapshot, historyCount) + state, 'latin1');
      made.set(historyCount, bytes);
      viewer.state = 'live';
      viewer.epoch += 1;
      viewer.seq = 0;
      this.#send(viewer, { type: 'output_snapshot', cols, rows, live, bytes });
      // It has to read the snapshot first.
      viewer.unreadBytesMax = UNREAD_BYTES_MAX + viewer.sink.bufferedBytes();
    }
  }

  #send(viewer: Viewer, body: Body): void {
    const { sink } = viewer;
    if (body.type === 'output_bytes' && sink.bufferedBytes() > viewer.unreadBytesMax) {
      viewer.state = 'behind';
      return;
    }
    const { epoch, seq } = viewer;
    viewer.seq += 1;
    sink.send({ ...body, epoch, seq });
  }

  // Without a tap.

  #captureSoon(ms: number): void {
    if (this.isUnused) return;
    if (this.#capturing) clearTimeout(this.#capturing);
    this.#capturing = setTimeout(() => void this.#capture(), ms).unref();
  }

  async #capture(): Promise<void> {
    this.#capturing = null;
    if (this.#isCapturing || this.#sessionId !== null) return;
    this.#isCapturing = true;
    try {
      const snapshot = await this.#captureOnce();
      if (snapshot !== null && this.#sessionId === null) this.#show(snapshot);
    } catch (error) {
      // The server hangs, or is gone; its watch says so.
      if (!(error instanceof Fault)) throw error;
    } finally {
      this.#isCapturing = false;
      if (this.#sessionId === null) this.#captureSoon(CAPTURE_EVERY_MS);
    }
  }

  async #captureOnce(): Promise<PaneSnapshot | null> {
    const { paneId, link, commandTimeoutMs } = this.#parts;
    const waiting = [...this.#viewers].filter(({ state }) => state === 'waiting');
    const historyCount = Math.max(0, ...waiting.map((viewer) => viewer.historyCount));
    const commands = snapshotCommands(paneId, { request: 0, historyCount });
    const replies = await link()?.run(commands, { deadlineMs: commandTimeoutMs() });
    return replies ? readSnapshot(replies, historyCount) : null;
  }

  #show(snapshot: PaneSnapshot): void {
    const before = this.#shown;
    this.#shown = snapshot;
    const isSameSize =
      before?.cols === snapshot.cols &&
      before.rows === snapshot.rows &&
      before.alternateOn === snapshot.alternateOn;
    if (!isSameSize) {
      for (const viewer of this.#viewers) if (viewer.state === 'live') viewer.state = 'waiting';
    } else if (screenOf(before) !== screenOf(snapshot)) this.#takeBytes(repaintBytes(snapshot));
    this.#sendSnapshot(snapshot, '');
  }
}

type Body =
  | Omit<Extract<OutputMessage, { readonly type: 'output_snapshot' }>, 'epoch' | 'seq'>
  | Omit<Extract<OutputMessage, { readonly type: 'output_bytes' }>, 'epoch' | 'seq'>
  | Omit<Extract<OutputMessage, { readonly type: 'output_ended' }>, 'epoch' | 'seq'>;

const bytesOf = (snapshot: PaneSnapshot, historyCount: number): string =>
  snapshotBytes({
    ...snapshot,
    history: historyCount === 0 ? [] : snapshot.history.slice(-historyCount),
  });

const screenOf = ({ screen, facts }: PaneSnapshot): string =>
  `${JSON.stringify({ ...facts, history_size: 0 })}\n${screen.join('\n')}`;
