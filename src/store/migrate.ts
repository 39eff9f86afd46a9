// Brings a database to the newest schema. The version is SQLite's own user_version; each migration
// is one transaction together with its version, so a failing one leaves the file as it was.

import type { DatabaseSync } from 'node:sqlite';
import { Fault } from '../platform/fault.ts';
import { readers } from './migrations/0002-readers.ts';
import { snapshotParts } from './migrations/0003-snapshot-parts.ts';
import { noPasswords } from './migrations/0004-no-passwords.ts';
import { actionIndexes } from './migrations/0005-action-indexes.ts';
import { timeSpent } from './migrations/0006-time-spent.ts';
import { endedAgents } from './migrations/0007-ended-agents.ts';
import { queuedPrompts } from './migrations/0008-queued-prompts.ts';
import { notifications } from './migrations/0009-notifications.ts';
import { repeatRules } from './migrations/0010-repeat-rules.ts';
import { messages } from './migrations/0011-messages.ts';
import { startupFailures } from './migrations/0012-startup-failures.ts';
import { acpMembers } from './migrations/0013-acp-members.ts';
import { startedAgents } from './migrations/0014-started-agents.ts';
import { initial } from './migrations/first/0001-initial.ts';
import type { Migration } from './migrations/migration.ts';
import { asFault, corrupt } from './sqlite/sqlite-fault.ts';
import { inTransaction } from './sqlite/transaction.ts';

export const migrations: readonly Migration[] = [
  initial,
  readers,
  snapshotParts,
  noPasswords,
  actionIndexes,
  timeSpent,
  endedAgents,
  queuedPrompts,
  notifications,
  repeatRules,
  messages,
  startupFailures,
  acpMembers,
  startedAgents,
];

/** The version that a list of migrations leads to. Throws when the list has a gap. */
export function newestVersion(list: readonly Migration[]): number {
  list.forEach(({ version, name }, index) => {
    if (version !== index + 1) {
      throw new Error(`migration ${name} has version ${version} at place ${index + 1}`);
    }
  });
  return list.length;
}

/** The schema version that SQLite sees, its log included. */
export function versionOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
}

function apply(db: DatabaseSync, path: string, { version, name, sql, run }: Migration): void {
  inTransaction(db, () => {
    // Another process may have done it while this one waited for the lock.
    if (versionOf(db) >= version) return;
    db.exec(sql);
    run?.(db);
    if (db.prepare('PRAGMA foreign_key_check').get()) {
      throw corrupt(path, `migration ${version} (${name}) found rows without their parent`);
    }
    db.exec(`PRAGMA user_version = ${version}`);
  });
}

/** Neither a disk without room for a second file nor the lock of a reader stops the start. */
function rewrite(db: DatabaseSync, path: string): void {
  try {
    db.exec('VACUUM');
  } catch (error) {
    if (!(asFault(error, path) instanceof Fault)) throw error;
  }
}

/** Applies the migrations that `db` does not have yet. Does nothing when there are none. */
export function migrate(db: DatabaseSync, path: string, list: readonly Migration[]): void {
  const before = versionOf(db);
  const pending = list.slice(before);
  if (pending.length === 0) return;
  // With a rollback journal the version reaches the file itself together with the tables, where
  // an older agtmux reads it without opening the database. Foreign keys are off because dropping a
  // table that others refer to would delete their rows; `foreign_key_check` makes up for it.
  db.exec('PRAGMA journal_mode = DELETE; PRAGMA foreign_keys = OFF;');
  try {
    for (const each of pending) apply(db, path, each);
    if (before > 0 && pending.some(({ isRewritten }) => isRewritten)) rewrite(db, path);
  } finally {
    db.exec('PRAGMA foreign_keys = ON');
  }
}
