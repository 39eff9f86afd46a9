// How programs under `agtmux run` ended. Only the wrapper knows the exit code: it ends the agent
// that it had started, or reports an end that no scan of processes could see. A pane that is
// not listed yet, after a start of the daemon, is waited for.

import { agentNameOf } from '../../agents/identify/wrapped-program.ts';
import { countAt, readFields, textAt } from '../../agents/signals/fields.ts';
import { isEndByKill } from '../../core/identity/kill.ts';
import type { Observation } from '../../core/ingest.ts';
import {
  addressOf,
  liveRuntime,
  type PaneRecord,
  type RuntimeRecord,
  type World,
} from '../../core/world.ts';
import { Fault } from '../../platform/fault.ts';
import type { IngestEvent } from '../../schema/api/ingest.ts';
import type { EventOf } from '../../schema/event.ts';
import type { Evidence } from '../../schema/evidence.ts';
import { type AgentName, id, type TargetId } from '../../schema/ids.ts';
import type { Daemon } from '../../sources/known-pane.ts';
import { selfDeclaredSignature, startOf } from '../../sources/processes/process-scan.ts';
import { WRAPPER } from '../../sources/spool/event-evidence.ts';

export interface WrappedEnd {
  readonly targetId: TargetId;
  readonly server: string;
  readonly paneId: string;
  readonly pid: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly agent: AgentName;
  /** As shells count: 128 and the signal. */
  readonly exitCode: number;
  readonly signal: string | null;
}

/** Start times are counted from a boot in whole seconds, and so may be off by one. */
const START_SLACK_MS = 1_500;
/** A listing comes about once a second; after this the pane does not exist. */
const WAIT_MS = 30_000;
const WAITING_MAX = 64;
/** The exit code for a signal with an unknown number. */
const SIGNALLED = 128;

const signalName = /^SIG[A-Z0-9]{2,10}$/;

/** The end of a wrapped program that an event reports; null for any other event. */
export function wrappedEndOf(event: IngestEvent, evidence: Evidence): WrappedEnd | null {
  const { source, bind, eventTimeMs: endedAtMs } = evidence;
  const fields = readFields(event.payload);
  if (source !== WRAPPER || event.type !== 'exit' || typeof fields === 'string') return null;
  const { targetId, server, paneId, pid } = bind ?? {};
  if (!targetId || server === undefined || paneId === undefined || pid === undefined) return null;
  const signal = textAt(fields, 'signal') ?? null;
  const code = countAt(fields, 'code') ?? (signal === null ? null : SIGNALLED);
  if (code === null) return null;
  const name = textAt(fields, 'name', 'program') ?? '';
  return {
    targetId,
    server,
    paneId,
    pid,
    startedAtMs: Math.max(0, endedAtMs - (countAt(fields, 'lasted_ms') ?? 0)),
    endedAtMs,
    agent: id<AgentName>(event.agent ?? agentNameOf(name)),
    exitCode: Number.isSafeInteger(code) ? code : SIGNALLED,
    signal: signal !== null && signalName.test(signal) ? signal : null,
  };
}

/** The agent is the wrapped program, or started while it ran; a later one reuses the pid. */
const isWithin = ({ pid, startedAtMs }: RuntimeRecord, end: WrappedEnd): boolean =>
  startedAtMs <= end.endedAtMs + START_SLACK_MS &&
  (pid === end.pid ||
    (startedAtMs >= end.startedAtMs - START_SLACK_MS && startedAtMs <= end.endedAtMs));

/** The last agent of the pane, where this is its end. */
function runtimeOf(world: World, pane: PaneRecord, end: WrappedEnd): RuntimeRecord | null {
  const last = pane.runtimeId ?? pane.pastRuntimes.at(-1);
  // Of two short runs the first has its end already.
  if (last === undefined || (pane.ending?.isCertain && pane.ending.runtimeId === last)) return null;
  const runtime = world.runtimes.get(last);
  return runtime && isWithin(runtime, end) ? runtime : null;
}

/** A person pressed Ctrl-C: the program ended by that signal, or as shells report it. */
const isInterrupt = ({ signal, exitCode }: WrappedEnd): boolean =>
  signal === 'SIGINT' || (signal === null && exitCode === 130);

export class WrappedEnds {
  readonly #world: () => World;
  readonly #daemon: Daemon;
  readonly #waiting: { readonly end: WrappedEnd; readonly untilMs: number }[] = [];

  constructor(world: () => World, daemon: Daemon) {
    this.#world = world;
    this.#daemon = daemon;
  }

  add(end: WrappedEnd): void {
    if (this.#isApplied(end)) return;
    this.#waiting.push({ end, untilMs: this.#daemon.nowMs() + WAIT_MS });
    this.#waiting.splice(0, this.#waiting.length - WAITING_MAX);
  }

  /** Retries the ends whose pane was unknown. Call it periodically. */
  retry(): void {
    const nowMs = this.#daemon.nowMs();
    for (const each of this.#waiting.splice(0)) {
      if (!this.#isApplied(each.end) && nowMs < each.untilMs) this.#waiting.push(each);
    }
  }

  /** False when it must be retried: unknown pane or store fault. Its spool file is deleted. */
  #isApplied(end: WrappedEnd): boolean {
    try {
      return this.#apply(end);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return false;
    }
  }

  /** False where the pane is not known. */
  #apply(end: WrappedEnd): boolean {
    const world = this.#world();
    const paneKey = world.addresses.get(addressOf(end));
    const pane = paneKey === undefined ? undefined : world.panes.get(paneKey);
    if (!pane) return false;
    const observations = this.#observations(world, pane, end);
    if (observations.length > 0) this.#daemon.submit(observations);
    return true;
  }

  #observations(world: World, pane: PaneRecord, end: WrappedEnd): readonly Observation[] {
    const atMs = this.#daemon.nowMs();
    const { exitCode, signal } = end;
    // tmux reuses its ids: the pane with this one now did not exist then.
    const bornAtMs = pane.facts?.birth.startedAtMs ?? 0;
    if (bornAtMs > end.endedAtMs + START_SLACK_MS) return [];
    const own = runtimeOf(world, pane, end);
    // A wrapper that the pane's agent runs as a tool.
    if (!own && liveRuntime(world, pane.runtimeId)) return [];
    // It started and ended between two scans.
    const started = own ? null : this.#daemon.paneAt(end, end.paneId);
    const start = started && startOf(started, this.#startOf(end, atMs));
    const runtimeId = start?.runtimeId ?? own?.runtimeId;
    if (runtimeId === undefined) return [];
    const fact: Omit<EventOf<'runtime.ended'>, 'eventId'> = {
      type: 'runtime.ended',
      atMs,
      runtimeId,
      reason: 'process_gone',
      exitCode,
      crashed: exitCode !== 0 && !isInterrupt(end) && !(own && isEndByKill(own, atMs)),
      wrapped: true,
      ...(signal === null ? {} : { signal }),
    };
    const ended: Observation = { kind: 'fact', fact };
    return start ? [{ kind: 'fact', fact: start }, ended] : [ended];
  }

  #startOf({ agent, pid, startedAtMs }: WrappedEnd, nowMs: number) {
    const process = { pid, startedAtMs };
    return { agent, basis: 'event', process, signature: selfDeclaredSignature, nowMs } as const;
  }
}
