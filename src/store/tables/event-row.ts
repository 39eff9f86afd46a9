// One event as a row of `events` and back. The body is the event without its payload: the payload
// is for `explain` alone and goes earlier than the event, so replay never sees it.

import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { eventSchema, type RedactedEvent, type WorldEvent } from '../../schema/event.ts';
import { corrupt } from '../sqlite/sqlite-fault.ts';

export const insertEventSql = `
  INSERT INTO events (
    seq, event_id, runtime_id, event_type, source, source_event_id, source_seq, event_time,
    ingested_at, dedupe_key, disposition, tier, body_crc, body, raw_payload
  ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (event_id) DO NOTHING
  ON CONFLICT (source, dedupe_key, runtime_id)
    WHERE runtime_id IS NOT NULL AND disposition IN ('apply', 'bound') DO NOTHING`;

// The checksum starts from the place in the timeline: a body under another seq does not pass.
const bodyCrc = (seq: number, body: string): number => crc32(body, seq >>> 0);

/** The parameters of `insertEventSql`. */
export function eventParameters(seq: number, event: RedactedEvent): SQLInputValue[] {
  if (event.type !== 'evidence.observed') {
    const { eventId, type, atMs } = event;
    const runtimeId = 'runtimeId' in event ? event.runtimeId : null;
    const body = JSON.stringify(event);
    const crc = bodyCrc(seq, body);
    return [
      ...[seq, eventId, runtimeId, type, null, null, null, atMs, atMs, null, null, null],
      ...[crc, body, null],
    ];
  }
  const { evidence, disposition } = event;
  const { payload } = evidence;
  // The header of such an event repeats what its evidence says: `withHeader` puts it back.
  const body = JSON.stringify({
    evidence: payload === undefined ? evidence : { ...evidence, payload: undefined },
    disposition,
  });
  return [
    seq,
    event.eventId,
    evidence.runtimeId,
    event.type,
    evidence.source,
    evidence.sourceEventId ?? null,
    evidence.sourceSeq ?? null,
    evidence.eventTimeMs,
    evidence.ingestedAtMs,
    evidence.dedupeKey,
    disposition,
    evidence.tier,
    bodyCrc(seq, body),
    body,
    payload === undefined ? null : JSON.stringify(payload),
  ];
}

function parseBody(body: string): WorldEvent {
  return eventSchema.parse(withHeader(JSON.parse(body)));
}

function withHeader(body: {
  evidence?: { eventId?: unknown; ingestedAtMs?: unknown };
  type?: unknown;
}) {
  if (!body.evidence) return body;
  const { eventId, ingestedAtMs: atMs } = body.evidence;
  return { ...body, type: 'evidence.observed', eventId, atMs };
}

/** The event of a row with `seq`, `body` and `body_crc`. Throws `store_corrupt`, naming the seq. */
export function eventOfRow(path: string, row: Record<string, SQLOutputValue>): WorldEvent {
  const { seq, body, body_crc: crc } = row;
  if (typeof body !== 'string' || bodyCrc(Number(seq), body) !== crc) {
    throw corrupt(path, `event ${seq} does not match its checksum`);
  }
  try {
    return parseBody(body);
  } catch (error) {
    throw corrupt(path, `event ${seq} does not fit its schema`, error);
  }
}
