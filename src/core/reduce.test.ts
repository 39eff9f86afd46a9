// The story of events as a whole: starts and wakings, evidence that waits for its runtime,
// tombstones, targets that leave, and what each event tells the store.

import { describe, expect, test } from 'vitest';
import {
  about,
  agents,
  claim,
  claude,
  config,
  evidence,
  local,
  paneAppears,
  paneFacts,
  paneKey,
  processSignature,
  Run,
  runtimeId,
  runtimeStarts,
  source,
  T0,
} from '../../tests/scenario.ts';
import type { Change } from '../schema/change.ts';
import type { EventDraft, WorldEvent } from '../schema/event.ts';
import type { Claim, Evidence } from '../schema/evidence.ts';
import { id, paneKeyOf, panelessKeyOf } from '../schema/ids.ts';
import { reduceAll } from './reduce.ts';
import { sessionAt } from './world.ts';

const hooks = (atMs: number, says: Claim['says'], changes: Partial<Evidence> = {}) =>
  evidence('hooks', atMs, [claim(says)], changes);
const file = (atMs: number, says: Claim['says'], sinceMs = atMs) =>
  evidence('file', atMs, [claim(says, { rank: 0 })], { kind: 'level', eventTimeMs: sinceMs });
const started = (atMs: number): EventDraft => ({ type: 'daemon.started', atMs, config });
const found: EventDraft = { type: 'runtime.found', atMs: T0 + 10_100, runtimeId: runtimeId(0) };
const changesOf = (run: Run): readonly Change[] => reduceAll(new Run([]).world, run.events).changes;

describe('after a start', () => {
  const restarted = () =>
    new Run().see(hooks(T0, 'running'), file(T0 + 10, 'running')).apply(started(T0 + 10_000));

  test('a row is being reconfirmed and nothing else about it is forgotten', () => {
    expect(restarted().row()).toMatchObject({
      presence: 'managed',
      runtimeId: runtimeId(0),
      state: 'unknown',
      reasonCode: 'reconfirming',
    });
  });

  test('a row stays reconfirming while only the process is found', () => {
    expect(
      restarted()
        .apply(found)
        .tick(T0 + 11_999)
        .row().reasonCode,
    ).toBe('reconfirming');
  });

  test('a row stays reconfirming while only one level is read', () => {
    const run = restarted().see(file(T0 + 10_050, 'running', T0 + 10));
    expect(run.row().reasonCode).toBe('reconfirming');
  });

  test('a row is reconfirmed once the process is found and one level is read, in any order', () => {
    const level = file(T0 + 10_050, 'running', T0 + 10);
    for (const run of [restarted().see(level).apply(found), restarted().apply(found).see(level)]) {
      expect(run.row()).toMatchObject({ state: 'running', evidence: { source: 'file' } });
    }
  });

  test('a level that says something new is a reading too', () => {
    const run = restarted()
      .apply(found)
      .see(file(T0 + 10_200, 'waiting_input'));
    expect(run.row().state).toBe('waiting_input');
  });

  test('an event does not count as a reading of a level', () => {
    const run = restarted()
      .apply(found)
      .see(hooks(T0 + 10_200, 'waiting_input'));
    expect(run.row().reasonCode).toBe('reconfirming');
  });

  test('with the process alone a row is reconfirmed after 2 s, from events only', () => {
    const run = restarted()
      .apply(found)
      .tick(T0 + 12_000);
    expect(run.row()).toMatchObject({ state: 'running', evidence: { source: 'hooks' } });
  });

  test('a level keeps the stamp that it had before', () => {
    const run = restarted()
      .apply(found)
      .see(file(T0 + 10_050, 'running', T0 + 10));
    expect(run.row().evidence.atMs).toBe(T0 + 10);
  });

  test('a runtime without a visible process needs none to be found', () => {
    const blind = { ...runtimeStarts(0), pid: null, basis: 'option' } as EventDraft;
    const run = new Run([...agents().slice(0, -1), blind]).see(file(T0, 'running'));
    run.apply(started(T0 + 10_000)).see(file(T0 + 10_050, 'running', T0));
    expect(run.row().state).toBe('running');
  });

  test('the constants of the new run are the ones that count', () => {
    const run = new Run().apply({
      type: 'daemon.started',
      atMs: T0 + 1,
      config: { ...config, completedMs: 7 },
    });
    expect(run.world.config.completedMs).toBe(7);
  });
});

describe('after sleep', () => {
  test('rows are unknown until they are reconfirmed', () => {
    const run = new Run()
      .see(file(T0, 'running'))
      .apply({ type: 'host.woke', atMs: T0 + 3_600_000 });
    expect(run.row()).toMatchObject({ state: 'unknown', reasonCode: 'reconfirming' });
    run.apply({ ...found, atMs: T0 + 3_600_010 } as EventDraft);
    run.see(file(T0 + 3_600_020, 'waiting_input'));
    expect(run.row().state).toBe('waiting_input');
  });

  test('no claim has aged by the sleep', () => {
    const run = new Run()
      .see(hooks(T0, 'running'))
      .apply({ type: 'host.woke', atMs: T0 + 3_600_000 });
    run.apply({ ...found, atMs: T0 + 3_600_010 } as EventDraft).tick(T0 + 3_602_000);
    expect(run.row()).toMatchObject({ state: 'running', reasonCode: null });
  });

  test('an approval that still waits is the same request as before', () => {
    const asks = evidence('hooks', T0, [claim('waiting_approval', { about: about('a') })]);
    const run = new Run()
      .see(asks)
      .apply(
        { type: 'attention.seen', atMs: T0 + 9, paneKey: paneKey(0), requestIds: [about('a')] },
        { type: 'host.woke', atMs: T0 + 60_000 },
        { ...found, atMs: T0 + 60_010 } as EventDraft,
      );
    run.tick(T0 + 62_000);
    expect(run.row().attention.requests).toMatchObject([{ requestId: 'a', seen: true }]);
  });
});

describe('evidence without a runtime', () => {
  const waiting = (atMs: number, changes: Partial<Evidence> = {}) =>
    hooks(atMs, 'running', {
      runtimeId: null,
      bind: { targetId: local, paneKey: paneKey(0) },
      ...changes,
    });
  const unborn = () => new Run(agents().slice(0, -1));

  test('waits, and changes nothing meanwhile', () => {
    const run = unborn().see(waiting(T0 + 5));
    expect(run.events.at(-1)).toMatchObject({ disposition: 'pending_bind' });
    expect(run.world.pending.size).toBe(1);
    expect(run.row()).toMatchObject({ presence: 'unmanaged', reasonCode: 'no_agent' });
  });

  test('is bound when its runtime starts, with a change for the store', () => {
    const run = unborn()
      .see(waiting(T0 + 5))
      .apply(runtimeStarts(0));
    expect(run.row().state).toBe('running');
    expect(run.world.pending.size).toBe(0);
    expect(changesOf(run)).toContainEqual({
      kind: 'disposition',
      eventId: waiting(T0 + 5).eventId,
      disposition: 'bound',
      runtimeId: runtimeId(0),
    });
  });

  test('is bound in the order in which it came', () => {
    const run = unborn().see(waiting(T0 + 5), {
      ...waiting(T0 + 6),
      claims: [claim('waiting_input')],
    });
    expect(run.apply(runtimeStarts(0)).row().state).toBe('waiting_input');
  });

  test('is kept once when it is delivered twice', () => {
    expect(unborn().see(waiting(T0 + 5), waiting(T0 + 5)).world.pending.size).toBe(1);
  });

  test('that names a session is bound once that session is known', () => {
    const bind = { targetId: local, sessionKey: id<never>('s-1') };
    const run = new Run().see(waiting(T0 + 5, { bind, claims: [claim('waiting_input')] }));
    expect(run.row().state).toBe('unknown');
    run.see(evidence('osc', T0 + 9, [], { sessionKey: id('s-1') }));
    expect(run.row().state).toBe('waiting_input');
  });

  test('is dropped after its time, with a change for the store', () => {
    const run = unborn()
      .see(waiting(T0 + 5))
      .tick(T0 + 30_005);
    expect(changesOf(run)).toContainEqual(
      expect.objectContaining({ kind: 'disposition', disposition: 'dropped_unbound' }),
    );
    expect(run.apply(runtimeStarts(0, 1, T0 + 30_010)).row().reasonCode).toBe('no_evidence');
  });

  test('in a flood pushes out the oldest and never grows without end', () => {
    const run = unborn();
    const flood = Array.from({ length: 1_100 }, (_, index) => waiting(T0 + index));
    run.see(...flood);
    expect(run.world.pending.size).toBe(1_024);
    expect(run.world.pending.has(waiting(T0).eventId)).toBe(false);
    expect(run.world.pending.has(waiting(T0 + 1_099).eventId)).toBe(true);
  });

  test('survives a flood from another machine', () => {
    const run = unborn().see(waiting(T0));
    const bind = { targetId: id<never>('vm1') };
    run.see(...Array.from({ length: 1_100 }, (_, index) => waiting(T0 + 1 + index, { bind })));
    expect(run.world.pending.size).toBe(1_025);
    expect(run.world.pending.has(waiting(T0).eventId)).toBe(true);
    expect(run.apply(runtimeStarts(0)).row().state).toBe('running');
  });

  test('keeps no payload in the world', () => {
    const run = unborn().see(waiting(T0 + 5, { payload: { long: 'x' } }));
    expect([...run.world.pending.values()][0]?.evidence).not.toHaveProperty('payload');
  });
});

describe('a gone pane', () => {
  const gone = (): EventDraft => ({
    type: 'pane.gone',
    atMs: T0 + 100,
    paneKey: paneKey(0),
    reason: 'respawned',
  });
  const reborn = paneFacts(0, { birth: { pid: 5_000, startedAtMs: T0 + 100 } });

  test('is remembered for a while, and late evidence for it binds to nobody', () => {
    const run = new Run().apply(
      gone(),
      { type: 'pane.appeared', atMs: T0 + 100, paneKey: paneKeyOf(reborn), facts: reborn },
      { ...runtimeStarts(0, 2, T0 + 100), paneKey: paneKeyOf(reborn) } as EventDraft,
    );
    run.see(
      hooks(T0 + 110, 'error', { runtimeId: null, bind: { targetId: local, paneKey: paneKey(0) } }),
    );
    run.see(hooks(T0 + 120, 'error'));
    expect(run.world.panes.get(paneKeyOf(reborn))?.row.reasonCode).toBe('no_evidence');
    expect(run.events.at(-1)).toMatchObject({ disposition: 'late' });
  });

  test('is forgotten with its runtimes and sessions', () => {
    const run = new Run().see(hooks(T0, 'running', { sessionKey: id('s-1') })).apply(gone());
    run.tick(T0 + 100 + config.tombstoneMs);
    expect(run.world.panes.size + run.world.runtimes.size).toBe(0);
    expect(run.world.sessions.size + run.world.addresses.size).toBe(0);
    expect(changesOf(run)).toContainEqual({ kind: 'pane_forgotten', paneKey: paneKey(0) });
  });

  test('does not remove its successor when it is forgotten', () => {
    const run = new Run().apply(gone(), {
      type: 'pane.appeared',
      atMs: T0 + 100,
      paneKey: paneKeyOf(reborn),
      facts: reborn,
    });
    run.tick(T0 + 100 + config.tombstoneMs);
    expect([...run.world.panes.keys()]).toEqual([paneKeyOf(reborn)]);
    expect([...run.world.addresses.values()]).toEqual([paneKeyOf(reborn)]);
  });

  test('ends its runtime, with one change for the store', () => {
    const run = new Run().apply(gone(), gone());
    const ends = changesOf(run).filter(
      (change) => change.kind === 'runtime' && change.runtime.endedAtMs !== null,
    );
    expect(ends).toMatchObject([{ runtime: { endReason: 'pane_gone', endedAtMs: T0 + 100 } }]);
  });
});

describe('a pane that has many agents one after the other', () => {
  test('remembers only the last few', () => {
    const run = new Run();
    for (let life = 2; life < 30; life += 1) run.apply(runtimeStarts(0, life, T0 + life));
    expect(run.world.runtimes.size).toBeLessThanOrEqual(5);
    expect(run.row().runtimeId).toBe(runtimeId(0, 29));
    expect(run.world.panes.get(paneKey(0))?.paneEpoch).toBe(29);
  });

  test('forgets all that was claimed of one when the next starts', () => {
    const run = new Run().see(hooks(T0, 'error')).apply(runtimeStarts(0, 2, T0 + 5));
    expect(run.row()).toMatchObject({ state: 'unknown', reasonCode: 'no_evidence' });
  });

  test('does not start the same one twice', () => {
    const run = new Run().see(hooks(T0, 'running')).apply(runtimeStarts(0));
    expect(run.row().state).toBe('running');
    expect(run.world.panes.get(paneKey(0))?.paneEpoch).toBe(1);
  });
});

describe('a target', () => {
  const other = paneFacts(1, { targetId: id<never>('vm1') });
  const two = () =>
    new Run().apply({ type: 'pane.appeared', atMs: T0, paneKey: paneKeyOf(other), facts: other }, {
      ...runtimeStarts(1),
      paneKey: paneKeyOf(other),
    } as EventDraft);
  const health = (value: 'ok' | 'down'): EventDraft => ({
    type: 'target.changed',
    atMs: T0 + 9,
    target: { targetId: local, name: 'local', kind: 'local', connectionRef: null, health: value },
  });

  test('that is removed takes its panes with it and no others', () => {
    const run = two().apply(health('ok'), {
      type: 'target.removed',
      atMs: T0 + 10,
      targetId: local,
    });
    expect([...run.world.panes.keys()]).toEqual([paneKeyOf(other)]);
    expect([...run.world.runtimes.keys()]).toEqual([runtimeId(1)]);
    expect(run.world.targets.size).toBe(0);
    expect(run.world.addresses.size).toBe(1);
    expect(changesOf(run).map(({ kind }) => kind)).toContain('target_removed');
  });

  test('that is down makes its own rows unknown and no other', () => {
    const run = two()
      .see(hooks(T0, 'running'), hooks(T0, 'running', { runtimeId: runtimeId(1) }))
      .apply(health('down'));
    expect(run.row().reasonCode).toBe('target_unreachable');
    expect(run.world.panes.get(paneKeyOf(other))?.row.state).toBe('running');
  });

  test('that is back is unknown until it is read again', () => {
    const run = two()
      .see(file(T0, 'running'), hooks(T0, 'running', { runtimeId: runtimeId(1) }))
      .apply(health('down'), health('ok'));
    expect(run.row()).toMatchObject({ state: 'unknown', reasonCode: 'reconfirming' });
    expect(run.world.panes.get(paneKeyOf(other))?.row.state).toBe('running');
    run.apply(found).see(file(T0 + 10_200, 'running', T0));
    expect(run.row()).toMatchObject({ state: 'running', reasonCode: null });
  });

  test('that is removed leaves no channel of it, and those of the others', () => {
    const run = two();
    for (const channel of ['tmux@local:/a', 'spool@local', 'spool@local2', 'tmux@vm1:/local:a']) {
      run.observe({ kind: 'heartbeat', channel: id(channel), atMs: T0 + 8 });
    }
    run.apply({ type: 'target.removed', atMs: T0 + 10, targetId: local });
    expect([...run.world.channels.keys()]).toEqual(['spool@local2', 'tmux@vm1:/local:a']);
  });

  test('that is down before its panes are known makes them unknown too', () => {
    const run = new Run([health('down'), ...agents()]);
    expect(run.row()).toMatchObject({ state: 'unknown', reasonCode: 'target_unreachable' });
  });
});

describe('an agent without a pane', () => {
  const panelessKey = panelessKeyOf(local, claude, id('s-9'));
  const start: EventDraft = {
    type: 'runtime.started',
    atMs: T0,
    runtimeId: runtimeId(9),
    paneKey: panelessKey,
    seat: { targetId: local },
    agent: claude,
    pid: null,
    startedAtMs: T0,
    basis: 'event',
    signature: processSignature,
  };

  test('has a row and a state like any other', () => {
    const run = new Run([start]).see(hooks(T0 + 1, 'running', { runtimeId: runtimeId(9) }));
    expect(run.world.panes.get(panelessKey)).toMatchObject({
      facts: null,
      row: { presence: 'managed', state: 'running' },
    });
  });

  test('does not start without the seat field', () => {
    const { seat: _seat, ...homeless } = start as EventDraft & { seat: unknown };
    expect(new Run([homeless as EventDraft]).world.runtimes.size).toBe(0);
  });
});

describe('the activity of a runtime', () => {
  test('keeps the newest value of each field, in any order of arrival', () => {
    const first = evidence('hooks', T0 + 5, [], { activity: { tool: 'Bash', prompt: 'fix' } });
    const second = evidence('osc', T0 + 9, [], { activity: { tool: null } });
    for (const order of [
      [first, second],
      [second, first],
    ]) {
      const activity = new Run().see(...order).world.runtimes.get(runtimeId(0))?.activity;
      expect(activity?.get('tool')?.value).toBeNull();
      expect(activity?.get('prompt')?.value).toBe('fix');
    }
  });

  test('a session runs in one runtime at a time', () => {
    const run = new Run(agents(2)).see(
      hooks(T0 + 1, 'running', { sessionKey: id('s-1') }),
      hooks(T0 + 2, 'running', { sessionKey: id('s-1'), runtimeId: runtimeId(1) }),
      hooks(T0 + 3, 'running', { sessionKey: id('s-2'), runtimeId: runtimeId(1) }),
    );
    expect([...run.world.sessions].map(([key, { runtimeId: runtime }]) => [key, runtime])).toEqual([
      [sessionAt(local, id('s-2')), runtimeId(1)],
    ]);
  });
});

describe('reduceAll', () => {
  const event = (draft: EventDraft, eventId = 'e') =>
    ({ ...draft, eventId: id(eventId) }) as WorldEvent;

  test('leaves the world that it was given as it was', () => {
    const { world } = new Run().see(hooks(T0, 'running'));
    const copy = structuredClone(world);
    const gone: EventDraft = {
      ...{ type: 'pane.gone', atMs: T0 + 1, paneKey: paneKey(0), reason: 'closed' },
    };
    for (const draft of [gone, paneAppears(5), runtimeStarts(0, 2, T0 + 2)]) {
      reduceAll(world, [event(draft)]);
    }
    expect(world).toEqual(copy);
  });

  test('ignores events about unknown panes and runtimes', () => {
    const { world } = new Run();
    const slot = { runtimeId: runtimeId(9), source: source('x'), about: 'turn' };
    const strangers: EventDraft[] = [
      { type: 'pane.changed', atMs: T0, paneKey: paneKey(9), facts: paneFacts(9) },
      { type: 'pane.gone', atMs: T0, paneKey: paneKey(9), reason: 'closed' },
      { type: 'pane.forgotten', atMs: T0, paneKey: paneKey(9) },
      { type: 'attention.seen', atMs: T0, paneKey: paneKey(9), requestIds: [] },
      { ...runtimeStarts(9) },
      { type: 'runtime.missed', atMs: T0, runtimeId: runtimeId(9) },
      { type: 'runtime.found', atMs: T0, runtimeId: runtimeId(9) },
      { type: 'runtime.stuck', stuck: true, atMs: T0, runtimeId: runtimeId(9) },
      { type: 'reconfirm.ended', atMs: T0, runtimeId: runtimeId(9) },
      { type: 'evidence.dropped', atMs: T0, droppedEventId: id('nobody') },
      { type: 'claim.confirmed', atMs: T0, ...slot },
      { type: 'claim.expired', atMs: T0, ...slot },
      { type: 'claim.settled', atMs: T0, ...slot, assertedAtMs: T0 },
      { type: 'rest.judged', atMs: T0, runtimeId: runtimeId(9), restAtMs: T0 },
    ];
    for (const stranger of strangers) {
      const after = reduceAll(world, [event(stranger)]);
      expect(after.world).toEqual(world);
      expect(after.changes).toEqual([]);
    }
  });
});
