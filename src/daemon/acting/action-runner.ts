// Runs one action from its request to its audited outcome: snapshot, intent, the lock of the pane,
// the guards again, the flow that types, the outcome. Until its first key an action can be
// cancelled; from there on it runs to its end.

import { randomUUID } from 'node:crypto';
import {
  type ActionResult,
  type Commit,
  type Refused,
  refused,
} from '../../acting/action-result.ts';
import type { PaneLocks } from '../../acting/pane-locks.ts';
import {
  checkAction,
  type GivenAnswer,
  isAlreadyAnswered,
  requestMeant,
  takeSnapshot,
} from '../../core/guard.ts';
import type { PaneRecord, World } from '../../core/world.ts';
import { storedInput } from '../../operations/acting/stored-input.ts';
import type { CallerWitness } from '../../operations/ports/callers-port.ts';
import { isoOf } from '../../operations/ports/iso-time.ts';
import { UNKNOWN_AGENT } from '../../operations/ports/operation.ts';
import type { ActionOrder, ActionsPort } from '../../operations/ports/ports.ts';
import { Fault } from '../../platform/fault.ts';
import { settledWithin, untilAborted } from '../../platform/until-aborted.ts';
import type { ActionGuards, ActionSnapshot } from '../../schema/action.ts';
import type { ActionIntent, ActionReport, SendInput } from '../../schema/api/acting.ts';
import { id, type PaneKey, type RuntimeId, type SnapshotId } from '../../schema/ids.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { ProblemCode } from '../../schema/problem.ts';
import type { ProvenCaller } from '../../schema/relay/message.ts';
import type { ActionTable } from '../../store/tables/actions.ts';
import { LOCAL } from '../daemon-core.ts';
import type { DeliveryQueue } from './delivery-queue.ts';

/** Longer than an action waits for its pane, and than a row takes to follow. */
const ANSWER_KEPT_MS = 120_000;

type Call = Parameters<ActionsPort['perform']>[2];

/** What an action works on, once it has the pane to itself. */
export interface ActionScene {
  readonly pane: PaneRecord;
  readonly order: ActionOrder;
  readonly commit: Commit;
}

/** An agent or a member, a person, or an agent of which nobody knows which it is. */
export type Caller = ProvenCaller | { readonly kind: 'unknown' };

export interface CallerJudge {
  of(witness: CallerWitness): Caller;
  /** Why the caller may not do this to the pane; null where it may. */
  refusalOf(caller: Caller, order: ActionOrder, pane: PaneRecord): Refused | null;
}

export interface ActionRunnerParts {
  readonly nowMs: () => number;
  /** Shared with all else that types. */
  readonly locks: PaneLocks;
  readonly world: () => World;
  readonly lastSeenAtMs: (pane: PaneRecord) => number;
  readonly actions: ActionTable;
  readonly callers: CallerJudge;
  /** Types, and says what came of it. Rejects with a Fault. */
  readonly act: (scene: ActionScene) => Promise<ActionResult>;
  readonly queue: Pick<DeliveryQueue, 'add'>;
  readonly log: (fault: Fault) => void;
}

export class ActionRunner {
  readonly #parts: ActionRunnerParts;
  readonly #locks: PaneLocks;
  /** By action id. */
  readonly #running = new Map<string, Promise<Outcome<ActionReport>>>();
  /** The last answer of each pane; those that no row can wait for any more are left out. */
  readonly #answers = new Map<PaneKey, GivenAnswer>();

  constructor(parts: ActionRunnerParts) {
    this.#parts = parts;
    this.#locks = parts.locks;
  }

  /** Call it once: what an earlier life of the daemon left open has an unknown outcome. */
  closeOpen(): void {
    this.#parts.actions.closeOpen(this.#parts.nowMs());
  }

  async perform(pane: PaneRecord, order: ActionOrder, call: Call): Promise<Outcome<ActionReport>> {
    const { actions, nowMs, world } = this.#parts;
    const { input } = order;
    const earlier = this.earlier(order, call);
    if (earlier) return earlier;
    const { callers } = this.#parts;
    const caller = callers.of(call.witness ?? {});
    const snapshotId = id<SnapshotId>(randomUUID());
    const snapshot = takeSnapshot(world(), pane, {
      ...{ snapshotId, nonce: randomUUID(), nowMs: nowMs() },
    });
    const intent: ActionIntent = {
      actionId: randomUUID(),
      // What was only tried is not done yet: the reference stays free for it.
      requestRef: input.dry_run ? null : (input.request_ref ?? null),
      kind: order.kind,
      paneId: pane.facts?.paneId ?? null,
      snapshot,
      actor: actorOf(caller) ?? call.actor,
      input: storedInput(order),
    };
    // Without a place in the audit trail nothing is typed: a full disk is a Fault here.
    actions.begin(intent);
    const refusal = callers.refusalOf(caller, order, pane) ?? refuseSelf(order, caller, pane);
    const work = refusal ?? this.#begin({ intent, pane, order, call });
    const outcome = Promise.resolve(work).then(
      (result) => this.#finish(intent, result),
      (defect: unknown) => {
        // Our own bug: nobody knows what was typed before it.
        this.#finish(intent, { result: 'unconfirmed', detail: 'it failed inside the daemon' });
        throw defect;
      },
    );
    this.#running.set(intent.actionId, outcome);
    try {
      return await outcome;
    } finally {
      this.#running.delete(intent.actionId);
    }
  }

  /** Types it now, or keeps it for its moment. */
  #begin(action: {
    readonly intent: ActionIntent;
    readonly pane: PaneRecord;
    readonly order: ActionOrder;
    readonly call: Call;
  }): ActionResult | Promise<ActionResult> {
    const { intent, pane, order, call } = action;
    const { snapshot } = intent;
    if (order.kind === 'send' && order.input.when !== undefined) {
      return this.#refusal(snapshot, order) ?? this.#queued(intent, pane, order.input);
    }
    const commit = (): boolean => {
      if (order.input.dry_run) return false;
      call.commit();
      return true;
    };
    return this.#locked(snapshot, order, { signal: call.signal, commit });
  }

  #queued(intent: ActionIntent, pane: PaneRecord, input: SendInput): ActionResult {
    try {
      return this.#parts.queue.add(intent, pane, input);
    } catch (error) {
      if (error instanceof Fault) return refused(error.code, error.message);
      throw error;
    }
  }

  /**
   * Types a queued prompt if nothing stands against it. Its row is in the audit trail already; the
   * queue writes what came of it.
   */
  deliver(
    pane: PaneRecord,
    order: ActionOrder,
    call: { readonly signal: AbortSignal; readonly commit: Commit },
  ): Promise<ActionResult> {
    const { world, nowMs } = this.#parts;
    const snapshot = takeSnapshot(world(), pane, {
      ...{ snapshotId: id<SnapshotId>(randomUUID()), nonce: randomUUID(), nowMs: nowMs() },
    });
    return this.#locked(snapshot, order, call);
  }

  /** The outcome of the action that had this reference before; null where none had. */
  earlier(order: ActionOrder, call: Pick<Call, 'signal'>): Promise<Outcome<ActionReport>> | null {
    const { request_ref: requestRef, dry_run: isTried } = order.input;
    if (requestRef === undefined || isTried) return null;
    const found = this.#parts.actions.byRequestRef(requestRef);
    return found && this.#repeated(found, order, call);
  }

  /** The outcome of the same action before, unless the reference was used for another one. */
  async #repeated(
    { report, input }: { report: ActionReport; input: string },
    order: ActionOrder,
    call: Pick<Call, 'signal'>,
  ): Promise<Outcome<ActionReport>> {
    if (report.kind !== order.kind || input !== storedInput(order)) {
      return refuse('E_IDEMPOTENCY_CONFLICT', `${report.request_ref} was used for another action`);
    }
    const running = this.#running.get(report.action_id);
    if (running) return untilAborted(running, call.signal);
    if (report.result === null) {
      return ok({ ...report, result: 'unconfirmed', detail: 'its outcome could not be stored' });
    }
    if (report.result !== 'refused') return ok(report);
    return refuse(report.code as ProblemCode, report.detail ?? 'refused before');
  }

  /** Resolves when every action has its outcome, or the time is over. Call it to stop. */
  settle(timeoutMs: number): Promise<void> {
    return settledWithin(this.#running.values(), timeoutMs);
  }

  async #locked(
    snapshot: ActionSnapshot,
    order: ActionOrder,
    call: { readonly signal: AbortSignal; readonly commit: Commit },
  ): Promise<ActionResult> {
    let hasCommitted = false;
    const commit = (): boolean => {
      hasCommitted = call.commit();
      return hasCommitted;
    };
    try {
      const result = await this.#locks.run(snapshot.paneKey, call.signal, async (hasWaited) => {
        const refusal = this.#refusal(snapshot, order, hasWaited);
        if (refusal) return refusal;
        const pane = this.#parts.world().panes.get(snapshot.paneKey);
        if (!pane) return refused('E_REF_NOT_FOUND', 'the pane is gone');
        return this.#act({ pane, order, commit }, snapshot.observedAtMs);
      });
      return result ?? refused('E_ACTIONS_BUSY', 'too many actions wait for the pane');
    } catch (error) {
      if (error instanceof Fault) {
        if (hasCommitted) return { result: 'unconfirmed', detail: error.message };
        return refused(codeOf(error, snapshot), error.message);
      }
      if (!hasCommitted && call.signal.aborted) {
        return refused('timeout', 'the caller gave up before the first key');
      }
      throw error;
    }
  }

  /** One request gets one answer, however many callers were shown it. */
  async #act(scene: ActionScene, requestedAtMs: number): Promise<ActionResult> {
    const { nowMs, lastSeenAtMs, act } = this.#parts;
    const { pane, order } = scene;
    const { paneKey, row } = pane;
    const meant = order.kind === 'choose' && requestMeant(row, order.input.request_id);
    if (!meant) return act(scene);
    const given = this.#answers.get(paneKey);
    const times = { requestedAtMs, lastSeenAtMs: lastSeenAtMs(pane), nowMs: nowMs() };
    if (given && isAlreadyAnswered(row, meant, { given, ...times })) {
      const detail = 'the request has just been answered; look at what the pane asks now';
      return refused('E_ACTION_OVERTAKEN', detail);
    }
    let result: ActionResult | null = null;
    let hasCommitted = false;
    const commit = (): boolean => {
      hasCommitted = scene.commit();
      return hasCommitted;
    };
    try {
      result = await act({ ...scene, commit });
      return result;
    } finally {
      const { requestId } = meant;
      const { stateVersion } = row;
      if (hasCommitted && mayHaveAnswered(result)) {
        this.#noteAnswer(paneKey, { requestId, atMs: nowMs(), stateVersion });
      }
    }
  }

  #noteAnswer(paneKey: PaneKey, answer: GivenAnswer): void {
    for (const [key, { atMs }] of this.#answers) {
      if (answer.atMs - atMs > ANSWER_KEPT_MS) this.#answers.delete(key);
    }
    this.#answers.set(paneKey, answer);
  }

  /** The guards once more, with the pane to ourselves. */
  #refusal(
    snapshot: ActionSnapshot,
    { input }: ActionOrder,
    hasWaited = false,
  ): ActionResult | null {
    const { world, nowMs, lastSeenAtMs } = this.#parts;
    const pane = world().panes.get(snapshot.paneKey);
    const guards: ActionGuards = {
      ifRuntime: input.if_runtime === undefined ? undefined : id<RuntimeId>(input.if_runtime),
      ifState: input.if_state,
      ifUpdatedWithinMs: input.if_updated_within_ms,
      forceStale: input.force_stale,
    };
    const isOutdated = input.if_version !== undefined && input.if_version !== snapshot.stateVersion;
    if (isOutdated && !input.force_stale) {
      return refused('E_PRECONDITION_FAILED', 'the pane changed since it was shown');
    }
    const request = {
      ...{ snapshot, guards, nowMs: nowMs() },
      lastSeenAtMs: pane ? lastSeenAtMs(pane) : 0,
    };
    const checked = checkAction(world(), request);
    if (checked.ok) return null;
    const { code, message } = checked.refusal;
    const isStaleAlone = checkAction(world(), {
      ...request,
      guards: { ...guards, forceStale: true },
    }).ok;
    const isOvertaken = hasWaited && isStaleAlone && code !== 'E_SNAPSHOT_EXPIRED';
    return refused(isOvertaken ? 'E_ACTION_OVERTAKEN' : code, message);
  }

  #finish(intent: ActionIntent, result: ActionResult): Outcome<ActionReport> {
    const { actions, nowMs, log } = this.#parts;
    const code = result.result === 'refused' ? result.code : null;
    const { detail } = result;
    const atMs = nowMs();
    try {
      const isOpen = result.result === 'queued';
      const outcome = { result: result.result, code, detail, atMs: isOpen ? null : atMs };
      const report = actions.finish(intent.actionId, outcome);
      return result.result === 'refused' ? refusalOf(result) : ok(report);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      log(error);
      if (result.result === 'refused') return refusalOf(result);
      // What was typed was typed: the caller gets the outcome that the trail could not keep.
      const unkept = `${detail}; the audit trail could not be written: ${error.message}`;
      return ok(unkeptReport(intent, { result: result.result, detail: unkept, atMs }));
    }
  }
}

/** Of another machine nobody knows whether its tmux or the way to it is lost. */
const codeOf = ({ code }: Fault, { targetId }: ActionSnapshot): ProblemCode =>
  targetId !== LOCAL && ['tmux_gone', 'timeout', 'target_unreachable'].includes(code)
    ? 'E_TARGET_UNREACHABLE'
    : code;

const refusalOf = ({ code, detail, rule }: Refused): Outcome<never> =>
  refuse(code, detail, rule === undefined ? {} : { rule });

/** In the trail; null where the door knows it better. */
export function actorOf(caller: Caller): string | null {
  if (caller.kind === 'agent') return `agent:${caller.runtimeId}`;
  if (caller.kind === 'unknown') return `agent:${UNKNOWN_AGENT}`;
  return caller.kind === 'member' ? caller.member : null;
}

/** A text to many is not for the one that sends it. */
function refuseSelf(order: ActionOrder, caller: Caller, pane: PaneRecord) {
  const isExcepted = 'except_caller' in order.input && order.input.except_caller;
  if (!isExcepted || caller.kind !== 'agent' || caller.runtimeId !== pane.row.runtimeId) {
    return null;
  }
  return refused('E_NOT_PERMITTED', 'the agent that sends it is not among those that get it');
}

/** A report that no row has. */
export function unkeptReport(
  { actionId, requestRef, kind, snapshot, actor, input }: ActionIntent,
  outcome: Pick<ActionReport, 'result' | 'detail'> & { readonly atMs: number },
): ActionReport {
  return {
    action_id: actionId,
    request_ref: requestRef,
    kind,
    pane_key: snapshot.paneKey,
    runtime_id: snapshot.runtimeId,
    actor,
    input,
    asked_at: isoOf(snapshot.observedAtMs),
    result: outcome.result,
    code: null,
    detail: outcome.detail,
    done_at: isoOf(outcome.atMs),
  };
}

/** Also where it is not known what was pressed. */
const mayHaveAnswered = (result: ActionResult | null): boolean =>
  result === null || (result.result !== 'refused' && result.isUnanswered !== true);
