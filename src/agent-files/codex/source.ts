// The source of Codex on one machine. Each live Codex has a reader; those that share an app server
// are clients of it. Which thread of a server belongs to which reader is decided here, again
// whenever threads, agents or titles change. An app server of our own is kept here too.

import { type ChannelName, id, type RuntimeId } from '../../schema/ids.ts';
import { CoalescedTask } from '../files/coalesced-task.ts';
import type {
  AgentFilesContext,
  AgentFilesSource,
  AgentFilesSourceMaker,
  LiveAgent,
  StartGate,
} from '../readers/agent-files-source.ts';
import { AgentReaders } from '../readers/agent-readers.ts';
import { keyedByName, reconcile } from '../readers/reconcile.ts';
import { bindThreads } from './binding.ts';
import { APP_SERVER } from './bound-thread.ts';
import { CodexOwnServer } from './own-server.ts';
import { type CodexProcess, locksFolder, sharedSocket, socketOf } from './process.ts';
import { CodexReader } from './reader.ts';
import { ROLLOUT } from './rollouts.ts';
import { CodexServer } from './server.ts';
import type { CodexThread } from './thread.ts';

/** A TUI that starts the shared server has it in four seconds; until then none is missing. */
const FOUND_MS = 10_000;

export const codexSource: AgentFilesSourceMaker = (context) => new CodexSource(context);

/** A server with what is remembered of its clients. */
interface SharedServer extends Disposable {
  readonly server: CodexServer;
  readonly channel: ChannelName;
  readonly lastThreads: Map<RuntimeId, string>;
  /** Threads whose client has ended. */
  readonly releasedThreads: Set<string>;
}

class CodexSource implements AgentFilesSource {
  readonly #context: AgentFilesContext;
  readonly #readers: AgentReaders<CodexReader>;
  readonly #servers = new Map<string, SharedServer>();
  readonly #locks = new Map<string, Disposable>();
  /** All readers update on one beat; together they cause one or two bindings. */
  readonly #bindTask: CoalescedTask;
  /** Counts for as long as we live how often a server of our own has failed. */
  readonly #gate: StartGate;
  #ownServer: CodexOwnServer | null = null;
  /** Since when no server is there that living ones could share; null while one is. */
  #serverMissingSinceMs: number | null = null;

  constructor(context: AgentFilesContext) {
    this.#context = context;
    this.#gate = context.gate('codex app-server');
    this.#bindTask = new CoalescedTask(
      async () => this.#reconcileAll(),
      (error) => context.onProblem(String(error)),
    );
    const onProcessRead = () => this.#bindTask.request();
    const nameOf = (threadId: string) => this.#ownServer?.nameOf(threadId) ?? null;
    this.#readers = new AgentReaders(
      (reader) => new CodexReader(context, reader, { onProcessRead, nameOf }),
    );
  }

  keep(readers: readonly LiveAgent[]): void {
    this.#readers.keep(readers);
    this.#reconcileAll();
  }

  beat(nowMs: number): void {
    const { daemon, channel } = this.#context;
    const living = [...this.#servers.values()].filter(({ server }) => server.isAlive());
    this.#reconcileOwnServer(nowMs, living.length > 0);
    const isFollowing = this.#readers.readers().some((reader) => reader.isFollowing);
    const channels = [
      ...living.map((shared) => shared.channel),
      ...(isFollowing ? [channel(ROLLOUT)] : []),
    ];
    if (channels.length === 0) return;
    daemon.submit(channels.map((each) => ({ kind: 'heartbeat', channel: each, atMs: nowMs })));
  }

  [Symbol.dispose](): void {
    this.#bindTask[Symbol.dispose]();
    this.#readers[Symbol.dispose]();
    this.#reconcileAll();
    this.#ownServer?.[Symbol.dispose]();
  }

  /** A server of our own, one at most, while it is wanted and there is no other. */
  #reconcileOwnServer(nowMs: number, isServed: boolean): void {
    const { isLocal, config, daemon, onProblem } = this.#context;
    const { spawnAppServer, appServer } = config().codex;
    const readers = this.#readers.readers();
    const homes = new Set(readers.flatMap(({ process }) => process?.home ?? []));
    const isMissing = !isServed && appServer === '' && homes.size > 0;
    this.#serverMissingSinceMs = isMissing ? (this.#serverMissingSinceMs ?? nowMs) : null;
    const isWanted = isLocal && spawnAppServer && isMissing;
    if (this.#ownServer !== null && !(isWanted && homes.has(this.#ownServer.home)))
      this.#ownServer[Symbol.dispose]();
    if (this.#ownServer?.isEnded && !this.#ownServer.isRunning) this.#ownServer = null;
    const [home] = homes;
    const isDue = nowMs - (this.#serverMissingSinceMs ?? nowMs) >= FOUND_MS;
    if (isWanted && isDue && this.#ownServer === null && home !== undefined) {
      const gate = this.#gate;
      this.#ownServer = new CodexOwnServer({ home, nowMs: daemon.nowMs, gate, onProblem });
    }
    const ofOwn = readers.filter(({ process }) => process?.home === this.#ownServer?.home);
    this.#ownServer?.beat(ofOwn.flatMap(({ heldThreadIds }) => heldThreadIds));
  }

  /** Call it when the live clients, or the facts about them, have changed. */
  #reconcileAll(): void {
    this.#reconcileServers();
    this.#bindAll();
  }

  /** The servers and folders that living ones use, and no others. */
  #reconcileServers(): void {
    const readers = this.#readers.readers();
    const homes = keyedByName(readers.flatMap(({ process }) => process?.home ?? []));
    reconcile(this.#locks, homes, (home) => this.#watchLocks(home));
    if (!this.#context.isLocal) return;
    const sockets = keyedByName(readers.flatMap((reader) => this.#socketsOf(reader.process)));
    reconcile(this.#servers, sockets, (socketPath) => this.#connect(socketPath));
  }

  /** A thread that is opened or closed may be in any process of the folder. */
  #watchLocks(home: string): Disposable {
    return this.#context.files.watch(locksFolder(home), () => {
      for (const reader of this.#readers.readers())
        if (reader.process?.home === home) reader.lookTwice();
    });
  }

  #connect(socketPath: string): SharedServer {
    const { daemon, channel, onProblem, toDaemonMs } = this.#context;
    const server = new CodexServer({
      socketPath,
      nowMs: daemon.nowMs,
      toDaemonMs,
      onThreads: () => this.#bindAll(),
      onStatus: (threadId, status) => {
        for (const reader of this.#readers.readers())
          reader.reportStatus(threadId, status, shared.channel);
      },
      onProblem,
    });
    const shared: SharedServer = {
      server,
      channel: id<ChannelName>(`${channel(APP_SERVER)}:${socketPath}`),
      lastThreads: new Map(),
      releasedThreads: new Set(),
      [Symbol.dispose]: () => server[Symbol.dispose](),
    };
    return shared;
  }

  #bindAll(): void {
    const readers = this.#readers.readers();
    const unbound = new Set(readers);
    const living = new Set(readers.map(({ runtimeId }) => runtimeId));
    for (const [socketPath, shared] of this.#servers) {
      releaseThreads(shared, living);
      for (const [reader, thread] of this.#pairs(socketPath, shared, unbound)) {
        unbound.delete(reader);
        reader.bind(thread, shared.channel);
        const status = thread && shared.server.statusOf(thread.id);
        if (thread && status) reader.reportStatus(thread.id, status, shared.channel);
      }
    }
    for (const reader of unbound) reader.unbind();
  }

  /** The readers with a thread of the server; null where it is not clear which. */
  #pairs(
    socketPath: string,
    { server, lastThreads: before, releasedThreads: left }: SharedServer,
    unbound: ReadonlySet<CodexReader>,
  ): readonly (readonly [CodexReader, CodexThread | null])[] {
    const readers = [...unbound].filter(({ process }) =>
      this.#socketsOf(process).includes(socketPath),
    );
    const { threads } = server;
    const clients = readers.flatMap((reader) => reader.client() ?? []);
    const nowMs = this.#context.daemon.nowMs();
    const bindings = bindThreads({
      clients,
      threads,
      lastThreads: before,
      releasedThreads: left,
      nowMs,
    });
    for (const [runtimeId, thread] of bindings) {
      if (thread === null) continue;
      before.set(runtimeId, thread.id);
      left.delete(thread.id);
    }
    const open = new Set(threads.map((thread) => thread.id));
    if (open.size > 0) for (const each of left) if (!open.has(each)) left.delete(each);
    return readers.flatMap((reader) => {
      const thread = bindings.get(reader.runtimeId);
      return thread === undefined ? [] : [[reader, thread] as const];
    });
  }

  /** Sockets of the servers that a client uses or may use. */
  #socketsOf(process: CodexProcess | null): readonly string[] {
    if (process === null || process.isAlone) return [];
    if (process.remote !== null) return [process.remote];
    const configured = socketOf(this.#context.config().codex.appServer);
    return [sharedSocket(process.home), ...(configured === null ? [] : [configured])];
  }
}

/** Threads of clients that have ended go on without a pane. */
function releaseThreads(
  { lastThreads: before, releasedThreads: left }: SharedServer,
  living: ReadonlySet<RuntimeId>,
): void {
  for (const [runtimeId, threadId] of before) {
    if (living.has(runtimeId)) continue;
    before.delete(runtimeId);
    left.add(threadId);
  }
}
