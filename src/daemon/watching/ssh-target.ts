// The watch of one machine over ssh: its connection, its tmux server, its processes and the spool
// that emitters fill there (ssh-spool.ts). The connection is kept up in the background; what cannot
// be read over it now is unknown, and nothing else waits for it.

import type { HookMachine } from '../../hooks/machine.ts';
import type { TargetLogin } from '../../operations/ports/ports.ts';
import type { Target } from '../../schema/target.ts';
import { SshFault } from '../../ssh/connection/reason.ts';
import type { HostFacts } from '../../ssh/remote/host-facts.ts';
import { RemoteFiles } from '../../ssh/remote/remote-files.ts';
import { type BootPins, RemoteProcesses } from '../../ssh/remote/remote-processes.ts';
import {
  keepRemoteUpload,
  type RemoteFile,
  type RemoteUpload,
} from '../../ssh/remote/remote-uploads.ts';
import { SshHost } from '../../ssh/ssh-host.ts';
import type { Host } from '../../tmux/host.ts';
import { remoteEdits } from '../hooks/remote-edits.ts';
import type { AgentFilesCollector, WatchedMachine } from './agent-files.ts';
import { SshSpool, type SshSpoolOptions } from './ssh-spool.ts';
import type { TargetStatus, TargetWatch } from './targets.ts';
import type { Watchers } from './watchers.ts';

/** A refused tap counts as refused for this long; it is retried within a minute. */
const TAP_REFUSED_MS = 120_000;
const TAP_REFUSED =
  'the host has no room for more channels (MaxSessions): some of its tmux sessions are polled, ' +
  'because their output cannot be tapped';
/** Each is two channels of the connection. */
const MORE_SERVERS_MAX = 8;
const AGENT_FILES_BEAT_MS = 1_000;
/** How long `connect` waits for a host at most, and how often it checks. */
const CONNECT_MS = 30_000;
const CONNECT_LOOK_MS = 50;

export interface SshTargetOptions {
  readonly target: Target;
  /** A configuration of ssh in place of the user's own; empty is the user's. */
  readonly sshConfigFile: string;
  readonly pins: BootPins;
  readonly runtimeDir: string;
  readonly watchers: Watchers;
  readonly agentFiles: (machine: WatchedMachine) => AgentFilesCollector;
  readonly nowMs: () => number;
  readonly onHealth: () => void;
  /** Its tmux server has another socket now, so its known panes are of another server. */
  readonly onMoved: () => void;
  readonly spool: Omit<SshSpoolOptions, 'host' | 'nowMs'>;
}

export class SshTarget implements TargetWatch {
  readonly #options: SshTargetOptions;
  readonly #host: SshHost;
  readonly #processes: RemoteProcesses;
  readonly #spool: SshSpool;
  readonly #files: RemoteFiles;
  readonly #agentFiles: AgentFilesCollector;
  readonly #agentFilesTimer: NodeJS.Timeout;
  /** The socket of its server that is watched. */
  #watched: string | null = null;
  /** Those of bundles. */
  readonly #more = new Set<string>();
  #tapRefusedAtMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(options: SshTargetOptions) {
    const { target, pins, runtimeDir, nowMs, onHealth, sshConfigFile } = options;
    this.#options = options;
    this.#host = new SshHost({
      destination: target.connectionRef ?? target.name,
      runtimeDir,
      extraArguments: sshConfigFile === '' ? [] : ['-F', sshConfigFile],
      nowMs,
      onHealth,
      onConnected: (facts) => this.#connected(facts),
      onLost: () => this.#processes.forget(),
    });
    this.#processes = new RemoteProcesses(this.#host, { pins, nowMs });
    this.#spool = new SshSpool({ ...options.spool, host: this.#host, nowMs });
    this.#files = new RemoteFiles({
      probe: this.#host,
      home: () => this.#host.facts?.home ?? '/',
      isConnected: () => this.#host.facts !== null,
    });
    this.#agentFiles = options.agentFiles({
      targetId: target.targetId,
      files: this.#files,
      servers: () =>
        [...(this.#watched === null ? [] : [this.#watched]), ...this.#more].map((server) => ({
          targetId: target.targetId,
          server,
        })),
      isLocal: false,
      toDaemonMs: (hostMs) => hostMs + (this.#host.facts?.clockShiftMs ?? 0),
    });
    this.#agentFilesTimer = setInterval(() => this.#beatAgentFiles(), AGENT_FILES_BEAT_MS).unref();
    this.#host.start();
  }

  /** A host that is not reached sends nothing: its channels go stale, which is right. */
  #beatAgentFiles(): void {
    if (this.#host.facts !== null) this.#agentFiles.beat(this.#options.nowMs());
  }

  /** Agents there are found by their folders: what a login would add to PATH is not known. */
  hookMachine(): HookMachine | null {
    const { facts } = this.#host;
    return facts && { files: remoteEdits(this.#host), home: facts.home, env: {} };
  }

  keepUpload(upload: RemoteUpload, signal: AbortSignal): Promise<RemoteFile> | null {
    return this.#host.facts && keepRemoteUpload(this.#host, upload, signal);
  }

  get login(): TargetLogin | null {
    const { facts, destination } = this.#host;
    const { sshConfigFile: configFile } = this.#options;
    return facts && { destination, configFile, tmuxPath: facts.tmuxPath };
  }

  get userServer(): string | null {
    return this.#host.facts?.socketPath ?? null;
  }

  get status(): TargetStatus {
    const { level, reason, answeredAtMs } = this.#host.health;
    const isTapRefused = this.#options.nowMs() - this.#tapRefusedAtMs < TAP_REFUSED_MS;
    const detail = reason?.sentence ?? (isTapRefused ? TAP_REFUSED : null);
    const isWithoutTmux = this.#host.facts !== null && this.#host.facts.tmuxPath === null;
    return { health: level, detail, lastSeenAtMs: answeredAtMs, isWithoutTmux };
  }

  async connect(signal: AbortSignal): Promise<void> {
    const failuresBefore = this.#host.health.failureCount;
    const deadlineMs = performance.now() + CONNECT_MS;
    const isDone = (): boolean => {
      const { level, failureCount, limitation } = this.#host.health;
      const isAsGoodAsCanBe = this.#host.facts !== null && limitation !== null;
      return level === 'ok' || isAsGoodAsCanBe || failureCount > failuresBefore || this.#isClosed;
    };
    while (!isDone() && !signal.aborted && performance.now() < deadlineMs) {
      // Also asks a host that is back for the second answer that it takes to be well.
      this.#host.connectNow();
      await new Promise((resolve) => setTimeout(resolve, CONNECT_LOOK_MS));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#spool[Symbol.dispose]();
    clearInterval(this.#agentFilesTimer);
    this.#agentFiles[Symbol.dispose]();
    this.#files[Symbol.dispose]();
    await this.#options.watchers.removeTarget(this.#options.target.targetId);
    await this.#host[Symbol.asyncDispose]();
  }

  #connected({ socketPath, tmuxPath }: HostFacts): void {
    const { watchers, target, onMoved } = this.#options;
    if (this.#isClosed || tmuxPath === null) return;
    const address = { targetId: target.targetId, server: socketPath };
    if (this.#watched === socketPath) {
      watchers.retry(address);
      for (const server of this.#more) watchers.retry({ ...address, server });
      return;
    }
    // One server a machine: one that names another at each login must not have us watch them all.
    if (this.#watched !== null) {
      void watchers.removeTarget(target.targetId);
      onMoved();
    }
    this.#watched = socketPath;
    for (const server of [socketPath, ...this.#more]) this.#watch(server);
  }

  #watch(server: string): void {
    const { watchers, target } = this.#options;
    watchers.add({
      address: { targetId: target.targetId, server },
      host: this.#hostWithTapNotes(),
      processes: this.#processes,
      onWake: () => this.#spool.wake(),
    });
  }

  watchServer(server: string, isWatched: boolean): void {
    if (server === this.#watched || this.#more.has(server) === isWatched) return;
    if (!isWatched) {
      this.#more.delete(server);
      void this.#options.watchers.remove({ targetId: this.#options.target.targetId, server });
      return;
    }
    if (this.#more.size >= MORE_SERVERS_MAX) return;
    this.#more.add(server);
    if (this.#watched !== null) this.#watch(server);
  }

  /** The host, with a note of taps that it has no room for. */
  #hostWithTapNotes(): Host {
    const host = this.#host;
    return {
      probe: (socketPath, signal) => host.probe(socketPath, signal),
      setTapPids: (pids) => host.setTapPids(pids),
      open: async (kind, args) => {
        try {
          return await host.open(kind, args);
        } catch (error) {
          const isRefused = error instanceof SshFault && error.reason.code === 'channel_refused';
          if (kind === 'tap' && isRefused) this.#tapRefusedAtMs = this.#options.nowMs();
          throw error;
        }
      },
    };
  }
}
