// A stored time as wire text. Times of events come from others: one that no calendar holds is shown
// as the nearest end of the calendar, and not as an error.

const CALENDAR_MS_MAX = 253_402_300_799_999;

/** ISO 8601 in UTC, such as `2026-11-15T12:00:00.000Z`. */
export function isoTime(atMs: number): string {
  return new Date(Math.min(Math.max(atMs, 0), CALENDAR_MS_MAX)).toISOString();
}

/** The same, for a time that may be absent. */
export const isoTimeOrNull = (atMs: unknown): string | null =>
  typeof atMs === 'number' ? isoTime(atMs) : null;
