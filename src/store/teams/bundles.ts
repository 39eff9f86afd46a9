// What is remembered of bundles: whether each is to be up, and the members that could not be
// started, the newest of each bundle.

import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { StartupFailure } from '../../schema/relay/bundle-api.ts';
import { guarded } from '../sqlite/sqlite-fault.ts';
import { inTransaction } from '../sqlite/transaction.ts';
import { isoTime } from '../tables/iso-time.ts';

export type NewStartupFailure = Pick<
  StartupFailure,
  'session_id' | 'transport' | 'code' | 'reason' | 'details'
>;

export interface BundleTable {
  /** Whether somebody has brought it up, and not down again. */
  isWanted(bundle: string): boolean;
  want(bundle: string, isWanted: boolean, atMs: number): void;
  /** All or none of them, in their order. */
  addFailures(
    bundle: string,
    failures: readonly NewStartupFailure[],
    atMs: number,
  ): readonly StartupFailure[];
  /** The newest, the oldest of them first. */
  failures(bundle: string, limit: number): readonly StartupFailure[];
  failureCount(bundle: string): number;
}

/** For each bundle. */
export const FAILURES_KEPT_MAX = 256;

const statusSql = 'SELECT status FROM bundles WHERE bundle_name = ?';
const wantSql = `
  INSERT INTO bundles (bundle_name, status, updated_at) VALUES (?1, ?2, ?3)
  ON CONFLICT (bundle_name) DO UPDATE SET status = ?2, updated_at = ?3`;
const addSql = `
  INSERT INTO startup_failures
    (bundle_name, sequence, member_id, transport, code, reason, failed_at, details)
  VALUES (?1, (SELECT coalesce(max(sequence), 0) + 1 FROM startup_failures WHERE bundle_name = ?1),
    ?2, ?3, ?4, ?5, ?6, ?7)
  RETURNING *`;
const pruneSql = `
  DELETE FROM startup_failures WHERE bundle_name = ?1 AND sequence <=
    (SELECT max(sequence) FROM startup_failures WHERE bundle_name = ?1) - ${FAILURES_KEPT_MAX}`;
const listSql = `
  SELECT * FROM startup_failures WHERE bundle_name = ? ORDER BY sequence DESC LIMIT ?`;
const countSql = 'SELECT count(*) AS count FROM startup_failures WHERE bundle_name = ?';

type Row = Record<string, SQLOutputValue>;

const failureOf = (row: Row): StartupFailure => ({
  bundle_name: String(row['bundle_name']),
  session_id: String(row['member_id']),
  transport: row['transport'] === 'acp' ? 'acp' : 'tmux',
  code: String(row['code']),
  reason: String(row['reason']),
  timestamp: isoTime(Number(row['failed_at'])),
  sequence: Number(row['sequence']),
  details: JSON.parse(String(row['details'])),
});

export function prepareBundles(db: DatabaseSync, path: string): BundleTable {
  const status = db.prepare(statusSql);
  const want = db.prepare(wantSql);
  const add = db.prepare(addSql);
  const prune = db.prepare(pruneSql);
  const list = db.prepare(listSql);
  const count = db.prepare(countSql);
  return {
    isWanted: (bundle) => guarded(path, () => status.get(bundle)?.['status'] === 'up'),
    want: (bundle, isUp, atMs) =>
      guarded(path, () => void want.run(bundle, isUp ? 'up' : 'down', atMs)),
    addFailures: (bundle, failures, atMs) =>
      guarded(path, () =>
        inTransaction(db, () => {
          const added = failures.flatMap(({ session_id, transport, code, reason, details }) => {
            const words = [session_id, transport, code, reason] as const;
            const row = add.get(bundle, ...words, atMs, JSON.stringify(details));
            return row ? [failureOf(row)] : [];
          });
          prune.run(bundle);
          return added;
        }),
      ),
    failures: (bundle, limit) =>
      guarded(path, () => list.all(bundle, limit).map(failureOf).toReversed()),
    failureCount: (bundle) => guarded(path, () => Number(count.get(bundle)?.['count'] ?? 0)),
  };
}
