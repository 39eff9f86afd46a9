// Since when a row is in its state, over restarts, lost connections and evidence that is read late.

import { describe, expect, test } from 'vitest';
import {
  agents,
  claim,
  config,
  evidence,
  local,
  Run,
  runtimeId,
  T0,
} from '../../../tests/scenario.ts';
import type { Change } from '../../schema/change.ts';
import type { EventDraft } from '../../schema/event.ts';
import { observeBatch } from '../batch.ts';
import { closeDraft } from '../world.ts';

const title = (atMs: number, says: 'running' | 'at_rest' = 'running') =>
  evidence('title', atMs, [claim(says, { rank: 5 })], { kind: 'level', eventTimeMs: atMs });
const started = (atMs: number): EventDraft => ({ type: 'daemon.started', atMs, config });
const found = (atMs: number): EventDraft => ({
  type: 'runtime.found',
  atMs,
  runtimeId: runtimeId(0),
});
const health = (atMs: number, value: 'ok' | 'down'): EventDraft => ({
  type: 'target.changed',
  atMs,
  target: { targetId: local, name: 'local', kind: 'local', connectionRef: null, health: value },
});

/** Running since T0 + 1 s, by a hook and by the title. */
const running = () =>
  new Run().see(evidence('hooks', T0 + 1_000, [claim('running')]), title(T0 + 1_100));

const MINUTE = 60_000;

describe('the start of a state', () => {
  test('survives a restart of the daemon when the state is confirmed as it was', () => {
    const run = running().apply(started(T0 + MINUTE));
    expect(run.row()).toMatchObject({ reasonCode: 'reconfirming', sinceMs: T0 + MINUTE });
    run.apply(found(T0 + MINUTE + 100)).see(title(T0 + MINUTE + 200));
    expect(run.row()).toMatchObject({ state: 'running', sinceMs: T0 + 1_000 });
  });

  test('survives a restart when a weaker source is read before the one that decides', () => {
    const screen = (atMs: number) =>
      evidence('screen', atMs, [claim('waiting_approval', { rank: 11 })], {
        kind: 'level',
        eventTimeMs: atMs,
      });
    const run = new Run().see(title(T0 + 1_000), screen(T0 + 1_100), screen(T0 + 1_400));
    const before = run.row();
    expect(before).toMatchObject({ state: 'waiting_approval' });
    run.apply(started(T0 + MINUTE), found(T0 + MINUTE + 100)).see(title(T0 + MINUTE + 200));
    expect(run.row()).toMatchObject({ state: 'unknown', reasonCode: 'reconfirming' });
    run.see(screen(T0 + MINUTE + 300));
    expect(run.row()).toMatchObject({ state: 'waiting_approval', sinceMs: before.sinceMs });
  });

  test('survives two restarts, the second before the state was confirmed', () => {
    const run = running().apply(started(T0 + MINUTE), started(T0 + 2 * MINUTE));
    run.apply(found(T0 + 2 * MINUTE + 100)).see(title(T0 + 2 * MINUTE + 200));
    expect(run.row()).toMatchObject({ state: 'running', sinceMs: T0 + 1_000 });
  });

  test('of a row whose target is down is its last answer, also after a restart', () => {
    const down = (atMs: number) => {
      const event = health(atMs, 'down');
      const target = {
        ...(event.type === 'target.changed' && event.target),
        answeredAtMs: T0 + 30_000,
      };
      return { ...event, target } as EventDraft;
    };
    const run = running().apply(health(T0 + 2_000, 'ok'), down(T0 + MINUTE));
    const hidden = { reasonCode: 'target_unreachable', sinceMs: T0 + 30_000 };
    expect(run.row()).toMatchObject(hidden);
    run.apply(started(T0 + 2 * MINUTE), health(T0 + 2 * MINUTE + 1, 'ok'));
    expect(run.row()).toMatchObject({ reasonCode: 'reconfirming' });
    run.apply(down(T0 + 3 * MINUTE));
    expect(run.row()).toMatchObject(hidden);
  });

  test('survives a lost connection when the state is confirmed as it was', () => {
    const run = running().apply(health(T0 + MINUTE, 'ok'), health(T0 + 2 * MINUTE, 'down'));
    expect(run.row()).toMatchObject({ reasonCode: 'target_unreachable' });
    run.apply(health(T0 + 3 * MINUTE, 'ok'), found(T0 + 3 * MINUTE + 100));
    run.see(title(T0 + 3 * MINUTE + 200));
    expect(run.row()).toMatchObject({ state: 'running', sinceMs: T0 + 1_000 });
  });

  test('is that of the event when the daemon reads it after a downtime', () => {
    const run = running().apply(started(T0 + 10 * MINUTE));
    const asked = evidence('hooks', T0 + 2 * MINUTE, [claim('waiting_approval')], {
      ingestedAtMs: T0 + 10 * MINUTE + 50,
      backfill: true,
    });
    run
      .see(asked)
      .apply(found(T0 + 10 * MINUTE + 100))
      .see(title(T0 + 10 * MINUTE + 200));
    expect(run.row()).toMatchObject({ state: 'waiting_approval', sinceMs: T0 + 2 * MINUTE });
  });

  test('is that of the event when the agent came while the daemon was down', () => {
    const run = new Run(agents());
    const late = (says: 'running' | 'waiting_approval', atMs: number) =>
      evidence('hooks', atMs, [claim(says)], { ingestedAtMs: T0 + 10 * MINUTE, backfill: true });
    run.see(late('running', T0 + MINUTE));
    expect(run.row()).toMatchObject({ state: 'running', sinceMs: T0 + MINUTE });
    run.see(late('waiting_approval', T0 + 2 * MINUTE));
    expect(run.row()).toMatchObject({ state: 'waiting_approval', sinceMs: T0 + 2 * MINUTE });
  });

  test('is the end of the state before it when an older claim counts again', () => {
    const ends = { covers: ['waiting_approval' as const] };
    const osc = (atMs: number, says: 'waiting_approval' | 'at_rest') =>
      evidence('osc', atMs, [claim(says, ends)], { ingestedAtMs: T0 + 8 * MINUTE });
    const run = running().see(osc(T0 + 3 * MINUTE, 'waiting_approval'));
    expect(run.row()).toMatchObject({ state: 'waiting_approval', sinceMs: T0 + 3 * MINUTE });
    run.see(osc(T0 + 7 * MINUTE, 'at_rest'));
    expect(run.row()).toMatchObject({ state: 'running', sinceMs: T0 + 7 * MINUTE });
  });

  test('is not before a state that was known, also with a suspension between them', () => {
    const osc = (atMs: number, says: 'waiting_approval' | 'at_rest') =>
      evidence('osc', atMs, [claim(says, { covers: ['waiting_approval'] })]);
    const suspends = (suspended: boolean, atMs: number): EventDraft => ({
      type: 'runtime.suspended',
      ...{ atMs, runtimeId: runtimeId(0), suspended },
    });
    const run = running().see(osc(T0 + 3 * MINUTE, 'waiting_approval'));
    run.apply(suspends(true, T0 + 5 * MINUTE)).see(osc(T0 + 6 * MINUTE, 'at_rest'));
    run.apply(suspends(false, T0 + 7 * MINUTE));
    expect(run.row()).toMatchObject({ state: 'running', sinceMs: T0 + 7 * MINUTE });
  });

  test('never lies before that of the state that it follows', () => {
    const work = claim('running', { covers: ['running'] });
    const run = new Run().see(evidence('hooks', T0 + MINUTE, [work]));
    run.see(
      evidence('osc', T0 + 1_000, [claim('error', { covers: [] })], {
        ingestedAtMs: T0 + 2 * MINUTE,
      }),
    );
    expect(run.row()).toMatchObject({ state: 'error', sinceMs: T0 + MINUTE });
  });
});

test('a step of history carries the moment at which its state began', () => {
  const run = running();
  const asked = evidence('hooks', T0 + 2_000, [claim('waiting_approval')], {
    ingestedAtMs: T0 + MINUTE,
  });
  const numbering = (event: EventDraft) => ({ ...event, eventId: asked.eventId }) as never;
  const batch = observeBatch(
    run.world,
    run.sightings,
    [{ kind: 'evidence', evidence: asked }],
    numbering,
  );
  const isRow = (each: Change) => each.kind === 'row';
  expect(closeDraft(batch.draft).changes.findLast(isRow)).toMatchObject({ atMs: T0 + 2_000 });
});
