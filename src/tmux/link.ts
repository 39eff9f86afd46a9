// The supervised connection to one tmux server: a control client without output, which keeps panes
// running while taps are open, or plain commands where tmux could die of such a client. It connects
// again by itself, never starts a server, keeps away from sessions that end when left, and reports
// its status. The commands are the callers'.

import { type Backoff, backoff } from '../platform/backoff.ts';
import { Fault } from '../platform/fault.ts';
import { interruptibleSleep } from '../platform/interruptible-sleep.ts';
import { untilAborted } from '../platform/until-aborted.ts';
import type { Config } from '../schema/config.ts';
import type { Reply } from '../tmux-wire/control-parser.ts';
import type { Notification } from '../tmux-wire/notification.ts';
import { ControlClient } from './client.ts';
import { type Host, localHost } from './host.ts';
import { clientsCommand, readClients } from './listing.ts';
import { type LinkItem, NotificationQueue } from './notification-queue.ts';
import { type PlainTransport, plainTransport, runPlain } from './plain/plain-run.ts';
import type { PlainRunOptions } from './plain/process-run.ts';
import { changeCommands, hasAttachFault, QuietGate } from './quiet-gate.ts';
import { chooseSession, readSessions, type SessionRow, sessionsCommand } from './sessions.ts';

/** The first try after a loss comes soon: the taps are closed until then. */
const RETRY_FIRST_MS = 100;
const RETRY_CAP_MS = 5_000;
/** A connection that lived this long resets the backoff; a crash loop stays below it. */
const HEALTHY_AFTER_MS = 1_000;
/** A socket without a server is tried this often, without a process. */
const ABSENT_POLL_MS = 1_000;
/** With nothing to attach to, the sessions are listed this often. */
const DEGRADED_POLL_MS = 2_000;
/** Where nothing is attached on purpose: whether it is still the same server. */
const PLAIN_POLL_MS: Readonly<Record<PlainTransport, number>> = { socket: 1_000, process: 5_000 };
/** A server that keeps changing is listed at most this often, and less often the longer it does. */
const CHANGING_POLL_MS: readonly [number, number] = [100, 1_000];
const CHANGING_POLL_SHARE = 0.05;
/** A wait for quiet that takes longer is shown to people. */
const SETTLING_MS = 2_000;
/** For our own commands: a server that takes longer is as good as gone. */
const ANSWER_DEADLINE_MS = 5_000;

/**
 * `degraded`: nothing may be attached, because every session has `destroy-unattached`, or because
 * the server changes all the time and its version could die of it.
 */
export type LinkState = 'connecting' | 'connected' | 'absent' | 'degraded';

/** One life of the server: pane ids repeat in the next. */
export interface Generation {
  readonly serverPid: number;
  /** Seconds since the epoch, as tmux gives it. */
  readonly startTime: number;
}

export interface LinkStatus {
  readonly state: LinkState;
  readonly detail: string;
  /** Known while connected or degraded. */
  readonly generation: Generation | null;
  /** The session the link is attached to; null without a control client. */
  readonly sessionId: string | null;
  /**
   * Set while connected or degraded without a control client: how commands run. There are no
   * notifications then, and nothing else may be attached.
   */
  readonly plain?: PlainTransport;
  /** Degraded for a moment only, as before each attach to a version that needs it. */
  readonly isSettling?: true;
}

export type AttachPolicy = Config['tmux']['attach'];

export interface LinkOptions {
  /** Absent: this machine. */
  readonly host?: Host;
  readonly socketPath: string;
  /** `when_safe`: no control client where tmux could die of one. */
  readonly attach: AttachPolicy;
  /**
   * Called first of all, synchronously, when the link is lost: close the taps here. Where it gives
   * a promise, our own client leaves, and the next comes, when that is fulfilled.
   */
  readonly onLost?: () => unknown;
  readonly onStatus?: (status: LinkStatus) => void;
  readonly random?: () => number;
}

export class TmuxLink {
  readonly socketPath: string;
  readonly host: Host;
  readonly #options: LinkOptions;
  readonly #backoff: Backoff;
  readonly #sleep = interruptibleSleep();
  /** Ends every wait when the link closes: a server that hangs never answers. */
  readonly #ending = new AbortController();
  readonly #queues = new Set<NotificationQueue>();
  readonly #statusListeners = new Set<(status: LinkStatus) => void>();
  #status: LinkStatus = unattached('connecting', 'not tried yet');
  #client: ControlClient | null = null;
  #supervision: Promise<void> | null = null;
  #isClosed = false;
  #isMoving = false;
  readonly #gate = new QuietGate();
  #hasAttachFault = false;
  /** Since when the next client waits for quiet. */
  #waitsSinceMs: number | null = null;
  #unrecognisedCount = 0;

  constructor(options: LinkOptions) {
    this.socketPath = options.socketPath;
    this.host = options.host ?? localHost;
    this.#options = options;
    const { random = Math.random } = options;
    const limits = {
      firstMs: RETRY_FIRST_MS,
      capMs: RETRY_CAP_MS,
      healthyAfterMs: HEALTHY_AFTER_MS,
    };
    this.#backoff = backoff({ ...limits, random });
  }

  /** Begins to connect, and keeps at it until disposed of. */
  start(): void {
    this.#supervision ??= this.#supervise();
  }

  /** Tries at once where it waits for the next try: its host is back. */
  connectNow(): void {
    if (this.#client === null) this.#sleep.wake();
  }

  /** Leaves sessions that end with their last client. A subscription for it crashes tmux 3.3a. */
  avoid(sessionIds: ReadonlySet<string>): void {
    const { sessionId } = this.#status;
    if (this.#isMoving || !this.#client || sessionId === null) return;
    if (!sessionIds.has(sessionId)) return;
    this.#isMoving = true;
    this.#moveWhereNeeded(this.#client)
      .catch(() => {
        // The connection was lost; the supervision sees to it.
      })
      .finally(() => {
        this.#isMoving = false;
      });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get status(): LinkStatus {
    return this.#status;
  }

  /** Whether the server could die of a client that attaches: then they come one by one. */
  get hasAttachFault(): boolean {
    return this.#hasAttachFault;
  }

  /** How long another client has to wait before it attaches; 0 when it may. */
  get attachWaitMs(): number {
    return this.#hasAttachFault ? this.#gate.waitMs(performance.now()) : 0;
  }

  /** Lines that no known version of tmux sends, over all connections. */
  get unrecognisedCount(): number {
    return this.#unrecognisedCount + (this.#client?.unrecognisedCount ?? 0);
  }

  /** Adds a listener after that of the options; returns its removal. */
  onStatus(listener: (status: LinkStatus) => void): () => void {
    this.#statusListeners.add(listener);
    return () => this.#statusListeners.delete(listener);
  }

  /**
   * Runs the commands with nothing in between; the last reply is the error, where there is one.
   * Throws a Fault: tmux_gone while there is no server, timeout, protocol_desync; or the reason of
   * the signal, which ends the wait alone: tmux runs what was written to it.
   */
  async run(
    commands: readonly (readonly string[])[],
    { deadlineMs, signal }: PlainRunOptions,
  ): Promise<readonly Reply[]> {
    if (this.#client) return untilAborted(this.#client.run(commands, { deadlineMs }), signal);
    const { detail, plain } = this.#status;
    if (plain === undefined) throw new Fault('tmux_gone', { about: this.socketPath, detail });
    const ending = this.#ending.signal;
    const either = signal ? AbortSignal.any([ending, signal]) : ending;
    try {
      return await runPlain(this, commands, { deadlineMs, signal: either });
    } catch (cause) {
      // The server may have ended: nothing else would say so.
      if (cause instanceof Fault && cause.code !== 'timeout') this.#sleep.wake();
      throw cause;
    }
  }

  /** Notifications of this or the next connection. After its end, call again and list anew. */
  notifications(): AsyncIterableIterator<LinkItem> {
    const queue = new NotificationQueue(() => this.#queues.delete(queue));
    if (this.#isClosed) queue.end();
    else this.#queues.add(queue);
    return queue;
  }

  /** Ends the connection and every subscriber's queue. Resolves when no process is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#sleep.stop();
    this.#ending.abort();
    await this.#client?.[Symbol.asyncDispose]();
    await this.#supervision;
    this.#endQueues();
  }

  async #supervise(): Promise<void> {
    while (!this.#isClosed) {
      let waitMs: number;
      try {
        waitMs = await this.#attempt();
      } catch (cause) {
        if (!(cause instanceof Fault)) throw cause;
        this.#setStatus(unattached('connecting', cause.message));
        waitMs = this.#backoff.nextDelayMs();
      }
      if (!this.#isClosed) await this.#sleep.wait(waitMs);
    }
  }

  /** One try, which lasts as long as its connection. Returns how long to wait for the next one. */
  async #attempt(): Promise<number> {
    const { signal } = this.#ending;
    const probe = await this.host.probe(this.socketPath, signal);
    if (!probe.listens) {
      this.#setStatus(unattached('absent', probe.why));
      return ABSENT_POLL_MS;
    }
    const limits = { deadlineMs: ANSWER_DEADLINE_MS, signal };
    const commands = [sessionsCommand(), ...changeCommands()];
    const startedMs = performance.now();
    const [reply, ...changes] = await runPlain(this, commands, limits);
    // A server that cannot answer now is not one without sessions.
    if (!reply?.ok) throw this.#unanswered(reply);
    const sessions = readSessions(reply);
    const [first] = sessions;
    if (first === undefined) {
      this.#setStatus(unattached('absent', 'the server has no session'));
      return this.#backoff.nextDelayMs();
    }
    this.#hasAttachFault = hasAttachFault(first.version);
    if (this.#hasAttachFault && this.#options.attach === 'when_safe') {
      const detail = `by plain commands, as a control client could crash tmux ${first.version}`;
      this.#stayPlain('connected', detail, first);
      return PLAIN_POLL_MS[plainTransport(this.host)];
    }
    const chosen = chooseSession(sessions, null);
    if (chosen === null) {
      const detail = 'every session has destroy-unattached, so that none can be attached to';
      this.#stayPlain('degraded', detail, first);
      return DEGRADED_POLL_MS;
    }
    const listedMs = performance.now();
    this.#gate.listed(changes, listedMs, listedMs - startedMs);
    const waitMs = this.attachWaitMs;
    if (waitMs > 0) return this.#waitForQuiet(first, waitMs);
    this.#waitsSinceMs = null;
    if (!this.#isClosed) await this.#serve(chosen);
    return this.#backoff.nextDelayMs();
  }

  /** Returns when to list again: a change in between restarts the wait. */
  #waitForQuiet(server: SessionRow, leastMs: number): number {
    const nowMs = performance.now();
    this.#waitsSinceMs ??= nowMs;
    const waitedMs = nowMs - this.#waitsSinceMs;
    const until = 'waits to attach until sessions and windows stop changing';
    const detail = `${until}, because tmux ${server.version} could crash`;
    const degraded = this.#plain('degraded', detail, server);
    this.#setStatus(waitedMs < SETTLING_MS ? { ...degraded, isSettling: true } : degraded);
    const [firstMs, capMs] = CHANGING_POLL_MS;
    return Math.min(leastMs, Math.max(firstMs, Math.min(capMs, waitedMs * CHANGING_POLL_SHARE)));
  }

  /** Where nothing is attached, the answers show that the link is well, as a client's life does. */
  #stayPlain(state: LinkState, detail: string, server: SessionRow): void {
    this.#setStatus(this.#plain(state, detail, server));
    this.#backoff.succeeded(performance.now());
  }

  #plain(state: LinkState, detail: string, server: SessionRow): LinkStatus {
    const plain = plainTransport(this.host);
    return { ...unattached(state, detail), generation: generationOf(server), plain };
  }

  /** Attaches to the session and stays until that connection is over. */
  async #serve(session: SessionRow): Promise<void> {
    const over = Promise.withResolvers<Fault>();
    const client = await ControlClient.attach(
      {
        host: this.host,
        socketPath: this.socketPath,
        sessionId: session.id,
        onNotification: (notification) => this.#onNotification(notification),
        onClosed: (fault) => {
          over.resolve(fault);
          return this.#onClosed(fault);
        },
      },
      { deadlineMs: ANSWER_DEADLINE_MS, signal: this.#ending.signal },
    );
    const startedAt = performance.now();
    if (this.#isClosed || client.isClosed) {
      await client[Symbol.asyncDispose]();
      return;
    }
    this.#client = client;
    this.#setStatus({
      state: 'connected',
      detail: `attached to session ${session.id}`,
      generation: generationOf(session),
      sessionId: session.id,
    });
    await over.promise;
    this.#unrecognisedCount += client.unrecognisedCount;
    await client[Symbol.asyncDispose]();
    if (performance.now() - startedAt >= HEALTHY_AFTER_MS) this.#backoff.reset();
  }

  #unanswered(reply: Reply | undefined): Fault {
    const detail = `list-sessions: ${reply?.lines.join(' ').slice(0, 200) ?? 'no reply'}`;
    return new Fault('target_unreachable', { about: this.socketPath, detail });
  }

  #onClosed(fault: Fault): unknown {
    const wasAttached = this.#client !== null;
    this.#client = null;
    this.#gate.lost();
    if (!wasAttached) return null;
    const tapsLeft = this.#options.onLost?.();
    this.#endQueues();
    this.#setStatus(unattached('connecting', fault.message));
    return tapsLeft;
  }

  #onNotification(notification: Notification): void {
    this.#gate.notified(notification, performance.now());
    if (notification.kind === 'session-changed' && this.#status.state === 'connected') {
      const { sessionId } = notification;
      const detail = `attached to session ${sessionId}`;
      if (sessionId !== this.#status.sessionId) {
        this.#setStatus({ ...this.#status, detail, sessionId });
      }
    }
    for (const queue of this.#queues) queue.push(notification);
  }

  /** Leaves a session with `destroy-unattached`, unless we are its last client. */
  async #moveWhereNeeded(client: ControlClient): Promise<void> {
    const limits = { deadlineMs: ANSWER_DEADLINE_MS };
    const [sessions] = await client.run([sessionsCommand()], limits);
    const rows = readSessions(sessions);
    const { sessionId } = this.#status;
    if (!rows.some((row) => row.id === sessionId && row.destroyUnattached)) return;
    const [clients] = await client.run([clientsCommand()], limits);
    const people = clients ? readClients(clients).filter(({ control }) => !control) : [];
    if (!people.some((person) => person.sessionId === sessionId)) return;
    const chosen = chooseSession(rows, null);
    if (chosen === null) await client[Symbol.asyncDispose]();
    else await client.run([['switch-client', '-E', '-t', chosen.id]], limits);
  }

  #setStatus(status: LinkStatus): void {
    if (JSON.stringify(status) === JSON.stringify(this.#status)) return;
    this.#status = status;
    this.#options.onStatus?.(status);
    for (const listener of this.#statusListeners) listener(status);
  }

  #endQueues(): void {
    for (const queue of this.#queues) queue.end();
    this.#queues.clear();
  }
}

function unattached(state: LinkState, detail: string): LinkStatus {
  return { state, detail, generation: null, sessionId: null };
}

function generationOf({ serverPid, serverStartTime }: SessionRow): Generation {
  return { serverPid, startTime: serverStartTime };
}
