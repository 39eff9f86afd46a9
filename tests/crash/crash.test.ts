// kill -9 at random instants, many times over, of a process that applies events: what it
// acknowledged is there, nothing is half there, and the world rebuilt from the events is the world.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { replay } from '../../src/core/replay.ts';
import { Engine } from '../../src/daemon/engine/engine.ts';
import { openStore } from '../../src/store/open.ts';
import { isLong } from '../length.ts';
import { worldText } from '../scenario.ts';
import { rowDifferences } from '../store/restore.ts';
import { randomOf } from './stream.ts';

/** Each costs the start of a process, half a second. */
const KILLS = process.env['CI'] === 'true' || isLong ? 60 : 15;
const applier = fileURLToPath(new URL('./applier.ts', import.meta.url));
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'agtmux-crash-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Life {
  readonly acknowledged: string[];
  /** The batch that was begun and not acknowledged: all of it may be there, or nothing. */
  readonly open: string[];
}

/** Runs the applier and kills it after so many lines; at once when that is zero. */
async function liveAndDie(path: string, seed: number, linesMax: number): Promise<Life> {
  const args = ['--disable-warning=ExperimentalWarning', applier, path, String(seed)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const errors: string[] = [];
  child.stderr.on('data', (chunk) => errors.push(String(chunk)));
  const died = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once('close', (_code, signal) => resolve(signal));
  });
  const acknowledged: string[] = [];
  let open: string[] = [];
  let lines = 0;
  if (linesMax === 0) child.once('spawn', () => child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout })) {
    const [word, ...ids] = line.split(' ');
    if (word === 'begin') open = ids;
    if (word === 'ack') {
      acknowledged.push(...ids);
      open = [];
    }
    lines += 1;
    if (lines === linesMax) child.kill('SIGKILL');
  }
  expect([await died, errors.join('')]).toEqual(['SIGKILL', '']);
  return { acknowledged, open };
}

function check(path: string, acknowledged: Set<string>, open: readonly string[]): void {
  const store = openStore({ path });
  try {
    const events = [...store.eventsAfter(0)].map(({ event }) => event);
    const stored = new Set<string>(events.map((event) => event.eventId));
    const lost = [...acknowledged].filter((eventId) => !stored.has(eventId));
    expect(lost).toEqual([]);
    const half = open.filter((eventId) => stored.has(eventId));
    expect([0, open.length]).toContain(half.length);
    const unknown = events.filter(({ eventId, type }) => {
      return type === 'evidence.observed' && !acknowledged.has(eventId) && !half.includes(eventId);
    });
    expect(unknown).toEqual([]);
    for (const eventId of half) acknowledged.add(eventId);
    const world = replay(events);
    const engine = new Engine({ store, nextEventId: () => 'unused' as never });
    expect(worldText(engine.world)).toBe(worldText(world));
    expect(rowDifferences(store)).toEqual([]);
  } finally {
    store[Symbol.dispose]();
  }
}

test(`${KILLS} kills lose nothing acknowledged and leave nothing half-applied`, async () => {
  const path = join(folder, 'agtmux.db');
  const random = randomOf(20_261_115);
  const acknowledged = new Set<string>();
  let committed = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const linesMax = Math.floor(random() ** 2 * 24);
    const life = await liveAndDie(path, kill + 1, linesMax);
    for (const eventId of life.acknowledged) acknowledged.add(eventId);
    committed += life.acknowledged.length;
    check(path, acknowledged, life.open);
  }
  expect(committed).toBeGreaterThan(KILLS);
}, 240_000);
