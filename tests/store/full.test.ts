// A full disk: the commit that does not fit is refused as a whole, what was there stays, and the
// same commit works once there is room. On a real file system of 1 MB where root may mount one, and
// with SQLite's own limit everywhere.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Fault } from '../../src/platform/fault.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import {
  commitTiny,
  evidenceRange,
  faultOf,
  makeFolder,
  makeStore,
  query,
  tinyRebuild,
} from './fixture.ts';
import { rowDifferences } from './restore.ts';

/** Whether this process may mount: it tries, because being root is not enough in a container. */
function canMount(): boolean {
  const script = `d=$(mktemp -d) && mount -t tmpfs tmpfs "$d" && umount "$d"
    status=$?; rmdir "$d"; exit $status`;
  return spawnSync('sh', ['-c', script], { stdio: 'ignore' }).status === 0;
}

/** A file system of its own with these options, gone after the test. */
function mountTmpfs(options: string): string {
  const folder = join(makeFolder(), 'disk');
  mkdirSync(folder);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `${options},mode=700`, 'tmpfs', folder]);
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', folder]);
  });
  return folder;
}

const BATCH = 50;

/** Commits batches until one is refused; returns the refusal and the last event that is safe. */
function fill(store: Store): { fault: Fault; lastSeq: number } {
  for (let batch = 0; batch < 1_000; batch += 1) {
    const lastSeq = store.lastSeq();
    const events = evidenceRange(lastSeq + 1, lastSeq + BATCH);
    try {
      commitTiny(store, events);
    } catch {
      // The second try must fail in the same way, and is the one that is looked at.
      return { fault: faultOf(() => commitTiny(store, events)), lastSeq };
    }
  }
  throw new Error('the disk never became full');
}

function expectWhole(store: Store, lastSeq: number): void {
  expect(store.lastSeq()).toBe(lastSeq);
  expect([...store.eventsAfter(0)]).toHaveLength(lastSeq);
  expect(rowDifferences(store, tinyRebuild)).toEqual([]);
  expect(query(store.path, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
}

describe('with a limit of pages', () => {
  it('a commit that does not fit is refused whole, and works after there is room', () => {
    const store = makeStore({ pageCountMax: 200 });
    const { fault, lastSeq } = fill(store);
    expect(fault.code).toBe('store_full');
    expect(fault.message).toContain(store.path);
    expect(lastSeq).toBeGreaterThan(BATCH);
    expectWhole(store, lastSeq);
    store[Symbol.dispose]();
    const again = makeStore({ path: store.path });
    expectWhole(again, lastSeq);
    commitTiny(again, evidenceRange(lastSeq + 1, lastSeq + BATCH));
    expectWhole(again, lastSeq + BATCH);
  });

  it('a new database that does not fit leaves nothing behind', () => {
    const path = join(makeFolder(), 'agtmux.db');
    expect(faultOf(() => openStore({ path, pageCountMax: 10 })).code).toBe('store_full');
    expect(readdirSync(dirname(path))).toEqual([]);
    makeStore({ path });
  });
});

describe.runIf(canMount())('on a disk of 1 MB', () => {
  it('a commit that does not fit is refused whole, and works after there is room', () => {
    const disk = mountTmpfs('size=1024k');
    const filler = join(disk, 'filler');
    writeFileSync(filler, Buffer.alloc(200 * 1_024));
    const store = makeStore({ path: join(disk, 'state', 'agtmux.db') });
    const { fault, lastSeq } = fill(store);
    expect(fault.code).toBe('store_full');
    expect(lastSeq).toBeGreaterThanOrEqual(BATCH);
    expectWhole(store, lastSeq);
    rmSync(filler);
    commitTiny(store, evidenceRange(lastSeq + 1, lastSeq + BATCH));
    expectWhole(store, lastSeq + BATCH);
    store[Symbol.dispose]();
    expectWhole(makeStore({ path: store.path }), lastSeq + BATCH);
  });

  it('a disk without room is found without a commit', () => {
    const disk = mountTmpfs('size=1024k');
    const store = makeStore({ path: join(disk, 'agtmux.db') });
    store.checkWritable();
    const more = join(disk, 'more');
    fillUp(more);
    expect(faultOf(() => store.checkWritable()).code).toBe('store_full');
    rmSync(more);
    store.checkWritable();
  });

  it('an alert that does not fit is refused, and not reported as written', () => {
    const disk = mountTmpfs('size=1024k');
    const store = makeStore({ path: join(disk, 'agtmux.db') });
    commitTiny(store, evidenceRange(1, BATCH));
    fillUp(join(disk, 'more'));
    const report = {
      code: 'store_fault',
      about: 'store',
      level: 'escalate',
      detail: null,
    } as const;
    expect(faultOf(() => store.alerts.open({ ...report, atMs: 1 })).code).toBe('store_full');
    expect(store.alerts.list({ includeResolved: true })).toEqual([]);
  });

  it('what was stored is whole when it is opened again on the full disk', () => {
    const disk = mountTmpfs('size=1024k');
    const filler = join(disk, 'filler');
    writeFileSync(filler, Buffer.alloc(100 * 1_024));
    const store = makeStore({ path: join(disk, 'agtmux.db') });
    const { lastSeq } = fill(store);
    store[Symbol.dispose]();
    fillUp(join(disk, 'more'));
    // With the log still there it can be read; without it not even the log's index fits.
    expect(['whole', 'store_full']).toContain(openOnFullDisk(store.path, lastSeq));
    rmSync(filler);
    expectWhole(makeStore({ path: store.path }), lastSeq);
  });

  it('an empty store is refused on a full disk, and opens once there is room', () => {
    const disk = mountTmpfs('size=1024k');
    const store = makeStore({ path: join(disk, 'agtmux.db') });
    store[Symbol.dispose]();
    fillUp(join(disk, 'more'));
    expect(openOnFullDisk(store.path, 0)).toBe('store_full');
    rmSync(join(disk, 'more'));
    expectWhole(makeStore({ path: store.path }), 0);
  });

  it.each([
    ['bytes', 'size=64k'],
    ['files', 'size=1024k,nr_inodes=1'],
  ])('a new database for which there are no %s left leaves nothing behind', (_what, options) => {
    const disk = mountTmpfs(options);
    const path = join(disk, 'agtmux.db');
    const fault = faultOf(() => openStore({ path }));
    expect([fault.code, fault.about]).toEqual(['store_full', path]);
    expect(readdirSync(disk)).toEqual([]);
  });

  it('a disk that became read-only is reported as unwritable', () => {
    const disk = mountTmpfs('size=1024k');
    const store = makeStore({ path: join(disk, 'agtmux.db') });
    commitTiny(store, evidenceRange(1, 3));
    store[Symbol.dispose]();
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    expect(faultOf(() => openStore({ path: store.path })).code).toBe('store_unwritable');
    expect(faultOf(() => openStore({ path: join(disk, 'new.db') })).code).toBe('store_unwritable');
  });
});

function openOnFullDisk(path: string, lastSeq: number): string {
  let store: Store;
  try {
    store = openStore({ path });
  } catch (error) {
    return (error as Fault).code;
  }
  try {
    expectWhole(store, lastSeq);
    return 'whole';
  } finally {
    store[Symbol.dispose]();
  }
}

/** Writes a file until nothing more fits on its disk. */
function fillUp(path: string): void {
  for (let index = 0; index < 10_000; index += 1) {
    try {
      writeFileSync(path, Buffer.alloc(1_024), { flag: 'a' });
    } catch {
      return;
    }
  }
}
