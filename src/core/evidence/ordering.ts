// The order of the evidence of one source, and which of it is a repeat. One cursor per runtime and
// source, so that a busy source never starves a quiet one.

import type { SourceCursor } from '../../schema/change.ts';
import type { Evidence } from '../../schema/evidence.ts';

/**
 * Newest dedupe keys kept per runtime and source. Repeats come within seconds (two channels for one
 * event, a spool read twice); older ones are caught by the store's unique index.
 */
export const RECENT_KEYS_MAX = 32;

/**
 * The time at which an event counts as having happened: its own, however old, because sources turn
 * it into a time of the daemon's clock. Nothing happens after its arrival.
 */
export const effectiveTimeMs = ({
  eventTimeMs,
  ingestedAtMs,
}: Pick<Evidence, 'eventTimeMs' | 'ingestedAtMs'>): number => Math.min(eventTimeMs, ingestedAtMs);

/** A piece without a number leaves the last number in force for the pieces that have one. */
export function cursorOf(evidence: Evidence, before?: SourceCursor): SourceCursor {
  return {
    sourceSeq: evidence.sourceSeq ?? before?.sourceSeq ?? null,
    eventTimeMs: effectiveTimeMs(evidence),
    ingestedAtMs: evidence.ingestedAtMs,
    eventId: evidence.eventId,
  };
}

/** Negative when `a` comes first. Sequence numbers decide where both sides have one. */
export function compareCursors(a: SourceCursor, b: SourceCursor): number {
  if (a.sourceSeq !== null && b.sourceSeq !== null && a.sourceSeq !== b.sourceSeq) {
    return a.sourceSeq - b.sourceSeq;
  }
  if (a.eventTimeMs !== b.eventTimeMs) return a.eventTimeMs - b.eventTimeMs;
  if (a.ingestedAtMs !== b.ingestedAtMs) return a.ingestedAtMs - b.ingestedAtMs;
  if (a.eventId === b.eventId) return 0;
  return a.eventId < b.eventId ? -1 : 1;
}

/** Whether newer evidence of the same source came before this. */
export function isLate(evidence: Evidence, cursor: SourceCursor | undefined): boolean {
  if (!cursor) return false;
  // Levels are ordered by when they were read: what they say of their age may be anything.
  if (evidence.kind === 'level') return evidence.ingestedAtMs <= cursor.ingestedAtMs;
  return compareCursors(cursorOf(evidence), cursor) <= 0;
}

/** The list with one more key, the oldest forgotten when it is full. */
export function rememberKey(keys: readonly string[], key: string): readonly string[] {
  return keys.length < RECENT_KEYS_MAX ? [...keys, key] : [...keys.slice(1), key];
}
