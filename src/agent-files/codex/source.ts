// What Codex tells by itself on one machine. Each living one is a seat (seat.ts); those that
// share an app server are clients of it, and which of its threads sits in which seat is decided
// here, anew whenever threads, seats or titles change. A server of our own is kept here too.

import { type ChannelName, id, type RuntimeId } from '../../schema/ids.ts';
import type {
  Seat,
  StartGate,
  VendorContext,
  VendorSource,
  VendorSourceMaker,
} from '../agent-files-source.ts';
import { AskedWork } from '../asked-work.ts';
import { keepOnly, named } from '../keep-only.ts';
import { Seats } from '../seats.ts';
import { bindThreads } from './binding.ts';
import { CodexOwnServer } from './own-server.ts';
import { type CodexProcess, locksFolder, sharedSocket, socketOf } from './process.ts';
import { ROLLOUT } from './rollouts.ts';
import { CodexSeat } from './seat.ts';
import { APP_SERVER } from './served.ts';
import { CodexServer } from './server.ts';
import type { CodexThread } from './thread.ts';

/** A TUI that starts the shared server has it in four seconds; until then none is missing. */
const FOUND_MS = 10_000;

export const codexSource: VendorSourceMaker = (context) => new CodexSource(context);

/** A server with what is remembered of its clients. */
interface Shared extends Disposable {
  readonly server: CodexServer;
  readonly channel: ChannelName;
  /** The thread that each client was last known to have. */
  readonly before: Map<RuntimeId, string>;
  /** Threads whose client has ended. */
  readonly left: Set<string>;
}

class CodexSource implements VendorSource {
  readonly #context: VendorContext;
  readonly #seats: Seats<CodexSeat>;
  readonly #shared = new Map<string, Shared>();
  readonly #locks = new Map<string, Disposable>();
  /** Every seat looks at a beat; all of them together are arranged once or twice. */
  readonly #arranging: AskedWork;
  /** Counts for as long as we live how often a server of our own has failed. */
  readonly #gate: StartGate;
  #own: CodexOwnServer | null = null;
  /** Since when no server is there that living ones could share; null while one is. */
  #unservedSinceMs: number | null = null;

  constructor(context: VendorContext) {
    this.#context = context;
    this.#gate = context.gate('codex app-server');
    this.#arranging = new AskedWork(
      async () => this.#arrange(),
      (error) => context.onProblem(String(error)),
    );
    const onLooked = () => this.#arranging.ask();
    const nameOf = (threadId: string) => this.#own?.nameOf(threadId) ?? null;
    this.#seats = new Seats((seat) => new CodexSeat(context, seat, { onLooked, nameOf }));
  }

  keep(seats: readonly Seat[]): void {
    this.#seats.keep(seats);
    this.#arrange();
  }

  beat(nowMs: number): void {
    const { daemon, channel } = this.#context;
    const living = [...this.#shared.values()].filter(({ server }) => server.isAlive());
    this.#keepOwn(nowMs, living.length > 0);
    const isFollowing = this.#seats.readers().some((seat) => seat.isFollowing);
    const channels = [
      ...living.map((shared) => shared.channel),
      ...(isFollowing ? [channel(ROLLOUT)] : []),
    ];
    if (channels.length === 0) return;
    daemon.submit(channels.map((each) => ({ kind: 'heartbeat', channel: each, atMs: nowMs })));
  }

  [Symbol.dispose](): void {
    this.#arranging[Symbol.dispose]();
    this.#seats[Symbol.dispose]();
    this.#arrange();
    this.#own?.[Symbol.dispose]();
  }

  /** A server of our own, one at most, while it is wanted and there is no other. */
  #keepOwn(nowMs: number, isServed: boolean): void {
    const { isLocal, config, daemon, onProblem } = this.#context;
    const { spawnAppServer, appServer } = config().codex;
    const seats = this.#seats.readers();
    const homes = new Set(seats.flatMap(({ process }) => process?.home ?? []));
    const isMissing = !isServed && appServer === '' && homes.size > 0;
    this.#unservedSinceMs = isMissing ? (this.#unservedSinceMs ?? nowMs) : null;
    const isWanted = isLocal && spawnAppServer && isMissing;
    if (this.#own !== null && !(isWanted && homes.has(this.#own.home))) this.#own[Symbol.dispose]();
    if (this.#own?.isEnded && !this.#own.isRunning) this.#own = null;
    const [home] = homes;
    const isDue = nowMs - (this.#unservedSinceMs ?? nowMs) >= FOUND_MS;
    if (isWanted && isDue && this.#own === null && home !== undefined) {
      const gate = this.#gate;
      this.#own = new CodexOwnServer({ home, nowMs: daemon.nowMs, gate, onProblem });
    }
    const ofOwn = seats.filter(({ process }) => process?.home === this.#own?.home);
    this.#own?.beat(ofOwn.flatMap(({ heldThreadIds }) => heldThreadIds));
  }

  /** Who lives or what is known of them is another. */
  #arrange(): void {
    this.#keepPlaces();
    this.#bindAll();
  }

  /** The servers and folders that living ones use, and no others. */
  #keepPlaces(): void {
    const seats = this.#seats.readers();
    const homes = named(seats.flatMap(({ process }) => process?.home ?? []));
    keepOnly(this.#locks, homes, (home) => this.#watchLocks(home));
    if (!this.#context.isLocal) return;
    const sockets = named(seats.flatMap((seat) => this.#socketsOf(seat.process)));
    keepOnly(this.#shared, sockets, (socketPath) => this.#connect(socketPath));
  }

  /** A thread that is opened or closed may be in any process of the folder. */
  #watchLocks(home: string): Disposable {
    return this.#context.files.watch(locksFolder(home), () => {
      for (const seat of this.#seats.readers()) if (seat.process?.home === home) seat.stir();
    });
  }

  #connect(socketPath: string): Shared {
    const { daemon, channel, onProblem } = this.#context;
    const server = new CodexServer({
      socketPath,
      nowMs: daemon.nowMs,
      onThreads: () => this.#bindAll(),
      onStatus: (threadId, status) => {
        for (const seat of this.#seats.readers()) seat.tell(threadId, status, shared.channel);
      },
      onProblem,
    });
    const shared: Shared = {
      server,
      channel: id<ChannelName>(`${channel(APP_SERVER)}:${socketPath}`),
      before: new Map(),
      left: new Set(),
      [Symbol.dispose]: () => server[Symbol.dispose](),
    };
    return shared;
  }

  #bindAll(): void {
    const seats = this.#seats.readers();
    const unbound = new Set(seats);
    const living = new Set(seats.map(({ runtimeId }) => runtimeId));
    for (const [socketPath, shared] of this.#shared) {
      leaveThreads(shared, living);
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

/** Threads of clients that have ended go on without a pane. */
function leaveThreads({ before, left }: Shared, living: ReadonlySet<RuntimeId>): void {
  for (const [runtimeId, threadId] of before) {
    if (living.has(runtimeId)) continue;
    before.delete(runtimeId);
    left.add(threadId);
  }
}
