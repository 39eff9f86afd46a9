// Reads the values of options and arguments: counts, durations, times, sizes, choices. For a value
// that is not valid it returns a sentence that says what is. Pure.

import { parseDuration } from '../platform/text/duration.ts';
import { nearest } from '../text/nearest-word.ts';
import { type Flags, textOf, type ValueSpec } from './command.ts';

/** Ten years: a longer duration is a typing error, and timers cannot hold it. */
const DURATION_MAX_MS = 3_650 * 86_400_000;
const COUNT_MAX = 1_000_000_000;

export type ReadValue =
  | { readonly ok: true; readonly value: string | number }
  | { readonly ok: false; readonly problem: string };

const invalid = (problem: string): ReadValue => ({ ok: false, problem });

/** Milliseconds of `500ms`, `10s`, `5m`, `2h`, `1d`; null for anything else. */
export function readDuration(text: string): number | null {
  // The configuration file allows "30 s"; an option is one word.
  const exactMs = /\s/.test(text) ? null : parseDuration(text);
  const durationMs = exactMs === null ? null : Math.round(exactMs);
  return durationMs !== null && durationMs <= DURATION_MAX_MS ? durationMs : null;
}

/** The time of a text such as `10m` (ten minutes ago) or an ISO time; null for any other text. */
export function readMoment(text: string, nowMs: number): number | null {
  const agoMs = readDuration(text);
  if (agoMs !== null) return nowMs - agoMs;
  // Date.parse alone accepts almost any text.
  if (
    !/^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/.test(
      text,
    )
  )
    return null;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? null : atMs;
}

/**
 * The next time that a text means: in ten minutes (`10m`), at a time of the clock (`15:30`, today
 * or tomorrow) or at an ISO time; null for any other text, and for a time that is over.
 */
export function readNextTime(text: string, nowMs: number): number | null {
  const inMs = readDuration(text);
  if (inMs !== null) return nowMs + inMs;
  const clock = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text);
  if (clock === null) {
    const atMs = readMoment(text, nowMs);
    return atMs !== null && atMs > nowMs ? atMs : null;
  }
  const at = new Date(nowMs);
  at.setHours(Number(clock[1]), Number(clock[2]), 0, 0);
  // By the calendar: a day may have 23 or 25 hours.
  if (at.getTime() <= nowMs) at.setDate(at.getDate() + 1);
  return at.getTime();
}

/** The time of an option; null when it is not given. */
export function momentOf(flags: Flags, name: string, nowMs: number): number | null {
  const text = textOf(flags, name);
  return text === undefined ? null : readMoment(text, nowMs);
}

/** Columns and rows of `120x40`, each from 1 to 9999; null for anything else. */
export function readSize(text: string): { cols: number; rows: number } | null {
  const [, cols, rows] = /^([1-9]\d{0,3})x([1-9]\d{0,3})$/.exec(text) ?? [];
  return cols === undefined ? null : { cols: Number(cols), rows: Number(rows) };
}

/** The value of a text, checked against the spec. A moment or a size stays text. */
export function readValue(spec: ValueSpec, text: string): ReadValue {
  switch (spec.kind) {
    case 'text':
      return { ok: true, value: text };
    case 'choice':
      return readChoice(spec.choices ?? [], text);
    case 'choices':
      return readChoices(spec.choices ?? [], text);
    case 'count': {
      const count = /^\d{1,10}$/.test(text) ? Number(text) : COUNT_MAX + 1;
      return count <= COUNT_MAX
        ? { ok: true, value: count }
        : invalid('it is not a whole number such as 20');
    }
    case 'duration': {
      const durationMs = readDuration(text);
      return durationMs === null
        ? invalid('it is not a duration such as 500ms, 10s, 5m, 2h or 1d')
        : { ok: true, value: durationMs };
    }
    case 'moment':
      return readMoment(text, 0) === null
        ? invalid('it is not a time such as 2026-01-31T09:30:00Z or 10m (ten minutes ago)')
        : { ok: true, value: text };
    case 'size':
      return readSize(text) === null
        ? invalid('it is not a size such as 120x40')
        : { ok: true, value: text };
  }
}

function readChoice(choices: readonly string[], text: string): ReadValue {
  if (choices.includes(text)) return { ok: true, value: text };
  const near = nearest(text, choices);
  const suggestion = near === undefined ? '' : `; did you mean ${near}?`;
  return invalid(`it is not one of ${choices.join(', ')}${suggestion}`);
}

/** Words with commas between them. The text is kept; `splitWords` reads it. */
function readChoices(choices: readonly string[], text: string): ReadValue {
  for (const word of splitWords(text)) {
    const read = readChoice(choices, word);
    if (!read.ok) return splitWords(text).length === 1 ? read : invalid(`${word}: ${read.problem}`);
  }
  return { ok: true, value: text };
}

export const splitWords = (text: string): readonly string[] =>
  text.split(',').map((word) => word.trim());
