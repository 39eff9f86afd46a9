// What gathers evidence on this machine: the watches of tmux servers and the spool of the emitter.
// Both hand in what they find through the loop.

import { dirname, join } from 'node:path';
import { KnownTranscripts } from '../../agent-files/conversations/transcript.ts';
import { LocalFiles } from '../../agent-files/files/local-files.ts';
import type { PaneRecord } from '../../core/world.ts';
import { findProgram } from '../../platform/files/find-program.ts';
import { tmuxSocketFolder } from '../../platform/files/tmux-socket-choice.ts';
import { canonicalSocketPath } from '../../platform/files/tmux-sockets.ts';
import { LocalProcesses } from '../../platform/process/processes.ts';
import { type ChannelName, id, type TargetId } from '../../schema/ids.ts';
import { type Outcome, refuse } from '../../schema/outcome.ts';
import type { PaneRow } from '../../schema/pane.ts';
import type { Target } from '../../schema/target.ts';
import type { Daemon, KnownPane, ServerAddress } from '../../sources/known-pane.ts';
import { Spool } from '../../sources/spool/spool.ts';
import type { SpoolEvent } from '../../sources/spool/spool-file.ts';
import { repliesIn, type SpoolReply } from '../../sources/spool/spool-reply.ts';
import { type FleetBoots, fleetBootsIn } from '../../ssh/remote/boot-pins.ts';
import { localHost } from '../../tmux/host.ts';
import type { LinkStatus } from '../../tmux/link.ts';
import { type DaemonCore, LOCAL } from '../daemon-core.ts';
import { API_CHANNEL, type IngestOptions, ingestEvents } from '../engine/ingest-events.ts';
import { knownPaneAt, knownPanesOf } from '../engine/known-panes.ts';
import { WrappedEnds } from '../engine/wrapped-ends.ts';
import { type AgentFilesCollector, watchAgentFiles } from './agent-files.ts';
import { PanelessClaude } from './paneless-claude.ts';
import { SshTarget } from './ssh-target.ts';
import { TapGate } from './tap-gate.ts';
import { Targets } from './targets.ts';
import { Watchers } from './watchers.ts';

const SPOOL_CHANNEL = id<ChannelName>('spool@local');

/** The tmux of a machine. */
export interface TargetTmux {
  readonly targetId: TargetId;
  /** The socket of the user's usual server. */
  readonly userServer: string;
  /** Where `tmux -L NAME` has its sockets. */
  readonly socketFolder: string;
}

export class Collectors implements AsyncDisposable {
  readonly watchers: Watchers;
  readonly targets: Targets;
  readonly transcripts: KnownTranscripts = new KnownTranscripts();
  readonly ingestOptions: IngestOptions;
  readonly #base: DaemonCore;
  readonly #daemon: Daemon;
  readonly #spool: Spool;
  readonly #agentFiles: AgentFilesCollector;
  readonly #panelessClaude: PanelessClaude;
  readonly #boots: FleetBoots;
  readonly #wrapped: WrappedEnds;
  /** The processes of this machine. */
  readonly processes: LocalProcesses;
  #takeReply: (reply: SpoolReply) => Outcome<null> = () =>
    refuse('E_MESSAGE_UNKNOWN', 'messages are not open');
  readonly #chosenSockets: () => readonly string[];
  /** Sockets that are watched now, the main one first. Changed in place: others hold it. */
  readonly #socketPaths: string[];
  readonly #remembered = new Set<string>();
  /** Those of them that have not answered in this life. */
  readonly #unanswered = new Set<string>();

  constructor(base: DaemonCore, chosenSockets: () => readonly string[]) {
    this.#base = base;
    this.#chosenSockets = chosenSockets;
    this.processes = new LocalProcesses(base.place.paths.stateDir);
    const socketPaths: string[] = [];
    this.#socketPaths = socketPaths;
    this.#daemon = daemonOf(base);
    this.#wrapped = new WrappedEnds(() => base.engine.world, this.#daemon);
    this.watchers = this.#watch();
    const files = new LocalFiles();
    this.#panelessClaude = new PanelessClaude({
      targetId: LOCAL,
      files,
      daemon: this.#daemon,
      toDaemonMs: base.nowMs.fromWall,
      world: () => base.engine.world,
      registry: () => base.adapters.registry,
      onProblem: (problem) => base.log.warn({ problem }, 'agents without a pane'),
    });
    this.#agentFiles = watchAgentFiles(base, this.#daemon, {
      targetId: LOCAL,
      files,
      servers: () => socketPaths.map((server) => ({ targetId: LOCAL, server })),
      isLocal: true,
      toDaemonMs: base.nowMs.fromWall,
      announce: this.transcripts.announce,
    });
    this.#boots = fleetBootsIn(join(base.place.paths.stateDir, 'boots.json'));
    this.targets = new Targets({
      loop: base.loop,
      nowMs: base.nowMs,
      open: (target, onHealth) => this.#open(target, onHealth),
      report: (targetId, { health, detail, isWithoutTmux = false }, sinceMs) =>
        base.signal({
          kind: 'target',
          targetId,
          downSinceMs: health === 'down' ? sinceMs : null,
          hasTmux: !isWithoutTmux,
          detail,
        }),
    });
    this.ingestOptions = this.#ingestOptionsOf(LOCAL, socketPaths, canonicalSocketPath);
    this.#spool = new Spool({
      folder: base.place.spoolFolder,
      onEvents: (events) => this.#ingest(events, SPOOL_CHANNEL, this.ingestOptions),
      onProblem: ({ file, problem }) => {
        base.log.warn({ file, problem }, 'a file in the spool was refused');
        base.signal({ kind: 'spool_file', file, problem });
      },
    });
  }

  start(): void {
    this.#rememberServers();
    this.#followSockets();
    this.#base.onConfig(() => {
      this.#followSockets();
      this.watchers.askAll();
    });
    this.targets.start();
  }

  /** Servers that an earlier life of the daemon watched: their agents may still be there. */
  #rememberServers(): void {
    const chosen = this.#chosenSockets();
    for (const { facts, goneAtMs } of this.#base.engine.world.panes.values()) {
      if (facts?.targetId !== LOCAL || goneAtMs !== null) continue;
      if (!chosen.includes(facts.server)) this.#remembered.add(facts.server);
    }
    for (const server of this.#remembered) this.#unanswered.add(server);
  }

  /**
   * A remembered server that is gone at the start is forgotten, with its panes. One that has
   * answered stays watched: people end a server and start it again.
   */
  #serverStatus(server: string, state: LinkStatus['state']): void {
    // Plain commands may have listed it before a client was attached.
    const { listings = 0 } = this.watchers.at({ targetId: LOCAL, server })?.counts ?? {};
    if (state === 'connected' || state === 'degraded' || listings > 0) {
      this.#unanswered.delete(server);
    }
    if (state !== 'absent' || !this.#unanswered.delete(server)) return;
    this.#remembered.delete(server);
    setImmediate(() => this.#followSockets());
  }

  /** Watches the servers that are chosen now, and no longer those that are not. */
  #followSockets(): void {
    const before = this.#socketPaths.splice(0);
    this.#socketPaths.push(...new Set([...this.#chosenSockets(), ...this.#remembered]));
    const onWake = () => this.#spool.read();
    for (const server of this.#socketPaths) {
      if (before.includes(server)) continue;
      const address = { targetId: LOCAL, server };
      this.watchers.add({ address, host: localHost, processes: this.processes, onWake });
    }
    for (const server of before) {
      if (this.#socketPaths.includes(server)) continue;
      void this.watchers.remove({ targetId: LOCAL, server });
      const about = { server: `${LOCAL}:${server}`, detail: null };
      this.#base.signal({ kind: 'server', ...about, status: 'unwatched' });
    }
  }

  /** Watches a server besides those that are chosen, or no longer. */
  watchServer({ targetId, server }: ServerAddress, isWatched: boolean): void {
    if (targetId !== LOCAL) {
      this.targets.watchServer(targetId, server, isWatched);
      return;
    }
    if (isWatched) this.#remembered.add(server);
    else this.#remembered.delete(server);
    this.#unanswered.delete(server);
    this.#followSockets();
  }

  /** The user's own tmux server on a machine, and where private ones are; null: not reached. */
  tmuxOf(target: string): TargetTmux | null {
    const found = [...this.#base.engine.world.targets.values()].find(({ name }) => name === target);
    if (!found) return null;
    const { targetId } = found;
    if (targetId !== LOCAL) {
      const userServer = this.targets.userServerOf(targetId);
      return userServer === null
        ? null
        : { targetId, userServer, socketFolder: dirname(userServer) };
    }
    const [userServer = ''] = this.#chosenSockets();
    const folder = tmuxSocketFolder(process.env, process.getuid?.() ?? 0);
    return {
      targetId,
      userServer,
      socketFolder: dirname(canonicalSocketPath(join(folder, 'any'))),
    };
  }

  /** Whether every server of this machine was listed, or is not there. */
  isListed(): boolean {
    return this.watchers
      .info()
      .every(
        ({ target, status, server }) =>
          target !== LOCAL ||
          status === 'absent' ||
          (this.watchers.at({ targetId: LOCAL, server })?.counts.listings ?? 0) > 0,
      );
  }

  /** Whether they were, and something was read of every agent. */
  isRead(): boolean {
    const isLocalWaiting = ({ targetId, row }: PaneRecord): boolean =>
      targetId === LOCAL && isWaiting(row);
    return this.isListed() && ![...this.#base.engine.world.panes.values()].some(isLocalWaiting);
  }

  /** A tmux server that runs proves that there is a tmux; without one, PATH is looked through. */
  #reportTmux(): void {
    const isAbsent = this.watchers
      .info()
      .every(({ target, status }) => target !== LOCAL || status === 'absent');
    const hasTmux = !isAbsent || findProgram('tmux', process.env['PATH']) !== null;
    const about = { targetId: LOCAL, downSinceMs: null, detail: null } as const;
    this.#base.signal({ kind: 'target', ...about, hasTmux });
  }

  /** Beats for the spool while events get through. */
  beat(): void {
    const { loop, nowMs, place } = this.#base;
    this.#reportTmux();
    this.#wrapped.retry();
    const isHealthy = this.#spool.healthy();
    const problem = isHealthy ? null : 'the spool cannot be read';
    this.#base.signal({ kind: 'spool_health', folder: place.spoolFolder, problem });
    const atMs = nowMs();
    this.#agentFiles.beat(atMs);
    this.#panelessClaude.beat(atMs);
    if (isHealthy) loop.submit([{ kind: 'heartbeat', channel: SPOOL_CHANNEL, atMs }]);
    // What comes by the socket comes as long as we live.
    if (loop.world.channels.has(API_CHANNEL)) {
      loop.submit([{ kind: 'heartbeat', channel: API_CHANNEL, atMs }]);
    }
  }

  #watch(): Watchers {
    const base = this.#base;
    const gate = new TapGate({
      config: () => base.config,
      nowMs: base.nowMs,
      random: Math.random,
      signal: (signal) => base.signal(signal),
    });
    return new Watchers({
      daemon: this.#daemon,
      registry: () => base.adapters.registry,
      config: () => base.config,
      isTapAllowed: () => gate.isOpen(),
      onFault: (fault) => base.fault(fault, 'tmux'),
      onProblem: (error) => {
        base.log.error({ err: error }, 'the tap worker broke');
        gate.failed();
      },
      onStatus: ({ targetId, server }, { state, detail }) => {
        base.log.info({ target: targetId, server, state, detail }, 'tmux server');
        if (targetId === LOCAL) this.#serverStatus(server, state);
        const named = base.config.tmux.sockets.map(canonicalSocketPath);
        const expected = [this.#socketPaths[0], ...named];
        const isExpected = targetId !== LOCAL || expected.includes(server);
        const about = `${targetId}:${server}`;
        base.signal({ kind: 'server', server: about, status: state, detail, isExpected });
      },
      onSeen: (panes) => this.#seen(panes),
    });
  }

  /** The watch of another machine. */
  #open(target: Target, onHealth: () => void): SshTarget {
    const { place, nowMs, log, loop } = this.#base;
    const { targetId } = target;
    const channel = id<ChannelName>(`spool@${targetId}`);
    return new SshTarget({
      target,
      sshConfigFile: this.#base.config.ssh.configFile,
      pins: this.#boots.of(targetId),
      runtimeDir: place.paths.runtimeDir,
      watchers: this.watchers,
      agentFiles: (machine) => {
        const { announce } = this.transcripts;
        return watchAgentFiles(this.#base, this.#daemon, { ...machine, announce });
      },
      nowMs,
      onHealth,
      onMoved: () => this.targets.forget(targetId),
      spool: {
        onEvents: (events, { socketPath, clockShiftMs }) =>
          this.#ingest(
            // Two machines may call their events the same: process ids are few, clocks are coarse.
            events.map((each) => ({ ...each, event_id: `${targetId}:${each.event_id}` })),
            channel,
            {
              ...this.#ingestOptionsOf(targetId, [socketPath], (path) => path),
              toDaemonMs: (hostMs) => hostMs + clockShiftMs,
            },
          ),
        onRead: () => loop.submit([{ kind: 'heartbeat', channel, atMs: nowMs() }]),
        onProblem: (problem) => log.warn({ target: targetId, problem }, 'ssh target'),
      },
    });
  }

  #ingestOptionsOf(
    targetId: TargetId,
    socketPaths: readonly string[],
    canonical: (socketPath: string) => string,
  ): IngestOptions {
    const { loop, adapters, nowMs } = this.#base;
    return {
      loop,
      daemon: this.#daemon,
      registry: () => adapters.registry,
      targetId,
      socketPaths,
      canonical,
      toDaemonMs: nowMs.fromWall,
      onPaneHint: (server, hint) => this.watchers.at(server)?.hint(hint),
      onWrappedEnd: (end) => this.#wrapped.add(end),
    };
  }

  /** Commits the events of an emitter, or throws, and then the files stay. */
  #ingest(events: readonly SpoolEvent[], channel: ChannelName, ingestOptions: IngestOptions): void {
    const { replies, others } = repliesIn(events, ingestOptions.targetId);
    for (const reply of replies) {
      const taken = this.#takeReply(reply);
      if (taken.ok) continue;
      const { code, message } = taken.refusal;
      this.#eventRefused({ eventId: reply.eventId, code, detail: message });
    }
    for (const result of ingestEvents(others, channel, ingestOptions)) {
      if (result.outcome !== 'refused') continue;
      const { event_id: eventId, code, detail } = result;
      this.#eventRefused({ eventId, code: code ?? 'unknown', detail });
    }
  }

  #eventRefused(about: { eventId: string; code: string; detail: string | null }): void {
    this.#base.log.warn(about, 'an event was refused');
    this.#base.signal({ kind: 'event_refused', source: 'spool', code: about.code });
  }

  /** Hands replies to messages that come through a spool to whoever stores them, or throws. */
  onReply(take: (reply: SpoolReply) => Outcome<null>): void {
    this.#takeReply = take;
  }

  /** A pane that a person has had on screen for two seconds is seen, with all its requests. */
  #seen(panes: readonly KnownPane[]): void {
    const { engine, loop, nowMs } = this.#base;
    for (const { paneKey } of panes) {
      const requests = engine.world.panes.get(paneKey)?.row.attention.requests ?? [];
      const requestIds = requests.filter(({ seen }) => !seen).map((each) => each.requestId);
      if (requestIds.length === 0) continue;
      const fact = { type: 'attention.seen' as const, atMs: nowMs(), paneKey, requestIds };
      loop.submit([{ kind: 'fact', fact }]);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#spool[Symbol.dispose]();
    this.#agentFiles[Symbol.dispose]();
    this.#panelessClaude[Symbol.dispose]();
    await this.watchers[Symbol.asyncDispose]();
    await this.targets[Symbol.asyncDispose]();
  }
}

/** Nothing was read of the agent in this life of the daemon. */
const isWaiting = ({ presence, reasonCode }: PaneRow): boolean =>
  presence === 'managed' && (reasonCode === 'reconfirming' || reasonCode === 'no_evidence');

function daemonOf({ nowMs, nextEventId, startedAtMs, loop, engine }: DaemonCore): Daemon {
  return {
    nowMs,
    nextEventId,
    startedAtMs,
    submit: (observations) => {
      loop.submit(observations);
    },
    paneAt: (address, paneId) => knownPaneAt(engine.world, address, paneId),
    panesOf: (address) => knownPanesOf(engine.world, address),
  };
}
