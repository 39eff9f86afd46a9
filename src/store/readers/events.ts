// The reader of the timeline: the tail, for replay.

import type { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../platform/fault.ts';
import type { WorldEvent } from '../../schema/event.ts';
import { corrupt, guarded } from '../sqlite/sqlite-fault.ts';
import { eventOfRow } from '../tables/event-row.ts';
import type { Meta } from '../tables/meta.ts';

export interface StoredEvent {
  readonly seq: number;
  readonly event: WorldEvent;
}

export type EventReader = (afterSeq: number) => Generator<StoredEvent, void>;

// Big enough to hide the cost of a query, small enough for memory: about 250 kB at 500 bytes each.
const READ_BATCH = 500;

const tailSql = 'SELECT seq, body, body_crc FROM events WHERE seq > ? ORDER BY seq LIMIT ?';

export function prepareEventReader(db: DatabaseSync, path: string, meta: Meta): EventReader {
  const selectTail = db.prepare(tailSql);

  const refusePruned = (seq: number): void => {
    const prunedSeq = meta.read('prunedSeq');
    if (seq >= prunedSeq) return;
    throw new Fault('rewind_window_exceeded', {
      about: path,
      detail: `the events after ${seq} are gone up to ${prunedSeq}`,
    });
  };

  const readTail = (afterSeq: number) =>
    guarded(path, () => {
      refusePruned(afterSeq);
      // Read before the rows, so that a commit by another process in between does no harm.
      const lastSeq = meta.read('lastSeq');
      const rows = selectTail.all(afterSeq, READ_BATCH);
      if (rows.length === 0 && afterSeq < lastSeq) {
        throw corrupt(path, `events ${afterSeq + 1} to ${lastSeq} are missing`);
      }
      return rows;
    });

  return function* eventsAfter(seq) {
    let last = seq;
    for (;;) {
      const rows = readTail(last);
      if (rows.length === 0) return;
      for (const row of rows) {
        if (row['seq'] !== last + 1) throw corrupt(path, `event ${last + 1} is missing`);
        last += 1;
        yield { seq: last, event: eventOfRow(path, row) };
      }
    }
  };
}
