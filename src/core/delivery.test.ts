// When a queued prompt may be typed, by the state of its agent and the time.

import { describe, expect, test } from 'vitest';
import { claim, evidence, paneKey, Run, runtimeId, T0 } from '../../tests/scenario.ts';
import type { Delivery } from '../schema/action.ts';
import type { Claim } from '../schema/evidence.ts';
import { dueDeliveries, judgeDelivery, planMoment } from './delivery.ts';
import type { World } from './world.ts';

const HOUR_MS = 3_600_000;
const NOW = T0 + 10_000;

const delivery = (changes: Partial<Delivery> = {}): Delivery => ({
  ...{ deliveryId: 'd1', actionId: 'a1', runtimeId: runtimeId(0), paneKey: paneKey(0) },
  ...{ actor: 'user:me', text: 'go on', pressesEnter: true, isPasteSafe: false, moment: 'idle' },
  ...{ queuedAtMs: T0, dueAtMs: T0, expiresAtMs: T0 + HOUR_MS, status: 'waiting', detail: null },
  settledAtMs: null,
  ...changes,
});

function worldWith(says: Claim['says'] | null, changes: Partial<Claim> = {}): World {
  const run = new Run();
  if (says !== null) run.see(evidence('hooks', T0 + 5_000, [claim(says, changes)]));
  return run.world;
}

const rowOf = (world: World) => {
  const row = world.panes.get(paneKey(0))?.row;
  if (!row) throw new Error('no pane');
  return row;
};

describe('a queued prompt', () => {
  test.each([
    ['completed', 'idle', 'type'],
    ['interrupted', 'idle', 'type'],
    ['running', 'idle', 'wait'],
    ['error', 'idle', 'wait'],
    ['waiting_approval', 'idle', 'wait'],
    ['waiting_input', 'reset', 'wait'],
    ['error', 'reset', 'type'],
    ['error', 'time', 'type'],
    ['running', 'time', 'wait'],
    [null, 'idle', 'wait'],
  ] as const)('after %s with the moment %s: %s', (says, moment, kind) => {
    expect(judgeDelivery(worldWith(says), delivery({ moment }), NOW).kind).toBe(kind);
  });

  test('waits for its time', () => {
    const later = delivery({ moment: 'time', dueAtMs: NOW + 1 });
    const world = worldWith('completed');
    expect(judgeDelivery(world, later, NOW).kind).toBe('wait');
    expect(judgeDelivery(world, later, NOW + 1).kind).toBe('type');
  });

  test('is over when its agent has ended, though another one rests in the pane', () => {
    const run = new Run();
    run.see(evidence('hooks', T0 + 5_000, [claim('completed')]));
    const other = delivery({ runtimeId: runtimeId(0, 2) });
    expect(judgeDelivery(run.world, other, NOW)).toMatchObject({
      kind: 'settle',
      code: 'E_RUNTIME_STALE',
    });
  });

  test('expires, also while its agent rests', () => {
    const verdict = judgeDelivery(worldWith('completed'), delivery(), T0 + HOUR_MS);
    expect(verdict).toMatchObject({ kind: 'settle', status: 'expired' });
  });

  test('goes alone: of two for one agent the one that was due first', () => {
    const first = delivery({ deliveryId: 'first', dueAtMs: T0 + 1 });
    const second = delivery({ deliveryId: 'second', dueAtMs: T0 + 2 });
    expect(dueDeliveries(worldWith('completed'), [second, first], NOW)).toEqual([first]);
  });
});

describe('the moment of a prompt', () => {
  test('of a usage limit is its end', () => {
    const limit = { reason: 'usage_limit', untilMs: NOW + HOUR_MS } as const;
    const row = rowOf(worldWith('error', limit));
    expect(planMoment('reset', row, NOW)).toMatchObject({
      value: { moment: 'reset', dueAtMs: NOW + HOUR_MS },
    });
  });

  test.each([[{}], [{ reason: 'usage_limit' }], [{ reason: 'api_error', untilMs: NOW }]] as const)(
    'is refused for an error with %o',
    (changes) => {
      const row = rowOf(worldWith('error', changes));
      expect(planMoment('reset', row, NOW)).toMatchObject({
        refusal: { code: 'E_PRECONDITION_FAILED' },
      });
    },
  );

  test('of a time is that time, and of rest is now', () => {
    const row = rowOf(worldWith('running'));
    expect(planMoment({ at_ms: NOW + 5 }, row, NOW)).toMatchObject({ value: { dueAtMs: NOW + 5 } });
    expect(planMoment('idle', row, NOW)).toMatchObject({ value: { moment: 'idle', dueAtMs: NOW } });
  });
});
