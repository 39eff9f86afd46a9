// What Codex tells by itself on one machine. Each living one is a seat (codex-seat.ts); those that
// share an app server are clients of it, and which of its threads sits in which seat is decided
// here, anew whenever threads, seats or titles change.

import { type ChannelName, id, type RuntimeId } from '../schema/ids.ts';
import { bindThreads } from './codex-binding.ts';
import { type CodexProcess, locksFolder, sharedSocket, socketOf } from './codex-process.ts';
import { ROLLOUT } from './codex-rollouts.ts';
import { APP_SERVER, CodexSeat } from './codex-seat.ts';
import { CodexServer } from './codex-server.ts';
import type { CodexThread } from './codex-thread.ts';
import type { Seat, VendorContext, VendorSource, VendorSourceMaker } from './vendor-source.ts';

export const codexSource: VendorSourceMaker = (context) => new CodexSource(context);

/** A server with what is remembered of its clients. */
interface Shared {
  readonly server: CodexServer;
  readonly channel: ChannelName;
  /** The thread that each client was last known to have. */
  readonly before: Map<RuntimeId, string>;
  /** Threads whose client has ended. */
  readonly left: Set<string>;
}

class CodexSource implements VendorSource {
  readonly #context: VendorContext;
  readonly #seats = new Map<RuntimeId, CodexSeat>();
  readonly #shared = new Map<string, Shared>();
  readonly #locks = new Map<string, Disposable>();

  constructor(context: VendorContext) {
    this.#context = context;
  }

  keep(seats: readonly Seat[]): void {
    const living = new Set(seats.map(({ runtime }) => runtime.runtimeId));
    for (const [runtimeId, seat] of this.#seats) if (!living.has(runtimeId)) this.#end(seat);
    for (const each of seats) {
      const { runtimeId } = each.runtime;
      const seat = this.#seats.get(runtimeId) ?? this.#begin(each);
      seat.update(each);
    }
    this.#keepPlaces();
    this.#bindAll();
  }

  beat(nowMs: number): void {
    const { daemon, channel } = this.#context;
    const living = [...this.#shared.values()].filter(({ server }) => server.isAlive());
    const isFollowing = [...this.#seats.values()].some((seat) => seat.isFollowing);
    const channels = [
      ...living.map((shared) => shared.channel),
      ...(isFollowing ? [channel(ROLLOUT)] : []),
    ];
    if (channels.length === 0) return;
    daemon.submit(channels.map((each) => ({ kind: 'heartbeat', channel: each, atMs: nowMs })));
  }

  [Symbol.dispose](): void {
    for (const seat of this.#seats.values()) seat[Symbol.dispose]();
    for (const { server } of this.#shared.values()) server[Symbol.dispose]();
    for (const watch of this.#locks.values()) watch[Symbol.dispose]();
    this.#seats.clear();
    this.#shared.clear();
    this.#locks.clear();
  }

  #begin(each: Seat): CodexSeat {
    const seat = new CodexSeat(this.#context, each, () => {
      this.#keepPlaces();
      this.#bindAll();
    });
    this.#seats.set(each.runtime.runtimeId, seat);
    return seat;
  }

  #end(seat: CodexSeat): void {
    this.#seats.delete(seat.runtimeId);
    seat[Symbol.dispose]();
    for (const { before, left } of this.#shared.values()) {
      const threadId = before.get(seat.runtimeId);
      before.delete(seat.runtimeId);
      if (threadId !== undefined) left.add(threadId);
    }
  }

  /** The servers and folders that living ones use, and no others. */
  #keepPlaces(): void {
    const seats = [...this.#seats.values()];
    const homes = new Set(seats.flatMap(({ process }) => process?.home ?? []));
    for (const [home, watch] of this.#locks) {
      if (homes.has(home)) continue;
      watch[Symbol.dispose]();
      this.#locks.delete(home);
    }
    for (const home of homes) if (!this.#locks.has(home)) this.#watchLocks(home);
    if (!this.#context.isLocal) return;
    const sockets = new Set(seats.flatMap((seat) => this.#socketsOf(seat.process)));
    for (const [socketPath, { server }] of this.#shared) {
      if (sockets.has(socketPath)) continue;
      server[Symbol.dispose]();
      this.#shared.delete(socketPath);
    }
    for (const socketPath of sockets) {
      if (!this.#shared.has(socketPath)) this.#shared.set(socketPath, this.#connect(socketPath));
    }
  }

  /** A thread that is opened or closed may be in any process of the folder. */
  #watchLocks(home: string): void {
    const watch = this.#context.files.watch(locksFolder(home), () => {
      for (const seat of this.#seats.values()) if (seat.process?.home === home) seat.stir();
    });
    this.#locks.set(home, watch);
  }

  #connect(socketPath: string): Shared {
    const { daemon, channel, onProblem } = this.#context;
    const shared: Shared = {
      server: new CodexServer({
        socketPath,
        nowMs: daemon.nowMs,
        onThreads: () => this.#bindAll(),
        onStatus: (threadId, status) => {
          for (const seat of this.#seats.values()) seat.tell(threadId, status, shared.channel);
        },
        onProblem,
      }),
      channel: id<ChannelName>(`${channel(APP_SERVER)}:${socketPath}`),
      before: new Map(),
      left: new Set(),
    };
    return shared;
  }

  #bindAll(): void {
    const unbound = new Set(this.#seats.values());
    for (const [socketPath, shared] of this.#shared) {
      for (const [seat, thread] of this.#pairs(socketPath, shared, unbound)) {
        unbound.delete(seat);
        seat.sit(thread, shared.channel);
        const status = thread && shared.server.statusOf(thread.id);
        if (thread && status) seat.tell(thread.id, status, shared.channel);
      }
    }
    for (const seat of unbound) seat.stand();
  }

  /** The seats that have a thread of the server, or that have one in doubt. */
  #pairs(
    socketPath: string,
    { server, before, left }: Shared,
    unbound: ReadonlySet<CodexSeat>,
  ): readonly (readonly [CodexSeat, CodexThread | null])[] {
    const seats = [...unbound].filter(({ process }) =>
      this.#socketsOf(process).includes(socketPath),
    );
    const { threads } = server;
    const clients = seats.flatMap((seat) => seat.client() ?? []);
    const nowMs = this.#context.daemon.nowMs();
    const bindings = bindThreads({ clients, threads, before, left, nowMs });
    for (const [runtimeId, thread] of bindings) {
      if (thread === null) continue;
      before.set(runtimeId, thread.id);
      left.delete(thread.id);
    }
    const open = new Set(threads.map((thread) => thread.id));
    if (open.size > 0) for (const each of left) if (!open.has(each)) left.delete(each);
    return seats.flatMap((seat) => {
      const thread = bindings.get(seat.runtimeId);
      return thread === undefined ? [] : [[seat, thread] as const];
    });
  }

  /** Where the servers are that one works with, or may. */
  #socketsOf(process: CodexProcess | null): readonly string[] {
    if (process === null || process.isAlone) return [];
    if (process.remote !== null) return [process.remote];
    const configured = socketOf(this.#context.config().codex.appServer);
    return [sharedSocket(process.home), ...(configured === null ? [] : [configured])];
  }
}
