// One ssh connection that is logged in and carries the channels of our clients: a child of ours
// that dies with us. Its channels are counted here: a host refuses more than its MaxSessions.
// When to start one, and what happens after it is lost, is the host's affair (ssh-host.ts).

import { lstatSync } from 'node:fs';
import { type Child, type ChildExit, startChild } from '../../platform/process/child.ts';
import { loginEnvironment, masterArguments, type SshAddress } from './arguments.ts';
import { removeControlPath } from './control-folder.ts';
import { reasonFromStderr, reasonOf, SshFault, type SshReason } from './reason.ts';

/** sshd allows 10 sessions by default; some are left for others. */
export const CHANNELS_MAX = 8;
/** Longer than ssh's own timeout for the connection, so that ssh can tell why. */
const LOGIN_DEADLINE_MS = 20_000;
/** The control socket is the only sign that ssh has logged in. */
const SOCKET_LOOK_MS = 20;
const STDERR_LENGTH_MAX = 8_192;

export class Master {
  readonly address: SshAddress;
  /** Resolves when it is logged in; rejects with an SshFault when it will not be. */
  readonly ready: Promise<void>;
  /** Resolves with why, when it has ended; also after it was disposed of. */
  readonly over: Promise<SshReason>;
  readonly #child: Child;
  readonly #ready = Promise.withResolvers<void>();
  readonly #over = Promise.withResolvers<SshReason>();
  readonly #deadline: NodeJS.Timeout;
  #look: NodeJS.Timeout | null = null;
  #stderr = '';
  #state: 'connecting' | 'ready' | 'over' = 'connecting';
  #isLate = false;
  #isClosing = false;
  #channelCount = 0;
  #capacity: number;

  constructor(address: SshAddress, env?: NodeJS.ProcessEnv, capacity: number = CHANNELS_MAX) {
    this.address = address;
    this.#capacity = capacity;
    this.ready = this.#ready.promise;
    this.over = this.#over.promise;
    // Whoever is not interested in one of them must not be hurt by it.
    this.ready.catch(() => {});
    this.#child = startChild({
      command: 'ssh',
      args: masterArguments(address),
      env: loginEnvironment(env ?? process.env),
      isTethered: true,
      onStdout() {},
      onStderr: (bytes) => {
        this.#stderr = (this.#stderr + bytes).slice(-STDERR_LENGTH_MAX);
      },
      onExit: (exit) => this.#onExit(exit),
    });
    this.#deadline = setTimeout(() => {
      this.#isLate = true;
      this.#child.kill('SIGKILL');
    }, LOGIN_DEADLINE_MS);
    this.#lookForSocket();
  }

  get isReady(): boolean {
    return this.#state === 'ready' && !this.#isClosing;
  }

  /** It has ended or is ending. */
  get isOver(): boolean {
    return this.#state === 'over' || this.#isClosing;
  }

  get channelCount(): number {
    return this.#channelCount;
  }

  /** How many channels it can have, as far as is known. */
  get capacity(): number {
    return this.#capacity;
  }

  get hasRoom(): boolean {
    return this.isReady && this.#channelCount < this.#capacity;
  }

  /** Takes a channel; returns its giving back, which may be called more than once. */
  takeChannel(): (wasRefused?: boolean) => void {
    this.#channelCount += 1;
    let isTaken = true;
    return (wasRefused = false) => {
      if (!isTaken) return;
      isTaken = false;
      this.#channelCount -= 1;
      // The host has room for fewer: what fits now is what fits.
      if (wasRefused) this.#capacity = Math.max(1, Math.min(this.#capacity, this.#channelCount));
    };
  }

  /** Ends it and all its channels. Resolves when the process is gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    // Told to end, it removes its socket; one that is stopped or stuck does not listen.
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 500);
    await this.#child.exited;
    clearTimeout(timer);
  }

  #lookForSocket(): void {
    if (this.#state !== 'connecting') return;
    // ssh makes it under another name first, so it listens once it is there.
    if (lstatSync(this.address.controlPath, { throwIfNoEntry: false })?.isSocket()) {
      this.#state = 'ready';
      clearTimeout(this.#deadline);
      this.#ready.resolve();
    } else {
      this.#look = setTimeout(() => this.#lookForSocket(), SOCKET_LOOK_MS);
    }
  }

  #onExit({ code, error }: ChildExit): void {
    const wasReady = this.#state === 'ready';
    this.#state = 'over';
    clearTimeout(this.#deadline);
    if (this.#look !== null) clearTimeout(this.#look);
    removeControlPath(this.address.controlPath);
    const reason = this.#reason(wasReady, code, error);
    this.#ready.reject(new SshFault(this.address.destination, reason));
    this.#over.resolve(reason);
  }

  #reason(wasReady: boolean, code: number | null, error: string | null): SshReason {
    if (this.#isLate) return reasonOf('timed_out');
    if (!wasReady && code === 127) return reasonOf('ssh_not_found');
    const words = error ?? this.#stderr;
    return reasonFromStderr(words, wasReady ? 'connection_lost' : 'host_unreachable');
  }
}
