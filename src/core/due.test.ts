// What time alone decides: each event at its millisecond, not one before, and never twice.

import { describe, expect, test } from 'vitest';
import {
  about,
  agents,
  claim,
  config,
  everyState,
  evidence,
  local,
  paneKey,
  Run,
  runtimeId,
  T0,
} from '../../tests/scenario.ts';
import type { EventType } from '../schema/event.ts';
import type { Claim } from '../schema/evidence.ts';
import { id } from '../schema/ids.ts';
import { due } from './due.ts';

const typesDue = (run: Run, nowMs: number) =>
  due(run.world, run.sightings, nowMs).map(({ type }) => type);
const hooks = (atMs: number, says: Claim['says'], changes: Partial<Claim> = {}) =>
  evidence('hooks', atMs, [claim(says, changes)]);
const file = (atMs: number, says: Claim['says'], changes: Partial<Claim> = {}) =>
  evidence('file', atMs, [claim(says, { rank: 0, ...changes })], { kind: 'level' });

/** Keeps the channels of a run beating, so that only what is looked at becomes due. */
const alive = (run: Run, nowMs: number, ...names: readonly string[]) => {
  for (const name of names) run.beat(name, nowMs);
  return run;
};

interface Timer {
  readonly name: string;
  readonly start: () => Run;
  readonly atMs: number;
  readonly type: EventType;
  readonly beating?: readonly string[];
}

const timers: readonly Timer[] = [
  {
    name: 'a channel goes stale after 3 s',
    start: () => new Run().beat('hooks', T0),
    atMs: T0 + 3_001,
    type: 'channel.changed',
  },
  {
    name: 'a stale channel goes down after 15 s',
    start: () => new Run().beat('hooks', T0).tick(T0 + 3_001),
    atMs: T0 + 15_001,
    type: 'channel.changed',
  },
  {
    name: 'a completion stops being news after 120 s',
    start: () => new Run().see(hooks(T0, 'running'), hooks(T0 + 10, 'completed')),
    atMs: T0 + 10 + 120_000,
    type: 'state.demoted',
    beating: ['hooks'],
  },
  {
    name: 'a silence is judged after 500 ms',
    start: () => new Run().see(hooks(T0, 'running'), file(T0 + 40, 'at_rest')),
    atMs: T0 + 40 + 500,
    type: 'rest.judged',
  },
  {
    name: 'a level that is not read for 30 s falls',
    start: () => new Run().see(file(T0, 'running')),
    atMs: T0 + 30_000,
    type: 'claim.expired',
    beating: ['file'],
  },
  {
    name: 'an event that nothing alive covers is doubted after 30 s',
    start: () => new Run().see(hooks(T0, 'running', { covers: ['completed'] })),
    atMs: T0 + 30_000,
    type: 'claim.weakened',
    beating: ['hooks'],
  },
  {
    name: 'work without a sign of life is stuck after 10 min',
    start: () => new Run().see(hooks(T0, 'running')),
    atMs: T0 + 600_000,
    type: 'runtime.stuck',
    beating: ['hooks'],
  },
  {
    name: 'evidence that finds no runtime is dropped after 30 s',
    start: () =>
      new Run().see({
        ...hooks(T0, 'running'),
        runtimeId: null,
        bind: { targetId: local, paneKey: paneKey(7) },
      }),
    atMs: T0 + 30_000,
    type: 'evidence.dropped',
    beating: ['hooks'],
  },
  {
    name: 'a gone pane is forgotten after 120 s',
    start: () =>
      new Run().apply({ type: 'pane.gone', atMs: T0, paneKey: paneKey(0), reason: 'closed' }),
    atMs: T0 + 120_000,
    type: 'pane.forgotten',
  },
  {
    name: 'the wait after a start is over after 2 s, once the process was found',
    start: () =>
      new Run().apply(
        { type: 'daemon.started', atMs: T0, config },
        { type: 'runtime.found', atMs: T0 + 5, runtimeId: runtimeId(0) },
      ),
    atMs: T0 + 2_000,
    type: 'reconfirm.ended',
  },
];

describe('exactly when it is due', () => {
  test.each(timers)('$name', ({ start, atMs, type, beating = [] }) => {
    const run = alive(start(), atMs, ...beating);
    expect(typesDue(run, atMs - 1)).toEqual([]);
    expect(typesDue(run, atMs)).toEqual([type]);
  });

  test.each(timers)('$name, and only once', ({ start, atMs, beating = [] }) => {
    const run = alive(start(), atMs, ...beating).tick(atMs);
    expect(typesDue(run, atMs)).toEqual([]);
  });

  test.each(timers)('$name, stamped with nowMs', (timer) => {
    const run = alive(timer.start(), timer.atMs + 77, ...(timer.beating ?? []));
    const [event] = due(run.world, run.sightings, timer.atMs + 77);
    expect(event).toMatchObject({ type: timer.type, atMs: timer.atMs + 77 });
  });

  test.each(timers)('$name, without changing the world', ({ start, atMs }) => {
    const run = start();
    const { world } = run;
    typesDue(run, atMs);
    typesDue(run, atMs);
    expect(run.world).toBe(world);
    expect(typesDue(run, atMs)).not.toEqual([]);
  });
});

describe('an edge claim of a down channel', () => {
  test('expires 30 s after the channel went down, with its reason', () => {
    const run = new Run()
      .see(hooks(T0, 'running'))
      .tick(T0 + 3_001)
      .tick(T0 + 15_001);
    expect(typesDue(run, T0 + 45_000)).not.toContain('claim.expired');
    expect(run.tick(T0 + 45_001).row()).toMatchObject({
      state: 'unknown',
      reasonCode: 'stale_signal',
    });
  });

  test('stays when a heartbeat comes in time', () => {
    const run = new Run()
      .see(hooks(T0, 'running'))
      .tick(T0 + 16_000)
      .beat('hooks', T0 + 40_000);
    run.pass(T0 + 41_000, T0 + 90_000, ['hooks']);
    expect(run.row().state).toBe('running');
  });
});

describe('a level', () => {
  test('expires at once when its channel is down', () => {
    const run = new Run()
      .see(file(T0, 'running'))
      .tick(T0 + 3_001)
      .tick(T0 + 15_001);
    expect(run.row()).toMatchObject({ state: 'unknown', reasonCode: 'stale_signal' });
  });

  test('stays for as long as it is read', () => {
    const run = new Run().see(file(T0, 'running'));
    for (let atMs = T0; atMs <= T0 + 300_000; atMs += 5_000)
      run.see(file(atMs, 'running')).tick(atMs);
    expect(run.row().state).toBe('running');
    expect(run.eventTypes().filter((type) => type === 'evidence.observed')).toHaveLength(1);
  });

  test('takes only its own claims with it', () => {
    const run = new Run().see(
      hooks(T0, 'running'),
      evidence('file', T0 + 1, [claim('waiting_input', { covers: [] })], { kind: 'level' }),
    );
    expect(run.row().state).toBe('waiting_input');
    expect(
      alive(run, T0 + 30_001, 'hooks', 'file')
        .tick(T0 + 30_001)
        .row().state,
    ).toBe('running');
  });
});

describe('settling', () => {
  const start = (readAtMs: number, changes: Partial<Claim> = {}) =>
    new Run().see(
      file(T0, 'running', changes),
      hooks(T0 + 100, 'waiting_approval', { about: about('a') }),
      file(readAtMs, 'running', changes),
    );

  test('takes a reading a second after the claim, and not a millisecond sooner', () => {
    expect(typesDue(start(T0 + 1_099), T0 + 2_000)).toEqual([]);
    expect(typesDue(start(T0 + 1_100), T0 + 2_000)).toEqual(['claim.settled']);
  });

  test('ends the claim, once', () => {
    const run = start(T0 + 1_100).tick(T0 + 1_100);
    expect(run.row()).toMatchObject({ state: 'running', attention: { requests: [] } });
    expect(typesDue(run, T0 + 1_101)).toEqual([]);
  });

  test('is not for a source that ranks no better', () => {
    expect(typesDue(start(T0 + 2_500, { rank: 3 }), T0 + 2_500)).toEqual([]);
  });

  test('is not for a source that cannot see the end of the claim', () => {
    const covers = everyState.filter((state) => state !== 'waiting_approval');
    expect(typesDue(start(T0 + 2_500, { covers }), T0 + 2_500)).toEqual([]);
  });

  test('is not for a source that only speaks of another request', () => {
    const run = new Run().see(
      file(T0, 'running', { about: about('b') }),
      hooks(T0 + 100, 'waiting_approval', { about: about('a') }),
      file(T0 + 2_500, 'running', { about: about('b') }),
    );
    expect(typesDue(run, T0 + 2_500)).toEqual([]);
  });
});

describe('stuck', () => {
  test('counts from the last sign of work, reported or observed', () => {
    const run = new Run().see(hooks(T0, 'running'));
    run.observe({ kind: 'work', runtimeId: runtimeId(0), atMs: T0 + 400_000 });
    alive(run, T0 + 1_000_000, 'hooks');
    expect(typesDue(run, T0 + 999_999)).toEqual([]);
    expect(typesDue(run, T0 + 1_000_000)).toEqual(['runtime.stuck']);
  });

  test('a spinner that turns is no sign of work, a tool that starts is', () => {
    const run = new Run().see(hooks(T0, 'running'));
    const spin = { kind: 'work', runtimeId: runtimeId(0), isRepaint: true } as const;
    run.observe({ ...spin, atMs: T0 + 590_000 });
    alive(run, T0 + 600_000, 'hooks');
    expect(typesDue(run, T0 + 600_000)).toEqual(['runtime.stuck']);
    run.see(evidence('hooks', T0 + 600_001, [], { activity: { tool: 'Bash: make' } }));
    expect(typesDue(run, T0 + 600_002)).toEqual([]);
  });

  test('counts no silence from before the machine woke', () => {
    const run = new Run().see(hooks(T0, 'running'));
    run.apply(
      { type: 'host.woke', atMs: T0 + 3_600_000 },
      { type: 'runtime.found', atMs: T0 + 3_600_001, runtimeId: runtimeId(0) },
    );
    alive(run.tick(T0 + 3_602_000), T0 + 3_700_000, 'hooks');
    expect(typesDue(run, T0 + 3_700_000)).toEqual([]);
    expect(run.row().state).toBe('running');
    expect(run.eventTypes()).not.toContain('runtime.stuck');
  });
});

describe('after a start', () => {
  test('nothing is judged before the runtime was reconfirmed', () => {
    const run = new Run().see(hooks(T0, 'running'), hooks(T0 + 1, 'completed'));
    run.apply({ type: 'daemon.started', atMs: T0 + 500_000, config });
    expect(typesDue(run, T0 + 500_001)).toEqual([]);
  });

  test('a channel is not stale before its time has passed', () => {
    const run = new Run().see(hooks(T0, 'running'));
    run.apply({ type: 'daemon.started', atMs: T0 + 500_000, config });
    expect(typesDue(run, T0 + 503_000)).not.toContain('channel.changed');
    expect(typesDue(run, T0 + 503_001)).toContain('channel.changed');
  });
});

test('constants come from the world', () => {
  const quick = { ...config, completedMs: 50, channelFreshMs: 1_000_000 };
  const [started, ...rest] = agents();
  if (!started) throw new Error('no start');
  const run = new Run([{ type: 'daemon.started', atMs: started.atMs, config: quick }, ...rest]);
  run.see(hooks(T0, 'completed'));
  expect(typesDue(run, T0 + 49)).toEqual([]);
  expect(typesDue(run, T0 + 50)).toEqual(['state.demoted']);
});

test('nothing is due in an empty world, nor for a pane without an agent', () => {
  expect(typesDue(new Run([]), T0 + 1e9)).toEqual([]);
  expect(typesDue(new Run(agents().slice(0, -1)), T0 + 1e9)).toEqual([]);
});

test('one pane does not make another due', () => {
  const run = new Run(agents(2)).see(
    evidence('file', T0, [claim('running')], { kind: 'level', runtimeId: runtimeId(1) }),
    { ...file(T0 + 29_000, 'running'), channel: id('other@local') },
  );
  alive(run, T0 + 30_000, 'file', 'other');
  const events = due(run.world, run.sightings, T0 + 30_000);
  expect(events).toMatchObject([{ type: 'claim.expired', runtimeId: runtimeId(1) }]);
});
