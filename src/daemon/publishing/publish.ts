// Tells subscribers what changed: one snapshot, then deltas. Notable changes go out in the tick of
// their commit, the others are merged; a reader that is too slow gets one fresh snapshot in the
// place of what it missed. Items are rendered once a change, however many subscribers there are.

import type { World } from '../../core/world.ts';
import { isoOf, needsAction, type PaneReaders } from '../../operations/pane-item.ts';
import type {
  PushName,
  Subscribed,
  SubscribeInput,
  subscribeTopics,
} from '../../schema/api/stream.ts';
import type { Change } from '../../schema/change.ts';
import type { PaneKey, RuntimeId, TargetId } from '../../schema/ids.ts';
import type { Attention } from '../../schema/pane.ts';
import type { OpenStream, StreamHost, StreamSink } from '../../servers/stream-host.ts';
import type { AppliedBatch } from '../engine/engine.ts';
import { PaneTexts } from './pane-texts.ts';

/** Titles and counters may change many times a second; nobody reads faster than this. */
const MERGE_MS = 250;
/** A reader with more than this unread is too slow; what it has of a snapshot comes on top. */
const UNREAD_BYTES_MAX = 1024 * 1024;
/** Panes that are gone and that a resumed reader may still have. */
const FORGOTTEN_MAX = 4_096;

type Topic = (typeof subscribeTopics)[number];
type SnapshotReason = 'start' | 'invalid_cursor' | 'slow_reader';

export interface PublisherOptions {
  /** Names this life of the daemon: a cursor of another life is not resumed. */
  readonly nonce: string;
  readonly world: () => World;
  readonly readers: PaneReaders;
  readonly nowMs: () => number;
}

interface Subscriber {
  readonly id: string;
  readonly sink: StreamSink;
  readonly topics: ReadonlySet<Topic>;
  isBehind: boolean;
  unreadBytesMax: number;
}

/** What was last told of a pane, to know what is news. */
interface PublishedPane {
  readonly attention: Attention;
  readonly counted: string;
}

export class Publisher implements StreamHost {
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
  readonly #texts: PaneTexts;
  readonly #told = new Map<PaneKey, PublishedPane>();
  readonly #changed = new Set<PaneKey>();
  readonly #removed = new Set<PaneKey>();
  #timer: NodeJS.Timeout | null = null;
  #flushedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#texts = new PaneTexts(options.world, options.readers);
    for (const pane of options.world().panes.values()) this.#remember(pane.paneKey);
  }

  get subscriberCount(): number {
    return this.#subscribers.size;
  }

  /** Takes note of a commit. The world is already the one after it. */
  publish({ changes }: Pick<AppliedBatch, 'changes'>): void {
    if (changes.length === 0) return;
    let isNotable = false;
    let isPlaced = false;
    for (const change of changes) {
      if (this.#note(change)) isNotable = true;
      if (change.kind === 'pane' || change.kind === 'pane_forgotten') isPlaced = true;
    }
    if (isPlaced) this.#notePlaces();
    this.#sendSoon(isNotable);
  }

  /** Something outside the world changed what is shown of these panes: a branch. */
  touch(paneKeys: Iterable<PaneKey>): void {
    for (const paneKey of paneKeys) this.#changed.add(paneKey);
    this.#sendSoon(false);
  }

  subscribe(input: SubscribeInput, sink: StreamSink): OpenStream {
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
    const answer: Subscribed = {
      subscription: subscriber.id,
      resumed: from !== null,
      cursor: this.#cursor(),
    };
    return {
      answer,
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

  /** Whether the change is news that must not wait. */
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
  #notePlaces(): void {
    for (const targetId of this.#texts.placesChanged()) this.#noteTarget(targetId);
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
      this.#texts.drop(paneKey);
    }
    const isCountChanged = removed.length > 0 || this.#isCounted(changed);
    const attentive = changed.filter((paneKey) => this.#isAttentionNew(paneKey));
    for (const paneKey of changed) this.#remember(paneKey);
    if (this.#subscribers.size === 0) return;
    this.#broadcast('state_changed', this.#texts.states(changed, removed));
    if (attentive.length > 0)
      this.#broadcast('attention_changed', this.#texts.attention(attentive));
    if (isCountChanged) this.#broadcastSummary();
  }

  #forget(paneKey: PaneKey): void {
    this.#seqOf.delete(paneKey);
    this.#texts.drop(paneKey);
    this.#told.delete(paneKey);
    this.#forgotten.push({ paneKey, seq: this.#seq });
    if (this.#forgotten.length <= FORGOTTEN_MAX) return;
    // In halves, so that a full list is not moved for every pane.
    const lost = this.#forgotten.splice(0, FORGOTTEN_MAX / 2);
    this.#lostSeq = lost.at(-1)?.seq ?? this.#lostSeq;
  }

  #remember(paneKey: PaneKey): void {
    const pane = this.#options.world().panes.get(paneKey);
    if (!pane) return;
    this.#told.set(paneKey, { attention: pane.row.attention, counted: this.#countedAs(paneKey) });
  }

  #countedAs(paneKey: PaneKey): string {
    const row = this.#options.world().panes.get(paneKey)?.row;
    return row ? `${row.presence} ${row.state} ${row.agent} ${needsAction(row)}` : '';
  }

  #isCounted(changed: readonly PaneKey[]): boolean {
    return changed.some((paneKey) => this.#told.get(paneKey)?.counted !== this.#countedAs(paneKey));
  }

  #isAttentionNew(paneKey: PaneKey): boolean {
    const now = this.#options.world().panes.get(paneKey)?.row.attention;
    const before = this.#told.get(paneKey)?.attention;
    if (!before) return now !== undefined && now.requests.length > 0;
    return now !== before && JSON.stringify(now) !== JSON.stringify(before);
  }

  #broadcast(topic: Topic, body: string, only?: Subscriber): void {
    const [head, tail] = this.#message(topic, body);
    for (const subscriber of only ? [only] : this.#subscribers) {
      const { id, sink, topics, unreadBytesMax } = subscriber;
      if (!topics.has(topic)) continue;
      if (sink.bufferedBytes() > unreadBytesMax) subscriber.isBehind = true;
      if (!subscriber.isBehind) sink.send(`${head}${id}${tail}`);
    }
  }

  #broadcastSummary(only?: Subscriber): void {
    this.#broadcast('summary_changed', `"summary":${this.#texts.summary()}`, only);
  }

  #sendSnapshot(subscriber: Subscriber, reason: SnapshotReason): void {
    const body = `"reason":"${reason}",${this.#texts.snapshot()}`;
    subscriber.isBehind = false;
    subscriber.unreadBytesMax = UNREAD_BYTES_MAX + 2 * body.length;
    const [head, tail] = this.#message('snapshot', body);
    subscriber.sink.send(`${head}${subscriber.id}${tail}`);
  }

  /** All that changed after a cursor, in one message a topic; the summary in any case. */
  #sendMissed(subscriber: Subscriber, from: number): void {
    const changed = this.#changedSince(from + 1);
    const removed = this.#forgotten.filter(({ seq }) => seq > from).map(({ paneKey }) => paneKey);
    if (changed.length > 0 || removed.length > 0) {
      this.#broadcast('state_changed', this.#texts.states(changed, removed), subscriber);
    }
    // A cursor comes with the first message of its place: the ones after it may be lost.
    const attentive = this.#changedSince(from);
    if (attentive.length > 0) {
      this.#broadcast('attention_changed', this.#texts.attention(attentive), subscriber);
    }
    this.#broadcastSummary(subscriber);
  }

  #changedSince(from: number): readonly PaneKey[] {
    const changed: PaneKey[] = [];
    for (const [paneKey, seq] of this.#seqOf) if (seq >= from) changed.push(paneKey);
    return changed;
  }

  /** A push in two parts, between which the name of the subscription goes. */
  #message(method: PushName, body: string): readonly [string, string] {
    const at = isoOf(this.#options.nowMs());
    const head = `{"jsonrpc":"2.0","method":"${method}","params":{"subscription":"`;
    return [head, `","cursor":"${this.#cursor()}","generated_at":"${at}",${body}}}\n`];
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
