// May an action run? Each refusal by its code, and what --force-stale forgives and does not.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  agents,
  claim,
  config,
  evidence,
  local,
  paneKey,
  Run,
  runtimeId,
  runtimeStarts,
  T0,
} from '../../tests/scenario.ts';
import { type ActionGuards, type ActionSnapshot, actionSnapshotSchema } from '../schema/action.ts';
import type { EventDraft } from '../schema/event.ts';
import { id, type RequestId } from '../schema/ids.ts';
import type { OpenRequest, PaneRow } from '../schema/pane.ts';
import type { ProblemCode } from '../schema/problem.ts';
import { checkAction, isAlreadyAnswered, requestMeant, takeSnapshot } from './guard.ts';

const waiting = () => new Run().see(evidence('hooks', T0, [claim('waiting_input')]));
const snapshotOf = (run: Run, nowMs = T0 + 100): ActionSnapshot => {
  const pane = run.world.panes.get(paneKey(0));
  if (!pane) throw new Error('no pane');
  return takeSnapshot(run.world, pane, { snapshotId: id('s1'), nonce: 'nonce-01', nowMs });
};
const target = (health: 'ok' | 'degraded' | 'down'): EventDraft => ({
  type: 'target.changed',
  atMs: T0 + 101,
  target: { targetId: local, name: 'local', kind: 'local', connectionRef: null, health },
});
/** The agent that is in the pane now ends. */
const endOf = (run: Run, atMs: number): EventDraft => ({
  type: 'runtime.ended',
  atMs,
  runtimeId: run.row().runtimeId ?? runtimeId(0),
  reason: 'process_gone',
  exitCode: 0,
  crashed: false,
});

interface CheckOptions {
  readonly guards?: Partial<ActionGuards>;
  readonly lastSeenAtMs?: number;
  readonly nowMs?: number;
}
const check = (
  run: Run,
  snapshot: ActionSnapshot,
  options: CheckOptions = {},
): ProblemCode | 'ok' => {
  const outcome = checkAction(run.world, {
    snapshot,
    guards: { forceStale: false, ...options.guards },
    lastSeenAtMs: options.lastSeenAtMs ?? T0 + 100,
    nowMs: options.nowMs ?? T0 + 200,
  });
  return outcome.ok ? 'ok' : outcome.refusal.code;
};

test('a snapshot holds the pane, its runtime, its version and its end, and fits its schema', () => {
  const run = waiting();
  expect(actionSnapshotSchema.parse(snapshotOf(run))).toEqual({
    snapshotId: 's1',
    targetId: local,
    paneKey: paneKey(0),
    runtimeId: runtimeId(0),
    stateVersion: run.row().stateVersion,
    observedAtMs: T0 + 100,
    expiresAtMs: T0 + 100 + config.actionSnapshotMs,
    nonce: 'nonce-01',
  });
});

test('an action on what is still true names the pane and its runtime', () => {
  const run = waiting();
  const request = {
    snapshot: snapshotOf(run),
    guards: { forceStale: false },
    lastSeenAtMs: T0,
    nowMs: T0 + 101,
  };
  expect(checkAction(run.world, request)).toEqual({
    ok: true,
    value: { paneKey: paneKey(0), runtimeId: runtimeId(0) },
  });
});

describe('what happened since the snapshot', () => {
  const news: [string, (run: Run) => Run, ProblemCode | 'ok', ProblemCode | 'ok'][] = [
    ['nothing', (run) => run, 'ok', 'ok'],
    [
      'the pane is gone',
      (run) =>
        run.apply({ type: 'pane.gone', atMs: T0 + 150, paneKey: paneKey(0), reason: 'closed' }),
      'E_REF_NOT_FOUND',
      'E_REF_NOT_FOUND',
    ],
    [
      'the pane is forgotten',
      (run) => run.apply({ type: 'target.removed', atMs: T0 + 150, targetId: local }),
      'E_REF_NOT_FOUND',
      'E_REF_NOT_FOUND',
    ],
    [
      'the target is down',
      (run) => run.apply(target('down')),
      'E_TARGET_UNREACHABLE',
      'E_TARGET_UNREACHABLE',
    ],
    ['the target is degraded', (run) => run.apply(target('degraded')), 'ok', 'ok'],
    [
      'another agent runs there',
      (run) => run.apply(runtimeStarts(0, 2, T0 + 150)),
      'E_RUNTIME_STALE',
      'E_RUNTIME_STALE',
    ],
    [
      'the agent has ended',
      (run) => run.apply(endOf(run, T0 + 150)),
      'E_RUNTIME_STALE',
      'E_RUNTIME_STALE',
    ],
    [
      'the state is another',
      (run) => run.see(evidence('hooks', T0 + 150, [claim('running')])),
      'E_PRECONDITION_FAILED',
      'ok',
    ],
    [
      'it went away and came back',
      (run) =>
        run.see(
          evidence('hooks', T0 + 150, [claim('running')]),
          evidence('hooks', T0 + 160, [claim('waiting_input')]),
        ),
      'E_PRECONDITION_FAILED',
      'ok',
    ],
    [
      'a person saw it',
      (run) =>
        run.apply({
          type: 'attention.seen',
          atMs: T0 + 150,
          paneKey: paneKey(0),
          requestIds: run.row().attention.requests.map(({ requestId }) => requestId),
        }),
      'ok',
      'ok',
    ],
  ];
  test.each(news)(
    '%s: the action is refused or not, plain and forced',
    (_name, happen, plain, forced) => {
      const run = waiting();
      const snapshot = snapshotOf(run);
      happen(run);
      expect(check(run, snapshot)).toBe(plain);
      expect(check(run, snapshot, { guards: { forceStale: true } })).toBe(forced);
    },
  );
});

test('forceStale accepts all that a plain check accepts, and never another runtime', () => {
  const steps: readonly ((run: Run, atMs: number) => Run)[] = [
    (run, atMs) => run.see(evidence('hooks', atMs, [claim('running')])),
    (run, atMs) => run.see(evidence('hooks', atMs, [claim('waiting_input')])),
    (run, atMs) => run.apply(endOf(run, atMs)),
    (run, atMs) => run.apply(runtimeStarts(0, 2, atMs)),
    (run, atMs) => run.apply({ type: 'pane.gone', atMs, paneKey: paneKey(0), reason: 'closed' }),
    (run) => run.apply(target('down')),
    (run) => run.apply(target('ok')),
  ];
  const plan = fc.array(fc.constantFrom(...steps), { maxLength: 6 });
  fc.assert(
    fc.property(plan, fc.nat(2 * config.actionSnapshotMs), (happenings, ageMs) => {
      const run = waiting();
      const snapshot = snapshotOf(run);
      for (const [index, happen] of happenings.entries()) happen(run, T0 + 150 + index);
      const nowMs = snapshot.observedAtMs + ageMs;
      const forced = check(run, snapshot, { nowMs, guards: { forceStale: true } });
      if (check(run, snapshot, { nowMs }) === 'ok') expect(forced).toBe('ok');
      const isSameAgent = run.row().runtimeId === snapshot.runtimeId;
      if (!isSameAgent) expect(forced).not.toBe('ok');
    }),
  );
});

describe('a snapshot', () => {
  test('is good until it expires and not a millisecond longer', () => {
    const run = waiting();
    const { expiresAtMs, ...rest } = snapshotOf(run);
    const snapshot = { ...rest, expiresAtMs };
    expect(check(run, snapshot, { nowMs: expiresAtMs - 1 })).toBe('ok');
    expect(check(run, snapshot, { nowMs: expiresAtMs })).toBe('E_SNAPSHOT_EXPIRED');
    expect(check(run, snapshot, { nowMs: expiresAtMs, guards: { forceStale: true } })).toBe('ok');
  });

  test('of a pane without an agent holds while none comes', () => {
    const run = new Run(agents().slice(0, -1));
    const snapshot = snapshotOf(run);
    expect(check(run, snapshot)).toBe('ok');
    expect(check(run.apply(runtimeStarts(0)), snapshot)).toBe('E_RUNTIME_STALE');
  });
});

describe('a guard of the caller', () => {
  const cases: [string, CheckOptions, ProblemCode | 'ok'][] = [
    ['of the runtime that is there', { guards: { ifRuntime: runtimeId(0) } }, 'ok'],
    ['of another runtime', { guards: { ifRuntime: runtimeId(0, 2) } }, 'E_RUNTIME_STALE'],
    ['of the state that it is in', { guards: { ifState: 'waiting_input' } }, 'ok'],
    ['of another state', { guards: { ifState: 'idle' } }, 'E_PRECONDITION_FAILED'],
    [
      'of a row that was seen just in time',
      { guards: { ifUpdatedWithinMs: 5_000 }, lastSeenAtMs: T0, nowMs: T0 + 5_000 },
      'ok',
    ],
    [
      'of a row that was seen too long ago',
      { guards: { ifUpdatedWithinMs: 5_000 }, lastSeenAtMs: T0, nowMs: T0 + 5_001 },
      'E_PRECONDITION_FAILED',
    ],
  ];
  test.each(cases)('%s', (_name, options, expected) => {
    const run = waiting();
    expect(check(run, snapshotOf(run), options)).toBe(expected);
  });

  test.each(cases)('%s, and force forgives no guard of the caller', (_name, options, expected) => {
    const run = waiting();
    const forced = { ...options, guards: { ...options.guards, forceStale: true } };
    expect(check(run, snapshotOf(run), forced)).toBe(expected);
  });
});

test('a refusal says what it is about', () => {
  const run = waiting();
  const outcome = checkAction(run.world, {
    snapshot: snapshotOf(run),
    guards: { forceStale: false, ifState: 'idle' },
    lastSeenAtMs: T0,
    nowMs: T0 + 101,
  });
  expect(outcome.ok ? '' : outcome.refusal.message).toContain('waiting_input');
});

describe('an answer to a request that has been answered', () => {
  const requests = [
    {
      requestId: id('r2'),
      earlierIds: [id<RequestId>('r1')],
      kind: 'approval',
      sinceMs: T0,
      seen: false,
    },
    { requestId: id('c1'), kind: 'completion', sinceMs: T0, seen: false },
  ] satisfies OpenRequest[];
  const before = waiting().row();
  const attention = { ...before.attention, requests: requests };
  const row: PaneRow = { ...before, attention, stateVersion: 4 };
  const given = { requestId: id<RequestId>('r1'), atMs: T0, stateVersion: 4 };
  const later = { requestedAtMs: T0 + 5_000, lastSeenAtMs: T0 + 4_000, nowMs: T0 + 5_000 };
  const meant = requestMeant(row, 'r1');

  test.each([
    ['was asked for before that answer', {}, { requestedAtMs: T0 - 1 }, true],
    ['comes before anybody has read the pane', {}, { lastSeenAtMs: T0 }, true],
    ['comes at once, while the row is as it was', {}, { nowMs: T0 + 100 }, true],
    ['is for the next question', { stateVersion: 3 }, { nowMs: T0 + 9, lastSeenAtMs: T0 }, false],
    ['comes later, while the request is still listed', {}, {}, false],
    ['is for another request', { requestId: id<RequestId>('r0') }, { lastSeenAtMs: T0 }, false],
  ])('that %s', (_, answer, times, isRefused) => {
    const moment = { ...later, ...times, given: { ...given, ...answer } };
    expect(meant && isAlreadyAnswered(row, meant, moment)).toBe(isRefused);
  });

  test('means the only open dialog where no request is named', () => {
    expect(requestMeant(row, undefined)?.requestId).toBe('r2');
    expect(requestMeant(row, 'r3')).toBeUndefined();
  });
});
