// One control-mode connection to a tmux server: a `tmux -C` process, lines in, replies out in their
// order. It is attached to one session and lives until that ends, the process dies or the stream
// cannot be trusted. Choosing the session and connecting again are left to link.ts and wake.ts.

import { randomBytes } from 'node:crypto';
import { Fault } from '../platform/fault.ts';
import type { Child } from '../platform/process/child.ts';
import { launchProgram } from '../platform/process/launch.ts';
import {
  type ControlItem,
  controlParser,
  REPLY_LENGTH_MAX,
  type Reply,
  replyLength,
} from '../tmux-wire/control-parser.ts';
import type { Notification } from '../tmux-wire/notification.ts';
import { commandLine } from '../tmux-wire/quote.ts';
import { type Host, localHost, type Opening } from './host.ts';
import { attachArguments } from './invocation.ts';

/** A tmux that has not answered this many lines gets no more. */
const WAITING_LINES_MAX = 256;
/** So many deadlines passed in a row mean that the answers will not come. */
const ABANDONED_LINES_MAX = 16;
/** Each command has a reply; one that runs others, or a hook of the user's, may make some more. */
const MORE_REPLIES_MAX = 1_024;
/** What a connection that is over is left for at most. */
const LEAVING_MS_MAX = 5_000;
/** Of what the client says on stderr, the end is what explains. */
const STDERR_LENGTH_MAX = 1_000;

export interface ClientSpec {
  /** Absent: this machine. */
  readonly host?: Host | undefined;
  readonly socketPath: string;
  /** A session id (`$3`). */
  readonly sessionId: string;
  readonly onNotification: (notification: Notification) => void;
  /**
   * Called once and first of all, before any waiting `run` is rejected. The process is ended when
   * a promise that it returns is fulfilled: tmux 3.3a dies when a client leaves while another is
   * being attached.
   */
  readonly onClosed: (fault: Fault) => unknown;
}

export interface RunOptions {
  /** Null waits as long as the connection lives. */
  readonly deadlineMs: number | null;
}

interface WaitingLine {
  readonly mark: string;
  readonly replies: Reply[];
  readonly repliesMax: number;
  /** Of all its replies. */
  length: number;
  readonly resolve: (replies: readonly Reply[]) => void;
  readonly reject: (fault: Fault) => void;
  readonly timer: NodeJS.Timeout | null;
  /** Its deadline has passed; what still comes for it is absorbed. */
  isAbandoned: boolean;
}

export class ControlClient {
  readonly #spec: ClientSpec;
  readonly #child: Child;
  readonly #parser = controlParser();
  readonly #waiting: WaitingLine[] = [];
  readonly #attached = Promise.withResolvers<void>();
  // Nothing that a pane shows can know it, so no captured screen can end a line early.
  readonly #secret: string = randomBytes(9).toString('hex');
  #isAttached = false;
  #lineCount = 0;
  #unrecognisedCount = 0;
  #closedBy: Fault | null = null;

  private constructor(spec: ClientSpec, opening: Opening, deadlineMs: number) {
    this.#spec = spec;
    let stderr = '';
    this.#child = launchProgram(opening.launch, {
      readyDeadlineMs: deadlineMs,
      onReady: (pid) => {
        if (pid !== null) opening.started?.(pid);
      },
      onStderr: (bytes) => {
        stderr = (stderr + bytes).slice(-STDERR_LENGTH_MAX);
      },
      onStdout: (bytes) => {
        for (const item of this.#parser.feed(bytes)) this.#onItem(item);
      },
      onExit: ({ error }) => {
        opening.release(stderr);
        this.#fail('tmux_gone', error ?? (stderr.trim() || 'the client has ended'));
      },
    });
    this.#attached.promise.catch(() => {});
  }

  /** Attaches to a session. Throws a Fault on failure, timeout or cancel; no process is left. */
  static async attach(
    spec: ClientSpec,
    { deadlineMs, signal }: { readonly deadlineMs: number; readonly signal?: AbortSignal },
  ): Promise<ControlClient> {
    const { host = localHost } = spec;
    const opening = await host.open('command', attachArguments(spec, ['no-output']));
    const client = new ControlClient(spec, opening, deadlineMs);
    const timer = setTimeout(() => client.#fail('timeout', 'attaching'), deadlineMs);
    const onAbort = (): void => client.#fail('tmux_gone', 'it was cancelled');
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) onAbort();
    try {
      await client.#attached.promise;
      return client;
    } catch (cause) {
      await client.#child.exited;
      throw cause;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      clearTimeout(timer);
    }
  }

  get isClosed(): boolean {
    return this.#closedBy !== null;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Lines of newer versions, or forged ones; they do no harm. */
  get unrecognisedCount(): number {
    return this.#unrecognisedCount;
  }

  /**
   * Runs the commands with nothing of any other client in between. An `%error` is the last reply:
   * tmux drops what follows it. Throws a Fault: timeout, tmux_gone, protocol_desync.
   */
  run(
    commands: readonly (readonly string[])[],
    { deadlineMs }: RunOptions,
  ): Promise<readonly Reply[]> {
    const refusal = this.#closedBy ?? this.#overload();
    if (refusal) return Promise.reject(refusal);
    this.#lineCount += 1;
    // A command may answer with more blocks than one (if-shell) or none be read at all (a parse
    // error), so the answer is not counted: it lasts until a line of our own with a known answer.
    const mark = `${this.#secret}${this.#lineCount}`;
    const line = commands.map(commandLine).join(' ; ');
    if (/[\r\n]/.test(line)) throw new Error('a quoted command holds a newline');
    const { promise, resolve, reject } = Promise.withResolvers<readonly Reply[]>();
    const timer =
      deadlineMs === null ? null : setTimeout(() => this.#abandon(mark, deadlineMs), deadlineMs);
    const empty = { replies: [], repliesMax: commands.length + MORE_REPLIES_MAX, length: 0 };
    this.#waiting.push({ mark, ...empty, resolve, reject, timer, isAbandoned: false });
    if (!this.#child.write(`${line}\ndisplay-message -p ${mark}\n`)) {
      this.#fail('protocol_desync', 'tmux does not read its commands');
    }
    return promise;
  }

  /** Ends the connection; waiting calls fail with tmux_gone. Resolves when the process is gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#fail('tmux_gone', 'the connection was closed');
    await this.#child.exited;
  }

  #overload(): Fault | null {
    if (this.#waiting.length < WAITING_LINES_MAX) return null;
    return this.#fault('timeout', `${this.#waiting.length} command lines wait for an answer`);
  }

  #onItem(item: ControlItem): void {
    if (this.#closedBy) return;
    if (item.kind === 'reply') {
      this.#onReply(item);
    } else if (item.kind === 'desync') {
      this.#fail('protocol_desync', 'a reply ended twice');
    } else if (item.kind === 'overflow') {
      this.#fail('protocol_desync', `a ${item.what} is too long`);
    } else {
      if (item.kind === 'unrecognised') this.#unrecognisedCount += 1;
      this.#spec.onNotification(item);
      if (item.kind === 'exit') this.#fail('tmux_gone', item.reason || 'detached');
    }
  }

  #onReply(reply: Reply): void {
    const [line] = this.#waiting;
    if (reply.flags !== 1) {
      // The first is the answer to attach-session itself; later ones belong to the user's hooks.
      if (this.#isAttached) return;
      this.#isAttached = reply.ok;
      if (reply.ok) this.#attached.resolve();
      else this.#fail('tmux_gone', reply.lines.join(' ').slice(0, 200));
    } else if (!line) {
      this.#fail('protocol_desync', 'a reply to no command');
    } else if (reply.lines.length === 1 && reply.lines[0] === line.mark) {
      this.#waiting.shift();
      if (line.timer) clearTimeout(line.timer);
      line.resolve(line.replies);
    } else if (!line.isAbandoned) {
      this.#keep(line, reply);
    }
  }

  /** A line may wait without a deadline, so its replies are bounded. */
  #keep(line: WaitingLine, reply: Reply): void {
    line.replies.push(reply);
    line.length += replyLength(reply);
    if (line.replies.length > line.repliesMax || line.length > REPLY_LENGTH_MAX) {
      this.#fail('protocol_desync', 'one command line has too many replies');
    }
  }

  #abandon(mark: string, deadlineMs: number): void {
    const line = this.#waiting.find((each) => each.mark === mark);
    if (!line) return;
    line.isAbandoned = true;
    line.replies.length = 0;
    line.reject(this.#fault('timeout', `no answer in ${deadlineMs} ms`));
    const abandoned = this.#waiting.filter((each) => each.isAbandoned);
    if (abandoned.length > ABANDONED_LINES_MAX) {
      this.#fail('protocol_desync', `${abandoned.length} command lines were never answered`);
    }
  }

  #fail(code: 'timeout' | 'tmux_gone' | 'protocol_desync', detail: string): void {
    if (this.#closedBy) return;
    const fault = this.#fault(code, detail);
    this.#closedBy = fault;
    void this.#leave(this.#spec.onClosed(fault));
    this.#attached.reject(fault);
    for (const line of this.#waiting.splice(0)) {
      if (line.timer) clearTimeout(line.timer);
      line.reject(fault);
    }
  }

  /** Ends a client whose stream is unusable. */
  async #leave(othersLeft: unknown): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, LEAVING_MS_MAX);
    if (othersLeft instanceof Promise) await Promise.race([othersLeft, promise]);
    clearTimeout(timer);
    this.#child.kill('SIGKILL');
  }

  #fault(code: 'timeout' | 'tmux_gone' | 'protocol_desync', detail: string): Fault {
    return new Fault(code, { about: this.#spec.socketPath, detail });
  }
}
