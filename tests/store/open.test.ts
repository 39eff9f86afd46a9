// Opening: private files, a newer schema refused untouched, files of others refused, and more than
// one process at the same file.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { APPLICATION_ID } from '../../src/store/file.ts';
import { openStore } from '../../src/store/open.ts';
import {
  commitTiny,
  evidenceEvent,
  evidenceRange,
  faultOf,
  makeFolder,
  makeStore,
  paneChange,
  paneKey,
  row,
  rowChange,
  tamper,
  tinyRebuild,
} from './fixture.ts';
import { rowDifferences, storedRows } from './restore.ts';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const hashOf = (path: string): string =>
  createHash('sha256').update(readFileSync(path)).digest('hex');

/** A closed store with ten events, and its path. */
function closedStore(): string {
  const store = makeStore();
  commitTiny(store, evidenceRange(1, 10));
  store[Symbol.dispose]();
  return store.path;
}

describe('files', () => {
  it('are made for their owner alone, folder, log and all, whatever the umask', () => {
    const before = process.umask(0);
    onTestFinished(() => {
      process.umask(before);
    });
    const path = join(makeFolder(), 'deep', 'state', 'agtmux.db');
    const store = makeStore({ path });
    commitTiny(store, evidenceRange(1, 3));
    expect(modeOf(dirname(path))).toBe('700');
    expect(modeOf(dirname(dirname(path)))).toBe('700');
    expect(readdirSync(dirname(path)).sort()).toEqual([
      'agtmux.db',
      'agtmux.db-shm',
      'agtmux.db-wal',
    ]);
    for (const name of readdirSync(dirname(path))) {
      expect(modeOf(join(dirname(path), name))).toBe('600');
    }
  });

  it('that others could read are taken from them', () => {
    const path = closedStore();
    chmodSync(path, 0o644);
    makeStore({ path });
    expect(modeOf(path)).toBe('600');
  });

  it('are one file after a close, and a second close does no harm', () => {
    const path = closedStore();
    const store = openStore({ path });
    store[Symbol.dispose]();
    store[Symbol.dispose]();
    expect(readdirSync(dirname(path))).toEqual(['agtmux.db']);
  });
});

describe('a newer schema', () => {
  it.each(['WAL', 'DELETE'])('is refused and not touched, in %s mode', (mode) => {
    const path = closedStore();
    tamper(path, `PRAGMA journal_mode = ${mode}; PRAGMA user_version = 99`);
    const hash = hashOf(path);
    const { mtimeMs } = statSync(path);
    const fault = faultOf(() => openStore({ path }));
    expect(fault.code).toBe('store_newer_schema');
    expect(fault.message).toContain(path);
    expect(fault.message).toMatch(/99/);
    expect([hashOf(path), statSync(path).mtimeMs]).toEqual([hash, mtimeMs]);
    expect(readdirSync(dirname(path))).toEqual(['agtmux.db']);
  });

  it('is refused also when only the log knows of it', () => {
    const path = closedStore();
    const db = new DatabaseSync(path);
    onTestFinished(() => db.close());
    db.exec('PRAGMA user_version = 99');
    // As after a kill -9: the file and its log without the index that the process held.
    const left = join(makeFolder(), 'agtmux.db');
    copyFileSync(path, left);
    copyFileSync(`${path}-wal`, `${left}-wal`);
    const hashes = [left, `${left}-wal`].map(hashOf);
    expect(faultOf(() => openStore({ path: left })).code).toBe('store_newer_schema');
    expect([left, `${left}-wal`].map(hashOf)).toEqual(hashes);
  });
});

describe('a file that is not ours', () => {
  const sqlite = (path: string, sql: string): void => tamper(path, sql);
  it.each([
    ['an empty file', (path: string) => writeFileSync(path, '')],
    ['a text', (path: string) => writeFileSync(path, 'not a database '.repeat(100))],
    ['a short text', (path: string) => writeFileSync(path, 'hello')],
    ['a database of others', (path: string) => sqlite(path, 'CREATE TABLE a (b)')],
    [
      'a database of others with a version',
      (path: string) => sqlite(path, 'CREATE TABLE a (b); PRAGMA user_version = 1'),
    ],
    [
      'a database of ours without anything in it',
      (path: string) =>
        sqlite(path, `PRAGMA application_id = ${APPLICATION_ID}; CREATE TABLE a (b); DROP TABLE a`),
    ],
  ])('%s is refused and not touched', (_what, make) => {
    const path = join(makeFolder(), 'agtmux.db');
    make(path);
    const hash = hashOf(path);
    const fault = faultOf(() => openStore({ path }));
    expect(fault.code).toBe('store_corrupt');
    expect(fault.message).toContain(path);
    expect(hashOf(path)).toBe(hash);
    expect(readdirSync(dirname(path))).toEqual(['agtmux.db']);
  });

  it('a database without our tables is refused', () => {
    const path = closedStore();
    tamper(path, 'ALTER TABLE bindings RENAME TO others');
    const fault = faultOf(() => openStore({ path }));
    expect(fault.code).toBe('store_corrupt');
    expect(fault.message).toMatch(/bindings/);
  });

  it('a log without its database is not taken for a new start', () => {
    const store = makeStore();
    commitTiny(store, evidenceRange(1, 3));
    const left = join(makeFolder(), 'agtmux.db');
    copyFileSync(`${store.path}-wal`, `${left}-wal`);
    const fault = faultOf(() => openStore({ path: left }));
    expect(fault.code).toBe('store_corrupt');
    expect(fault.message).toMatch(/missing, but agtmux\.db-wal is there/);
    expect(readdirSync(dirname(left))).toEqual(['agtmux.db-wal']);
  });
});

describe('a place that cannot be written', () => {
  it.each([
    ['a folder in place of the file', (path: string) => mkdirSync(path)],
    [
      'a file in place of the folder',
      (path: string) => {
        rmSync(dirname(path), { recursive: true });
        writeFileSync(dirname(path), '');
      },
    ],
  ])('%s is refused', (_what, make) => {
    const path = join(makeFolder(), 'state', 'agtmux.db');
    mkdirSync(dirname(path));
    make(path);
    const fault = faultOf(() => openStore({ path }));
    expect(['store_unwritable', 'store_corrupt']).toContain(fault.code);
    expect(fault.message).toContain(path);
  });
});

describe('two at the same file', () => {
  it('both read all events, and the one that is behind gets an error', () => {
    const first = makeStore();
    const second = makeStore({ path: first.path });
    first.commit({ events: [evidenceEvent(1)], changes: [paneChange(), rowChange(null, row(1))] });
    second.commit({ events: [evidenceEvent(2)], changes: [rowChange(1, row(2))] });
    const stale = { events: [evidenceEvent(3)], changes: [rowChange(1, row(2))] };
    expect(faultOf(() => first.commit(stale)).code).toBe('binding_cas_conflict');
    expect([...first.eventsAfter(0)].map(({ event }) => event.eventId)).toEqual([
      'event-1',
      'event-2',
    ]);
    expect(storedRows(first).get(paneKey(0))?.stateVersion).toBe(2);
  });

  it('a writer that waits in vain gets store_busy, and nothing is lost', () => {
    const first = makeStore();
    const second = makeStore({ path: first.path, busyTimeoutMs: 1 });
    const holder = new DatabaseSync(first.path);
    onTestFinished(() => holder.close());
    holder.exec('BEGIN IMMEDIATE');
    const batch = { events: [evidenceEvent(1)], changes: [] };
    const fault = faultOf(() => second.commit(batch));
    expect(fault.code).toBe('store_busy');
    expect(faultOf(() => openStore({ path: first.path, busyTimeoutMs: 1 })).code).toBe(
      'store_busy',
    );
    holder.exec('ROLLBACK');
    expect(second.commit(batch)).toEqual({ ok: true, lastSeq: 1 });
  });

  it('a batch that has begun is not overtaken by another', () => {
    const first = makeStore();
    const second = makeStore({ path: first.path, busyTimeoutMs: 1 });
    const batch = { events: [evidenceEvent(1)], changes: [] };
    let overtaking = '';
    // Reading the event is the middle of the commit: it has begun, and has written nothing yet.
    Object.defineProperty(batch.events, 0, {
      get: () => {
        overtaking = faultOf(() => second.commit({ events: [evidenceEvent(2)], changes: [] })).code;
        return evidenceEvent(1);
      },
    });
    expect(first.commit(batch)).toEqual({ ok: true, lastSeq: 1 });
    expect(overtaking).toBe('store_busy');
  });

  it('processes that start at once on a new file make one database', async () => {
    const path = join(makeFolder(), 'state', 'agtmux.db');
    const moduleOf = (name: string): string =>
      JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));
    // Each writes events of its own, one a commit, so that they get in each other's way.
    const program = `
      const { openStore } = await import(${moduleOf('../../src/store/open.ts')});
      const store = openStore({ path: process.argv[1] });
      for (let n = 0; n < 20; n += 1) {
        const event = { eventId: process.argv[2] + n, atMs: 1, type: 'host.woke' };
        store.commit({ events: [event], changes: [] });
      }
      store[Symbol.dispose]();`;
    const start = (name: string) =>
      promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, path, name]);
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    await Promise.all(names.map(start));
    const store = makeStore({ path });
    const stored = [...store.eventsAfter(0)].map(({ event }) => event.eventId);
    for (const name of names) {
      const own = stored.filter((each) => each.startsWith(name));
      expect(own).toEqual(Array.from({ length: 20 }, (_, n) => `${name}${n}`));
    }
    store[Symbol.dispose]();
    expect(readdirSync(dirname(path))).toEqual(['agtmux.db']);
  });
});

describe('after a crash', () => {
  it('what was committed is read from the log, and a cut log loses only its end', () => {
    const store = makeStore();
    commitTiny(store, evidenceRange(1, 10));
    commitTiny(store, evidenceRange(11, 20));
    const copy = (name: string): string => {
      const path = join(makeFolder(), name);
      copyFileSync(store.path, path);
      copyFileSync(`${store.path}-wal`, `${path}-wal`);
      return path;
    };
    const whole = makeStore({ path: copy('whole.db') });
    expect(whole.lastSeq()).toBe(20);
    const path = copy('cut.db');
    truncateSync(`${path}-wal`, statSync(`${path}-wal`).size - 1);
    const cut = makeStore({ path });
    expect(cut.lastSeq()).toBe(10);
    expect(rowDifferences(cut, tinyRebuild)).toEqual([]);
    expect(existsSync(`${path}-wal`)).toBe(true);
  });
});
