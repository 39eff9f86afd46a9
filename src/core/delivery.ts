// When a queued prompt may be typed: only to the runtime that it was written for, only while that
// one rests, and only until it expires. Pure; the screen is looked at by whoever types.

import type { Delivery } from '../schema/action.ts';
import type { SendInput } from '../schema/api/acting.ts';
import type { RuntimeId } from '../schema/ids.ts';
import { type Outcome, ok, refuse } from '../schema/outcome.ts';
import type { PaneRow } from '../schema/pane.ts';
import type { ProblemCode } from '../schema/problem.ts';
import type { State } from '../schema/state.ts';
import { liveRuntime, type World } from './world.ts';

/** What a prompt waits for, and the earliest time for it. */
export interface PlannedMoment {
  readonly moment: Delivery['moment'];
  readonly dueAtMs: number;
  /** For people. */
  readonly why: string;
}

export function planMoment(
  when: NonNullable<SendInput['when']>,
  row: PaneRow,
  nowMs: number,
): Outcome<PlannedMoment> {
  if (when === 'idle')
    return ok({ moment: when, dueAtMs: nowMs, why: 'waits for the agent to rest' });
  if (when !== 'reset')
    return ok({ moment: 'time', dueAtMs: when.at_ms, why: 'waits for its time' });
  if (row.reasonCode !== 'usage_limit' || row.untilMs === null) {
    return refuse('E_PRECONDITION_FAILED', 'the agent has no usage limit whose end is known');
  }
  return ok({ moment: when, dueAtMs: row.untilMs, why: 'waits for the end of the usage limit' });
}

export type DeliveryVerdict =
  | { readonly kind: 'wait'; readonly why: string }
  | { readonly kind: 'type' }
  | {
      readonly kind: 'settle';
      readonly status: 'refused' | 'expired';
      readonly code: ProblemCode;
      readonly detail: string;
    };

const wait = (why: string): DeliveryVerdict => ({ kind: 'wait', why });

/** A turn that has failed rests too, and a limit that has ended leaves its error behind. */
const restsFor: Readonly<Record<Delivery['moment'], readonly State[]>> = {
  idle: ['idle', 'completed'],
  time: ['idle', 'completed', 'error'],
  reset: ['idle', 'completed', 'error'],
};

export function judgeDelivery(world: World, delivery: Delivery, nowMs: number): DeliveryVerdict {
  const { runtimeId, paneKey, moment, dueAtMs, expiresAtMs } = delivery;
  const runtime = liveRuntime(world, runtimeId);
  if (runtime === null) {
    const detail = 'the agent that it was meant for has ended';
    return { kind: 'settle', status: 'refused', code: 'E_RUNTIME_STALE', detail };
  }
  if (nowMs >= expiresAtMs) {
    const detail = `its time was over: ${delivery.detail ?? 'nothing came before'}`;
    return { kind: 'settle', status: 'expired', code: 'E_DELIVERY_EXPIRED', detail };
  }
  if (nowMs < dueAtMs) return wait('its time has not come');
  const pane = world.panes.get(paneKey);
  if (!pane || pane.goneAtMs !== null || pane.row.runtimeId !== runtimeId) {
    return wait('the pane of the agent cannot be seen');
  }
  const { presence, state, reasonCode } = pane.row;
  if (presence !== 'managed' || !restsFor[moment].includes(state)) {
    return wait(`the agent is ${reasonCode === null ? state : `${state} (${reasonCode})`}`);
  }
  return { kind: 'type' };
}

/** The deliveries to be typed now: one for each runtime, the one that was due first. */
export function dueDeliveries(
  world: World,
  deliveries: Iterable<Delivery>,
  nowMs: number,
): readonly Delivery[] {
  const next = new Map<RuntimeId, Delivery>();
  for (const delivery of deliveries) {
    if (judgeDelivery(world, delivery, nowMs).kind !== 'type') continue;
    const other = next.get(delivery.runtimeId);
    if (!other || isBefore(delivery, other)) next.set(delivery.runtimeId, delivery);
  }
  return [...next.values()];
}

const isBefore = (a: Delivery, b: Delivery): boolean =>
  a.dueAtMs === b.dueAtMs ? a.queuedAtMs < b.queuedAtMs : a.dueAtMs < b.dueAtMs;
