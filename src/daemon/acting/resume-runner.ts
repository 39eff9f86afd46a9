// Plans the start of an ended agent and watches for what comes of it. The caller starts it, in its
// own environment: it is no child of the daemon. Its session, named again, proves it.

import { randomUUID } from 'node:crypto';
import { type ActionResult, delivered, refused, unconfirmed } from '../../acting/action-result.ts';
import type { Registry } from '../../agents/registry.ts';
import { liveRuntime, type PaneRecord, type World } from '../../core/world.ts';
import type { CallersPort, CallerWitness, Starter } from '../../operations/ports/callers-port.ts';
import type { ResumesPort, TargetLogin } from '../../operations/ports/ports.ts';
import { Fault } from '../../platform/fault.ts';
import { untilAborted } from '../../platform/until-aborted.ts';
import type { ActionIntent, ActionReport } from '../../schema/api/acting.ts';
import type { EndedAgentItem, ResumeInput } from '../../schema/api/actions.ts';
import type { EndedAgent } from '../../schema/history.ts';
import { id, type RuntimeId, type SnapshotId, type TargetId } from '../../schema/ids.ts';
import { ok, refuse } from '../../schema/outcome.ts';
import type { ActionTable } from '../../store/tables/actions.ts';
import { actorOf, type CallerJudge, unkeptReport } from './action-runner.ts';
import {
  argvOf,
  endedAgentItem,
  endedWithServer,
  lastOfEach,
  openRuntime,
} from './ended-agents.ts';

/** A slow machine starts an agent in this time, and it names its session. */
const PROOF_MS = 30_000;
/** What the caller was to start and never reported is over after this. */
const REPORT_MS = 60_000;
/** An agent that does not know the session ends before. Some name theirs with the next prompt. */
const STAYS_MS = 5_000;
const LOOK_EVERY_MS = 1_000;
const RUNNING_MAX = 32;
const ENDED_LISTED_MAX = 200;

export interface ResumeRunnerParts {
  readonly nowMs: () => number;
  readonly world: () => World;
  /** Calls back after every change of the world. */
  readonly onChange: (listener: () => void) => Disposable;
  readonly registry: () => Registry;
  readonly endedAgents: (query: {
    readonly sinceMs: number;
    readonly limit: number;
  }) => readonly EndedAgent[];
  readonly actions: Pick<ActionTable, 'begin' | 'finish'>;
  readonly loginOf: (targetId: TargetId) => TargetLogin | null;
  readonly callers: Pick<CallerJudge, 'of'> &
    Pick<CallersPort, 'refuseStart' | 'starterOf' | 'noteStarted'>;
  /** The bundle that it was a member of; null: of none. */
  readonly bundleOf: (agent: EndedAgent) => string | null;
  readonly log: (fault: Fault) => void;
}

interface Running {
  readonly agent: EndedAgent;
  readonly intent: ActionIntent;
  readonly starter: Starter | null;
  /** It is remembered who has started it. */
  isNoted: boolean;
  readonly watch: Disposable;
  readonly report: PromiseWithResolvers<ActionReport>;
  timer: NodeJS.Timeout;
  looks: NodeJS.Timeout | null;
  paneId: string | null;
  /** Its outcome is known; it stays here until the caller has read it, or for a while. */
  isOver: boolean;
}

export class ResumeRunner implements ResumesPort, Disposable {
  readonly #parts: ResumeRunnerParts;
  /** By action id. */
  readonly #running = new Map<string, Running>();

  constructor(parts: ResumeRunnerParts) {
    this.#parts = parts;
  }

  readonly endedAgents: ResumesPort['endedAgents'] = (withinMs) => {
    const agents = this.#listed(withinMs);
    // Of all that have ended, also those whose session is open again.
    const together = endedWithServer(this.#parts.world(), this.#ended(withinMs));
    return agents.map((agent) => this.#item(agent, together));
  };

  #item(agent: EndedAgent, together: ReadonlySet<RuntimeId>): EndedAgentItem {
    const { registry, bundleOf } = this.#parts;
    const isWithServer = together.has(agent.runtimeId);
    return endedAgentItem(registry(), agent, { isWithServer, bundle: bundleOf(agent) });
  }

  #listed(withinMs: number): readonly EndedAgent[] {
    return lastOfEach(this.#parts.world(), this.#ended(withinMs));
  }

  #ended(withinMs: number): readonly EndedAgent[] {
    const { nowMs, endedAgents } = this.#parts;
    return endedAgents({ sinceMs: nowMs() - withinMs, limit: ENDED_LISTED_MAX });
  }

  readonly begin: ResumesPort['begin'] = (runtimeId, input, { actor, witness }) => {
    const agent = this.#listed(Number.POSITIVE_INFINITY).find(
      (each) => each.runtimeId === runtimeId,
    );
    if (!agent) return refuse('E_SESSION_OPEN', 'the session is open in another pane by now');
    const { registry, world, loginOf } = this.#parts;
    const argv = argvOf(registry(), agent, input.args);
    if (!argv.ok) return argv;
    const target = world().targets.get(agent.targetId);
    const login = loginOf(agent.targetId);
    const refusal = this.#refuseCaller(witness, input) ?? this.#refusal(agent);
    if (refusal) return refusal;
    if (target?.kind !== 'local' && login === null) {
      return refuse('E_TARGET_UNREACHABLE', `there is no way to ${agent.targetId} now`);
    }
    const actionId = input.dry_run ? null : this.#start(agent, input.args, { actor, witness });
    return ok({
      action_id: actionId,
      agent: this.#item(agent, new Set()),
      target_kind: target?.kind ?? 'ssh',
      server: agent.server ?? '',
      login: login && {
        destination: login.destination,
        config_file: login.configFile,
        tmux_path: login.tmuxPath,
      },
      argv: [...argv.value],
    });
  };

  /** An agent starts again what a person had started; a member is held by its policy. */
  #refuseCaller(witness: CallerWitness, { args }: ResumeInput) {
    const refusal = this.#parts.callers.refuseStart(witness, null);
    if (refusal === null || refusal.ok) return null;
    if (refusal.refusal.code === 'E_POLICY') return refusal;
    // An option can switch off what the agent asks a person for.
    if (args.length === 0) return null;
    const detail = 'a command that an agent runs may give no options to a resumed agent';
    return refuse('E_NOT_PERMITTED', detail);
  }

  #refusal({ targetId, sessionKey }: EndedAgent) {
    const { world } = this.#parts;
    if (world().targets.get(targetId)?.health === 'down') {
      return refuse('E_TARGET_UNREACHABLE', `target ${targetId} does not answer`);
    }
    const isRunning = [...this.#running.values()].some(
      ({ agent, isOver }) =>
        !isOver && agent.sessionKey === sessionKey && agent.targetId === targetId,
    );
    if (isRunning) return refuse('E_SESSION_OPEN', 'the session is being resumed already');
    return this.#running.size < RUNNING_MAX
      ? null
      : refuse('E_ACTIONS_BUSY', 'too many agents are being resumed');
  }

  /** Stores the intent, or throws a Fault: then nothing is started. */
  #start(
    agent: EndedAgent,
    args: readonly string[],
    { actor, witness }: { readonly actor: string; readonly witness: CallerWitness },
  ): string {
    const { actions, nowMs, onChange, callers } = this.#parts;
    const actionId = randomUUID();
    const { targetId, paneKey, paneId, runtimeId, sessionKey } = agent;
    const observedAtMs = nowMs();
    const intent: ActionIntent = {
      actionId,
      requestRef: null,
      kind: 'resume',
      paneId,
      snapshot: {
        ...{ snapshotId: id<SnapshotId>(randomUUID()), targetId, paneKey, runtimeId },
        ...{ stateVersion: 0, observedAtMs, expiresAtMs: observedAtMs + REPORT_MS },
        nonce: randomUUID(),
      },
      actor: actorOf(callers.of(witness)) ?? actor,
      input: JSON.stringify({ session_key: sessionKey, args }),
    };
    actions.begin(intent);
    this.#running.set(actionId, {
      ...{ agent, intent, starter: callers.starterOf(witness), isNoted: false },
      watch: onChange(() => this.#look(actionId)),
      report: Promise.withResolvers<ActionReport>(),
      timer: setTimeout(() => {
        this.#finish(actionId, unconfirmed('the command that was to start it has not reported'));
        this.#running.delete(actionId);
      }, REPORT_MS),
      looks: null,
      paneId: null,
      isOver: false,
    });
    return actionId;
  }

  readonly outcome: ResumesPort['outcome'] = async (actionId, { paneId, failure }, signal) => {
    const running = this.#running.get(actionId);
    if (!running) return refuse('E_REF_NOT_FOUND', `no resume ${actionId} is under way`);
    running.paneId = paneId;
    clearTimeout(running.timer);
    running.timer = setTimeout(() => this.#giveUp(actionId), PROOF_MS);
    if (!running.isOver) {
      running.looks ??= setInterval(() => this.#look(actionId), LOOK_EVERY_MS);
    }
    if (failure === null) this.#look(actionId);
    else this.#finish(actionId, refused('E_AGENT_START_FAILED', failure));
    const report = await untilAborted(running.report.promise, signal);
    // The caller has it: many may be resumed one after the other.
    clearTimeout(running.timer);
    this.#running.delete(actionId);
    if (report.result !== 'refused') return ok(report);
    return refuse('E_AGENT_START_FAILED', report.detail ?? 'it was not started');
  };

  /** Whether the agent has named its session again, or stays in the pane that was made for it. */
  #look(actionId: string): void {
    const running = this.#running.get(actionId);
    if (!running) return;
    this.#noteStarted(running);
    const { agent, paneId } = running;
    const runtime = openRuntime(this.#parts.world(), agent);
    if (runtime && runtime.runtimeId !== agent.runtimeId) {
      const pane = this.#parts.world().panes.get(runtime.paneKey)?.facts?.paneId ?? 'no pane';
      this.#finish(actionId, delivered(`${runtime.agent} goes on in ${pane}`));
      return;
    }
    const started = this.#startedIn(running);
    if (started?.agent !== agent.agent) return;
    if (this.#parts.nowMs() - (started.foundAtMs ?? 0) < STAYS_MS) return;
    const what = `${agent.agent} goes on in ${paneId}`;
    const detail = `${what}, and names its session with its next prompt`;
    this.#finish(actionId, delivered(detail));
  }

  /** The agent in the pane in which it was started. */
  #startedIn(running: Running) {
    const pane = this.#paneOf(running);
    return pane ? liveRuntime(this.#parts.world(), pane.runtimeId) : null;
  }

  /** The pane in which it was started. */
  #paneOf({ agent, paneId }: Running): PaneRecord | null {
    const found = [...this.#parts.world().panes.values()].find(
      ({ targetId, facts, goneAtMs }) =>
        targetId === agent.targetId &&
        facts?.server === agent.server &&
        facts?.paneId === paneId &&
        goneAtMs === null,
    );
    return found ?? null;
  }

  /** As soon as its pane is listed. */
  #noteStarted(running: Running): void {
    const facts = this.#paneOf(running)?.facts;
    if (!facts || running.isNoted) return;
    const { callers, log } = this.#parts;
    const place = { ...facts, serverPid: facts.generation.pid };
    try {
      callers.noteStarted(running.starter, [place]);
      running.isNoted = true;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      log(error);
    }
  }

  #giveUp(actionId: string): void {
    const running = this.#running.get(actionId);
    if (running) this.#finish(actionId, unconfirmed(this.#found(running)));
    this.#running.delete(actionId);
  }

  /** What became of it. */
  #found(running: Running): string {
    const where = running.paneId ?? 'its pane';
    const runtime = this.#startedIn(running);
    if (runtime === null) return `no agent is in ${where}: see there why it has ended`;
    return `${runtime.agent} runs in ${where} and has not named its session yet`;
  }

  #finish(actionId: string, result: ActionResult): void {
    const running = this.#running.get(actionId);
    if (!running || running.isOver) return;
    running.isOver = true;
    clearInterval(running.looks ?? undefined);
    running.watch[Symbol.dispose]();
    const { actions, nowMs, log } = this.#parts;
    const code = result.result === 'refused' ? result.code : null;
    const outcome = { result: result.result, code, detail: result.detail, atMs: nowMs() };
    try {
      running.report.resolve(actions.finish(actionId, outcome));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      log(error);
      const detail = `${result.detail}; the audit trail could not be written: ${error.message}`;
      running.report.resolve(unkeptReport(running.intent, { ...outcome, detail }));
    }
  }

  /** What is on its way then stays open in the trail; the next life closes it as unconfirmed. */
  [Symbol.dispose](): void {
    for (const { watch, timer, looks } of this.#running.values()) {
      clearInterval(looks ?? undefined);
      watch[Symbol.dispose]();
      clearTimeout(timer);
    }
    this.#running.clear();
  }
}
