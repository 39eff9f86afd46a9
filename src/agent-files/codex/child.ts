// An app server of our own: `codex app-server` as a child that speaks line by line over its
// streams, so that no other program can use it. It ends when its input does, and always with the
// daemon.

import { startChild } from '../../platform/process/child.ts';
import { LineReader } from '../../platform/text/line-reader.ts';
import { outsideTmux } from '../../tmux/invocation.ts';
import type { StartGate } from '../readers/agent-files-source.ts';
import { type CodexWire, MESSAGE_BYTES_MAX, type WireEndpoint, type WireEvents } from './wire.ts';

/** It needs 40 ms to end. */
const END_MS = 2_000;
/** Of what it says on stderr, the end is what explains. */
const STDERR_LENGTH_MAX = 300;
/** By a shell that does not find a program. */
const NOT_FOUND = 127;
/** A request without effect; any reply shows that the server lives. */
const PING = { jsonrpc: '2.0', id: 'ping', method: 'thread/loaded/list', params: {} };

export interface CodexChildOptions {
  /** The folder whose threads it knows. */
  readonly home: string;
  readonly gate: StartGate;
  /** Whether its end would be a failure. */
  readonly isWanted: () => boolean;
  readonly onProblem: (problem: string) => void;
}

export class CodexChild implements WireEndpoint {
  readonly name = 'codex app-server';
  readonly #options: CodexChildOptions;
  #isRunning = false;

  constructor(options: CodexChildOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Starts it, where it may be started now and runs not already. */
  async open(events: WireEvents): Promise<CodexWire | null> {
    const { gate, isWanted } = this.#options;
    return !this.#isRunning && isWanted() && gate.isOpen() ? this.#start(events) : null;
  }

  #start({ onText, onClose }: WireEvents): CodexWire {
    const lines = new LineReader(MESSAGE_BYTES_MAX);
    let stderr = '';
    let ending: NodeJS.Timeout | null = null;
    this.#isRunning = true;
    const child = startChild({
      command: 'codex',
      args: ['app-server'],
      env: { ...outsideTmux(), CODEX_HOME: this.#options.home },
      cwd: '/',
      hasGroup: true,
      onStdout: (bytes) => {
        if (ending !== null) return;
        const read = lines.push(Buffer.from(bytes, 'latin1'));
        if (read === null) end();
        else for (const line of read) onText(line.toString('utf8'));
      },
      onStderr: (bytes) => {
        stderr = (stderr + bytes).slice(-STDERR_LENGTH_MAX);
      },
      onExit: ({ code, signal, error }) => {
        this.#isRunning = false;
        if (ending !== null) clearTimeout(ending);
        this.#ended(code, error ?? (code === null ? `by ${signal}` : `with ${code}`), stderr);
        onClose();
      },
    });
    const end = (): void => {
      child.endInput();
      ending ??= setTimeout(() => child.kill('SIGKILL'), END_MS).unref();
    };
    // What it does not read is not answered, and that has its deadline.
    const send = (text: string): void => void child.write(`${text}\n`);
    return { send, ping: () => send(JSON.stringify(PING)), end };
  }

  #ended(code: number | null, how: string, stderr: string): void {
    const { gate, isWanted, onProblem } = this.#options;
    if (!isWanted()) return;
    const stderrText = stderr.replaceAll(/[^ -~]+/g, ' ').trim();
    const problem =
      code === NOT_FOUND
        ? `codex is not installed, or not on the PATH of the daemon: ${stderrText}`
        : `codex app-server has ended ${how}: ${stderrText}`;
    gate.failed(problem);
    onProblem(problem);
  }
}
