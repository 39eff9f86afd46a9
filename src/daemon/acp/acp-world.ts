// One ACP member in the world: its process is a runtime without a pane, under one key for all its
// lives, and its signals are evidence of a deterministic source. Everything goes through the loop.

import type { SourceSpec } from '../../agents/adapter.ts';
import { acpSignals } from '../../agents/shared/acp-signals.ts';
import type { Observation } from '../../core/ingest.ts';
import { liveRuntime, type World } from '../../core/world.ts';
import { Fault } from '../../platform/fault.ts';
import type { AcpSignal } from '../../relay/acp/acp-signal.ts';
import type { EventOf } from '../../schema/event.ts';
import {
  type AgentName,
  acpKeyOf,
  type ChannelName,
  id,
  type PaneKey,
  type RuntimeId,
  type SourceName,
} from '../../schema/ids.ts';
import { evidenceOf } from '../../sources/evidence.ts';
import { runtimeIdOf, selfDeclaredSignature } from '../../sources/processes/process-scan.ts';
import { LOCAL } from '../daemon-core.ts';

export const ACP_CHANNEL = id<ChannelName>('acp@local');

const source: SourceSpec = {
  name: id<SourceName>('acp'),
  ...{ mode: 'subscribe', kind: 'edge', tier: 'deterministic', covers: [], rank: 0 },
  parameters: {},
};
/** A stream of chunks is a sign of work this often. */
const WORK_MS = 1_000;

export interface AcpWorldParts {
  readonly nowMs: () => number;
  readonly nextEventId: () => string;
  readonly world: () => World;
  readonly submit: (observations: readonly Observation[]) => void;
  readonly startedAtMs: (pid: number) => number | null;
  readonly onFault: (fault: Fault) => void;
}

export class AcpWorld {
  readonly paneKey: PaneKey;
  readonly #parts: AcpWorldParts;
  readonly #member: { readonly name: string; readonly agent: string; readonly cwd: string };
  #runtimeId: RuntimeId | null = null;
  #sequence = 0;
  #workAtMs = 0;
  /** The last update of a tool, as far as it is shown: agents repeat them with each line. */
  #lastUpdate = '';

  constructor(
    parts: AcpWorldParts,
    member: { readonly name: string; readonly agent: string; readonly cwd: string },
  ) {
    this.#parts = parts;
    this.#member = member;
    this.paneKey = acpKeyOf(LOCAL, member.name);
  }

  get runtimeId(): RuntimeId | null {
    return this.#runtimeId;
  }

  /** What an earlier life of the daemon left: its process has ended with that. */
  forgetEarlierLife(): void {
    const { world, nowMs } = this.#parts;
    const runtimeId = world().panes.get(this.paneKey)?.runtimeId ?? null;
    if (liveRuntime(world(), runtimeId) === null || runtimeId === null) return;
    const atMs = nowMs();
    const ended = { type: 'runtime.ended', atMs, runtimeId, reason: 'process_gone' } as const;
    this.#submit([{ kind: 'fact', fact: { ...ended, exitCode: null, crashed: false } }]);
  }

  /** Another process takes the place of the one that is there. */
  replaced(): void {
    this.#runtimeId = null;
    this.forgetEarlierLife();
  }

  note(signal: AcpSignal): void {
    if (signal.kind === 'spawned') this.#started(signal.pid);
    else if (signal.kind === 'exited') this.#ended(signal);
    else if (this.#runtimeId !== null) this.#evidence(this.#runtimeId, signal);
  }

  /** It is shown no longer. */
  gone(): void {
    const { paneKey } = this;
    const pane = this.#parts.world().panes.get(paneKey);
    if (!pane || pane.goneAtMs !== null) return;
    const fact = { type: 'pane.gone', atMs: this.#parts.nowMs(), paneKey } as const;
    this.#submit([{ kind: 'fact', fact: { ...fact, reason: 'closed' } }]);
  }

  /** After a sleep, or a store that failed: its process was there all the time. */
  confirm(): void {
    const { world, nowMs } = this.#parts;
    const runtime = liveRuntime(world(), this.#runtimeId);
    if (!runtime?.reconfirm || runtime.reconfirm.processSeen) return;
    const { runtimeId } = runtime;
    this.#submit([{ kind: 'fact', fact: { type: 'runtime.found', atMs: nowMs(), runtimeId } }]);
  }

  #started(pid: number): void {
    const { nowMs, startedAtMs, world } = this.#parts;
    const { name, cwd } = this.#member;
    const atMs = nowMs();
    const { paneKey } = this;
    const agent = id<AgentName>(this.#member.agent);
    const process = { pid, startedAtMs: startedAtMs(pid) ?? atMs };
    const runtimeId = runtimeIdOf({ paneKey, nextEpoch: 0 }, agent, process);
    this.#runtimeId = runtimeId;
    this.#sequence = 0;
    const before = world().panes.get(paneKey);
    const isNamed = before?.goneAtMs === null && before.alias !== undefined;
    const observations: Observation[] = [
      { kind: 'heartbeat', channel: ACP_CHANNEL, atMs },
      {
        kind: 'fact',
        fact: {
          ...{ type: 'runtime.started', atMs, runtimeId, paneKey, agent, ...process },
          seat: { targetId: LOCAL, path: cwd },
          ...{ basis: 'process', signature: selfDeclaredSignature },
        },
      },
    ];
    if (!isNamed) {
      const alias = `acp:${name}`;
      observations.push({ kind: 'fact', fact: { type: 'pane.named', atMs, paneKey, alias } });
    }
    this.#submit(observations);
  }

  #ended(exit: Extract<AcpSignal, { readonly kind: 'exited' }>): void {
    const runtimeId = this.#runtimeId;
    this.#runtimeId = null;
    if (runtimeId === null) return;
    const { exitCode, signal, wasInTurn, isWanted } = exit;
    const crashed = !isWanted && (wasInTurn || exitCode !== 0);
    const atMs = this.#parts.nowMs();
    const fact: Omit<EventOf<'runtime.ended'>, 'eventId'> = {
      ...{ type: 'runtime.ended', atMs, runtimeId, reason: 'process_gone' },
      ...{ exitCode, crashed },
      ...(signal === null ? {} : { signal: signal.slice(0, 16) }),
      ...(crashed && wasInTurn ? { during: 'running' as const } : {}),
    };
    this.#submit([{ kind: 'fact', fact }]);
  }

  #evidence(runtimeId: RuntimeId, signal: AcpSignal): void {
    const { nowMs, nextEventId } = this.#parts;
    const atMs = nowMs();
    if (signal.kind === 'update') {
      if (signal.during === 'turn') this.#work(runtimeId, atMs);
      if (this.#isRepeated(signal)) return;
    }
    const agent = id<AgentName>(this.#member.agent);
    const read = acpSignals(signal, { agent, source, nowMs: atMs });
    if (read.kind !== 'claims') return;
    this.#sequence += 1;
    const evidence = evidenceOf(read, {
      ...{ channel: ACP_CHANNEL, spec: source, runtimeId, bind: null, nowMs: atMs },
      ...{ eventId: nextEventId(), sourceSeq: this.#sequence },
    });
    this.#submit([{ kind: 'evidence', evidence }]);
  }

  #work(runtimeId: RuntimeId, atMs: number): void {
    if (atMs - this.#workAtMs < WORK_MS) return;
    this.#workAtMs = atMs;
    this.#submit([{ kind: 'work', runtimeId, atMs }]);
  }

  #isRepeated({ update }: Extract<AcpSignal, { readonly kind: 'update' }>): boolean {
    const { sessionUpdate, toolCallId, status, title, used, size } = update;
    const key = JSON.stringify([sessionUpdate, toolCallId, status, title, used, size]).slice(
      0,
      2_000,
    );
    const isChunk = typeof sessionUpdate === 'string' && sessionUpdate.endsWith('_chunk');
    if (isChunk || key === this.#lastUpdate) return true;
    this.#lastUpdate = key;
    return false;
  }

  #submit(observations: readonly Observation[]): void {
    try {
      this.#parts.submit(observations);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#parts.onFault(error);
    }
  }
}
