// Claude Code sessions of this machine that run in no pane we know, as agents without a pane: who
// is there, and what each session file says. agent-files/claude/paneless-sessions.ts finds them.

import {
  PanelessClaudeSessions,
  type PanelessSession,
} from '../../agent-files/claude/paneless-sessions.ts';
import { SESSION_FILE } from '../../agent-files/claude/session-file.ts';
import type { MachineFiles } from '../../agent-files/files/machine-files.ts';
import { adapterOf, type Registry } from '../../agents/registry.ts';
import type { PanelessAgent } from '../../core/identity/paneless-agents.ts';
import { liveRuntime, type World } from '../../core/world.ts';
import { Fault } from '../../platform/fault.ts';
import type { Evidence } from '../../schema/evidence.ts';
import {
  type AgentName,
  type ChannelName,
  id,
  isAcpKey,
  isPanelessKeyOf,
  panelessKeyOf,
  type SessionKey,
  type TargetId,
} from '../../schema/ids.ts';
import { evidenceOf, normalise, sourceOf } from '../../sources/evidence.ts';
import type { Daemon } from '../../sources/known-pane.ts';
import { runtimeIdOf, selfDeclaredSignature } from '../../sources/processes/process-scan.ts';

const CLAUDE = id<AgentName>('claude');
const PATH_LENGTH_MAX = 4_096;
/** A paneless session is less urgent than a pane: every other beat is enough. */
const LOOK_MS = 2_000;

export interface PanelessClaudeOptions {
  readonly targetId: TargetId;
  readonly files: MachineFiles;
  readonly daemon: Daemon;
  readonly toDaemonMs: (hostMs: number) => number;
  readonly world: () => World;
  readonly registry: () => Registry;
  readonly onProblem: (problem: string) => void;
}

export class PanelessClaude implements Disposable {
  readonly #options: PanelessClaudeOptions;
  readonly #channel: ChannelName;
  readonly #finder: PanelessClaudeSessions;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #isEnded = false;

  constructor(options: PanelessClaudeOptions) {
    const { targetId, files, daemon, onProblem } = options;
    this.#options = options;
    this.#channel = id<ChannelName>(`${SESSION_FILE}@${targetId}`);
    this.#finder = new PanelessClaudeSessions({
      files,
      nowMs: daemon.nowMs,
      heldPids: () => this.#heldPids(),
      isListed: (session) => this.#isListed(session),
      // In a task of its own, so that a defect in the engine ends the daemon, as everywhere.
      onSessions: (sessions) => queueMicrotask(() => this.#take(sessions)),
      onProblem,
    });
  }

  beat(nowMs: number): void {
    if (nowMs - this.#lookedAtMs < LOOK_MS) return;
    this.#lookedAtMs = nowMs;
    this.#finder.look();
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
    this.#finder[Symbol.dispose]();
  }

  /** The processes of agents in panes, and of ACP members. */
  #heldPids(): ReadonlySet<number> {
    const world = this.#options.world();
    const pids = [...world.panes.values()].map(({ facts, runtimeId, targetId, paneKey }) =>
      // Other machines have the same numbers for other processes.
      targetId === this.#options.targetId && (facts !== null || isAcpKey(paneKey))
        ? (liveRuntime(world, runtimeId)?.pid ?? null)
        : null,
    );
    return new Set(pids.filter((pid) => pid !== null));
  }

  /** By its process: it may have gone on to another session. */
  #isListed({ pid, startedAtMs }: PanelessSession): boolean {
    const world = this.#options.world();
    return [...world.panes.values()].some(({ paneKey, runtimeId }) => {
      if (!isPanelessKeyOf(paneKey, this.#options.targetId, CLAUDE)) return false;
      const runtime = liveRuntime(world, runtimeId);
      return runtime?.pid === pid && runtime.startedAtMs === startedAtMs;
    });
  }

  #take(sessions: readonly PanelessSession[]): void {
    try {
      if (!this.#isEnded) this.#submit(sessions);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#options.onProblem(error.message);
    }
  }

  #submit(sessions: readonly PanelessSession[]): void {
    const { targetId, daemon, registry } = this.#options;
    const isOn = adapterOf(registry(), CLAUDE)?.health.status === 'ok';
    const found = isOn
      ? sessions.map((session) => ({ session, agent: this.#agentOf(session) }))
      : [];
    if (found.length === 0 && !this.#hasPanelessAgents()) return;
    const atMs = daemon.nowMs();
    const agents = found.map(({ agent }) => agent);
    daemon.submit([
      { kind: 'paneless', listing: { targetId, agent: CLAUDE, agents, atMs } },
      ...(found.length === 0 ? [] : [{ kind: 'heartbeat' as const, channel: this.#channel, atMs }]),
      ...found.flatMap(({ session, agent }) => {
        const evidence = this.#evidenceOf(session, agent);
        return evidence === null ? [] : [{ kind: 'evidence' as const, evidence }];
      }),
    ]);
  }

  #hasPanelessAgents(): boolean {
    const { panes } = this.#options.world();
    return [...panes.values()].some(({ facts, goneAtMs }) => facts === null && goneAtMs === null);
  }

  #agentOf({ pid, sessionId, startedAtMs, cwd }: PanelessSession): PanelessAgent {
    const sessionKey = id<SessionKey>(sessionId);
    const paneKey = panelessKeyOf(this.#options.targetId, CLAUDE, sessionKey);
    return {
      runtimeId: runtimeIdOf({ paneKey, nextEpoch: 0 }, CLAUDE, { pid, startedAtMs }),
      agent: CLAUDE,
      pid,
      startedAtMs,
      suspended: false,
      signature: selfDeclaredSignature,
      sessionKey,
      path: (cwd ?? '').slice(0, PATH_LENGTH_MAX),
    };
  }

  /** What its file says; null where this version does not understand it. */
  #evidenceOf({ raw }: PanelessSession, { runtimeId }: PanelessAgent): Evidence | null {
    const { daemon, registry, toDaemonMs } = this.#options;
    const adapter = adapterOf(registry(), CLAUDE);
    const spec = adapter ? sourceOf(adapter, SESSION_FILE) : null;
    const nowMs = daemon.nowMs();
    const signal = adapter && spec ? normalise(adapter, spec, raw, { nowMs }) : null;
    if (spec === null || signal?.kind !== 'claims') return null;
    const hostMs = signal.eventTimeMs;
    const eventTimeMs = hostMs === undefined ? nowMs : toDaemonMs(hostMs);
    return evidenceOf(
      { ...signal, eventTimeMs },
      {
        channel: this.#channel,
        spec,
        runtimeId,
        bind: null,
        nowMs,
        eventId: daemon.nextEventId(),
        backfill: eventTimeMs < daemon.startedAtMs,
      },
    );
  }
}
