// One ssh host: its connections, its probe and its health, kept up until it is disposed of.
// Nothing here waits for a host that does not answer longer than a deadline, and nothing is
// installed there. Callers choose the tmux servers and the requests.

import { type Backoff, backoff } from '../platform/backoff.ts';
import { Fault } from '../platform/fault.ts';
import { interruptibleSleep } from '../platform/interruptible-sleep.ts';
import { type RunLimits, type RunResult, runProgram } from '../platform/process/launch.ts';
import type { Host, Opening } from '../tmux/host.ts';
import type { ProbeResult } from '../tmux/socket-probe.ts';
import { checkDestination } from './connection/arguments.ts';
import { scriptChannel, tmuxChannel } from './connection/channel.ts';
import { newControlPath, openControlFolder } from './connection/control-folder.ts';
import {
  type HealthEvent,
  type HostHealth,
  reduceHealth,
  untriedHealth,
} from './connection/health.ts';
import type { Master } from './connection/master.ts';
import { type ChannelKind, Masters } from './connection/masters.ts';
import { reasonFromStderr, reasonOf, SshFault, type SshReason } from './connection/reason.ts';
import { Probe, type ProbeClient, type ProbeRequest } from './probe/probe.ts';
import { probeScript } from './probe/probe-script.ts';
import { type ClockReading, clockShiftMs, type HostFacts, readFacts } from './remote/host-facts.ts';
import { lookAtRemoteSocket } from './remote/remote-socket.ts';

const RETRY_FIRST_MS = 500;
const RETRY_CAP_MS = 30_000;
/** A host that refused a login will refuse it again, and may ban a client that tries often. */
const REFUSED_RETRY_MS = 60_000;
/** A connection that lasted this long resets the backoff. */
const HEALTHY_AFTER_MS = 10_000;
const BEAT_MS = 3_000;
const BEAT_DEADLINE_MS = 4_000;
const FACTS_DEADLINE_MS = 8_000;
/** Missed heartbeats in a row after which the connection is replaced. */
const MISSED_BEATS_MAX = 3;
const HEALTH_LOOK_MS = 1_000;

const NOBODY_LISTENS = 'nobody listens at the socket';

const refusals: ReadonlySet<string> = new Set([
  'authentication_refused',
  'host_key_changed',
  'host_key_unknown',
]);

export interface SshHostOptions {
  /** As a person gives it to ssh; one that starts with `-` is refused. */
  readonly destination: string;
  /** Control sockets are made in a folder of it. */
  readonly runtimeDir: string;
  /** For the login alone, before all other arguments. */
  readonly extraArguments?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly onHealth?: (health: HostHealth) => void;
  /** The host answers, for the first time or again: with other facts perhaps. */
  readonly onConnected?: (facts: HostFacts) => void;
  readonly onLost?: (reason: SshReason) => void;
  readonly nowMs?: () => number;
  readonly random?: () => number;
}

export class SshHost implements Host, ProbeClient, AsyncDisposable {
  readonly destination: string;
  readonly #options: SshHostOptions;
  readonly #masters: Masters;
  readonly #backoff: Backoff;
  readonly #retryWait = interruptibleSleep();
  readonly #nowMs: () => number;
  #health: HostHealth = untriedHealth;
  #probe: Probe | null = null;
  #facts: HostFacts | null = null;
  #tapPids: readonly number[] = [];
  readonly #clientPids = new Set<number>();
  #supervision: Promise<void> | null = null;
  #healthTimer: NodeJS.Timeout | null = null;
  #isClosed = false;

  /** Throws a Fault for a destination or a folder that cannot be used. */
  constructor(options: SshHostOptions) {
    const { destination, runtimeDir, random = Math.random, nowMs = Date.now } = options;
    checkDestination(destination);
    const controlFolder = openControlFolder(runtimeDir);
    newControlPath(controlFolder);
    this.destination = destination;
    this.#options = options;
    this.#nowMs = nowMs;
    this.#backoff = backoff({ firstMs: RETRY_FIRST_MS, capMs: RETRY_CAP_MS, random });
    this.#masters = new Masters({
      destination,
      controlFolder,
      extraArguments: options.extraArguments ?? [],
      env: options.env,
    });
  }

  /** Connects, and reconnects until disposed of. */
  start(): void {
    if (this.#supervision !== null || this.#isClosed) return;
    this.#supervision = this.#supervise();
    this.#healthTimer = setInterval(
      () => this.#updateHealth({ kind: 'passed' }),
      HEALTH_LOOK_MS,
    ).unref();
  }

  get health(): HostHealth {
    return this.#health;
  }

  /** Null while it is not connected. */
  get facts(): HostFacts | null {
    return this.#facts;
  }

  /** Its clock was read again: where it was set since, the shift of its times moves with it. */
  noteClock(reading: ClockReading): void {
    if (this.#facts === null) return;
    const shiftMs = clockShiftMs(reading, this.#facts.clockShiftMs);
    this.#facts = { ...this.#facts, clockShiftMs: shiftMs };
  }

  get channelCount(): number {
    return this.#masters.channelCount;
  }

  get masterCount(): number {
    return this.#masters.masterCount;
  }

  get secret(): string {
    return this.#probe?.secret ?? '';
  }

  /** Ends the wait before the next attempt. */
  connectNow(): void {
    this.#retryWait.wake();
  }

  /** Process ids on the host: its watchdog ends these taps when no heartbeat comes. */
  setTapPids(pids: readonly number[]): void {
    this.#tapPids = pids;
    this.#renewWatchdog();
  }

  #renewWatchdog(): void {
    this.#beat().catch(() => {
      // The next heartbeat is due soon, and its failure is counted.
    });
  }

  /** Asks the probe. Throws an SshFault at once when there is none. */
  ask(request: ProbeRequest): Promise<string> {
    if (this.#probe) return this.#probe.ask(request);
    return Promise.reject(new SshFault(this.destination, this.#unavailableReason()));
  }

  /** A channel that becomes tmux with these arguments. Throws an SshFault. */
  async open(kind: ChannelKind, tmuxArguments: readonly string[]): Promise<Opening> {
    if (this.#probe === null) throw new SshFault(this.destination, this.#unavailableReason());
    const lease = await this.#masters.take(kind);
    const opening = tmuxChannel(lease, this.#options.env, tmuxArguments);
    return kind === 'command' ? this.#withWatchdog(opening) : opening;
  }

  /** tmux keeps a client with unread output for ever, so the watchdog ends it after the taps. */
  #withWatchdog(opening: Opening): Opening {
    let clientPid: number | null = null;
    return {
      launch: opening.launch,
      started: (pid) => {
        clientPid = pid;
        this.#clientPids.add(pid);
        this.#renewWatchdog();
      },
      release: (stderr) => {
        if (clientPid !== null) this.#clientPids.delete(clientPid);
        opening.release(stderr);
      },
    };
  }

  /** Whether a tmux server listens there. Throws an SshFault where that is unclear. */
  async probe(socketPath: string, signal: AbortSignal): Promise<ProbeResult> {
    const cancelled = Promise.withResolvers<never>();
    const onAbort = (): void => {
      const reason = reasonOf('connection_lost', 'it was cancelled');
      cancelled.reject(new SshFault(this.destination, reason));
    };
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    try {
      const found = await Promise.race([lookAtRemoteSocket(this, socketPath), cancelled.promise]);
      if (found === 'listens') return { listens: true };
      if (found === 'unclear') throw new SshFault(this.destination, reasonOf('timed_out'));
      const isThere = found === 'silent';
      return { listens: false, why: isThere ? NOBODY_LISTENS : 'there is no socket' };
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Runs tmux on the host. An exit code is a result; failing to start throws an SshFault. */
  async run(tmuxArguments: readonly string[], limits: RunLimits): Promise<RunResult> {
    const channel = await this.open('command', tmuxArguments);
    const result = await runProgram(channel.launch, limits);
    channel.release(result.stderr);
    if (result.wasReady || result.timedOut) return result;
    throw new SshFault(this.destination, reasonOfResult(result));
  }

  /** Ends everything. Resolves when no process is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    if (this.#healthTimer) clearInterval(this.#healthTimer);
    this.#retryWait.wake();
    await this.#masters[Symbol.asyncDispose]();
    await this.#supervision;
  }

  async #supervise(): Promise<void> {
    while (!this.#isClosed) {
      const reason = await this.#attempt();
      if (this.#isClosed) return;
      this.#updateHealth({ kind: 'failed', reason });
      await this.#retryWait.wait(this.#retryDelayMs(reason));
    }
  }

  #retryDelayMs(reason: SshReason): number {
    const delayMs = this.#backoff.nextDelayMs();
    const isFinal = refusals.has(reason.code) && this.#health.level === 'down';
    return isFinal ? Math.max(delayMs, REFUSED_RETRY_MS) : delayMs;
  }

  /** One attempt, which lasts as long as its connection. Returns why it ended. */
  async #attempt(): Promise<SshReason> {
    try {
      const master = this.#masters.connect();
      await master.ready;
      return await this.#serve(master);
    } catch (fault) {
      if (fault instanceof SshFault) return fault.reason;
      if (fault instanceof Fault) return reasonOf('host_unreachable', fault.message);
      throw fault;
    } finally {
      await this.#masters[Symbol.asyncDispose]();
    }
  }

  /** Keeps a probe on the connection until the connection ends or the probe cannot be used. */
  async #serve(master: Master): Promise<SshReason> {
    for (;;) {
      const startedAt = performance.now();
      const probe = await this.#openProbe();
      const reason = await this.#serveProbe(probe, master);
      if (performance.now() - startedAt >= HEALTHY_AFTER_MS) this.#backoff.reset();
      this.#probe = null;
      this.#facts = null;
      await probe[Symbol.asyncDispose]();
      this.#options.onLost?.(reason);
      if (this.#isClosed || master.isOver || reason.code !== 'connection_lost') return reason;
      // Only the shell has ended (killed, perhaps): start another.
      this.#updateHealth({ kind: 'failed', reason });
      await Promise.race([this.#retryWait.wait(this.#backoff.nextDelayMs()), master.over]);
      if (this.#isClosed || master.isOver) return reason;
    }
  }

  async #openProbe(): Promise<Probe> {
    const { env } = this.#options;
    const lease = await this.#masters.take('command');
    const probe = new Probe(this.destination, (secret) =>
      scriptChannel(lease, env, (marker) => probeScript(marker, secret)),
    );
    try {
      await probe.ready;
      const request = { command: 'agtmux_facts', deadlineMs: FACTS_DEADLINE_MS } as const;
      const requestedAtMs = this.#nowMs();
      const reply = await probe.ask(request);
      const facts = readFacts(reply, { requestedAtMs: requestedAtMs, answeredAtMs: this.#nowMs() });
      if (facts === null) throw new SshFault(this.destination, reasonOf('shell_unusable'));
      this.#onFacts(probe, facts);
      return probe;
    } catch (fault) {
      await probe[Symbol.asyncDispose]();
      throw fault;
    }
  }

  #onFacts(probe: Probe, facts: HostFacts): void {
    this.#probe = probe;
    this.#facts = facts;
    const limitation = facts.tmuxPath === null ? reasonOf('no_tmux') : null;
    this.#updateHealth({ kind: 'limited', limitation });
    this.#updateHealth({ kind: 'answered' });
    this.#options.onConnected?.(facts);
  }

  /** Sends heartbeats until the probe or its connection ends or stops answering. Returns why. */
  async #serveProbe(probe: Probe, master: Master): Promise<SshReason> {
    const ended = Promise.race([probe.over, master.over]);
    let missedCount = 0;
    for (;;) {
      const missed = await this.#missedBeat();
      if (this.#isClosed || master.isOver) return endAfter(missedCount, await ended);
      const end = missed && endBy(missed, missedCount);
      if (end) return end;
      missedCount = missed ? missedCount + 1 : 0;
      this.#reportBeat(missed, probe);
      const next = this.#retryWait.wait(missed === null ? BEAT_MS : 0);
      const reason = await Promise.race([ended, next]);
      if (reason) return endAfter(missedCount, reason);
    }
  }

  #reportBeat(missed: SshReason | null, probe: Probe): void {
    if (missed === null) this.#updateHealth({ kind: 'answered' });
    // The heartbeat may be queued behind a long answer: that is no failure yet.
    else if (probe.silentMs() >= BEAT_DEADLINE_MS)
      this.#updateHealth({ kind: 'failed', reason: missed });
  }

  /** Sends one heartbeat. Returns why it failed, or null. */
  async #missedBeat(): Promise<SshReason | null> {
    try {
      await this.#beat();
      return null;
    } catch (fault) {
      if (!(fault instanceof SshFault)) throw fault;
      return fault.reason;
    }
  }

  async #beat(): Promise<void> {
    const pids = [...this.#tapPids, ...this.#clientPids];
    const words = pids.filter((pid) => Number.isSafeInteger(pid) && pid > 1).map(String);
    await this.ask({ command: 'agtmux_beat', words, deadlineMs: BEAT_DEADLINE_MS });
  }

  #unavailableReason(): SshReason {
    return this.#health.reason ?? reasonOf('connection_lost', 'not connected yet');
  }

  #updateHealth(event: Unstamped<HealthEvent>): void {
    const before = this.#health;
    this.#health = reduceHealth(before, { ...event, atMs: this.#nowMs() } as HealthEvent);
    const { level, reason } = this.#health;
    if (level === before.level && reason?.sentence === before.reason?.sentence) return;
    this.#options.onHealth?.(this.#health);
  }
}

type Unstamped<T> = T extends unknown ? Omit<T, 'atMs'> : never;

/** Why a missed heartbeat ends the connection, after so many before it; null when it does not. */
function endBy(missed: SshReason, missedCount: number): SshReason | null {
  if (missed.code !== 'timed_out') return endAfter(missedCount, missed);
  return missedCount + 1 >= MISSED_BEATS_MAX ? missed : null;
}

/** ssh ends a silent connection without a message; missed heartbeats mean a timeout. */
function endAfter(missedCount: number, reason: SshReason): SshReason {
  return missedCount > 0 && reason.code === 'connection_lost' ? reasonOf('timed_out') : reason;
}

function reasonOfResult({ code, error, stderr }: RunResult): SshReason {
  if (code === 127) return reasonOf('no_tmux');
  return reasonFromStderr(error ?? stderr, 'connection_lost');
}
