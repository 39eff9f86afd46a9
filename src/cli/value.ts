// Reads the values of options and arguments: counts, durations, moments, sizes, words of a list.
// A value that does not fit is answered with a sentence that says what would. Pure.

import { parseDuration } from '../platform/text/duration.ts';
import { type Flags, textOf, type ValueSpec } from './command.ts';

/** Ten years: longer is a slip of the hand, and timers cannot count it. */
const DURATION_MAX_MS = 3_650 * 86_400_000;
const COUNT_MAX = 1_000_000_000;

export type ReadValue =
  | { readonly ok: true; readonly value: string | number }
  | { readonly ok: false; readonly problem: string };

const no = (problem: string): ReadValue => ({ ok: false, problem });

/** Milliseconds of `500ms`, `10s`, `5m`, `2h`, `1d`; null for anything else. */
export function readDuration(text: string): number | null {
  // A file may say "30 s"; an option is one word.
  const exactMs = /\s/.test(text) ? null : parseDuration(text);
  const durationMs = exactMs === null ? null : Math.round(exactMs);
  return durationMs !== null && durationMs <= DURATION_MAX_MS ? durationMs : null;
}

/** The time that a moment names: `10m` is ten minutes ago. Null where it names none. */
export function readMoment(text: string, nowMs: number): number | null {
  const agoMs = readDuration(text);
  if (agoMs !== null) return nowMs - agoMs;
  // Date.parse alone takes almost anything for a date.
  if (
    !/^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/.test(
      text,
    )
  )
    return null;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? null : atMs;
}

/** The time that an option names; null where it was not given. */
export function momentOf(flags: Flags, name: string, nowMs: number): number | null {
  const text = textOf(flags, name);
  return text === undefined ? null : readMoment(text, nowMs);
}

/** Columns and rows of `120x40`, each from 1 to 9999; null for anything else. */
export function readSize(text: string): { cols: number; rows: number } | null {
  const [, cols, rows] = /^([1-9]\d{0,3})x([1-9]\d{0,3})$/.exec(text) ?? [];
  return cols === undefined ? null : { cols: Number(cols), rows: Number(rows) };
}

/** The value of a text, as the spec wants it. A moment or a size stays text, checked. */
export function readValue(spec: ValueSpec, text: string): ReadValue {
  switch (spec.kind) {
    case 'text':
      return { ok: true, value: text };
    case 'choice':
      return readChoice(spec.choices ?? [], text);
    case 'count': {
      const count = /^\d{1,10}$/.test(text) ? Number(text) : COUNT_MAX + 1;
      return count <= COUNT_MAX ? { ok: true, value: count } : no('write a whole number, as 20');
    }
    case 'duration': {
      const durationMs = readDuration(text);
      return durationMs === null
        ? no('write a duration, as 500ms, 10s, 5m, 2h or 1d')
        : { ok: true, value: durationMs };
    }
    case 'moment':
      return readMoment(text, 0) === null
        ? no('write a time, as 2026-01-31T09:30:00Z, or how long ago, as 10m')
        : { ok: true, value: text };
    case 'size':
      return readSize(text) === null ? no('write it as 120x40') : { ok: true, value: text };
  }
}

function readChoice(choices: readonly string[], text: string): ReadValue {
  if (choices.includes(text)) return { ok: true, value: text };
  return no(`it is one of ${choices.join(', ')}`);
}
