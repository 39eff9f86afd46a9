// The probe: one shell on the host, over one channel, that answers one request after the other. A
// request that is not answered in time is given up; its answer is absorbed when it comes.
// Restarting is the host's affair (ssh-host.ts); the requests are in the remote-*.ts files.

import { randomBytes } from 'node:crypto';
import type { Child, ChildExit } from '../../platform/process/child.ts';
import { type LaunchHandlers, launchProgram } from '../../platform/process/launch.ts';
import { shellQuoteAll } from '../../platform/text/shell-quote.ts';
import type { Opening } from '../../tmux/host.ts';
import { reasonFromStderr, reasonOf, SshFault, type SshReason } from '../connection/reason.ts';
import { type FrameReader, frameReader, type ProbeFrame } from './probe-frames.ts';

const READY_DEADLINE_MS = 10_000;
/** A shell that answers with more is not the one that we gave a script to. */
const BODY_BYTES_MAX = 8_000_000;
const WAITING_MAX = 64;
/** After this many unanswered requests and this much silence the shell hangs: replace it. */
const ABANDONED_MAX = 3;
const SILENCE_MS = 5_000;
const STDERR_LENGTH_MAX = 8_192;

/** The functions of probe-script.ts that can be called. */
export type ProbeCommand =
  | 'agtmux_facts'
  | 'agtmux_socket'
  | 'agtmux_trees'
  | 'agtmux_scan'
  | 'agtmux_ps'
  | 'agtmux_details'
  | 'agtmux_spool_folder'
  | 'agtmux_spool_list'
  | 'agtmux_spool_read'
  | 'agtmux_spool_remove'
  | 'agtmux_spool_refuse'
  | 'agtmux_file_facts'
  | 'agtmux_file_read'
  | 'agtmux_folder_list'
  | 'agtmux_environment'
  | 'agtmux_open_files'
  | 'agtmux_look'
  | 'agtmux_edit_facts'
  | 'agtmux_edit_read'
  | 'agtmux_edit_write'
  | 'agtmux_edit_remove'
  | 'agtmux_edit_folder'
  | 'agtmux_upload_begin'
  | 'agtmux_upload_add'
  | 'agtmux_upload_remove'
  | 'agtmux_beat';

export interface ProbeRequest {
  readonly command: ProbeCommand;
  readonly words?: readonly string[];
  readonly deadlineMs: number;
}

/** The part of the probe that sends requests. */
export interface ProbeClient {
  /** The random word that begins the sections of an answer. */
  readonly secret: string;
  /** Resolves with the answer, one character a byte. Throws an SshFault. */
  ask(request: ProbeRequest): Promise<string>;
}

interface Waiting {
  readonly number: number;
  readonly resolve: (body: string) => void;
  readonly reject: (fault: SshFault) => void;
  readonly timer: NodeJS.Timeout;
  isAbandoned: boolean;
}

export class Probe implements ProbeClient {
  readonly secret: string = randomBytes(18).toString('hex');
  /** Resolves when it takes requests; rejects with an SshFault when it never will. */
  readonly ready: Promise<void>;
  /** Resolves with why, when it has ended. */
  readonly over: Promise<SshReason>;
  readonly #destination: string;
  readonly #reader: FrameReader = frameReader(this.secret);
  readonly #ready = Promise.withResolvers<void>();
  readonly #over = Promise.withResolvers<SshReason>();
  readonly #child: Child;
  readonly #waiting: Waiting[] = [];
  #lastOutputAt: number = performance.now();
  #stderr = '';
  #isReady = false;
  #count = 0;
  #closedBy: SshReason | null = null;

  /** Starts in a channel whose script is `probeScript` with the secret that it is given. */
  constructor(destination: string, open: (secret: string) => Opening) {
    this.#destination = destination;
    this.ready = this.#ready.promise;
    this.over = this.#over.promise;
    this.ready.catch(() => {});
    const channel = open(this.secret);
    this.#child = launchProgram(channel.launch, this.#handlers(channel));
  }

  #handlers(channel: Opening): LaunchHandlers {
    return {
      readyDeadlineMs: READY_DEADLINE_MS,
      onReady: () => {
        this.#isReady = true;
        this.#ready.resolve();
      },
      onStdout: (bytes) => this.#onOutput(bytes),
      onStderr: (bytes) => {
        this.#stderr = (this.#stderr + bytes).slice(-STDERR_LENGTH_MAX);
      },
      onExit: (exit) => {
        channel.release(this.#stderr);
        this.#end(this.#closedBy ?? this.#reasonOfExit(exit));
      },
    };
  }

  ask({ command, words = [], deadlineMs }: ProbeRequest): Promise<string> {
    const refusal = this.#closedBy ?? this.#overload();
    if (refusal) return Promise.reject(new SshFault(this.#destination, refusal));
    this.#count += 1;
    const number = this.#count;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const timer = setTimeout(() => this.#abandon(number), deadlineMs);
    this.#waiting.push({ number, resolve, reject, timer, isAbandoned: false });
    const call = `${command} ${shellQuoteAll(words)} </dev/null`;
    // On one line: the shell reads it whole before it runs any of it.
    const answer = `printf '\\n%s %s %s\\n' "$agtmux_secret" ${number} "$?"`;
    if (!this.#child.write(`${call}; ${answer}\n`)) this.#close(reasonOf('timed_out'));
    return promise;
  }

  /** How long the probe has printed nothing: a long answer may still be arriving. */
  silentMs(): number {
    return performance.now() - this.#lastOutputAt;
  }

  /** Ends it. Resolves when its process is gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#close(reasonOf('connection_lost', 'closed'));
    await this.#child.exited;
  }

  #overload(): SshReason | null {
    return this.#waiting.length < WAITING_MAX ? null : reasonOf('timed_out', 'too many requests');
  }

  /** Output of the host. Output that answers no request, or too much of it, ends the probe. */
  #onOutput(bytes: string): void {
    if (this.#closedBy) return;
    this.#lastOutputAt = performance.now();
    for (const frame of this.#reader.feed(bytes)) this.#onFrame(frame);
    const { length } = this.#reader;
    if (length > BODY_BYTES_MAX) {
      this.#close(reasonOf('shell_unusable', 'an answer is too long'));
    } else if (length > 0 && this.#waiting.length === 0) {
      this.#close(reasonOf('shell_unusable', 'it prints output that answers no request'));
    }
  }

  #onFrame(frame: ProbeFrame): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined || waiting.number !== frame.number) {
      this.#close(reasonOf('shell_unusable', 'an answer to no request'));
      return;
    }
    clearTimeout(waiting.timer);
    waiting.resolve(frame.body);
  }

  #abandon(number: number): void {
    const waiting = this.#waiting.find((each) => each.number === number);
    if (!waiting) return;
    waiting.isAbandoned = true;
    waiting.reject(this.#fault(reasonOf('timed_out')));
    const abandoned = this.#waiting.filter(({ isAbandoned }) => isAbandoned);
    const isSilent = this.silentMs() > SILENCE_MS;
    if (abandoned.length >= ABANDONED_MAX && isSilent) this.#close(reasonOf('timed_out'));
  }

  #reasonOfExit({ error }: ChildExit): SshReason {
    const otherwise = this.#isReady ? 'connection_lost' : 'shell_unusable';
    return reasonFromStderr(error ?? this.#stderr, otherwise);
  }

  #close(reason: SshReason): void {
    if (this.#closedBy) return;
    this.#closedBy = reason;
    this.#child.kill('SIGKILL');
    this.#end(reason);
  }

  #end(reason: SshReason): void {
    this.#closedBy ??= reason;
    this.#ready.reject(this.#fault(reason));
    this.#over.resolve(reason);
    for (const { timer, reject } of this.#waiting.splice(0)) {
      clearTimeout(timer);
      reject(this.#fault(reason));
    }
  }

  #fault(reason: SshReason): SshFault {
    return new SshFault(this.#destination, reason);
  }
}
