// The days of a stretch of time by the clock of a time zone: 23 or 25 hours long where that clock
// is set forward or back. Pure: which zone it is, callers say.

import type { TimeSpan } from '../../schema/history.ts';

export interface LocalDay {
  /** `2026-03-29`. */
  readonly name: string;
  /** Its first moment; of the first day, the begin of the stretch. */
  readonly fromMs: number;
}

/** Longer than any day: zones have moved their clocks by up to a day. */
const LONGEST_DAY_MS = 50 * 3_600_000;
const DAYS_MAX = 5_000;

/** Every day that the stretch touches, in the order of time; at most the first `DAYS_MAX`. */
export function localDays({ fromMs, toMs }: TimeSpan, timeZone: string): readonly LocalDay[] {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  const days: LocalDay[] = [];
  for (let atMs = fromMs; atMs < toMs && days.length < DAYS_MAX; ) {
    const name = format.format(atMs);
    days.push({ name, fromMs: atMs });
    atMs = nextChange(atMs, (eachMs) => format.format(eachMs) !== name);
  }
  return days;
}

/** The first moment of which `isChanged` holds, to the millisecond. */
function nextChange(fromMs: number, isChanged: (atMs: number) => boolean): number {
  let low = fromMs;
  let high = fromMs + LONGEST_DAY_MS;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isChanged(middle)) high = middle;
    else low = middle;
  }
  return high;
}
