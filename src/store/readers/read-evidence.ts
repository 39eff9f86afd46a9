// The evidence of one runtime with its payloads, read beside the daemon that writes: for
// `agtmux record`. The file is opened read-only and is not migrated.

import { DatabaseSync } from 'node:sqlite';
import type { Evidence } from '../../schema/evidence.ts';
import { guarded, guardedSchema } from '../sqlite/sqlite-fault.ts';
import { eventOfRow } from '../tables/event-row.ts';
import { prepareMeta } from '../tables/meta.ts';

export interface EvidenceQuery {
  readonly runtimeId: string;
  /** Only evidence that was ingested at or after this time. */
  readonly sinceMs: number;
  /** The most rows; the newest are kept. */
  readonly limit: number;
}

/** As far back as `explain` looks: there is no index on the runtime of an event. */
const SCANNED_MAX = 20_000;
const BUSY_TIMEOUT_MS = 2_000;

const sql = `
  SELECT seq, body, body_crc, raw_payload FROM events
  WHERE seq > ? AND runtime_id = ? AND event_type = 'evidence.observed' AND ingested_at >= ?
  ORDER BY seq DESC LIMIT ?`;

/** The evidence of a runtime, oldest first. Throws a Fault where it cannot be read. */
export function readEvidence(path: string, query: EvidenceQuery): readonly Evidence[] {
  const { runtimeId, sinceMs, limit } = query;
  const options = { readOnly: true, timeout: BUSY_TIMEOUT_MS };
  const db = guarded(path, () => new DatabaseSync(path, options));
  try {
    return guardedSchema(path, () => {
      const floorSeq = Math.max(0, prepareMeta(db).read('lastSeq') - SCANNED_MAX);
      const rows = db.prepare(sql).all(floorSeq, runtimeId, sinceMs, limit);
      return rows.reverse().flatMap((row) => {
        const event = eventOfRow(path, row);
        if (event.type !== 'evidence.observed') return [];
        const payload = payloadOf(row['raw_payload']);
        return [payload === undefined ? event.evidence : { ...event.evidence, payload }];
      });
    });
  } finally {
    db.close();
  }
}

/** Undefined where retention has removed it. */
function payloadOf(text: unknown): unknown {
  return typeof text === 'string' ? JSON.parse(text) : undefined;
}
