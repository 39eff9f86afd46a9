// An entry as callers get it: without secrets, as everything that is stored, and with long texts
// cut, each with its length.

import type { ConversationReader } from '../../agent-files/conversations/conversation-reader.ts';
import { cursorText, type PlacedEntry } from '../../agent-files/conversations/placed-entry.ts';
import { redactText, redactValue } from '../../core/redact.ts';
import {
  CONVERSATION_TEXT_MAX,
  type ConversationEntry,
  type ConversationEntryKind,
} from '../../schema/api/conversation.ts';

/** The fields that may be long. */
export type LongField = 'text' | 'input' | 'output' | 'diff';
const longFields: readonly LongField[] = ['text', 'input', 'output', 'diff'];
/** Names, codes and paths. */
const SHORT_TEXT_MAX = 1_000;
/** More than a page shows, so that a secret at its edge is whole when it is looked for. */
const REDACTED_TEXT_MAX = 64_000;

/** A long field of an entry without its secrets; null where it has no such field. */
export function wholeField(
  { draft }: PlacedEntry,
  field: LongField,
  lengthMax: number,
): string | null {
  const value: unknown = Object.hasOwn(draft, field) ? Reflect.get(draft, field) : undefined;
  if (value === undefined) return null;
  // The input of a tool hides secrets by the names of its fields too.
  const text =
    field === 'input' && typeof value !== 'string'
      ? safeJson(redactValue(value))
      : typeof value === 'string'
        ? value
        : safeJson(value);
  return redactText(text, lengthMax);
}

function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '[too large]';
  }
}

const lengthOf = ({ draft }: PlacedEntry, field: LongField, shown: string): number => {
  const value: unknown = Reflect.get(draft, field);
  return typeof value === 'string' ? value.length : shown.length;
};

export function shapeEntry(reader: ConversationReader, placed: PlacedEntry): ConversationEntry {
  const { draft, seq, position, turn, subagent, atMs } = placed;
  const shaped: Record<string, unknown> = {};
  const cut: Record<string, number> = {};
  for (const [field, value] of Object.entries(draft)) {
    const long = longFields.find((each) => each === field);
    if (long === undefined) shaped[field] = shortValue(value);
    else {
      const text = wholeField(placed, long, REDACTED_TEXT_MAX) ?? '';
      shaped[field] = cutWhole(text, CONVERSATION_TEXT_MAX);
      const length = Math.max(text.length, lengthOf(placed, long, text));
      if (length > CONVERSATION_TEXT_MAX) cut[field] = length;
    }
  }
  return {
    ...(shaped as { kind: ConversationEntryKind }),
    id: redactText(placed.id, SHORT_TEXT_MAX),
    seq,
    cursor: cursorText(reader.cursorOf(placed)),
    position,
    at: atMs === null ? null : new Date(atMs).toISOString(),
    turn,
    subagent,
    ...(Object.keys(cut).length > 0 ? { cut } : {}),
  } as ConversationEntry;
}

function shortValue(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value, SHORT_TEXT_MAX);
  return Array.isArray(value) ? value.map(shortValue) : value;
}

/** Never ends in half a character. */
export function cutWhole(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(lengthMax - 1));
  return text.slice(0, isHalf ? lengthMax - 1 : lengthMax);
}
