// Opens the store: the file is checked before it is touched, migrated to the newest schema, and its
// timeline checked in constant time. The daemon calls it once.

import { DatabaseSync } from 'node:sqlite';
import { APPLICATION_ID, checkFile, ensureFile, makePrivate } from './file.ts';
import { migrate, migrations, newestVersion } from './migrate.ts';
import type { Migration } from './migrations/migration.ts';
import { corrupt, guarded, guardedSchema } from './sqlite/sqlite-fault.ts';
import { inTransaction } from './sqlite/transaction.ts';
import { Store } from './store.ts';
import { prepareMeta } from './tables/meta.ts';

export interface StoreOptions {
  readonly path: string;
  /** Timeout for the write lock of another process. */
  readonly busyTimeoutMs?: number;
  /** The most pages of 4 KiB; above, writes fail as on a full disk. */
  readonly pageCountMax?: number;
  readonly migrations?: readonly Migration[];
}

// A commit takes milliseconds; a process that holds the lock for seconds is not a working daemon.
const BUSY_TIMEOUT_MS = 5_000;

// cell_size_check finds damaged pages as they are read. A cache of 2 MiB is as fast as one of 4 in
// bench:engine, because keys come in order. The log is copied back at 16 MiB, because pages that
// several batches touched are then copied once.
const settings = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = 4000;
  PRAGMA trusted_schema = OFF;
  PRAGMA cell_size_check = ON;
  PRAGMA cache_size = -2048;
  PRAGMA journal_size_limit = 16777216;
`;

// The first and last event must be those that `meta` has: a file that lost its last or first pages
// is damaged, not a shorter history.
function checkTimeline(db: DatabaseSync, path: string): void {
  const meta = prepareMeta(db);
  const lastSeq = meta.read('lastSeq');
  const prunedSeq = meta.read('prunedSeq');
  // Two statements: SQLite answers one end from the tree and both at once only by reading it all.
  const start = db.prepare('SELECT min(seq) AS seq FROM events').get();
  const end = db.prepare('SELECT max(seq) AS seq FROM events').get();
  const first = Number(start?.['seq'] ?? prunedSeq + 1);
  const last = Number(end?.['seq'] ?? prunedSeq);
  if (last !== lastSeq || first !== prunedSeq + 1) {
    throw corrupt(
      path,
      `events ${first} to ${last} are there, ${prunedSeq + 1} to ${lastSeq} should be`,
    );
  }
}

function prepareFile(options: StoreOptions, list: readonly Migration[]): void {
  const { path, busyTimeoutMs = BUSY_TIMEOUT_MS } = options;
  ensureFile(path, (db) => {
    if (options.pageCountMax !== undefined) {
      db.exec(`PRAGMA max_page_count = ${options.pageCountMax}`);
    }
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    migrate(db, path, list);
    db.exec(settings);
  });
  checkFile(path, { newestVersion: newestVersion(list), busyTimeoutMs });
  makePrivate(path);
}

// The file has this schema and our statements are right for it: an SQL error means damage.
function connect(options: StoreOptions, list: readonly Migration[]): Store {
  const { path, busyTimeoutMs = BUSY_TIMEOUT_MS, pageCountMax } = options;
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  try {
    if (pageCountMax !== undefined) db.exec(`PRAGMA max_page_count = ${pageCountMax}`);
    migrate(db, path, list);
    db.exec(settings);
    // SQLite opens a file that it may not write as read-only and says so at the first write.
    inTransaction(db, () => checkTimeline(db, path));
    return new Store(db, path);
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Opens the database at `path` and makes it when there is none. Throws a Fault and then has changed
 * nothing: `store_corrupt`, `store_newer_schema`, `store_busy`, `store_full`, `store_unwritable`.
 */
export function openStore(options: StoreOptions): Store {
  const list = options.migrations ?? migrations;
  guarded(options.path, () => prepareFile(options, list));
  return guardedSchema(options.path, () => connect(options, list));
}
