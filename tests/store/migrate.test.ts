// Migrations: from nothing to the newest schema, from an older one with its data, and back to where
// it was when one fails.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { migrate, migrations, newestVersion, versionOf } from '../../src/store/migrate.ts';
import type { Migration } from '../../src/store/migrations/migration.ts';
import { openStore } from '../../src/store/open.ts';
import {
  commitTiny,
  evidenceRange,
  faultOf,
  makeFolder,
  makeStore,
  paneKey,
  query,
  tinyRebuild,
} from './fixture.ts';

const second: Migration = {
  version: 2,
  name: 'notes',
  sql: `ALTER TABLE panes ADD COLUMN note TEXT;
    CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
    INSERT INTO notes (text) SELECT pane_key FROM panes;`,
};

/** A closed store of schema 1 with ten events, and its path. */
function storeOfSchema1(): string {
  const store = makeStore();
  commitTiny(store, evidenceRange(1, 10));
  store.close();
  return store.path;
}

const schemaOf = (path: string) => query(path, 'SELECT sql FROM sqlite_schema ORDER BY name');
const tablesOf = (path: string): string[] =>
  query(path, `SELECT name FROM sqlite_schema WHERE type = 'table'`).map((each) =>
    String(each['name']),
  );

describe('the newest schema', () => {
  it('has every table of the design, each strict', () => {
    const { path } = makeStore();
    const named = `targets panes runtimes events runtime_source_cursors states state_history
      action_snapshots actions adapters sessions bindings source_cursors source_health alerts
      messages deliveries bundles bundle_members snapshots meta`.split(/\s+/);
    expect(tablesOf(path).sort()).toEqual(named.sort());
    const lax = query(
      path,
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%STRICT%'`,
    );
    expect(lax).toEqual([]);
  });

  // Seed 000, 7.3: every column it names. Its pane_id in keys is our pane_key.
  it.each([
    [
      'targets',
      'target_id target_name kind connection_ref is_default last_seen_at health updated_at',
    ],
    ['panes', 'target_id pane_id session_name window_id window_name updated_at'],
    ['runtimes', 'runtime_id target_id pane_id pane_epoch agent_type pid started_at ended_at'],
    [
      'events',
      `event_id runtime_id event_type source source_event_id source_seq event_time ingested_at
       dedupe_key raw_payload`,
    ],
    [
      'runtime_source_cursors',
      `runtime_id source last_source_seq last_order_event_time last_order_ingested_at
       last_order_event_id`,
    ],
    [
      'states',
      `target_id pane_id runtime_id state reason_code confidence state_version last_source_seq
       last_seen_at updated_at`,
    ],
    [
      'action_snapshots',
      'snapshot_id target_id pane_id runtime_id state_version observed_at expires_at nonce',
    ],
    ['adapters', 'adapter_name agent_type version capabilities enabled updated_at'],
  ])('%s has the columns of the seed', (table, columns) => {
    const { path } = makeStore();
    const names = query(path, 'SELECT name FROM pragma_table_info(?)', table).map(
      (each) => each['name'],
    );
    expect(names).toEqual(expect.arrayContaining(columns.split(/\s+/)));
  });

  it('is reached from nothing with the same tables as from the version before', () => {
    const list = [...migrations, second];
    const fresh = makeStore({ migrations: list });
    const upgraded = makeStore({ path: storeOfSchema1(), migrations: list });
    expect(schemaOf(upgraded.path)).toEqual(schemaOf(fresh.path));
  });
});

describe('an upgrade', () => {
  it('keeps the data of the older schema and can go on writing', () => {
    const path = storeOfSchema1();
    const store = makeStore({ path, migrations: [...migrations, second] });
    expect(query(path, 'SELECT count(*) AS n FROM notes')).toEqual([{ n: 2 }]);
    expect(store.lastSeq()).toBe(10);
    expect(store.checkRestore(tinyRebuild).differences).toEqual([]);
    commitTiny(store, evidenceRange(11, 12));
    // Foreign keys work again: a row goes with its pane.
    store.commit({ events: [], changes: [{ kind: 'pane_forgotten', paneKey: paneKey(0) }] });
    expect([...store.rows().keys()]).toEqual([paneKey(1)]);
    expect(query(path, 'PRAGMA user_version')).toEqual([{ user_version: 2 }]);
    expect(query(path, 'PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
  });

  it('writes its version into the file itself, where an older agtmux looks', () => {
    const path = storeOfSchema1();
    const store = makeStore({ path, migrations: [...migrations, second] });
    expect(readFileSync(store.path).readUInt32BE(60)).toBe(2);
    const fault = faultOf(() => openStore({ path }));
    expect(fault.code).toBe('store_newer_schema');
  });

  it.each([
    ['wrong SQL', 'CREATE TABLE half (id INTEGER) STRICT; SELECT * FROM nowhere;', /nowhere/],
    [
      'rows left without their parent',
      `CREATE TABLE half (pane_key TEXT REFERENCES panes) STRICT;
       INSERT INTO half VALUES ('nobody');`,
      /migration 2 \(bad\)/,
    ],
  ])('that fails by %s leaves the old version as it was', (_what, sql, message) => {
    const path = storeOfSchema1();
    const before = schemaOf(path);
    const bad: Migration = { version: 2, name: 'bad', sql };
    const fault = faultOf(() => openStore({ path, migrations: [...migrations, bad] }));
    expect(fault.code).toBe('store_corrupt');
    expect(fault.message).toMatch(message);
    expect(schemaOf(path)).toEqual(before);
    const store = makeStore({ path });
    expect(store.checkRestore(tinyRebuild).differences).toEqual([]);
    commitTiny(store, evidenceRange(11, 12));
  });

  it('keeps what an earlier migration of the same run did', () => {
    const path = storeOfSchema1();
    const bad: Migration = { version: 3, name: 'bad', sql: 'SELECT * FROM nowhere' };
    faultOf(() => openStore({ path, migrations: [...migrations, second, bad] }));
    expect(query(path, 'PRAGMA user_version')).toEqual([{ user_version: 2 }]);
    makeStore({ path, migrations: [...migrations, second] });
  });

  it('waits for no one and does nothing when another process was faster', () => {
    const path = join(makeFolder(), 'race.db');
    const open = (): DatabaseSync => {
      const db = new DatabaseSync(path);
      onTestFinished(() => db.close());
      return db;
    };
    const slow = open();
    const list = [...migrations, second];
    // Between the look at the version and the lock, the other one does the work.
    const readVersion = slow.prepare.bind(slow);
    let looks = 0;
    slow.prepare = (sql) => {
      looks += 1;
      const statement = readVersion(sql);
      if (looks !== 1) return statement;
      const answer = statement.get();
      statement.get = () => answer;
      migrate(open(), path, list);
      return statement;
    };
    migrate(slow, path, list);
    expect(versionOf(slow)).toBe(2);
  });
});

describe('the list of migrations', () => {
  it('has no gaps', () => {
    expect(newestVersion(migrations)).toBe(migrations.length);
    expect(() => newestVersion([...migrations, { ...second, version: 3 }])).toThrow(/notes/);
  });

  it('drops no rows of a table that refers to a rebuilt one', () => {
    const path = storeOfSchema1();
    const rebuild: Migration = {
      version: 2,
      name: 'rebuild',
      sql: `CREATE TABLE panes_new AS SELECT * FROM panes; DROP TABLE panes;
        CREATE TABLE panes (pane_key TEXT PRIMARY KEY, target_id TEXT) STRICT;
        INSERT INTO panes SELECT pane_key, target_id FROM panes_new; DROP TABLE panes_new;`,
    };
    const db = new DatabaseSync(path);
    onTestFinished(() => db.close());
    migrate(db, path, [...migrations, rebuild]);
    expect(query(path, 'SELECT count(*) AS n FROM states')).toEqual([{ n: 2 }]);
  });
});
