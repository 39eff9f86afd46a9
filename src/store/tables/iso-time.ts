// A stored time as wire text. Times of events come from others.

import { withinCalendar } from '../../schema/shapes.ts';

/** ISO 8601 in UTC, such as `2026-11-15T12:00:00.000Z`. */
export const isoTime = (atMs: number): string => new Date(withinCalendar(atMs)).toISOString();

/** The same, for a time that may be absent. */
export const isoTimeOrNull = (atMs: unknown): string | null =>
  typeof atMs === 'number' ? isoTime(atMs) : null;
