// How others reach the daemon: the operations over the socket, the streams of changes, and the
// third-party sources that are asked in their turn.

import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import type { Context } from '../operations/context.ts';
import { gitBranches } from '../platform/files/git-branch.ts';
import { packageVersion } from '../platform/version.ts';
import { type DaemonInfo, PROTOCOL_VERSION } from '../schema/api/health.ts';
import type { Change } from '../schema/change.ts';
import { SocketServer } from '../servers/socket.ts';
import { buildContext, localFolderOf } from './context.ts';
import type { DaemonCore } from './daemon-core.ts';
import { DaemonMetrics } from './health/daemon-metrics.ts';
import { channelSignals } from './health/missed-channels.ts';
import { hooksOfTargets } from './hooks/hooks-work.ts';
import { prepareFolder } from './life/instance-lock.ts';
import { Publisher } from './publishing/publish.ts';
import { SourcePull } from './pulling/source-pull.ts';
import type { Collectors } from './watching/collectors.ts';

export interface ApiServerOptions {
  readonly base: DaemonCore;
  readonly gathering: Collectors;
  readonly stop: (reason: string) => void;
  readonly onDefect: (error: unknown) => void;
}

export class ApiServer implements AsyncDisposable {
  readonly #options: ApiServerOptions;
  /** Names this life of the daemon: cursors and registrations of another do not count. */
  readonly #nonce = randomBytes(9).toString('base64url');
  readonly #version = packageVersion();
  readonly #context: Context;
  readonly #publisher: Publisher;
  readonly #server: SocketServer;
  readonly #metrics: DaemonMetrics;
  readonly #pull: SourcePull;
  /** Why there is no socket, as it was last logged. */
  #problem: string | null = null;

  constructor(options: ApiServerOptions) {
    this.#options = options;
    const { base } = options;
    this.#metrics = this.#openMetrics();
    this.#context = this.#openContext();
    this.#publisher = new Publisher({
      nonce: this.#nonce,
      world: () => base.engine.world,
      readers: this.#context,
      nowMs: base.nowMs,
    });
    this.#server = new SocketServer({
      path: base.place.socketPath,
      context: this.#context,
      streams: this.#publisher,
      limits: { lineBytesMax: base.config.limits.requestBytesMax },
      onDefect: (error) => options.onDefect(error),
    });
    this.#pull = new SourcePull({
      context: this.#context,
      random: Math.random,
      onTrouble: (sourceId, code, detail) => this.#sourceTrouble(sourceId, code, detail),
      onDefect: (error) => options.onDefect(error),
    });
    base.loop.onApplied((applied) => {
      this.#publisher.publish(applied);
      this.#metrics.applied(applied);
      for (const signal of channelSignals(base.engine.world, applied)) base.signal(signal);
      for (const change of applied.changes) this.#changed(change);
    });
    base.onFault(({ code }) => this.#metrics.fault(code));
  }

  #changed(change: Change): void {
    const { base } = this.#options;
    if (change.kind === 'target_removed') {
      base.signal({ kind: 'target_removed', targetId: change.targetId });
    }
    // So that the branch is known when somebody asks.
    const pane = change.kind === 'pane' && base.engine.world.panes.get(change.paneKey);
    if (pane) this.#context.gitBranch(pane);
  }

  /** Resolves when clients can connect. */
  open(): Promise<void> {
    return this.#server.listen();
  }

  #openContext(): Context {
    const { base, gathering, stop } = this.#options;
    const { nowMs, engine, loop, store, alerts, adapters } = base;
    const branches = gitBranches(nowMs, (folder) => this.#branchChanged(folder));
    return buildContext({
      nowMs,
      engine,
      loop,
      store,
      alerts,
      watchers: gathering.watchers,
      targets: gathering.targets,
      hooks: hooksOfTargets((targetId) => gathering.targets.hookMachine(targetId), nowMs),
      telling: gathering.ingestOptions,
      registry: () => adapters.registry,
      setAdapterEnabled: (agent, enabled) => adapters.setEnabled(agent, enabled),
      gitBranch: (folder) => branches.of(folder),
      info: () => this.#info(),
      metrics: () => this.#metrics.text(),
      stop,
      sourcesChanged: () => this.#pull.follow(),
    });
  }

  #sourceTrouble(sourceId: string, code: string, detail: string): void {
    const { base } = this.#options;
    base.log.warn({ sourceId, code, detail }, 'a source could not be read');
    base.signal({ kind: 'event_refused', source: sourceId, code });
  }

  /** A cleaner of temporary files may remove the socket or its folder: both are made again. */
  async keepOpen(): Promise<void> {
    const { log } = this.#options.base;
    const problem = await this.#reopen().catch((error: unknown) => String(error));
    if (problem !== null && problem !== this.#problem) log.error({ problem }, 'no socket');
    this.#problem = problem;
  }

  /** Null when clients can connect. What is wrong is tried again later. */
  async #reopen(): Promise<string | null> {
    if (this.#server.isReachable()) return null;
    const { log, place } = this.#options.base;
    const folder = prepareFolder(dirname(place.socketPath));
    if (!folder.ok) return folder.refusal.message;
    // Somebody else's file at our path is not ours to remove: then this fails.
    await this.#server.listen();
    log.warn({}, 'the socket was gone and is made anew');
    return null;
  }

  /** Nothing tells that a branch was changed in a quiet pane, so it is asked for now and then. */
  readBranches(): void {
    for (const pane of this.#options.base.engine.world.panes.values()) {
      if (pane.goneAtMs === null) this.#context.gitBranch(pane);
    }
  }

  #branchChanged(folder: string): void {
    const { panes } = this.#options.base.engine.world;
    const touched = [...panes.values()].filter((pane) => localFolderOf(pane) === folder);
    this.#publisher.touch(touched.map(({ paneKey }) => paneKey));
  }

  #openMetrics(): DaemonMetrics {
    const { base, gathering } = this.#options;
    const { engine } = base;
    return new DaemonMetrics(
      {
        panes: () => [...engine.world.panes.values()].map(({ row }) => row),
        channels: () =>
          [...engine.world.channels].map(([channel, { status }]) => ({ channel, status })),
        watches: () => gathering.watchers.counts,
        connections: () => this.#server.connectionCount,
        subscribers: () => this.#publisher.subscriberCount,
      },
      base.health,
    );
  }

  #info(): Omit<DaemonInfo, 'servers'> {
    const { place, startedAtMs } = this.#options.base;
    return {
      protocol: PROTOCOL_VERSION,
      version: this.#version,
      pid: process.pid,
      nonce: this.#nonce,
      started_at: new Date(startedAtMs).toISOString(),
      socket: place.socketPath,
      database: place.paths.databaseFile,
      log_file: place.logFile,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#pull[Symbol.dispose]();
    this.#publisher[Symbol.dispose]();
    await this.#server[Symbol.asyncDispose]();
  }
}
