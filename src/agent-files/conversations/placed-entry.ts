// Entries with their places, and cursors to them. A place is the position of the record and the
// number of the entry in it. A cursor also holds a hash of the record and of the conversation's
// name: where they differ, the transcript is another one by now.

import type {
  ConversationParser,
  EntryDraft,
  RecordDraft,
} from '../../agents/conversation/entry-draft.ts';
import { type Fields, readFields } from '../../agents/signals/fields.ts';
import type { TranscriptRecord } from './transcript-records.ts';

/** Entries of one record; a record with more is cut. */
const PARTS = 1_024;

export interface PlacedEntry {
  readonly seq: number;
  readonly position: number;
  readonly hash: number;
  readonly id: string;
  readonly atMs: number | null;
  readonly turn: string | null;
  readonly subagent: string | null;
  readonly draft: EntryDraft;
  /** Set on a mark that is no entry: what follows up to that time are copies. */
  readonly copiesUntilMs?: number;
}

/** After the last entry of a record, and before the first of all. */
export const seqAfter = (position: number): number => position * PARTS + PARTS - 1;
export const SEQ_START = -1;
export const positionOf = (seq: number): number => Math.floor(seq / PARTS);

const gapDraft = (reason: 'line_too_long' | 'broken_line'): EntryDraft => ({ kind: 'gap', reason });

/** Never throws. Null: a record that is no part of the conversation. */
function draftOf(
  parse: ConversationParser,
  { text, before }: TranscriptRecord,
): RecordDraft | null {
  const alone = (entry: EntryDraft): RecordDraft => ({
    ...{ atMs: null, turn: null, subagent: null, entries: [entry] },
  });
  if (text === null) return alone(gapDraft('line_too_long'));
  const fields = readFields(text);
  if (typeof fields === 'string') return text.trim() === '' ? null : alone(gapDraft('broken_line'));
  try {
    return parse(fields, () => fieldsOf(before));
  } catch {
    // Nested deeper than can be written again.
    return alone(gapDraft('broken_line'));
  }
}

function fieldsOf(text: string | null | undefined): Fields | null {
  const fields = readFields(text ?? '');
  return typeof fields === 'string' ? null : fields;
}

export function placedEntries(
  parse: ConversationParser,
  record: TranscriptRecord,
): readonly PlacedEntry[] {
  const draft = draftOf(parse, record);
  if (draft === null) return [];
  const { position } = record;
  const hash = hashOf(record.text ?? '');
  const { atMs, turn, subagent, copiesUntilMs } = draft;
  if (copiesUntilMs !== undefined) {
    const place = { seq: position * PARTS, position, hash, atMs, turn, subagent };
    return [{ ...place, id: '', draft: gapDraft('broken_line'), copiesUntilMs }];
  }
  return draft.entries.slice(0, PARTS - 1).map((entry, part) => ({
    ...{ seq: position * PARTS + part, position, hash, atMs, turn, subagent },
    id: isOwnId(entry.id) ? entry.id : `${position}.${part}`,
    draft: entry,
  }));
}

/** Parts of an id that was not there leave only their mark. */
const isOwnId = (id: string | undefined): id is string =>
  id !== undefined && id !== '' && id.length <= 512 && !/^(?::|null:|undefined:)/.test(id);

/** FNV-1a: tells texts apart, and is no secret. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

export interface ConversationCursor {
  readonly seq: number;
  readonly hash: number;
  readonly conversation: number;
}

export const cursorText = ({ seq, hash, conversation }: ConversationCursor): string =>
  [seq + 1, hash, conversation].map((each) => each.toString(36)).join('.');

/** Null for a text that is no cursor. */
export function readCursor(text: string): ConversationCursor | null {
  const match = /^([0-9a-z]{1,11})\.([0-9a-z]{1,7})\.([0-9a-z]{1,7})$/.exec(text);
  if (match === null) return null;
  const [seq = 0, hash = 0, conversation = 0] = match
    .slice(1)
    .map((part) => Number.parseInt(part, 36));
  return Number.isSafeInteger(seq) ? { seq: seq - 1, hash, conversation } : null;
}

/** Recent entries by their ids: agents write some records again, as they are or with more. */
export class RecentIds {
  readonly #ids = new Set<string>();
  #copiesUntilMs = Number.NEGATIVE_INFINITY;
  readonly #max: number;

  constructor(max = 8_192) {
    this.#max = max;
  }

  /** True for an entry that is new. */
  add({ id, atMs, copiesUntilMs }: PlacedEntry): boolean {
    if (copiesUntilMs !== undefined) {
      this.#copiesUntilMs = copiesUntilMs;
      return false;
    }
    if (this.#ids.has(id) || (atMs !== null && atMs <= this.#copiesUntilMs)) return false;
    this.#ids.add(id);
    if (this.#ids.size > this.#max) {
      const [oldest] = this.#ids;
      if (oldest !== undefined) this.#ids.delete(oldest);
    }
    return true;
  }
}
