// Every statement that the store prepares finds its rows by a key or an index. The list is taken
// from the store itself, so that a new statement cannot be forgotten here.

import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import { makeStore } from './fixture.ts';

/** Reads that are meant to pass over a table, each with its reason. */
const allowed: Readonly<Record<string, string>> = {
  'SELECT * FROM acp_members ORDER BY name': 'at the start: some 64 members',
  'SELECT id AS key, at AS at FROM state_history ORDER BY id LIMIT ?':
    'the oldest few, in key order',
  'SELECT id AS key, at AS at FROM bindings ORDER BY id LIMIT ?': 'the oldest few, in key order',
  'SELECT id AS key, alive_at AS at FROM daemon_runs ORDER BY id LIMIT ?':
    'the oldest few, in key order',
  'SELECT id, started_at, alive_at FROM daemon_runs ORDER BY id DESC LIMIT ?':
    'the newest runs, in key order',
  'SELECT pane_key, history_id FROM states': 'reads all rows: one for each pane',
  'SELECT id AS key, at AS at FROM notify_log ORDER BY id LIMIT ?': 'the oldest few, in key order',
  'SELECT number AS key, changed_at AS at FROM notify_deliveries ORDER BY number LIMIT ?':
    'the oldest few, in key order',
  'SELECT body FROM notify_episodes': 'reads all rows once in the life of a daemon',
  'SELECT body FROM notify_log ORDER BY id DESC LIMIT ?': 'the newest few, in key order',
  'SELECT * FROM alerts WHERE resolved_at IS NULL LIMIT ?': 'all open alerts, by their index',
  'SELECT adapter_name FROM adapters WHERE enabled = 0 ORDER BY adapter_name':
    'reads all rows: one for each agent CLI',
};

function preparedStatements(): { path: string; statements: string[] } {
  // Made before: migrations run once in the life of a database and may read all of a table.
  const { path } = makeStore();
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  onTestFinished(() => prepare.mockRestore());
  makeStore({ path });
  const statements = prepare.mock.calls.map(([sql]) => sql.replaceAll(/\s+/g, ' ').trim());
  return { path, statements: [...new Set(statements)] };
}

it('each statement searches by a key or an index, and none sorts a table', () => {
  const { path, statements } = preparedStatements();
  const db = new DatabaseSync(path);
  onTestFinished(() => db.close());
  const plans = statements
    .filter((sql) => /^(SELECT|UPDATE|DELETE|INSERT)/.test(sql) && !(sql in allowed))
    .map((sql) => ({
      sql,
      plan: db
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map((step) => String(step['detail'])),
    }));
  expect(plans.length).toBeGreaterThan(30);
  const slow = plans.filter(({ plan }) =>
    plan.some((step) => /^SCAN (?!snapshots USING (COVERING )?INDEX snapshots_kept)/.test(step)),
  );
  expect(slow).toEqual([]);
  const sorting = plans.filter(({ plan }) => plan.some((step) => step.includes('TEMP B-TREE')));
  expect(sorting).toEqual([]);
});

it('the reads that pass over a table are still there', () => {
  const { statements } = preparedStatements();
  expect(statements).toEqual(expect.arrayContaining(Object.keys(allowed)));
});
