// Seeded simulations of ingest, reduce and store over a faulty world. SIM_SEED replays one seed,
// SIM_RUNS tries that many new ones; a seed that ever failed is kept in seeds.txt.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { repeats } from '../length.ts';
import { simulate } from './simulate.ts';

const { SIM_SEED, SIM_RUNS } = process.env;
const STANDARD_SEEDS = repeats(100);

function seedsToRun(): number[] {
  if (SIM_SEED !== undefined) return [Number(SIM_SEED)];
  if (SIM_RUNS !== undefined) {
    const first = Math.floor(performance.timeOrigin) % 1_000_000_000;
    return Array.from({ length: Number(SIM_RUNS) }, (_, index) => first + index);
  }
  const seedLines = readFileSync(new URL('./seeds.txt', import.meta.url), 'utf8');
  const found = seedLines
    .split('\n')
    .map((line) => Number(line.split('#')[0]))
    .filter((seed) => seed > 0);
  const standard = Array.from({ length: STANDARD_SEEDS }, (_, index) => index + 1);
  return [...new Set([...found, ...standard])];
}

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'agtmux-sim-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('every row is right after every storm, and replay agrees', () => {
  const totals = { events: 0, restarts: 0 };
  for (const seed of seedsToRun()) {
    const { events, restarts } = simulate(seed, join(folder, `${seed}.db`));
    totals.events += events;
    totals.restarts += restarts;
  }
  // A simulation in which nothing happens would prove nothing.
  expect(totals.events).toBeGreaterThan(500);
  if (SIM_SEED === undefined) expect(totals.restarts).toBeGreaterThan(10);
}, 600_000);
