// The only writer of events: a batch of them and their changes, in one transaction. Either all of
// it is stored or nothing is.

import type { DatabaseSync } from 'node:sqlite';
import type { Change } from '../schema/change.ts';
import type { RedactedEvent } from '../schema/event.ts';
import type { EventId } from '../schema/ids.ts';
import { prepareChangeWriter } from './changes.ts';
import { inTransaction } from './sqlite/transaction.ts';
import { eventParameters, insertEventSql } from './tables/event-row.ts';
import type { Meta } from './tables/meta.ts';

export interface EventBatch {
  /** In the order in which they happened to the world. */
  readonly events: readonly RedactedEvent[];
  readonly changes: readonly Change[];
}

/**
 * `lastSeq` is the position of the batch's last event. Duplicates are already stored, or twice in
 * the batch: then nothing is stored, and the caller ingests the rest again without them.
 */
export type CommitResult =
  | { readonly ok: true; readonly lastSeq: number }
  | { readonly ok: false; readonly duplicates: readonly EventId[] };

export function prepareCommit(db: DatabaseSync, meta: Meta): (batch: EventBatch) => CommitResult {
  const insert = db.prepare(insertEventSql);
  const writeChanges = prepareChangeWriter(db);

  const write = ({ events, changes }: EventBatch): CommitResult => {
    const duplicates: EventId[] = [];
    // Read inside the transaction: another process may have written since.
    let lastSeq = meta.read('lastSeq');
    for (const event of events) {
      lastSeq += 1;
      // Only uniqueness makes it insert nothing: the event id, or evidence applied twice.
      const { changes: inserted } = insert.run(...eventParameters(lastSeq, event));
      if (inserted === 0) duplicates.push(event.eventId);
    }
    if (duplicates.length > 0) return { ok: false, duplicates };
    if (events.length > 0) meta.write('lastSeq', lastSeq);
    writeChanges(changes);
    return { ok: true, lastSeq };
  };

  return (batch) =>
    inTransaction(
      db,
      () => write(batch),
      ({ ok }) => ok,
    );
}
