// Readers of the timeline: the tail for replay, and the ledger of one runtime for `explain`.

import type { DatabaseSync } from 'node:sqlite';
import { Fault } from '../platform/fault.ts';
import type { WorldEvent } from '../schema/event.ts';
import type { RuntimeId } from '../schema/ids.ts';
import { corrupt, guarded } from './sqlite-fault.ts';
import { eventOfRow } from './tables/event-row.ts';
import type { Meta } from './tables/meta.ts';

export interface StoredEvent {
  readonly seq: number;
  readonly event: WorldEvent;
}

export interface LedgerEntry extends StoredEvent {
  /** What became of evidence: as it was ingested, `bound`, `dropped_unbound` or `duplicate`. */
  readonly disposition: string | null;
  /** The source's own words, or undefined when there were none or retention cleared them. */
  readonly payload: unknown;
}

export interface LedgerRange {
  readonly beforeSeq?: number;
  readonly limit: number;
}

export interface EventReader {
  eventsAfter(seq: number, limit?: number): Generator<StoredEvent, void>;
  eventsOfRuntime(runtimeId: RuntimeId, range: LedgerRange): LedgerEntry[];
}

// Big enough to hide the cost of a query, small enough for memory: about 250 kB at 500 bytes each.
const READ_BATCH = 500;

const tailSql = 'SELECT seq, body, body_crc FROM events WHERE seq > ? ORDER BY seq LIMIT ?';
// The index has the seqs of a runtime, sorted by source. Sorting the bare numbers of 100,000 events
// takes some 10 ms; the subquery keeps their bodies out of it.
const ledgerSql = `
  SELECT seq, body, body_crc, disposition, raw_payload FROM events WHERE seq IN (
    SELECT seq FROM events WHERE runtime_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?
  ) ORDER BY seq DESC`;

function payloadOf(path: string, seq: unknown, text: unknown): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(String(text));
  } catch (error) {
    throw corrupt(path, `the payload of event ${seq} is not JSON`, error);
  }
}

export function prepareEventReader(db: DatabaseSync, path: string, meta: Meta): EventReader {
  const selectTail = db.prepare(tailSql);
  const selectLedger = db.prepare(ledgerSql);

  const refusePruned = (seq: number): void => {
    const prunedSeq = meta.read('prunedSeq');
    if (seq >= prunedSeq) return;
    throw new Fault('rewind_window_exceeded', {
      about: path,
      detail: `events after ${seq} were asked for, those up to ${prunedSeq} are gone`,
    });
  };

  const readTail = (afterSeq: number, count: number) =>
    guarded(path, () => {
      refusePruned(afterSeq);
      // Read before the rows, so that a commit by another process in between does no harm.
      const lastSeq = meta.read('lastSeq');
      const rows = selectTail.all(afterSeq, count);
      if (rows.length === 0 && afterSeq < lastSeq) {
        throw corrupt(path, `events ${afterSeq + 1} to ${lastSeq} are missing`);
      }
      return rows;
    });

  return {
    *eventsAfter(seq, limit = Number.MAX_SAFE_INTEGER) {
      let last = seq;
      const end = seq + limit;
      while (last < end) {
        const rows = readTail(last, Math.min(READ_BATCH, end - last));
        if (rows.length === 0) return;
        for (const row of rows) {
          if (row['seq'] !== last + 1) throw corrupt(path, `event ${last + 1} is missing`);
          last += 1;
          yield { seq: last, event: eventOfRow(path, row) };
        }
      }
    },
    eventsOfRuntime: (runtimeId, { beforeSeq = Number.MAX_SAFE_INTEGER, limit }) =>
      guarded(path, () =>
        selectLedger.all(runtimeId, beforeSeq, limit).map((row) => ({
          seq: Number(row['seq']),
          event: eventOfRow(path, row),
          disposition: row['disposition'] === null ? null : String(row['disposition']),
          payload: payloadOf(path, row['seq'], row['raw_payload']),
        })),
      ),
  };
}
