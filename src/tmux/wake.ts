// The wake client: a client that waits in `wait-for`, so that the emitter can wake us in 3 ms where
// a subscription takes up to a second. In control mode it also keeps panes running as the link
// does, in another session where there is one, so that no kill-session takes both.

import { type Backoff, backoff } from '../platform/backoff.ts';
import { Fault } from '../platform/fault.ts';
import { interruptibleSleep } from '../platform/interruptible-sleep.ts';
import { ControlClient } from './client.ts';
import type { TmuxLink } from './link.ts';
import { clientsCommand, readClients } from './listing.ts';
import { chooseSession, readSessions, type SessionRow, sessionsCommand } from './sessions.ts';

/** The channel that emitters signal with `wait-for -S`. */
export const WAKE_CHANNEL = 'agtmux-wake';

const RETRY_FIRST_MS = 100;
const RETRY_CAP_MS = 5_000;
const HEALTHY_AFTER_MS = 1_000;
const ANSWER_DEADLINE_MS = 5_000;

export interface WakeOptions {
  readonly link: TmuxLink;
  /** Something may have changed; also called once after each (re)connect. */
  readonly onWake: () => void;
  readonly random?: () => number;
}

export class WakeClient {
  readonly #options: WakeOptions;
  readonly #backoff: Backoff;
  readonly #sleep = interruptibleSleep();
  readonly #ending = new AbortController();
  readonly #leaveStatus: () => void;
  #linkChanged = Promise.withResolvers<void>();
  #client: ControlClient | null = null;
  #sessionId: string | null = null;
  #supervision: Promise<void> | null = null;
  #isClosed = false;
  #isReconsidering = false;

  constructor(options: WakeOptions) {
    this.#options = options;
    const { random = Math.random } = options;
    this.#backoff = backoff({ firstMs: RETRY_FIRST_MS, capMs: RETRY_CAP_MS, random });
    this.#leaveStatus = options.link.onStatus(() => {
      this.#linkChanged.resolve();
      this.#linkChanged = Promise.withResolvers();
      this.#reconsider();
    });
  }

  /** Begins to wait, and keeps at it until disposed of. */
  start(): void {
    this.#supervision ??= this.#supervise();
  }

  /** The session it waits in, or null while it is not attached. */
  get sessionId(): string | null {
    return this.#sessionId;
  }

  /** Resolves when no process is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#leaveStatus();
    this.#sleep.stop();
    this.#ending.abort();
    this.#linkChanged.resolve();
    await this.#client?.[Symbol.asyncDispose]();
    await this.#supervision;
  }

  async #supervise(): Promise<void> {
    while (!this.#isClosed) {
      if (!this.#canWait) {
        await this.#linkChanged.promise;
        continue;
      }
      try {
        await this.#serve();
      } catch (cause) {
        if (!(cause instanceof Fault)) throw cause;
      }
      if (!this.#isClosed) await this.#sleep.wait(this.#backoff.nextDelayMs());
    }
  }

  /**
   * Over the socket of this machine nothing waits: the spool is watched here, listings show options
   * five times a second, and tmux cannot end before the last client has left, though we be stopped.
   */
  get #canWait(): boolean {
    const { state, plain } = this.#options.link.status;
    return state === 'connected' && plain !== 'socket';
  }

  /** Attaches and waits for signals until that connection is lost, which throws. */
  async #serve(): Promise<void> {
    const { link } = this.#options;
    if (link.status.plain !== undefined) {
      const { signal } = this.#ending;
      return this.#waitForSignals((commands, limits) => link.run(commands, { ...limits, signal }));
    }
    await this.#waitForQuiet();
    if (this.#isClosed || link.status.state !== 'connected') return;
    const chosen = chooseSession(await this.#sessions(), link.status.sessionId);
    if (chosen === null || this.#isClosed) return;
    const client = await ControlClient.attach(
      {
        host: link.host,
        socketPath: link.socketPath,
        sessionId: chosen.id,
        onNotification: (notification) => {
          if (notification.kind === 'session-changed') this.#sessionId = notification.sessionId;
          if (notification.kind === 'sessions-changed') this.#reconsider();
        },
        onClosed: () => {
          this.#sessionId = null;
        },
      },
      { deadlineMs: ANSWER_DEADLINE_MS, signal: this.#ending.signal },
    );
    this.#client = client;
    if (!client.isClosed) this.#sessionId = chosen.id;
    try {
      if (!this.#isClosed)
        await this.#waitForSignals((commands, limits) => client.run(commands, limits));
    } finally {
      this.#client = null;
      await client[Symbol.asyncDispose]();
    }
  }

  /** Waits while another client could crash the server. */
  async #waitForQuiet(): Promise<void> {
    const { link } = this.#options;
    for (;;) {
      const waitMs = link.attachWaitMs;
      if (waitMs === 0 || this.#isClosed || link.status.state !== 'connected') return;
      await this.#sleep.wait(waitMs);
    }
  }

  async #waitForSignals(run: ControlClient['run']): Promise<void> {
    // A signal that woke a waiter which is no more is lost. This one wakes all such, so that none
    // is left, and what may have been missed is read.
    await run([['wait-for', '-S', WAKE_CHANNEL]], { deadlineMs: ANSWER_DEADLINE_MS });
    const startedAt = performance.now();
    try {
      for (;;) {
        this.#options.onWake();
        await run([['wait-for', WAKE_CHANNEL]], { deadlineMs: null });
      }
    } finally {
      if (performance.now() - startedAt >= HEALTHY_AFTER_MS) this.#backoff.reset();
    }
  }

  async #sessions(): Promise<readonly SessionRow[]> {
    const limits = { deadlineMs: ANSWER_DEADLINE_MS };
    const [reply] = await this.#options.link.run([sessionsCommand()], limits);
    return readSessions(reply);
  }

  #reconsider(): void {
    if (this.#isReconsidering || !this.#client) return;
    this.#isReconsidering = true;
    this.#leaveWhereNeeded(this.#client)
      .catch(() => {
        // The link is lost; its next status brings us here again.
      })
      .finally(() => {
        this.#isReconsidering = false;
      });
  }

  /** Disconnects to attach to a better session: a blocked command queue cannot switch. */
  async #leaveWhereNeeded(client: ControlClient): Promise<void> {
    const { link } = this.#options;
    const limits = { deadlineMs: ANSWER_DEADLINE_MS };
    const [sessions, clients] = await link.run([sessionsCommand(), clientsCommand()], limits);
    const rows = readSessions(sessions);
    const here = rows.find(({ id }) => id === this.#sessionId);
    const people = clients ? readClients(clients).filter(({ control }) => !control) : [];
    const isHeld = people.some(({ sessionId }) => sessionId === here?.id);
    const best = chooseSession(rows, link.status.sessionId);
    const sharesLink = here?.id === link.status.sessionId && best !== null && best.id !== here?.id;
    if (here?.destroyUnattached ? isHeld : sharesLink) await client[Symbol.asyncDispose]();
  }
}
