// One watcher of a conversation: what was there, then what comes, in the order of the transcript,
// each entry once. A watcher that is slow is waited for: the transcript keeps what it has not read.
// Where the transcript was cut or replaced, it is sent a gap and then a snapshot.

import type { ConversationReader } from '../../agent-files/conversations/conversation-reader.ts';
import {
  type ConversationCursor,
  cursorText,
  type PlacedEntry,
  positionOf,
  type RecentIds,
  readCursor,
  SEQ_START,
} from '../../agent-files/conversations/placed-entry.ts';
import type { RecordBatch } from '../../agent-files/conversations/transcript-records.ts';
import { CoalescedTask } from '../../agent-files/files/coalesced-task.ts';
import type { ConversationMessage, StreamSink } from '../../operations/ports/stream-message.ts';
import type {
  Conversation,
  GapReason,
  WatchConversationInput,
} from '../../schema/api/conversation.ts';
import { shapeEntry } from './shape-entry.ts';

/** Entries of one message, and how many of their characters; a message must fit every door. */
const CHUNK_ENTRIES = 250;
const CHUNK_LENGTH = 256 * 1024;
/** No more is read for a watcher that has so much unread. */
const UNREAD_BYTES_MAX = 1024 * 1024;
/** A watch of a file may miss a change. */
const LOOK_MS = 2_000;

export interface OpenConversation {
  readonly conversation: Conversation;
  readonly reader: ConversationReader;
}

export interface ConversationStreamParts {
  /** The conversation that is watched now; null while none is known. */
  readonly find: () => OpenConversation | null;
  readonly input: WatchConversationInput;
  readonly sink: StreamSink<ConversationMessage>;
  readonly onDefect: (error: unknown) => void;
}

/** What a watcher has got of one conversation. */
interface Followed extends OpenConversation {
  cursor: ConversationCursor;
  /** Where the next record begins. */
  next: number;
  recent: RecentIds;
}

export class ConversationStream implements Disposable {
  readonly #parts: ConversationStreamParts;
  readonly #task: CoalescedTask;
  #followed: Followed | null = null;
  #watch: Disposable | null = null;
  #look: NodeJS.Timeout | null = null;
  /** The transcript may be another one: the cursor is checked before anything more is read. */
  #isCheckDue = false;
  #isWorking = false;
  /** The length of the transcript at the last look. */
  #lookedEnd: number | null = null;
  #onDrained: (() => void) | null = null;

  constructor(parts: ConversationStreamParts) {
    this.#parts = parts;
    this.#task = new CoalescedTask(
      () => this.#work(),
      (error) => parts.onDefect(error),
    );
  }

  start(): void {
    this.#look = setInterval(() => void this.#lookAgain(), LOOK_MS).unref();
    this.#task.request();
  }

  /** The agent may have begun another conversation. */
  follow(): void {
    this.#task.request();
  }

  drained(): void {
    this.#onDrained?.();
  }

  [Symbol.dispose](): void {
    this.#task[Symbol.dispose]();
    this.#watch?.[Symbol.dispose]();
    if (this.#look) clearInterval(this.#look);
    this.#onDrained?.();
  }

  /** Only a transcript of another length is worth a reading. */
  async #lookAgain(): Promise<void> {
    if (this.#followed === null) this.#task.request();
    const { reader } = this.#followed ?? {};
    const end = await reader?.records.end().catch(() => null);
    if (end === this.#lookedEnd) return;
    this.#lookedEnd = end ?? null;
    this.#changed();
  }

  #changed(): void {
    this.#isCheckDue = true;
    this.#task.request();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    try {
      const open = this.#parts.find();
      if (open === null) return;
      if (open.conversation.id !== this.#followed?.conversation.id) await this.#begin(open);
      else await this.#goOn(this.#followed);
    } finally {
      this.#isWorking = false;
    }
  }

  async #begin(open: OpenConversation): Promise<void> {
    const isFirst = this.#followed === null;
    const { input, sink } = this.#parts;
    const { reader, conversation } = open;
    // One that was asked for by its name may not be there, or not yet.
    const isNamed = input.conversation !== undefined;
    if (isNamed && (await reader.records.end()) === null) return;
    const given = isFirst && input.cursor !== undefined ? readCursor(input.cursor) : null;
    const gap: GapReason | null =
      !isFirst || input.cursor === undefined
        ? null
        : given === null
          ? 'replaced'
          : await reader.check(given);
    const isResumed = given !== null && gap === null;
    const cursor = isResumed ? given : await reader.startOfLast(input.last);
    if (this.#task.isEnded) return;
    if (gap !== null) sink.send({ type: 'conversation_gap', reason: gap });
    this.#watch?.[Symbol.dispose]();
    const followed = await this.#followFrom(open, cursor);
    this.#watch = reader.records.watch({
      onChange: () => this.#changed(),
      onRecords: (records) => this.#take(followed, records),
    });
    sink.send({ type: 'conversation_began', conversation, is_snapshot: !isResumed });
    await this.#sendRest(followed, isResumed ? 'live' : 'snapshot');
  }

  async #followFrom(open: OpenConversation, cursor: ConversationCursor): Promise<Followed> {
    const recent = await open.reader.idsUpTo(cursor);
    const next = cursor.seq === SEQ_START ? 0 : positionOf(cursor.seq);
    const followed = { ...open, cursor, next, recent };
    this.#followed = followed;
    return followed;
  }

  async #goOn(followed: Followed): Promise<void> {
    const { reader } = followed;
    if (this.#isCheckDue) {
      this.#isCheckDue = false;
      const gap = await reader.check(followed.cursor);
      // A file that is being replaced is missing for a moment.
      if (gap === 'unreadable' || this.#task.isEnded) return;
      if (gap !== null) {
        this.#parts.sink.send({ type: 'conversation_gap', reason: gap });
        const cursor = await reader.startOfLast(this.#parts.input.last);
        Object.assign(followed, {
          cursor,
          next: cursor.seq === SEQ_START ? 0 : positionOf(cursor.seq),
          recent: await reader.idsUpTo(cursor),
        });
        const { conversation } = followed;
        this.#parts.sink.send({ type: 'conversation_began', conversation, is_snapshot: true });
        await this.#sendRest(followed, 'snapshot');
        return;
      }
    }
    await this.#sendRest(followed, null);
  }

  /** Reads on from where it stands; a phase is named at a beginning. */
  async #sendRest(followed: Followed, phase: 'snapshot' | 'live' | null): Promise<void> {
    for await (const records of followed.reader.records.forward(followed.next)) {
      const isSame = await this.#stillFits(followed, records);
      if (this.#task.isEnded || this.#followed !== followed) return;
      if (!isSame) {
        this.#changed();
        return;
      }
      this.#sendRecords(followed, records, phase ?? 'live');
      await this.#room();
    }
    if (phase === null || this.#task.isEnded) return;
    this.#parts.sink.send({ type: 'conversation_caught_up', cursor: cursorText(followed.cursor) });
  }

  /** It is read by its path, piece by piece: it may have been replaced since it was checked. */
  async #stillFits({ reader, cursor }: Followed, records: RecordBatch): Promise<boolean> {
    const [first] = records;
    if ((await reader.check(cursor)) !== null) return false;
    return first === undefined || (await reader.check(reader.cursorAfter(first))) === null;
  }

  /** Records that continue what was sent are taken as they come; others are read. */
  #take(followed: Followed, records: RecordBatch): void {
    const isNext = records[0]?.position === followed.next && this.#followed === followed;
    const hasRoom = this.#parts.sink.bufferedBytes() < UNREAD_BYTES_MAX;
    const joins = records.every(({ next }, index) => {
      const after = records[index + 1];
      return after === undefined || after.position === next;
    });
    if (isNext && hasRoom && joins && !this.#isWorking && !this.#isCheckDue) {
      this.#sendRecords(followed, records, 'live');
    } else this.#changed();
  }

  #sendRecords(followed: Followed, records: RecordBatch, phase: 'snapshot' | 'live'): void {
    const { reader, recent } = followed;
    let entries: PlacedEntry[] = [];
    let length = 0;
    for (const record of records) {
      for (const entry of reader.entriesOf(record)) {
        if (entry.seq <= followed.cursor.seq || !recent.add(entry)) continue;
        entries.push(entry);
      }
      length += record.text?.length ?? 0;
      if (entries.length >= CHUNK_ENTRIES || length >= CHUNK_LENGTH) {
        this.#send(followed, entries, phase);
        entries = [];
        length = 0;
      }
      followed.next = record.next;
    }
    this.#send(followed, entries, phase);
  }

  #send(followed: Followed, entries: readonly PlacedEntry[], phase: 'snapshot' | 'live'): void {
    const last = entries.at(-1);
    if (last === undefined) return;
    const { reader } = followed;
    followed.cursor = reader.cursorOf(last);
    this.#parts.sink.send({
      type: 'conversation_entries',
      phase,
      entries: entries.map((each) => shapeEntry(reader, each)),
      cursor: cursorText(followed.cursor),
    });
  }

  async #room(): Promise<void> {
    while (this.#parts.sink.bufferedBytes() >= UNREAD_BYTES_MAX && !this.#task.isEnded) {
      const { promise, resolve } = Promise.withResolvers<void>();
      // Some doors do not say that they have room again.
      const timer = setTimeout(resolve, 100);
      this.#onDrained = resolve;
      await promise;
      clearTimeout(timer);
      this.#onDrained = null;
    }
  }
}
