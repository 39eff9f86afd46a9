// The watch of one machine over ssh: its connection, its tmux server, its processes and the spool
// that emitters fill there. The connection is kept up in the background; what it cannot tell now is
// unknown, and nothing else waits for it.

import { join } from 'node:path';
import { Fault } from '../platform/fault.ts';
import type { Target } from '../schema/target.ts';
import { readSpoolFile, type SpoolEvent } from '../sources/spool-file.ts';
import { bootPinsIn } from '../ssh/boot-pins.ts';
import type { HostFacts } from '../ssh/host-facts.ts';
import { SshFault } from '../ssh/reason.ts';
import { RemoteProcesses } from '../ssh/remote-processes.ts';
import {
  type RemoteSpoolReading,
  readRemoteSpool,
  refuseInRemoteSpool,
  removeFromRemoteSpool,
} from '../ssh/remote-spool.ts';
import { SshHost } from '../ssh/ssh-host.ts';
import type { Host } from '../tmux/host.ts';
import type { TargetStatus, TargetWatch } from './targets.ts';
import type { Watchers } from './watchers.ts';

/** Wake-ups tell at once; this is for what they miss, and it is the beat of the spool's channel. */
const SPOOL_MS = 2_000;
/** A tap that was refused is tried again within a minute: so long it counts as refused. */
const TAP_REFUSED_MS = 120_000;
const TAP_REFUSED =
  'the host has no room for more channels (MaxSessions): some of its tmux sessions are looked at ' +
  'now and then in place of being listened to';
/** How long `connect` waits for a host at most, and how often it looks. */
const CONNECT_MS = 30_000;
const CONNECT_LOOK_MS = 50;

export interface SshTargetOptions {
  readonly target: Target;
  /** A configuration of ssh in place of the user's own; empty is the user's. */
  readonly sshConfigFile: string;
  readonly stateDir: string;
  readonly runtimeDir: string;
  readonly watchers: Watchers;
  readonly nowMs: () => number;
  readonly onHealth: () => void;
  /** Commits the events of its tmux server. Throws a Fault where it cannot now. */
  readonly onEvents: (events: readonly SpoolEvent[], socketPath: string) => void;
  readonly onSpoolRead: () => void;
  readonly onProblem: (problem: string) => void;
}

export class SshTarget implements TargetWatch {
  readonly #options: SshTargetOptions;
  readonly #host: SshHost;
  readonly #processes: RemoteProcesses;
  readonly #sweep: NodeJS.Timeout;
  /** The sockets of its servers that are watched already. */
  readonly #watched = new Set<string>();
  #tapRefusedAtMs = Number.NEGATIVE_INFINITY;
  #isReading = false;
  #isAskedAgain = false;
  #isClosed = false;

  constructor(options: SshTargetOptions) {
    const { target, stateDir, runtimeDir, nowMs, onHealth, sshConfigFile } = options;
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
    const pins = bootPinsIn(join(stateDir, 'boots.json'));
    this.#processes = new RemoteProcesses(this.#host, { pins, nowMs });
    this.#sweep = setInterval(() => void this.#readSpool(), SPOOL_MS).unref();
    this.#host.start();
  }

  get status(): TargetStatus {
    const { level, reason, answeredAtMs } = this.#host.health;
    const isTapRefused = this.#options.nowMs() - this.#tapRefusedAtMs < TAP_REFUSED_MS;
    const detail = reason?.sentence ?? (isTapRefused ? TAP_REFUSED : null);
    return { health: level, detail, lastSeenAtMs: answeredAtMs };
  }

  async connect(): Promise<void> {
    const failuresBefore = this.#host.health.failureCount;
    const deadlineMs = performance.now() + CONNECT_MS;
    const isDone = (): boolean => {
      const { level, failureCount, limitation } = this.#host.health;
      const isAsGoodAsCanBe = this.#host.facts !== null && limitation !== null;
      return level === 'ok' || isAsGoodAsCanBe || failureCount > failuresBefore || this.#isClosed;
    };
    while (!isDone() && performance.now() < deadlineMs) {
      // Also asks a host that is back for the second answer that it takes to be well.
      this.#host.connectNow();
      await new Promise((resolve) => setTimeout(resolve, CONNECT_LOOK_MS));
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweep);
    await this.#options.watchers.removeTarget(this.#options.target.targetId);
    await this.#host.close();
  }

  #connected({ socketPath, tmuxPath }: HostFacts): void {
    const { watchers, target } = this.#options;
    if (this.#isClosed || tmuxPath === null || this.#watched.has(socketPath)) return;
    this.#watched.add(socketPath);
    watchers.add({
      place: { targetId: target.targetId, server: socketPath },
      host: this.#tellingHost(),
      processes: this.#processes,
      onWake: () => void this.#readSpool(),
    });
  }

  /** The host, with a note of taps that it has no room for. */
  #tellingHost(): Host {
    const host = this.#host;
    return {
      probe: (socketPath, signal) => host.probe(socketPath, signal),
      tapsRun: (pids) => host.tapsRun(pids),
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

  /** One reading at a time; a wake-up in between asks for another. */
  async #readSpool(): Promise<void> {
    this.#isAskedAgain = true;
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#isAskedAgain && !this.#isClosed && this.#host.facts !== null) {
        this.#isAskedAgain = false;
        this.#isAskedAgain ||= await this.#readRound(this.#host.facts);
      }
    } catch (error) {
      // The host is lost, or the store is full: the files stay and come again.
      if (!(error instanceof Fault)) throw error;
    } finally {
      this.#isReading = false;
    }
  }

  /** Reads some events, hands them in and only then deletes them. True when there are more. */
  async #readRound({ spoolFolder, uid, socketPath }: HostFacts): Promise<boolean> {
    if (spoolFolder === null) return false;
    const place = { folder: spoolFolder, uid };
    const reading = await readRemoteSpool(this.#host, place);
    if (this.#isClosed) return false;
    if (reading.problem === null) this.#options.onSpoolRead();
    const { events, refused } = sorted(reading);
    if (events.length > 0) this.#options.onEvents(events, socketPath);
    const names = events.map(({ event_id: eventId }) => `${eventId}.event`);
    await removeFromRemoteSpool(this.#host, place, names);
    for (const { name, problem } of refused) this.#options.onProblem(`${name}: ${problem}`);
    await refuseInRemoteSpool(
      this.#host,
      place,
      refused.map(({ name }) => name),
    );
    return reading.hasMore;
  }
}

function sorted({ files, refused }: RemoteSpoolReading): {
  readonly events: readonly SpoolEvent[];
  readonly refused: readonly { readonly name: string; readonly problem: string }[];
} {
  const events: SpoolEvent[] = [];
  const unfit = [...refused];
  for (const { name, bytes } of files) {
    const read = readSpoolFile(name, bytes);
    if (read.ok) events.push(read.event);
    else unfit.push({ name, problem: read.problem });
  }
  return { events, refused: unfit };
}
