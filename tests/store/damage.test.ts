// Damaged files: whatever is done to the bytes, the answer is a Fault that says so or the right
// data. Never a crash, never less than there was without a word.

import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '../../src/platform/fault.ts';
import { openStore } from '../../src/store/open.ts';
import { randomOf } from '../crash/stream.ts';
import {
  commitTiny,
  encodeRows,
  evidenceRange,
  faultOf,
  makeFolder,
  makeStore,
  tinyRebuild,
} from './fixture.ts';
import { storedRows } from './restore.ts';

const PAGE_BYTES = 4_096;
const EVENTS = 120;
let whole: Buffer;
let bodies = '';

/** Everything that a start of the daemon relies on, as one text. */
function readAll(path: string): string {
  const store = openStore({ path });
  try {
    const events = [...store.eventsAfter(0)].map(({ event }) => event);
    const { snapshot } = store.latestSnapshot();
    const rebuilt = tinyRebuild(snapshot?.world ?? null, store.eventsAfter(snapshot?.seq ?? 0));
    return JSON.stringify([events, encodeRows(new Map([...rebuilt].sort()))]);
  } finally {
    store[Symbol.dispose]();
  }
}

beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'agtmux-store-'));
  const path = join(folder, 'agtmux.db');
  const store = openStore({ path });
  commitTiny(store, evidenceRange(1, 80, { evidence: { payload: { text: 'x'.repeat(50) } } }));
  const parts = [encodeRows(storedRows(store))];
  store.saveSnapshot({ seq: 80, atMs: 1, kind: 'periodic', parts });
  commitTiny(store, evidenceRange(81, EVENTS));
  store[Symbol.dispose]();
  bodies = readAll(path);
  whole = readFileSync(path);
  rmSync(folder, { recursive: true });
});

/** What became of a file with these bytes: a Fault of the store, or its data. */
function outcomeOf(bytes: Uint8Array): 'refused' | 'whole' {
  // Removed at once: a test makes hundreds.
  const folder = mkdtempSync(join(tmpdir(), 'agtmux-store-'));
  const path = join(folder, 'agtmux.db');
  writeFileSync(path, bytes);
  let read = '';
  try {
    read = readAll(path);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    expect(error.code).toMatch(/^store_/);
    expect(error.message).toContain(path);
    return 'refused';
  } finally {
    rmSync(folder, { recursive: true });
  }
  expect(read).toBe(bodies);
  return 'whole';
}

describe('a damaged file', () => {
  it('of random bytes is refused', () => {
    const random = randomOf(1);
    for (const size of [1, 99, 100, 4_096, 50_000]) {
      const bytes = Uint8Array.from({ length: size }, () => random() * 256);
      expect(outcomeOf(bytes)).toBe('refused');
      // The right first words do not help it.
      bytes.set(whole.subarray(0, Math.min(size, 100)));
      expect(outcomeOf(bytes)).toBe('refused');
    }
  });

  it('that was cut off anywhere is refused', () => {
    const random = randomOf(2);
    const pages = whole.length / PAGE_BYTES;
    const lengths = [
      ...Array.from({ length: pages }, (_, page) => page * PAGE_BYTES),
      ...Array.from({ length: 100 }, () => Math.floor(random() * whole.length)),
      whole.length - 1,
    ];
    for (const length of lengths) {
      expect([length, outcomeOf(whole.subarray(0, length))]).toEqual([length, 'refused']);
    }
  });

  it('that was cut off under a log which needs the rest is refused', () => {
    const store = makeStore();
    commitTiny(store, evidenceRange(1, EVENTS));
    store[Symbol.dispose]();
    const again = makeStore({ path: store.path });
    commitTiny(again, evidenceRange(EVENTS + 1, EVENTS + 2));
    const path = join(makeFolder(), 'agtmux.db');
    copyFileSync(store.path, path);
    copyFileSync(`${store.path}-wal`, `${path}-wal`);
    truncateSync(path, 8 * PAGE_BYTES);
    expect(faultOf(() => readAll(path)).code).toBe('store_corrupt');
  });

  it('with any page lost, zeroed, scrambled or swapped is refused or read as it was', () => {
    const random = randomOf(3);
    const pages = whole.length / PAGE_BYTES;
    const counts = { refused: 0, whole: 0 };
    for (let page = 0; page < pages; page += 1) {
      const start = page * PAGE_BYTES;
      const other = Math.floor(random() * pages) * PAGE_BYTES;
      const replacements = [
        Buffer.alloc(PAGE_BYTES),
        Buffer.from(Array.from({ length: PAGE_BYTES }, () => random() * 256)),
        whole.subarray(other, other + PAGE_BYTES),
      ];
      for (const replacement of replacements) {
        const bytes = Buffer.from(whole);
        bytes.set(replacement, start);
        counts[outcomeOf(bytes)] += 1;
      }
    }
    // Many a page is that of a table without a row.
    expect(counts.refused).toBeGreaterThan(pages / 2);
    expect(counts.whole).toBeGreaterThan(0);
  });

  it('with any few bits changed is refused or read as it was', () => {
    const random = randomOf(4);
    const counts = { refused: 0, whole: 0 };
    for (let round = 0; round < 300; round += 1) {
      const bytes = Buffer.from(whole);
      // Half of them near the start of a page, where its structure is.
      const page = Math.floor(random() * (whole.length / PAGE_BYTES)) * PAGE_BYTES;
      const place = page + Math.floor(random() * (round % 2 === 0 ? 32 : PAGE_BYTES));
      bytes[place] = (bytes[place] ?? 0) ^ (1 << Math.floor(random() * 8));
      counts[outcomeOf(bytes)] += 1;
    }
    expect(counts.refused).toBeGreaterThan(0);
    expect(counts.whole).toBeGreaterThan(0);
  });

  it('with any of its first hundred bytes changed is refused or read as it was', () => {
    for (let place = 0; place < 100; place += 1) {
      for (const bit of [0, 1, 6]) {
        const bytes = Buffer.from(whole);
        bytes[place] = (bytes[place] ?? 0) ^ (1 << bit);
        outcomeOf(bytes);
      }
    }
  });
});
