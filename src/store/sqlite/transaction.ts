// One transaction: all of the work or none of it. Every write of the store goes through here.

import type { DatabaseSync } from 'node:sqlite';

// The error that led here says why; a failing roll back adds nothing, because SQLite rolls back
// by itself when the file is opened again. After SQLITE_FULL it may have done so already.
function rollBack(db: DatabaseSync): void {
  if (!db.isTransaction) return;
  try {
    db.exec('ROLLBACK');
  } catch {
    // See above.
  }
}

/** Runs `work` in a transaction; rolls back when it throws or `keep` rejects its result. */
export function inTransaction<T>(
  db: DatabaseSync,
  work: () => T,
  keep: (result: T) => boolean = () => true,
): T {
  // IMMEDIATE takes the write lock first: a DEFERRED one that reads and then writes can find the
  // file changed in between and fail at once, without waiting for the busy timeout.
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    if (keep(result)) db.exec('COMMIT');
    else rollBack(db);
    return result;
  } catch (error) {
    rollBack(db);
    throw error;
  }
}
