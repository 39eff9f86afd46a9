// `npm run bench:engine`: engine plus store beside the raw insert rate of node:sqlite, and how long
// a store of 1,000,000 events takes to open. Both sides take short turns within one run, because
// machines are shared and noisy; their totals are compared. Fails under its budgets.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Engine } from '../src/daemon/engine/engine.ts';
import { type EventId, id } from '../src/schema/ids.ts';
import { openStore } from '../src/store/open.ts';
import { firstBatch, randomOf } from '../tests/crash/stream.ts';
import { config, T0 } from '../tests/scenario.ts';
import { agentsAtWork } from './turns.ts';

const TURNS = 25;
const TURN_EVENTS = 4_000;
/** Turns before the counted ones: both sides run hot code on files of some size. */
const WARM_UP_TURNS = 5;
const BATCH = 100;
const PANES = 50;
const STORED = Number(process.env['BENCH_STORED'] ?? 1_000_000);
const RATIO_MIN = 0.12;
const OPEN_MS_MAX = 1_000;

const folder = mkdtempSync(join(tmpdir(), 'agtmux-bench-'));
const say = (line: string): boolean => process.stdout.write(`${line}\n`);

/** Milliseconds that some work took. */
function measureMs(work: () => void): number {
  const startedMs = performance.now();
  work();
  return performance.now() - startedMs;
}

/** The raw side: rows of 290 bytes, a strict table, one unique index, transactions of 100. */
function rawInserts(): (count: number) => number {
  const db = new DatabaseSync(join(folder, 'raw.db'));
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  db.exec('CREATE TABLE e (id INTEGER PRIMARY KEY, key TEXT UNIQUE, at REAL, body TEXT) STRICT');
  const insert = db.prepare('INSERT INTO e (key, at, body) VALUES (?, ?, ?)');
  const body = 'x'.repeat(270);
  let serial = 0;
  return (count) =>
    measureMs(() => {
      for (let index = 0; index < count; index += 1, serial += 1) {
        if (index % BATCH === 0) db.exec('BEGIN');
        insert.run(`key-${serial}`, serial, body);
        if (index % BATCH === BATCH - 1) db.exec('COMMIT');
      }
    });
}

/** Our side: the work of 50 agents through redact, ingest, reduce and one commit a batch. */
function engineApplies(path: string) {
  const store = openStore({ path });
  let counter = 0;
  const nextEventId = (): EventId => id(`n${counter++}`);
  const engine = new Engine({ store, nextEventId });
  engine.observe([{ kind: 'fact', fact: { type: 'daemon.started', atMs: T0, config } }]);
  engine.observe(firstBatch(PANES, T0));
  const next = agentsAtWork(PANES, randomOf(1));
  let applied = 0;
  const apply = (count: number): number => {
    let spentMs = 0;
    for (let done = 0; done < count; done += BATCH) {
      const batch = Array.from({ length: BATCH }, next);
      applied += BATCH;
      spentMs += measureMs(() => {
        engine.observe(batch);
        engine.snapshotIfDue(T0 + applied);
      });
    }
    return spentMs;
  };
  return { apply, close: () => store[Symbol.dispose]() };
}

function rates(): number {
  const raw = rawInserts();
  const { apply, close } = engineApplies(join(folder, 'engine.db'));
  let rawMs = 0;
  let ownMs = 0;
  for (let turn = -WARM_UP_TURNS; turn < TURNS; turn += 1) {
    const [rawTurnMs, ownTurnMs] = [raw(TURN_EVENTS), apply(TURN_EVENTS)];
    if (turn < 0) continue;
    rawMs += rawTurnMs;
    ownMs += ownTurnMs;
  }
  close();
  const perSecond = (spentMs: number): number =>
    Math.round((TURNS * TURN_EVENTS * 1_000) / spentMs);
  const ratio = rawMs / ownMs;
  say(`raw node:sqlite inserts   ${perSecond(rawMs)} /s`);
  say(`engine + store            ${perSecond(ownMs)} events/s`);
  say(`ratio                     ${(ratio * 100).toFixed(1)} % (budget ${RATIO_MIN * 100} %)`);
  return ratio;
}

function openBig(): number {
  const path = join(folder, 'big.db');
  const { apply, close } = engineApplies(path);
  apply(STORED);
  close();
  const openMs = measureMs(() => {
    const store = openStore({ path });
    const { world } = new Engine({ store, nextEventId: () => id('unused') });
    if (world.panes.size !== PANES) throw new Error('the world did not come back');
    store[Symbol.dispose]();
  });
  say(`open ${STORED} events      ${openMs.toFixed(0)} ms (budget ${OPEN_MS_MAX} ms)`);
  return openMs;
}

try {
  const ratio = rates();
  const openMs = openBig();
  if (ratio < RATIO_MIN || openMs > OPEN_MS_MAX) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
