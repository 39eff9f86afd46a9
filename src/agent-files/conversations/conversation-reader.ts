// Pages of one conversation, read from its transcript when they are asked for. Nothing is kept
// between two pages, so that memory does not grow with the history.

import type { ConversationParser } from '../../agents/conversation/entry-draft.ts';
import type { GapReason } from '../../schema/api/conversation.ts';
import {
  type ConversationCursor,
  hashOf,
  type PlacedEntry,
  placedEntries,
  positionOf,
  RecentIds,
  SEQ_START,
  seqAfter,
} from './placed-entry.ts';
import type { TranscriptRecord, TranscriptRecords } from './transcript-records.ts';

/** Agents write a record again soon after it; so far before a page it is looked for. */
const LOOKBACK_BYTES = 256 * 1024;
/** Read for one page at most; a page may then hold fewer entries than were asked for. */
const SCAN_BYTES_MAX = 32 * 1024 * 1024;

export interface RawPage {
  readonly entries: readonly PlacedEntry[];
  /** Null where nothing comes before them. */
  readonly before: ConversationCursor | null;
  readonly after: ConversationCursor;
  readonly hasMore: boolean;
}

export class ConversationReader {
  readonly records: TranscriptRecords;
  readonly #parse: ConversationParser;
  readonly #name: number;

  constructor(records: TranscriptRecords, parse: ConversationParser, conversationId: string) {
    this.records = records;
    this.#parse = parse;
    this.#name = hashOf(conversationId);
  }

  get start(): ConversationCursor {
    return { seq: SEQ_START, hash: 0, conversation: this.#name };
  }

  cursorOf({ seq, hash }: Pick<PlacedEntry, 'seq' | 'hash'>): ConversationCursor {
    return { seq, hash, conversation: this.#name };
  }

  entriesOf(record: TranscriptRecord): readonly PlacedEntry[] {
    return placedEntries(this.#parse, record);
  }

  /** After all of a record. */
  cursorAfter({ position, text }: TranscriptRecord): ConversationCursor {
    return this.cursorOf({ seq: seqAfter(position), hash: hashOf(text ?? '') });
  }

  /** Why a cursor does not fit the transcript as it is now; null where it does. */
  async check({ seq, hash, conversation }: ConversationCursor): Promise<GapReason | null> {
    if (conversation !== this.#name) return 'other_conversation';
    if (seq === SEQ_START) return null;
    const end = await this.records.end();
    if (end === null) return 'unreadable';
    const position = positionOf(seq);
    if (position >= end) return 'truncated';
    const record = await this.records.at(position);
    return record !== null && hashOf(record.text ?? '') === hash ? null : 'replaced';
  }

  /** The newest entries, or the newest before a cursor that fits. */
  async last(limit: number, before?: ConversationCursor): Promise<RawPage> {
    const isWanted = ({ seq }: PlacedEntry) => before === undefined || seq < before.seq;
    let found: readonly PlacedEntry[] = [];
    let lookedBack = 0;
    let scanned = 0;
    let lowest: TranscriptRecord | undefined;
    let isCut = false;
    for await (const records of this.records.back(await this.#endBefore(before))) {
      if (found.length >= limit) lookedBack += bytesOf(records);
      scanned += bytesOf(records);
      lowest = records[0] ?? lowest;
      found = [...this.#entriesOfAll(records).filter(isWanted), ...found];
      isCut = lookedBack >= LOOKBACK_BYTES || scanned >= SCAN_BYTES_MAX;
      if (isCut) break;
    }
    const all = once(found);
    const entries = all.slice(-limit);
    const isWhole = entries.length === all.length && (!isCut || lowest?.position === 0);
    const last = entries.at(-1);
    return {
      entries,
      before: isWhole ? null : this.#beforeCursor(entries[0], lowest),
      after: last ? this.cursorOf(last) : (before ?? this.start),
      hasMore: before !== undefined,
    };
  }

  /** The next entries after a cursor that fits. */
  async next(limit: number, after: ConversationCursor): Promise<RawPage> {
    const recent = await this.idsUpTo(after);
    const isNew = (entry: PlacedEntry) => entry.seq > after.seq && recent.add(entry);
    const entries: PlacedEntry[] = [];
    let cursor = after;
    let scanned = 0;
    const from = after.seq === SEQ_START ? 0 : positionOf(after.seq);
    for await (const records of this.records.forward(from)) {
      for (const record of records) {
        const own = this.entriesOf(record).filter(isNew);
        const taken = own.slice(0, limit - entries.length);
        entries.push(...taken);
        const last = taken.at(-1);
        if (last) cursor = this.cursorOf(last);
        if (taken.length < own.length) return forwardPage(entries, cursor, true);
        scanned += sizeOf(record);
        if (scanned >= SCAN_BYTES_MAX) return forwardPage(entries, this.cursorAfter(record), true);
      }
    }
    return forwardPage(entries, cursor, false);

    function forwardPage(
      page: readonly PlacedEntry[],
      end: ConversationCursor,
      hasMore: boolean,
    ): RawPage {
      const first = page[0];
      const isStart = first === undefined || after.seq === SEQ_START;
      const before = isStart ? null : { ...after, seq: first.seq, hash: first.hash };
      return { entries: page, before, after: end, hasMore };
    }
  }

  /** Where to begin so that about so many entries follow. */
  async startOfLast(limit: number): Promise<ConversationCursor> {
    if (limit === 0) return (await this.last(1)).after;
    let count = 0;
    for await (const records of this.records.back(await this.#endBefore(undefined))) {
      for (const record of [...records].reverse()) {
        const entries = this.entriesOf(record);
        if (count + entries.length > limit) return this.cursorAfter(record);
        count += entries.length;
      }
    }
    return this.start;
  }

  /** The ids just up to a cursor. */
  async idsUpTo(cursor: ConversationCursor): Promise<RecentIds> {
    const recent = new RecentIds();
    if (cursor.seq === SEQ_START) return recent;
    const record = await this.records.at(positionOf(cursor.seq));
    const before: PlacedEntry[] = [];
    const own = record === null ? [] : this.entriesOf(record);
    let bytes = 0;
    for await (const records of this.records.back(positionOf(cursor.seq))) {
      before.unshift(...this.#entriesOfAll(records));
      bytes += bytesOf(records);
      if (bytes >= LOOKBACK_BYTES) break;
    }
    for (const entry of [...before, ...own]) if (entry.seq <= cursor.seq) recent.add(entry);
    return recent;
  }

  /** The entry at a cursor that fits; null where there is none. */
  async entryAt({ seq }: ConversationCursor): Promise<PlacedEntry | null> {
    const record = seq === SEQ_START ? null : await this.records.at(positionOf(seq));
    if (record === null) return null;
    return this.entriesOf(record).find((each) => each.seq === seq) ?? null;
  }

  #entriesOfAll(records: readonly TranscriptRecord[]): readonly PlacedEntry[] {
    return records.flatMap((record) => this.entriesOf(record));
  }

  /** Where a page begins that may have found nothing in all that was read for it. */
  #beforeCursor(
    first: PlacedEntry | undefined,
    lowest: TranscriptRecord | undefined,
  ): ConversationCursor | null {
    if (first) return this.cursorOf(first);
    if (!lowest) return null;
    const { seq, ...rest } = this.cursorAfter(lowest);
    return { ...rest, seq: seq - seqAfter(0) };
  }

  /** The end of the records of which some entries come before the cursor. */
  async #endBefore(before: ConversationCursor | undefined): Promise<number> {
    if (before === undefined) return (await this.records.end()) ?? 0;
    if (before.seq === SEQ_START) return 0;
    const record = await this.records.at(positionOf(before.seq));
    return record?.next ?? 0;
  }
}

/** Positions are bytes in a file, and numbers in a database. */
const bytesOf = (records: readonly TranscriptRecord[]): number =>
  records.reduce((sum, each) => sum + sizeOf(each), 0);

const sizeOf = ({ position, next, text }: TranscriptRecord): number =>
  Math.max(next - position, text?.length ?? 0);

/** Without those that were there before. */
function once(entries: readonly PlacedEntry[]): readonly PlacedEntry[] {
  const seen = new RecentIds(entries.length);
  return entries.filter((entry) => seen.add(entry));
}
