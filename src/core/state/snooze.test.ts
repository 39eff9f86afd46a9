// What a person puts off is quiet until its time, its answer, or anything new.

import { describe, expect, test } from 'vitest';
import {
  about,
  claim,
  evidence,
  paneKey,
  Run,
  runtimeId,
  runtimeStarts,
  T0,
} from '../../../tests/scenario.ts';
import type { Request } from '../../schema/evidence.ts';
import { needOf } from '../../text/need.ts';

const UNTIL = T0 + 600_000;
const ask = (requestId: string) => claim('waiting_approval', { about: about(requestId) });
const dialog = (request?: Request) =>
  claim('waiting_approval', { basis: 'anchored', ...(request && { request }) });
const snooze = (run: Run, atMs = T0 + 10) =>
  run.apply({ type: 'attention.snoozed', atMs, paneKey: paneKey(0), untilMs: UNTIL });
const need = (run: Run) => needOf(run.row());
const waiting = () => new Run().see(evidence('hooks', T0, [ask('a')]));

describe('a snoozed request', () => {
  test('stays listed with its state and needs nobody', () => {
    const run = waiting();
    const { stateVersion } = run.row();
    snooze(run);
    expect(run.row()).toMatchObject({
      state: 'waiting_approval',
      stateVersion,
      attention: { kinds: [], sinceMs: null, snoozedUntilMs: UNTIL, requests: [{ seen: false }] },
    });
    expect(need(run)).toBeNull();
  });

  test('needs a person again at its time, and not before', () => {
    const run = snooze(waiting());
    run.beat('hooks', UNTIL - 1).tick(UNTIL - 1);
    expect(need(run)).toBeNull();
    run.beat('hooks', UNTIL).tick(UNTIL);
    expect(need(run)).toBe('approval');
    expect(run.row().attention).not.toHaveProperty('snoozedUntilMs');
  });

  test('needs a person again when its snooze is ended by hand', () => {
    const run = snooze(waiting());
    run.apply({ type: 'attention.woken', atMs: T0 + 20, paneKey: paneKey(0) });
    expect(need(run)).toBe('approval');
  });

  test('needs a person again with the first new request, also after that one is answered', () => {
    const run = snooze(waiting()).see(evidence('hooks', T0 + 20, [ask('b')]));
    expect(need(run)).toBe('approval');
    run.see(evidence('hooks', T0 + 30, [claim('running', { about: about('b') })]));
    expect(run.row().attention.requests).toMatchObject([{ requestId: 'a' }]);
    expect(need(run)).toBe('approval');
  });

  test('that was answered and is asked again is a new one', () => {
    const run = snooze(waiting());
    run.see(evidence('hooks', T0 + 20, [claim('running')]));
    run.see(evidence('hooks', T0 + 30, [ask('a')]));
    expect(need(run)).toBe('approval');
  });

  test('without an id is the same when another source reports an earlier start', () => {
    const run = new Run().see(evidence('hooks', T0 + 5, [dialog()]));
    snooze(run).see(
      evidence('screen', T0 + 2, [dialog()], { kind: 'level', ingestedAtMs: T0 + 12 }),
    );
    expect(need(run)).toBeNull();
  });

  test('without an id is another when its command changes, not when the cursor moves', () => {
    const request = (command: string, selected: boolean): Request => ({
      kind: 'approval',
      command,
      options: [{ label: 'Yes', selected }],
    });
    const shows = (run: Run, atMs: number, each: Request) =>
      run.see(evidence('screen', atMs, [dialog(each)], { kind: 'level' }));
    const run = new Run().see(evidence('hooks', T0, [dialog()]));
    snooze(shows(run, T0 + 1, request('make', true)));
    expect(need(shows(run, T0 + 20, request('make', false)))).toBeNull();
    expect(need(shows(run, T0 + 30, request('rm -r x', true)))).toBe('approval');
  });

  test('is still snoozed after a restart of the daemon', () => {
    const run = snooze(waiting());
    run.apply({ type: 'daemon.started', atMs: T0 + 50, config: run.world.config });
    expect(run.row().state).toBe('unknown');
    run.apply({ type: 'runtime.found', atMs: T0 + 60, runtimeId: runtimeId(0) });
    run.apply({ type: 'reconfirm.ended', atMs: T0 + 70, runtimeId: runtimeId(0) });
    expect(run.row()).toMatchObject({ state: 'waiting_approval' });
    expect(run.row().attention.snoozedUntilMs).toBe(UNTIL);
  });

  test('ends with its agent', () => {
    const run = snooze(waiting()).apply(runtimeStarts(0, 2, T0 + 90));
    run.see(evidence('hooks', T0 + 95, [ask('a')], { runtimeId: runtimeId(0, 2) }));
    expect(need(run)).toBe('approval');
  });
});

test('an agent that needs nobody cannot be snoozed in advance', () => {
  const run = snooze(new Run().see(evidence('hooks', T0, [claim('running')])));
  run.see(evidence('hooks', T0 + 20, [ask('a')]));
  expect(need(run)).toBe('approval');
});
