import { expect, onTestFinished, test, vi } from 'vitest';
import { Fault } from '../../platform/fault.ts';
import { sleptMs, Upkeep, type UpkeepJob } from './upkeep.ts';

const T0 = 1_800_000_000_000;

function upkeepOf(jobs: readonly UpkeepJob[]) {
  const time = { mono: 0, wall: T0 };
  const woke: number[] = [];
  const faults: string[] = [];
  const upkeep = new Upkeep({
    jobs,
    monotonicMs: () => time.mono,
    wallMs: () => time.wall,
    onWake: (gapMs) => woke.push(gapMs),
    onFault: (name, fault) => faults.push(`${name} ${fault.code}`),
  });
  onTestFinished(() => upkeep[Symbol.dispose]());
  const pass = (spentMs: number): void => {
    time.mono += spentMs;
    time.wall += spentMs;
    upkeep.tick();
  };
  return { upkeep, time, pass, woke, faults };
}

test('each job runs at its own interval', () => {
  const runs: string[] = [];
  const job = (name: string, everyMs: number): UpkeepJob => ({
    name,
    everyMs,
    run: () => void runs.push(name),
  });
  const { pass } = upkeepOf([job('often', 2_000), job('seldom', 5_000)]);
  for (let second = 1; second <= 10; second += 1) pass(1_000);
  expect(runs).toEqual(['often', 'often', 'seldom', 'often', 'often', 'often', 'seldom']);
});

test('a job with more to do goes on at once, and others have their turn in between', async () => {
  let left = 5;
  const turns: string[] = [];
  const run = (): boolean => {
    turns.push('job');
    left -= 1;
    return left > 0;
  };
  const { pass } = upkeepOf([{ name: 'retention', everyMs: 1_000, run }]);
  const other = (): void => {
    turns.push('other');
    if (left > 0) setImmediate(other);
  };
  setImmediate(other);
  pass(1_000);
  expect(turns).toEqual(['job']);
  // A tick in the middle does not start a second run of the same job.
  pass(1_000);
  await vi.waitFor(() => expect(left).toBe(0));
  expect(turns.filter((turn) => turn === 'job')).toHaveLength(5);
  expect(turns.slice(1).join(' ')).not.toContain('job job');
});

test('no job runs after disposal', async () => {
  let runs = 0;
  const run = (): boolean => {
    runs += 1;
    return true;
  };
  const { upkeep, pass } = upkeepOf([{ name: 'retention', everyMs: 1_000, run }]);
  pass(1_000);
  upkeep[Symbol.dispose]();
  pass(5_000);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(runs).toBe(1);
});

test('a Fault of a job is reported and the job runs again; any other error is thrown', () => {
  const errors: Error[] = [new Fault('store_full', { about: 'db' }), new TypeError('a bug')];
  const run = (): undefined => {
    const error = errors.shift();
    if (error) throw error;
  };
  const { pass, faults } = upkeepOf([{ name: 'retention', everyMs: 1_000, run }]);
  pass(1_000);
  expect(faults).toEqual(['retention store_full']);
  expect(() => pass(1_000)).toThrow('a bug');
});

test('a system sleep is reported once, whether the monotonic clock stopped or went on', () => {
  const { time, pass, woke } = upkeepOf([]);
  pass(1_000);
  time.wall += 3_600_000;
  pass(1_000);
  pass(1_000);
  expect(woke).toEqual([3_600_000]);
  pass(600_000);
  expect(woke).toEqual([3_600_000, 599_000]);
});

test('a slow tick and a small correction of the wall clock are no sleep', () => {
  const before = { monotonicMs: 0, wallMs: T0 };
  expect(sleptMs(before, { monotonicMs: 8_000, wallMs: T0 + 8_000 })).toBe(0);
  expect(sleptMs(before, { monotonicMs: 1_000, wallMs: T0 + 4_000 })).toBe(0);
  expect(sleptMs(before, { monotonicMs: 1_000, wallMs: T0 - 3_600_000 })).toBe(0);
});
