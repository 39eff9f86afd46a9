// What a parser makes of one record of a transcript: entries without their place. Parsers see one
// record at a time, and at most the one before it, so that a transcript can be read from any place
// in it. Redaction and cutting come later.

import type { ConversationEntry } from '../../schema/api/conversation.ts';
import { type Fields, flagAt, idAt, isFields, numberAt, valueAt } from '../signals/fields.ts';

type PlacedField = 'seq' | 'cursor' | 'position' | 'cut' | 'at' | 'id' | 'turn' | 'subagent';

type Draft<Entry> = Entry extends { kind: 'tool_call' }
  ? Omit<Entry, PlacedField | 'input'> & { readonly input: unknown }
  : Omit<Entry, PlacedField>;

/** One entry, with an id that the agent never uses again; absent: its place is its id. */
export type EntryDraft = Draft<ConversationEntry> & { readonly id?: string };

export interface RecordDraft {
  readonly atMs: number | null;
  readonly turn: string | null;
  readonly subagent: string | null;
  readonly entries: readonly EntryDraft[];
  /** What follows and is not later than this was written before: copies. */
  readonly copiesUntilMs?: number;
}

/**
 * Never throws, whatever the record holds. Null: bookkeeping of the agent, which is no entry.
 * `before` is the record right before it, only for the agents of `parsersThatLookBack`.
 */
export type ConversationParser = (
  fields: Fields,
  before: () => Fields | null,
) => RecordDraft | null;

/** The whole text at the first path that has one. */
export function wholeText(fields: Fields, ...paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const value = valueAt(fields, path);
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

const PARTS_MAX = 512;
export const partsOf = (fields: Fields, path: string): readonly unknown[] => {
  const value = valueAt(fields, path);
  return Array.isArray(value) ? value.slice(0, PARTS_MAX) : [];
};

/** A text, or the texts of a list of parts, one under the other. */
export function textOfParts(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  const texts = value.slice(0, PARTS_MAX).map((part) => {
    if (typeof part === 'string') return part;
    if (!isFields(part)) return '';
    const own = wholeText(part, 'text', 'content');
    if (own !== undefined) return own;
    const type = idAt(part, 'type');
    return type === undefined ? '' : `[${type}]`;
  });
  return texts.filter((each) => each !== '').join('\n');
}

/** JSON of what has no text of its own. */
export function textOfValue(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  return JSON.stringify(value);
}

export const tokensAt = (fields: Fields, ...paths: readonly string[]): number => {
  const value = numberAt(fields, ...paths) ?? 0;
  return value > 0 ? Math.min(Math.round(value), Number.MAX_SAFE_INTEGER) : 0;
};

/** An entry for a record of a type that has no kind. */
export const unknownEntry = (type: string, fields: Fields): EntryDraft => ({
  kind: 'unknown',
  type: type.slice(0, 100),
  text: wholeText(fields, 'content', 'text', 'message') ?? JSON.stringify(fields),
});

/** Questions of a dialog, in the shapes that agents share, and their options. */
export function questionEntries(callId: string, input: unknown): readonly EntryDraft[] {
  if (!isFields(input)) return [];
  const questions = partsOf(input, 'questions').filter(isFields);
  const all = questions.length > 0 ? questions : [input];
  return all.flatMap((each): EntryDraft[] => {
    const text = wholeText(each, 'question', 'message', 'prompt', 'text');
    if (text === undefined) return [];
    const options = [...partsOf(each, 'options'), ...partsOf(each, 'choices')];
    const labels = options.map((option) =>
      isFields(option) ? (wholeText(option, 'label', 'title', 'value') ?? '') : String(option),
    );
    const many = flagAt(each, 'multiSelect') ? ' (several)' : '';
    return [{ kind: 'question', call_id: callId, text: `${text}${many}`, options: labels }];
  });
}

/** A change of a file as the two texts that an edit names. */
export function diffOfEdit(before: string, after: string): string {
  const lines = (text: string, mark: string) =>
    text === ''
      ? []
      : text
          .replace(/\n$/, '')
          .split('\n')
          .map((line) => mark + line);
  return [...lines(before, '-'), ...lines(after, '+')].join('\n');
}
