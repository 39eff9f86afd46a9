// Prompts that wait for their moment. What is due is decided in core/delivery.ts; here they are
// kept, typed by the one way that all actions take, and settled. At most once: the intent is stored
// before the paste, and one whose daemon ended after that is never typed again.

import { randomBytes } from 'node:crypto';
import {
  type ActionResult,
  type Commit,
  queued,
  type Refused,
  refused,
  wouldDo,
} from '../../acting/action-result.ts';
import { cleanText } from '../../acting/clean-text.ts';
import { refuseAgent, refuseUndescribed, refuseUnknownBox } from '../../acting/readiness.ts';
import { checkText } from '../../acting/send-text.ts';
import { adapterOf, type Registry } from '../../agents/registry.ts';
import { dueDeliveries, judgeDelivery, planMoment } from '../../core/delivery.ts';
import type { PaneRecord, World } from '../../core/world.ts';
import type { ActionOrder, DeliveriesPort, DeliveryQuery } from '../../operations/ports/ports.ts';
import { Fault } from '../../platform/fault.ts';
import { settledWithin } from '../../platform/until-aborted.ts';
import type { Delivery } from '../../schema/action.ts';
import type { ActionIntent, SendInput } from '../../schema/api/acting.ts';
import { isAcpKey } from '../../schema/ids.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { PaneFacts } from '../../schema/pane.ts';
import type { ProblemCode } from '../../schema/problem.ts';
import type { DeliveryOutcome, DeliveryTable } from '../../store/tables/deliveries.ts';

/** More than a person queues; each may hold a long text. */
const OPEN_MAX = 256;
const OPEN_FOR_RUNTIME_MAX = 32;
const TEXT_BYTES_MAX = 100_000;
/** How soon a pane that did not take a prompt is looked at again, or gets the next one. */
const AGAIN_MS = 2_000;
const SETTLED_LISTED_MAX = 200;

/** Refusals that no waiting ends; with any other the prompt waits on. */
const lasting: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  ...(['E_TEXT_REFUSED', 'E_AGENT_UNSUPPORTED', 'E_PANE_OPAQUE', 'E_NOT_PERMITTED'] as const),
]);

export interface DeliveryQueueParts {
  readonly nowMs: () => number;
  readonly world: () => World;
  readonly registry: () => Registry;
  readonly table: DeliveryTable;
  readonly expiryMs: () => number;
  /** Types under the lock of the pane. */
  readonly type: (
    pane: PaneRecord,
    order: ActionOrder,
    call: { readonly signal: AbortSignal; readonly commit: Commit },
  ) => Promise<ActionResult>;
  readonly log: (fault: Fault) => void;
  readonly onDefect: (error: unknown) => void;
}

/** The row of the audit trail that a prompt has. */
export type DeliverySource = Pick<ActionIntent, 'actionId' | 'actor'>;

interface Attempt {
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

export class DeliveryQueue implements DeliveriesPort {
  readonly #parts: DeliveryQueueParts;
  /** Everything that is not settled in the store. */
  readonly #open = new Map<string, Delivery>();
  /** Outcomes that the store does not have yet. */
  readonly #outcomes = new Map<string, DeliveryOutcome>();
  readonly #attempts = new Map<string, Attempt>();
  /** Until when nothing is typed to a runtime. */
  readonly #pauses = new Map<string, number>();
  #isClosed = false;

  constructor(parts: DeliveryQueueParts) {
    this.#parts = parts;
  }

  /** Call it once, when actions of an earlier life are closed. */
  begin(): void {
    for (const delivery of this.#parts.table.open()) {
      this.#open.set(delivery.deliveryId, delivery);
      if (delivery.status === 'typing') {
        const detail = 'the daemon ended while it was typed';
        this.#settle(delivery, { status: 'unconfirmed', code: null, detail });
      }
    }
  }

  /** Keeps a prompt for its moment, or says why not. Throws a Fault where it cannot be stored. */
  add({ actionId, actor }: DeliverySource, pane: PaneRecord, input: SendInput): ActionResult {
    const { nowMs, table, expiryMs } = this.#parts;
    const queuedAtMs = nowMs();
    const { text } = cleanText(input.text);
    const refusal = this.#refuse(pane, input, text);
    if (refusal) return refusal;
    const { runtimeId } = pane.row;
    const planned = planMoment(input.when ?? 'idle', pane.row, queuedAtMs);
    if (!planned.ok) return refused(planned.refusal.code, planned.refusal.message);
    if (runtimeId === null) return refused('E_NO_AGENT', 'no agent is in the pane');
    const { moment, dueAtMs, why } = planned.value;
    if (input.dry_run) return wouldDo(`would be queued: ${why}`);
    const deliveryId = randomBytes(6).toString('hex');
    const delivery: Delivery = {
      ...{ deliveryId, actionId, actor, runtimeId, paneKey: pane.paneKey, text },
      ...{ pressesEnter: input.enter, isPasteSafe: input.paste, moment, queuedAtMs, dueAtMs },
      expiresAtMs: Math.max(queuedAtMs, dueAtMs) + expiryMs(),
      ...{ status: 'waiting', detail: why, settledAtMs: null },
    };
    table.add(delivery);
    this.#open.set(deliveryId, delivery);
    return queued(`delivery ${deliveryId} ${why}`);
  }

  /** What is known to fail later is refused now. */
  #refuse({ row, facts, paneKey }: PaneRecord, input: SendInput, text: string): Refused | null {
    const noAgent = refused('E_NO_AGENT', 'no agent is in the pane');
    if (row.runtimeId === null) return noAgent;
    if (input.force) return refused('E_INPUT_INVALID', 'a queued prompt cannot be forced');
    if (Buffer.byteLength(text) > TEXT_BYTES_MAX) {
      return refused('E_TEXT_REFUSED', `a queued prompt has at most ${TEXT_BYTES_MAX} bytes`);
    }
    // An ACP member takes any text, by its protocol.
    if (!isAcpKey(paneKey)) {
      if (!facts) return noAgent;
      const refusal = this.#refuseText(row.agent ?? 'generic', facts, input, text);
      if (refusal) return refusal;
    }
    const ofRuntime = [...this.#open.values()].filter((each) => each.runtimeId === row.runtimeId);
    if (this.#open.size < OPEN_MAX && ofRuntime.length < OPEN_FOR_RUNTIME_MAX) return null;
    return refused('E_ACTIONS_BUSY', 'too many prompts are queued');
  }

  #refuseText(agent: string, facts: PaneFacts, input: SendInput, text: string): Refused | null {
    const adapter = adapterOf(this.#parts.registry(), agent);
    if (!adapter) return refuseUndescribed(agent);
    const place = { adapter, isForced: false, isOpaque: facts.opaque };
    const refusal = refuseAgent(place, null) ?? refuseUnknownBox(adapter);
    if (refusal) return refusal;
    const checked = checkText({ ...place, text, pressesEnter: input.enter });
    return typeof checked === 'string' ? null : checked;
  }

  /** Settles what is over, and types what is due. Call it about once a second. */
  tick(): void {
    if (this.#isClosed || this.#open.size === 0) return;
    const { nowMs, world } = this.#parts;
    for (const deliveryId of this.#outcomes.keys()) this.#write(deliveryId);
    for (const [runtimeId, untilMs] of this.#pauses) {
      if (nowMs() >= untilMs) this.#pauses.delete(runtimeId);
    }
    const waiting = [...this.#open.values()].filter(
      ({ deliveryId }) => !this.#outcomes.has(deliveryId) && !this.#attempts.has(deliveryId),
    );
    for (const delivery of waiting) {
      const verdict = judgeDelivery(world(), delivery, nowMs());
      if (verdict.kind === 'settle') this.#settle(delivery, verdict);
      if (verdict.kind === 'wait') this.#note(delivery.deliveryId, { detail: verdict.why });
    }
    const busy = new Set([...this.#attempts.keys()].map((each) => this.#open.get(each)?.runtimeId));
    for (const delivery of dueDeliveries(world(), waiting, nowMs())) {
      if (busy.has(delivery.runtimeId) || this.#pauses.has(delivery.runtimeId)) continue;
      this.#attempt(delivery);
    }
  }

  #attempt(delivery: Delivery): void {
    const abort = new AbortController();
    const done = this.#type(delivery, abort.signal)
      .catch((error: unknown) => this.#parts.onDefect(error))
      .finally(() => this.#attempts.delete(delivery.deliveryId));
    this.#attempts.set(delivery.deliveryId, { abort, done });
  }

  async #type(delivery: Delivery, signal: AbortSignal): Promise<void> {
    const { nowMs, world, table, type } = this.#parts;
    const { deliveryId, runtimeId, paneKey } = delivery;
    const pane = world().panes.get(paneKey);
    if (!pane) return;
    let hasBegun = false;
    const commit = (): boolean => {
      signal.throwIfAborted();
      if (judgeDelivery(world(), delivery, nowMs()).kind !== 'type') return false;
      hasBegun = table.begin(deliveryId, nowMs());
      if (hasBegun) this.#note(deliveryId, { status: 'typing', detail: 'is being typed' });
      return hasBegun;
    };
    const result = await type(pane, orderOf(delivery), { signal, commit })
      .catch((defect: unknown) => {
        const detail = 'it failed inside the daemon';
        // Our own bug: nobody knows what was typed before it.
        if (hasBegun) this.#settle(delivery, { status: 'unconfirmed', code: null, detail });
        throw defect;
      })
      .finally(() => this.#pauses.set(runtimeId, nowMs() + AGAIN_MS));
    if (this.#outcomes.has(deliveryId) || !this.#open.has(deliveryId)) return;
    if (result.result === 'refused' && !hasBegun && !lasting.has(result.code)) {
      this.#note(deliveryId, { detail: result.detail });
      return;
    }
    // The world changed between the decision and the paste.
    if (result.result === 'dry_run' || result.result === 'queued') return;
    const code = result.result === 'refused' ? result.code : null;
    this.#settle(delivery, { status: result.result, code, detail: result.detail });
  }

  #note(deliveryId: string, change: Partial<Delivery>): void {
    const delivery = this.#open.get(deliveryId);
    if (delivery) this.#open.set(deliveryId, { ...delivery, ...change });
  }

  #settle({ deliveryId }: Delivery, outcome: Omit<DeliveryOutcome, 'atMs'>): Fault | null {
    const { status, code, detail } = outcome;
    this.#outcomes.set(deliveryId, { status, code, detail, atMs: this.#parts.nowMs() });
    return this.#write(deliveryId);
  }

  /** An outcome that cannot be written now is written later; it is never typed again meanwhile. */
  #write(deliveryId: string): Fault | null {
    const delivery = this.#open.get(deliveryId);
    const outcome = this.#outcomes.get(deliveryId);
    if (!delivery || !outcome) return null;
    try {
      this.#parts.table.settle(delivery, outcome);
      this.#open.delete(deliveryId);
      this.#outcomes.delete(deliveryId);
      return null;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#parts.log(error);
      return error;
    }
  }

  list({ paneKey, includeSettled }: DeliveryQuery): readonly Delivery[] {
    const settled = includeSettled ? this.#parts.table.settled(SETTLED_LISTED_MAX) : [];
    const open = [...this.#open.values()].toSorted((a, b) => a.dueAtMs - b.dueAtMs);
    return [...open, ...settled].filter((each) => paneKey === null || each.paneKey === paneKey);
  }

  /** Settles one that is not typed yet. */
  cancel(deliveryId: string, actor: string): Outcome<Delivery> {
    const delivery = this.#open.get(deliveryId);
    const isOver = delivery?.status === 'typing' || this.#outcomes.has(deliveryId);
    if (!delivery || isOver) {
      return (delivery ?? this.#parts.table.find(deliveryId)) === null
        ? refuse('E_DELIVERY_UNKNOWN', `no queued prompt has the id ${deliveryId}`)
        : refuse('E_DELIVERY_SETTLED', `delivery ${deliveryId} does not wait any more`);
    }
    this.#attempts.get(deliveryId)?.abort.abort();
    const detail = `${actor} cancelled it`;
    const outcome = { status: 'cancelled', code: 'E_DELIVERY_CANCELLED', detail } as const;
    const fault = this.#settle(delivery, outcome);
    if (fault === null) return ok(this.#parts.table.find(deliveryId) ?? delivery);
    const until = 'it is not typed as long as the daemon runs, and that cannot be stored yet';
    return refuse(fault.code, `${until}: ${fault.message}`);
  }

  /** Begins nothing more. Resolves when what is typed has its outcome, or the time is over. */
  async settle(timeoutMs: number): Promise<void> {
    this.#isClosed = true;
    await settledWithin(
      [...this.#attempts.values()].map(({ done }) => done),
      timeoutMs,
    );
  }
}

/** The prompt as an action of now, for this runtime alone. */
const orderOf = (delivery: Delivery): ActionOrder => ({
  kind: 'send',
  input: {
    ...{ ref: delivery.paneKey, text: delivery.text, if_runtime: delivery.runtimeId },
    ...{ enter: delivery.pressesEnter, paste: delivery.isPasteSafe },
    ...{ when: 'idle', force: false, except_caller: false, force_stale: false, dry_run: false },
  },
});
