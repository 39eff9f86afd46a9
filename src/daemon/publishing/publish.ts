// Publishes what changed to subscribers: one snapshot, then deltas. Notable changes go out in the
// tick of their commit, the others are merged; a reader that is too slow gets one fresh snapshot in
// place of what it missed. A message is made once, however many subscribers there are.

import type { World } from '../../core/world.ts';
import type { PaneReaders } from '../../operations/answer/pane-item.ts';
import { isoOf } from '../../operations/ports/iso-time.ts';
import type { StreamsPort } from '../../operations/ports/ports.ts';
import type {
  ChangeMessage,
  MessageHead,
  OpenStream,
  SnapshotMessage,
  StreamSink,
} from '../../operations/ports/stream-message.ts';
import type { Subscribed, SubscribeInput, subscribeTopics } from '../../schema/api/stream.ts';
import type { OutageItem } from '../../schema/api/targets.ts';
import type { Change } from '../../schema/change.ts';
import type { PaneKey, RuntimeId, TargetId } from '../../schema/ids.ts';
import type { Attention } from '../../schema/pane.ts';
import { needOf } from '../../text/need.ts';
import type { AppliedBatch } from '../engine/engine.ts';
import { StreamItems } from './stream-items.ts';

/** Titles and counters may change many times a second; no reader needs them faster. */
const MERGE_MS = 250;
/** A reader with more than this unread, a snapshot not counted, is too slow. */
const UNREAD_BYTES_MAX = 1024 * 1024;
/** Panes that are gone and that a resumed reader may still have. */
const FORGOTTEN_MAX = 4_096;

type Topic = (typeof subscribeTopics)[number];
type Delta = Exclude<ChangeMessage, SnapshotMessage>;

export interface PublisherOptions {
  /** Names this life of the daemon: a cursor of another life is not resumed. */
  readonly nonce: string;
  readonly world: () => World;
  readonly readers: PaneReaders;
  readonly outages: () => readonly OutageItem[];
  readonly nowMs: () => number;
}

interface Subscriber {
  readonly id: string;
  readonly sink: StreamSink<ChangeMessage>;
  readonly topics: ReadonlySet<Topic>;
  isBehind: boolean;
  unreadBytesMax: number;
}

/** What was last published of a pane, to know what is new. */
interface PublishedPane {
  readonly attention: Attention;
  readonly counted: string;
}

export class Publisher implements StreamsPort {
  readonly #options: PublisherOptions;
  readonly #subscribers = new Set<Subscriber>();
  /** Counts what was published; the place in a cursor. */
  #seq = 0;
  #nextId = 1;
  /** Where each pane was last published; absent: as at the start. */
  readonly #seqOf = new Map<PaneKey, number>();
  #forgotten: { readonly paneKey: PaneKey; readonly seq: number }[] = [];
  /** Cursors before this one have lost a pane that is gone. */
  #lostSeq = 0;
  readonly #items: StreamItems;
  readonly #published = new Map<PaneKey, PublishedPane>();
  readonly #changed = new Set<PaneKey>();
  readonly #removed = new Set<PaneKey>();
  #timer: NodeJS.Timeout | null = null;
  #flushedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#items = new StreamItems(options.world, options.readers);
    for (const pane of options.world().panes.values()) this.#remember(pane.paneKey);
  }

  get subscriberCount(): number {
    return this.#subscribers.size;
  }

  /** Takes note of a commit. The world is already the one after it. */
  publish({ changes }: Pick<AppliedBatch, 'changes'>): void {
    if (changes.length === 0) return;
    let isNotable = false;
    let isMoved = false;
    for (const change of changes) {
      if (this.#note(change)) isNotable = true;
      if (change.kind === 'pane' || change.kind === 'pane_forgotten') isMoved = true;
    }
    if (isMoved) this.#noteLocations();
    this.#sendSoon(isNotable);
  }

  /** Something outside the world changed what is shown of these panes: a branch. */
  touch(paneKeys: Iterable<PaneKey>): void {
    for (const paneKey of paneKeys) this.#changed.add(paneKey);
    this.#sendSoon(false);
  }

  /** Every row is shown otherwise from now on: the store fails, or works again. */
  touchAll(): void {
    for (const paneKey of this.#options.world().panes.keys()) this.#changed.add(paneKey);
    this.#sendSoon(true);
  }

  /** Machines or tmux servers are gone, or back. */
  outagesChanged(): void {
    if (this.#subscribers.size > 0) this.#broadcast(this.#summaryMessage());
  }

  open(input: SubscribeInput, sink: StreamSink<ChangeMessage>): OpenStream<Subscribed> {
    // What waits to be merged belongs before the first message, not after it.
    this.#flush();
    const from = this.#resumable(input.cursor);
    const subscriber: Subscriber = {
      id: `s${this.#nextId++}`,
      sink,
      topics: new Set(input.topics ?? ['state_changed', 'summary_changed', 'attention_changed']),
      isBehind: false,
      unreadBytesMax: UNREAD_BYTES_MAX,
    };
    const reply: Subscribed = {
      subscription: subscriber.id,
      resumed: from !== null,
      cursor: this.#cursor(),
    };
    return {
      reply,
      start: () => {
        this.#subscribers.add(subscriber);
        if (from !== null) this.#sendMissed(subscriber, from);
        else
          this.#sendSnapshot(subscriber, input.cursor === undefined ? 'start' : 'invalid_cursor');
      },
      drained: () => {
        subscriber.unreadBytesMax = UNREAD_BYTES_MAX;
        if (!subscriber.isBehind) return;
        this.#flush();
        this.#sendSnapshot(subscriber, 'slow_reader');
      },
      [Symbol.dispose]: () => this.#subscribers.delete(subscriber),
    };
  }

  [Symbol.dispose](): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#subscribers.clear();
  }

  /** Whether the change is notable and must not wait. */
  #note(change: Change): boolean {
    switch (change.kind) {
      case 'row':
        this.#changed.add(change.paneKey);
        return change.expectedVersion !== change.row.stateVersion;
      case 'pane':
        this.#changed.add(change.paneKey);
        return false;
      case 'pane_forgotten':
        this.#changed.delete(change.paneKey);
        this.#removed.add(change.paneKey);
        return true;
      case 'session':
        this.#noteRuntime(change.runtimeId);
        return false;
      case 'target':
        this.#noteTarget(change.target.targetId);
        return false;
      default:
        return false;
    }
  }

  #noteRuntime(runtimeId: RuntimeId): void {
    const runtime = this.#options.world().runtimes.get(runtimeId);
    if (runtime) this.#changed.add(runtime.paneKey);
  }

  #noteTarget(targetId: TargetId): void {
    for (const pane of this.#options.world().panes.values()) {
      if (pane.targetId === targetId) this.#changed.add(pane.paneKey);
    }
  }

  /** A second tmux server on a target gives all its panes longer references. */
  #noteLocations(): void {
    for (const targetId of this.#items.locationsChanged()) this.#noteTarget(targetId);
  }

  #sendSoon(isNotable: boolean): void {
    if (this.#changed.size === 0 && this.#removed.size === 0) return;
    const waitMs = this.#flushedAtMs + MERGE_MS - performance.now();
    if (isNotable || waitMs <= 0) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), waitMs).unref();
  }

  #flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#changed.size === 0 && this.#removed.size === 0) return;
    this.#flushedAtMs = performance.now();
    this.#seq += 1;
    const world = this.#options.world();
    const changed = [...this.#changed].filter((paneKey) => world.panes.has(paneKey));
    const removed = [...this.#removed].filter((paneKey) => !world.panes.has(paneKey));
    this.#changed.clear();
    this.#removed.clear();
    for (const paneKey of removed) this.#forget(paneKey);
    for (const paneKey of changed) {
      this.#seqOf.set(paneKey, this.#seq);
      this.#items.drop(paneKey);
    }
    const isCountChanged = removed.length > 0 || this.#isCounted(changed);
    const attentive = changed.filter((paneKey) => this.#isAttentionNew(paneKey));
    for (const paneKey of changed) this.#remember(paneKey);
    if (this.#subscribers.size === 0) return;
    this.#broadcast(this.#stateMessage(changed, removed));
    if (attentive.length > 0) this.#broadcast(this.#attentionMessage(attentive));
    if (isCountChanged) this.#broadcast(this.#summaryMessage());
  }

  #forget(paneKey: PaneKey): void {
    this.#seqOf.delete(paneKey);
    this.#items.drop(paneKey);
    this.#published.delete(paneKey);
    this.#forgotten.push({ paneKey, seq: this.#seq });
    if (this.#forgotten.length <= FORGOTTEN_MAX) return;
    // Half of the list at once, so that a full list is not moved for every pane.
    const lost = this.#forgotten.splice(0, FORGOTTEN_MAX / 2);
    this.#lostSeq = lost.at(-1)?.seq ?? this.#lostSeq;
  }

  #remember(paneKey: PaneKey): void {
    const pane = this.#options.world().panes.get(paneKey);
    if (!pane) return;
    this.#published.set(paneKey, {
      attention: pane.row.attention,
      counted: this.#countedAs(paneKey),
    });
  }

  #countedAs(paneKey: PaneKey): string {
    const row = this.#options.world().panes.get(paneKey)?.row;
    return row ? `${row.presence} ${row.state} ${row.agent} ${needOf(row)}` : '';
  }

  #isCounted(changed: readonly PaneKey[]): boolean {
    return changed.some(
      (paneKey) => this.#published.get(paneKey)?.counted !== this.#countedAs(paneKey),
    );
  }

  #isAttentionNew(paneKey: PaneKey): boolean {
    const now = this.#options.world().panes.get(paneKey)?.row.attention;
    const before = this.#published.get(paneKey)?.attention;
    if (!before) return now !== undefined && now.requests.length > 0;
    return now !== before && JSON.stringify(now) !== JSON.stringify(before);
  }

  #broadcast(message: Delta): void {
    for (const subscriber of this.#subscribers) this.#send(subscriber, message);
  }

  #send(subscriber: Subscriber, message: Delta): void {
    const { sink, topics, unreadBytesMax } = subscriber;
    if (!topics.has(message.type)) return;
    if (sink.bufferedBytes() > unreadBytesMax) subscriber.isBehind = true;
    if (!subscriber.isBehind) sink.send(message);
  }

  #sendSnapshot(subscriber: Subscriber, reason: SnapshotMessage['reason']): void {
    const { sink } = subscriber;
    const { outages } = this.#options;
    const summary = this.#items.summary();
    const body = { panes: this.#items.all(), summary, outages: outages() };
    subscriber.isBehind = false;
    sink.send({ type: 'snapshot', ...this.#head(), reason, ...body });
    subscriber.unreadBytesMax = UNREAD_BYTES_MAX + sink.bufferedBytes();
  }

  /** All that changed after a cursor, in one message a topic; the summary in any case. */
  #sendMissed(subscriber: Subscriber, from: number): void {
    const changed = this.#changedSince(from + 1);
    const removed = this.#forgotten.filter(({ seq }) => seq > from).map(({ paneKey }) => paneKey);
    if (changed.length > 0 || removed.length > 0) {
      this.#send(subscriber, this.#stateMessage(changed, removed));
    }
    // A cursor comes with the first message of its place: the ones after it may be lost.
    const attentive = this.#changedSince(from);
    if (attentive.length > 0) this.#send(subscriber, this.#attentionMessage(attentive));
    this.#send(subscriber, this.#summaryMessage());
  }

  #changedSince(from: number): readonly PaneKey[] {
    const changed: PaneKey[] = [];
    for (const [paneKey, seq] of this.#seqOf) if (seq >= from) changed.push(paneKey);
    return changed;
  }

  #stateMessage(changed: readonly PaneKey[], removed: readonly PaneKey[]): Delta {
    return { type: 'state_changed', ...this.#head(), panes: this.#items.panes(changed), removed };
  }

  #attentionMessage(paneKeys: readonly PaneKey[]): Delta {
    const panes = this.#items.attention(paneKeys);
    return { type: 'attention_changed', ...this.#head(), panes };
  }

  #summaryMessage(): Delta {
    const { outages } = this.#options;
    const summary = this.#items.summary();
    return { type: 'summary_changed', ...this.#head(), summary, outages: outages() };
  }

  #head(): MessageHead {
    return { cursor: this.#cursor(), generated_at: isoOf(this.#options.nowMs()) };
  }

  #cursor(): string {
    return `${this.#options.nonce}:${this.#seq}`;
  }

  /** The place of a cursor of ours after which nothing was lost; null for any other. */
  #resumable(cursor: string | undefined): number | null {
    const { nonce } = this.#options;
    if (!cursor?.startsWith(`${nonce}:`)) return null;
    const digits = cursor.slice(nonce.length + 1);
    const seq = /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN;
    return seq >= this.#lostSeq && seq <= this.#seq ? seq : null;
  }
}
