// Repeat rules. A rule counts down before it answers, so that a crash costs a use and gives none.

import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { RepeatRule } from '../../schema/api/acting.ts';
import { guarded } from '../sqlite/sqlite-fault.ts';
import { inTransaction } from '../sqlite/transaction.ts';
import { isoTime, isoTimeOrNull } from './iso-time.ts';

export type NewRule = Pick<
  RepeatRule,
  'rule_id' | 'target' | 'agent' | 'folder' | 'tool' | 'command' | 'count_left' | 'created_by'
> & { readonly createdAtMs: number; readonly expiresAtMs: number };

export interface RepeatRuleTable {
  /** Null where there are too many that hold. */
  add(rule: NewRule): RepeatRule | null;
  /** Those that hold now, the longest first; or all that are kept, the newest first. */
  list(query: { readonly nowMs: number; readonly isActiveOnly: boolean }): readonly RepeatRule[];
  /** Null: there is no such rule. */
  revoke(ruleId: string, atMs: number): RepeatRule | null;
  /** Takes one use; null where the rule does not hold any more. */
  use(ruleId: string, atMs: number): RepeatRule | null;
}

/** More than a person can keep an eye on. */
const ACTIVE_MAX = 100;
const LISTED_MAX = 200;
const KEPT_MS = 30 * 86_400_000;

const isActive = 'expires_at > ?1 AND count_left > 0 AND revoked_at IS NULL';
const addSql = `
  INSERT INTO repeat_rules (rule_id, target_id, agent, folder, tool, command, count_left,
    created_by, created_at, expires_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`;
const activeSql = `
  SELECT * FROM repeat_rules WHERE ${isActive} ORDER BY expires_at DESC LIMIT ${LISTED_MAX}`;
const allSql = `
  SELECT * FROM repeat_rules WHERE created_at >= 0 ORDER BY created_at DESC LIMIT ${LISTED_MAX}`;
const revokeSql = `
  UPDATE repeat_rules SET revoked_at = coalesce(revoked_at, ?2) WHERE rule_id = ?1 RETURNING *`;
const useSql = `
  UPDATE repeat_rules
  SET count_left = count_left - 1, fired_count = fired_count + 1, last_fired_at = ?1
  WHERE rule_id = ?2 AND ${isActive} RETURNING *`;
const pruneSql = 'DELETE FROM repeat_rules WHERE expires_at < ?';

type Row = Record<string, SQLOutputValue>;

const ruleOf = (row: Row): RepeatRule => ({
  rule_id: String(row['rule_id']),
  target: String(row['target_id']),
  agent: String(row['agent']),
  folder: String(row['folder']),
  tool: row['tool'] === null ? null : String(row['tool']),
  command: String(row['command']),
  count_left: Number(row['count_left']),
  fired_count: Number(row['fired_count']),
  created_by: String(row['created_by']),
  created_at: isoTime(Number(row['created_at'])),
  expires_at: isoTime(Number(row['expires_at'])),
  last_fired_at: isoTimeOrNull(row['last_fired_at']),
  revoked_at: isoTimeOrNull(row['revoked_at']),
});

const ruleOrNull = (row: Row | undefined): RepeatRule | null => (row ? ruleOf(row) : null);

export function prepareRepeatRules(db: DatabaseSync, path: string): RepeatRuleTable {
  const add = db.prepare(addSql);
  const active = db.prepare(activeSql);
  const all = db.prepare(allSql);
  const revoke = db.prepare(revokeSql);
  const use = db.prepare(useSql);
  const prune = db.prepare(pruneSql);
  const write = <T>(work: () => T): T => guarded(path, () => inTransaction(db, work));
  return {
    add: (rule) =>
      write(() => {
        const { createdAtMs, expiresAtMs, rule_id, target, agent, folder, tool, command } = rule;
        prune.run(createdAtMs - KEPT_MS);
        if (active.all(createdAtMs).length >= ACTIVE_MAX) return null;
        const made = add.get(
          ...[rule_id, target, agent, folder, tool, command, rule.count_left],
          ...[rule.created_by, createdAtMs, expiresAtMs],
        );
        return ruleOrNull(made);
      }),
    list: ({ nowMs, isActiveOnly }) =>
      guarded(path, () => (isActiveOnly ? active.all(nowMs) : all.all()).map(ruleOf)),
    revoke: (ruleId, atMs) => write(() => ruleOrNull(revoke.get(ruleId, atMs))),
    use: (ruleId, atMs) => write(() => ruleOrNull(use.get(atMs, ruleId))),
  };
}
