// The check of a database's pages beside the running daemon: it finds a scrambled page that nobody
// reads, and does not read the whole file again while nothing was written to it.

import { closeSync, openSync, utimesSync, writeSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Fault } from '../../src/platform/fault.ts';
import { DamageCheck } from '../../src/store/damage-check.ts';
import type { Store } from '../../src/store/store.ts';
import { commitTiny, evidenceRange, makeStore, query } from './fixture.ts';

const PAGE_BYTES = 4_096;

function filledStore(): Store {
  const store = makeStore();
  commitTiny(store, evidenceRange(1, 400, { evidence: { payload: { text: 'x'.repeat(300) } } }));
  // Everything into the file itself: a page that is also in the log is read from there.
  store[Symbol.dispose]();
  return makeStore({ path: store.path });
}

/** Fills a page in the middle of the file with noise, as a failing disk would. */
function scramble(path: string): void {
  const [{ page_count: pages } = {}] = query(path, 'PRAGMA page_count');
  const file = openSync(path, 'r+');
  const noise = Buffer.from(Array.from({ length: PAGE_BYTES }, (_, at) => (at * 37 + 11) % 251));
  writeSync(file, noise, 0, PAGE_BYTES, Math.trunc(Number(pages) / 2) * PAGE_BYTES);
  closeSync(file);
}

function checkOf(store: Store) {
  const results: (string | null)[] = [];
  const time = { nowMs: 0 };
  const check = new DamageCheck({
    path: store.path,
    monotonicMs: () => time.nowMs,
    onResult: (fault: Fault | null) => results.push(fault?.code ?? null),
  });
  onTestFinished(() => check[Symbol.dispose]());
  return { check, results, time };
}

/** The thread of a check ends a moment after its result. */
const ended = (check: DamageCheck): Promise<void> =>
  vi.waitFor(() => expect(check.isRunning).toBe(false), { timeout: 20_000 });

describe('the damage check', () => {
  it('finds a scrambled page under an open store, and says when the file is whole', async () => {
    const store = filledStore();
    const { check, results } = checkOf(store);
    expect(check.startIfDue()).toBe(true);
    expect(check.startIfDue()).toBe(false);
    await ended(check);
    scramble(store.path);
    expect(check.startIfDue()).toBe(true);
    await ended(check);
    expect(results).toEqual([null, 'store_corrupt']);
  });

  it('is not due while the file is unchanged, until a day has passed', async () => {
    const store = filledStore();
    const { check, results, time } = checkOf(store);
    check.startIfDue();
    await ended(check);
    expect(check.startIfDue()).toBe(false);
    time.nowMs += 86_400_000;
    expect(check.startIfDue()).toBe(true);
    await ended(check);
    utimesSync(store.path, 1, 1);
    expect(check.startIfDue()).toBe(true);
    await ended(check);
    expect(results).toEqual([null, null, null]);
  });
});
