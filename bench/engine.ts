// `npm run bench:engine`: engine plus store beside the raw insert rate of node:sqlite in the same
// run, and how long a store of 1,000,000 events takes to open. Fails under its budgets.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Engine } from '../src/daemon/engine.ts';
import { type EventId, id } from '../src/schema/ids.ts';
import { openStore } from '../src/store/open.ts';
import { firstBatch, randomEvidence, randomOf } from '../tests/crash/stream.ts';
import { config, T0 } from '../tests/scenario.ts';

const EVENTS = 60_000;
const BATCH = 100;
const PANES = 50;
const STORED = Number(process.env['BENCH_STORED'] ?? 1_000_000);
const RATIO_MIN = 0.12;
const OPEN_MS_MAX = 1_000;

const folder = mkdtempSync(join(tmpdir(), 'agtmux-bench-'));
const say = (line: string): boolean => process.stdout.write(`${line}\n`);

/** Rows of an event's size into one table with one unique index, transactions of 100. */
function rawRate(): number {
  const db = new DatabaseSync(join(folder, 'raw.db'));
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  db.exec('CREATE TABLE e (id INTEGER PRIMARY KEY, key TEXT UNIQUE, at REAL, body TEXT) STRICT');
  const insert = db.prepare('INSERT INTO e (key, at, body) VALUES (?, ?, ?)');
  const body = 'x'.repeat(250);
  const startedMs = performance.now();
  for (let index = 0; index < EVENTS; index += 1) {
    if (index % BATCH === 0) db.exec('BEGIN');
    insert.run(`key-${index}`, index, body);
    if (index % BATCH === BATCH - 1) db.exec('COMMIT');
  }
  const rate = EVENTS / ((performance.now() - startedMs) / 1_000);
  db.close();
  return rate;
}

function filledEngine(path: string, events: number) {
  const store = openStore({ path });
  let counter = 0;
  const nextEventId = (): EventId => id(`n${counter++}`);
  const engine = new Engine({ store, nextEventId });
  engine.observe([{ kind: 'fact', fact: { type: 'daemon.started', atMs: T0, config } }]);
  engine.observe(firstBatch(PANES, T0));
  const random = randomOf(1);
  let spentMs = 0;
  for (let serial = 0; serial < events; serial += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, index) =>
      randomEvidence(random, { panes: PANES, serial: serial + index, atMs: T0 + serial + index }),
    );
    const startedMs = performance.now();
    engine.observe(batch);
    engine.snapshotIfDue(T0 + serial);
    spentMs += performance.now() - startedMs;
  }
  return { store, rate: events / (spentMs / 1_000) };
}

function openMs(path: string): number {
  const startedMs = performance.now();
  const store = openStore({ path });
  const engine = new Engine({ store, nextEventId: () => id('unused') });
  const spentMs = performance.now() - startedMs;
  if (engine.world.panes.size !== PANES) throw new Error('the world did not come back');
  store.close();
  return spentMs;
}

try {
  rawRate();
  rmSync(join(folder, 'raw.db'));
  const raw = rawRate();
  const { store, rate } = filledEngine(join(folder, 'engine.db'), EVENTS);
  store.close();
  const ratio = rate / raw;
  say(`raw node:sqlite inserts      ${Math.round(raw)} /s`);
  say(`engine + store               ${Math.round(rate)} events/s`);
  say(`ratio                        ${(ratio * 100).toFixed(1)} % (budget ${RATIO_MIN * 100} %)`);
  const big = join(folder, 'big.db');
  filledEngine(big, STORED).store.close();
  const spentMs = openMs(big);
  say(`open ${STORED} events       ${spentMs.toFixed(0)} ms (budget ${OPEN_MS_MAX} ms)`);
  if (ratio < RATIO_MIN || spentMs > OPEN_MS_MAX) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
