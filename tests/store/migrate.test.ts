// Migrations: from nothing to the newest schema, from an older one with its data, and back to where
// it was when one fails.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { id } from '../../src/schema/ids.ts';
import type { Target } from '../../src/schema/target.ts';
import { APPLICATION_ID } from '../../src/store/file.ts';
import { migrate, migrations, newestVersion, versionOf } from '../../src/store/migrate.ts';
import type { Migration } from '../../src/store/migrations/migration.ts';
import { openStore } from '../../src/store/open.ts';
import {
  commitTiny,
  eventId,
  evidenceEvent,
  evidenceRange,
  faultOf,
  makeFolder,
  makeStore,
  paneKey,
  query,
  redacted,
  row,
  rowChange,
  T0,
  tamper,
  tinyRebuild,
} from './fixture.ts';
import { rowDifferences, storedRows } from './restore.ts';

const NEXT = migrations.length + 1;

const next: Migration = {
  version: NEXT,
  name: 'notes',
  sql: `ALTER TABLE panes ADD COLUMN note TEXT;
    CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
    INSERT INTO notes (text) SELECT pane_key FROM panes;`,
};

/** A closed store of the newest schema with ten events, and its path. */
function newestStore(): string {
  const store = makeStore();
  commitTiny(store, evidenceRange(1, 10));
  store[Symbol.dispose]();
  return store.path;
}

const oldHistorySql = `
  INSERT INTO state_history (id, pane_key, state_version, presence, state, confidence, attention,
    event_id, at) VALUES (?, ?, ?, ?, ?, 'high', '[]', 'event', ?)`;
const oldStateSql = `
  INSERT INTO states (pane_key, target_id, presence, state, confidence, state_version, updated_at,
    body) VALUES (?, 'local', 'managed', 'running', 'high', ?, 1, ?)`;

/** An open database of an older schema, as a daemon of that time made it. */
function oldDatabase(version: number) {
  const path = join(makeFolder(), 'agtmux.db');
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  migrate(db, path, migrations.slice(0, version));
  return { path, db };
}

/** Takes back what came after schema 3. */
const schema3Sql = `
  ALTER TABLE runtimes DROP COLUMN session_key;
  ALTER TABLE runtimes DROP COLUMN last_prompt;
  ALTER TABLE runtimes DROP COLUMN last_path;
  ALTER TABLE runtimes DROP COLUMN server;
  ALTER TABLE runtimes DROP COLUMN session_name;
  DROP INDEX deliveries_due;
  DROP INDEX deliveries_settled;
  ALTER TABLE deliveries DROP COLUMN pane_key;
  ALTER TABLE deliveries DROP COLUMN action_id;
  ALTER TABLE deliveries DROP COLUMN moment;
  ALTER TABLE deliveries DROP COLUMN presses_enter;
  ALTER TABLE deliveries DROP COLUMN is_paste_safe;
  ALTER TABLE deliveries DROP COLUMN due_at;
  ALTER TABLE deliveries DROP COLUMN expires_at;
  DROP INDEX messages_of_request;
  DROP INDEX messages_of_sender;
  DROP INDEX messages_by_time;
  DROP INDEX receipts_by_place;
  DROP INDEX receipts_of_recipient;
  DROP INDEX receipts_open;
  DROP INDEX receipts_settled;
  ALTER TABLE deliveries DROP COLUMN place;
  ALTER TABLE deliveries DROP COLUMN recipient_name;
  ALTER TABLE deliveries DROP COLUMN is_copy;
  ALTER TABLE deliveries DROP COLUMN boundary;
  ALTER TABLE deliveries DROP COLUMN batch_id;
  ALTER TABLE deliveries DROP COLUMN code;
  ALTER TABLE deliveries DROP COLUMN runtime_id;
  ALTER TABLE deliveries DROP COLUMN reply_channel;
  ALTER TABLE deliveries DROP COLUMN read_at;
  ALTER TABLE deliveries DROP COLUMN replied_at;
  ALTER TABLE messages DROP COLUMN sender_name;
  ALTER TABLE messages DROP COLUMN subject;
  ALTER TABLE messages DROP COLUMN attachments;
  ALTER TABLE messages DROP COLUMN hop_count;
  ALTER TABLE messages DROP COLUMN request_ref;
  DROP TABLE daemon_runs;
  DROP TABLE startup_failures;
  DROP TABLE acp_members;
  DROP TABLE started_agents;
  DROP TABLE repeat_rules;
  DROP TABLE notify_memory;
  DROP TABLE notify_episodes;
  DROP TABLE notifications;
  DROP TABLE notify_deliveries;
  DROP TABLE notify_log;
  ALTER TABLE state_history DROP COLUMN target_id;
  ALTER TABLE state_history DROP COLUMN session_name;
  DROP INDEX actions_asked;
  DROP INDEX actions_pane;
  DROP INDEX actions_open;
  PRAGMA user_version = 3`;

const schemaOf = (path: string) => query(path, 'SELECT sql FROM sqlite_schema ORDER BY name');
const tablesOf = (path: string): string[] =>
  query(path, `SELECT name FROM sqlite_schema WHERE type = 'table'`).map((each) =>
    String(each['name']),
  );

describe('the newest schema', () => {
  it('has every table, each strict', () => {
    const { path } = makeStore();
    const named = `targets panes runtimes events runtime_source_cursors states state_history
      action_snapshots actions adapters sessions bindings source_cursors source_health alerts
      messages deliveries bundles bundle_members snapshots snapshot_parts meta daemon_runs
      notifications notify_deliveries notify_episodes notify_log notify_memory
      repeat_rules startup_failures acp_members started_agents`.split(/\s+/);
    expect(tablesOf(path).sort()).toEqual(named.sort());
    const lax = query(
      path,
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%STRICT%'`,
    );
    expect(lax).toEqual([]);
  });

  // Columns that readers outside agtmux rely on; keys hold pane_key, not pane_id.
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
    const list = [...migrations, next];
    const fresh = makeStore({ migrations: list });
    const upgraded = makeStore({ path: newestStore(), migrations: list });
    expect(schemaOf(upgraded.path)).toEqual(schemaOf(fresh.path));
  });
});

describe('an upgrade', () => {
  it('keeps the data of the older schema and can go on writing', () => {
    const path = newestStore();
    const store = makeStore({ path, migrations: [...migrations, next] });
    expect(query(path, 'SELECT count(*) AS n FROM notes')).toEqual([{ n: 2 }]);
    expect(store.lastSeq()).toBe(10);
    expect(rowDifferences(store, tinyRebuild)).toEqual([]);
    commitTiny(store, evidenceRange(11, 12));
    // Foreign keys work again: a row goes with its pane.
    store.commit({ events: [], changes: [{ kind: 'pane_forgotten', paneKey: paneKey(0) }] });
    expect([...storedRows(store).keys()]).toEqual([paneKey(1)]);
    expect(query(path, 'PRAGMA user_version')).toEqual([{ user_version: NEXT }]);
    expect(query(path, 'PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
  });

  it('from schema 1 keeps the history of each pane, which goes on from there', () => {
    const path = join(makeFolder(), 'agtmux.db');
    const old = new DatabaseSync(path);
    old.exec('PRAGMA application_id = 0x6167746d');
    migrate(old, path, migrations.slice(0, 1));
    for (const [id, pane, version] of [
      [1, 0, 1],
      [2, 1, 1],
      [3, 0, 2],
    ] as const) {
      const { stateVersion, presence, state, updatedAtMs } = row(version);
      old.prepare(oldHistorySql).run(id, paneKey(pane), stateVersion, presence, state, updatedAtMs);
    }
    for (const [pane, version] of [
      [0, 2],
      [1, 1],
    ] as const) {
      old
        .prepare(`INSERT INTO panes (pane_key, target_id, updated_at) VALUES (?, 'local', 1)`)
        .run(paneKey(pane));
      const body = JSON.stringify(row(version));
      old.prepare(oldStateSql).run(paneKey(pane), version, body);
    }
    old.close();
    const store = makeStore({ path });
    const change = rowChange(2, row(3));
    store.commit({ events: [evidenceEvent(1)], changes: [change] });
    const versions = (pane: number): number[] =>
      store.history({ paneKey: paneKey(pane), limit: 9 }).map((step) => step.stateVersion);
    expect([versions(0), versions(1)]).toEqual([[3, 2, 1], [1]]);
  });

  it('from schema 2 keeps the worlds of its snapshots', () => {
    const path = join(makeFolder(), 'agtmux.db');
    const old = new DatabaseSync(path);
    old.exec('PRAGMA application_id = 0x6167746d');
    migrate(old, path, migrations.slice(0, 2));
    const world = JSON.stringify({ large: '\u{1F600}'.repeat(50_000) });
    const sha256 = createHash('sha256').update(`0 1.5 shutdown\n${world}`).digest('hex');
    old
      .prepare(
        `INSERT INTO snapshots (seq, kind, at, world_bytes, sha256, world)
          VALUES (0, 'periodic', 1, 9, 'gone', NULL), (0, 'shutdown', 1.5, 9, ?, ?)`,
      )
      .run(sha256, world);
    old.close();
    const { snapshot } = makeStore({ path }).latestSnapshot();
    expect(snapshot).toEqual({ seq: 0, atMs: 1.5, kind: 'shutdown', world });
  });

  it('from schema 3 removes passwords of targets from rows, events and snapshots', () => {
    const old = makeStore();
    const target: Target = {
      targetId: id('vm1'),
      name: 'vm1',
      kind: 'ssh',
      connectionRef: 'ssh://me:hunter2@vm1:22',
      health: 'ok',
    };
    const event = { eventId: eventId(1), atMs: T0, type: 'target.changed', target } as const;
    const change = { kind: 'target', target, atMs: T0 } as const;
    old.commit({ events: [redacted(event)], changes: [change] });
    const world = JSON.stringify({ targets: { $map: [['vm1', target]] } });
    // Only three snapshots are kept: the pages of the others are free, with their text in them.
    for (const _ of Array.from({ length: 9 })) {
      const filler = 'x'.repeat(20_000);
      old.saveSnapshot({ seq: 1, atMs: T0, kind: 'periodic', parts: [world, filler, world] });
    }
    old.saveSnapshot({ seq: 1, atMs: T0, kind: 'periodic', parts: [world] });
    old[Symbol.dispose]();
    tamper(old.path, schema3Sql);
    expect(readFileSync(old.path, 'latin1')).toContain('hunter2');
    const store = makeStore({ path: old.path });
    const clean = 'ssh://me@vm1:22';
    expect(query(old.path, 'SELECT connection_ref AS ref FROM targets')).toEqual([{ ref: clean }]);
    expect([...store.eventsAfter(0)][0]?.event).toMatchObject({ target: { connectionRef: clean } });
    expect(store.latestSnapshot().snapshot?.world).toBe(world.replace(':hunter2', ''));
    store[Symbol.dispose]();
    expect(readFileSync(old.path, 'latin1')).not.toContain('hunter2');
  });

  it('from schema 7 keeps the deliveries of messages, which are no queued prompts', () => {
    const { path, db: old } = oldDatabase(7);
    old.exec(`INSERT INTO messages (message_id, thread_id, sender, body, created_at)
      VALUES ('m1', 'm1', 'someone', 'hello', 1);
      INSERT INTO deliveries (message_id, recipient, status) VALUES ('m1', 'r1', 'waiting');`);
    old.close();
    const store = makeStore({ path });
    expect(store.deliveries.open()).toEqual([]);
    expect(store.deliveries.find('m1')).toBeNull();
    expect(query(path, 'SELECT recipient FROM deliveries')).toEqual([{ recipient: 'r1' }]);
  });

  it('writes its version into the file itself, where an older agtmux looks', () => {
    const path = newestStore();
    const store = makeStore({ path, migrations: [...migrations, next] });
    expect(readFileSync(store.path).readUInt32BE(60)).toBe(NEXT);
    const fault = faultOf(() => openStore({ path }));
    expect(fault.code).toBe('store_newer_schema');
  });

  it.each([
    ['wrong SQL', 'CREATE TABLE half (id INTEGER) STRICT; SELECT * FROM nowhere;', /nowhere/],
    [
      'rows left without their parent',
      `CREATE TABLE half (pane_key TEXT REFERENCES panes) STRICT;
       INSERT INTO half VALUES ('nobody');`,
      /migration \d+ \(bad\)/,
    ],
  ])('that fails by %s leaves the old version as it was', (_what, sql, message) => {
    const path = newestStore();
    const before = schemaOf(path);
    const bad: Migration = { version: NEXT, name: 'bad', sql };
    const fault = faultOf(() => openStore({ path, migrations: [...migrations, bad] }));
    expect(fault.code).toBe('store_corrupt');
    expect(fault.message).toMatch(message);
    expect(schemaOf(path)).toEqual(before);
    const store = makeStore({ path });
    expect(rowDifferences(store, tinyRebuild)).toEqual([]);
    commitTiny(store, evidenceRange(11, 12));
  });

  it('keeps what an earlier migration of the same run did', () => {
    const path = newestStore();
    const bad: Migration = { version: NEXT + 1, name: 'bad', sql: 'SELECT * FROM nowhere' };
    faultOf(() => openStore({ path, migrations: [...migrations, next, bad] }));
    expect(query(path, 'PRAGMA user_version')).toEqual([{ user_version: NEXT }]);
    makeStore({ path, migrations: [...migrations, next] });
  });

  it('waits for no one and does nothing when another process was faster', () => {
    const path = join(makeFolder(), 'race.db');
    const open = (): DatabaseSync => {
      const db = new DatabaseSync(path);
      onTestFinished(() => db.close());
      return db;
    };
    const slow = open();
    const list = [...migrations, next];
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
    expect(versionOf(slow)).toBe(NEXT);
  });
});

describe('the list of migrations', () => {
  it('has no gaps', () => {
    expect(newestVersion(migrations)).toBe(migrations.length);
    expect(() => newestVersion([...migrations, { ...next, version: NEXT + 1 }])).toThrow(/notes/);
  });

  it('drops no rows of a table that refers to a rebuilt one', () => {
    const path = newestStore();
    const rebuild: Migration = {
      version: NEXT,
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
