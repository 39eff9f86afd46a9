// The only place that starts processes. Streams are byte strings (latin1, one character a byte),
// because a character of UTF-8 may be cut between two reads. A program that cannot be started is
// an exit like any other and never an uncaught event. Restarting is left to the callers.

import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';

/** A child that does not read has this much waiting for it at most; then writes are refused. */
const INPUT_BYTES_MAX = 4_000_000;
/**
 * Ends the program when we are gone without a word, as after kill -9. tmux keeps a control client
 * for ever whose reader died with output waiting. A word before the end of the pipe takes it off.
 */
const tether = (whom: string): string =>
  `(read -r _ <&3 || kill -9 ${whom}) </dev/null >/dev/null 2>&1 & exec "$@" 3<&-`;

/** How long to wait for output after the exit: a grandchild may keep the pipe open. */
const DRAIN_MS = 500;

export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why it could not be started, where it could not. */
  readonly error: string | null;
}

export interface ChildSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

export interface LiveChildSpec extends ChildSpec {
  /** It is killed when this process dies, however it dies. */
  readonly isTethered?: boolean;
  /** It is tethered and leads a process group: what it has started there is killed with it. */
  readonly hasGroup?: boolean;
  readonly onStdout: (bytes: string) => void;
  readonly onStderr?: (bytes: string) => void;
  /** Called once, after the last output. */
  readonly onExit: (exit: ChildExit) => void;
}

/** A long-lived child with both its streams. */
export interface Child {
  /** Undefined when it could not be started. */
  readonly pid: number | undefined;
  /** Writes to its input. False when it is gone or its buffer is full. */
  write(text: string): boolean;
  /** Ends its input; a well-behaved child exits by itself then. */
  endInput(): void;
  kill(signal?: NodeJS.Signals): void;
  /** Resolves with its exit, also when it is over already. */
  readonly exited: Promise<ChildExit>;
}

/** Starts a long-lived child. Never throws: what cannot be started exits with an error. */
export function startChild(spec: LiveChildSpec): Child {
  const { promise: exited, resolve } = Promise.withResolvers<ChildExit>();
  let isOver = false;
  const over = (exit: ChildExit): void => {
    if (isOver) return;
    isOver = true;
    resolve(exit);
    spec.onExit(exit);
  };
  let child: ChildProcess;
  try {
    child = spawnPiped(spec);
  } catch (cause) {
    // Arguments that no process can have, such as one with a NUL in it.
    const error = cause instanceof Error ? cause.message : String(cause);
    queueMicrotask(() => over({ code: null, signal: null, error }));
    const dead = { pid: undefined, write: () => false, endInput: () => {}, kill: () => {} };
    return { ...dead, exited };
  }
  child.once('error', (error) => {
    // Also emitted when a kill fails; only a child without a pid has not been started.
    if (child.pid === undefined) over({ code: null, signal: null, error: error.message });
  });
  child.once('close', (code, signal) => over({ code, signal, error: null }));
  child.once('exit', (code, signal) => {
    // The shell that holds the tether is in the group too, so that the number is still its own.
    if (spec.hasGroup) killGroup(child, 'SIGKILL');
    const [, , , tetherPipe] = child.stdio;
    if (tetherPipe instanceof Socket) tetherPipe.end('over\n');
    const timer = setTimeout(() => {
      child.stdout?.destroy();
      child.stderr?.destroy();
      over({ code, signal, error: null });
    }, DRAIN_MS);
    exited.then(() => clearTimeout(timer));
  });
  child.stdout?.setEncoding('latin1').on('data', spec.onStdout);
  child.stderr?.setEncoding('latin1').on('data', (bytes: string) => spec.onStderr?.(bytes));
  // A child that is gone closes its input; its exit is reported, so the stream's error is not.
  for (const stream of child.stdio) stream?.on('error', () => {});
  return {
    pid: child.pid,
    exited,
    write(text) {
      const { stdin } = child;
      if (isOver || !stdin?.writable || stdin.writableLength > INPUT_BYTES_MAX) return false;
      // What is written in one go arrives in one go: the reader wakes up once for it.
      if (stdin.writableCorked === 0) {
        stdin.cork();
        process.nextTick(() => stdin.uncork());
      }
      stdin.write(text);
      return true;
    },
    endInput: () => {
      child.stdin?.end();
    },
    kill: (signal = 'SIGTERM') => {
      if (isOver) return;
      if (spec.hasGroup) killGroup(child, signal);
      else child.kill(signal);
    },
  };
}

let startedCount = 0;

/** How many children this thread has started: watching is to start none while nothing happens. */
export const startedChildCount = (): number => startedCount;

function spawnPiped(spec: LiveChildSpec): ChildProcess {
  const { command, args, env, cwd, isTethered = false, hasGroup = false } = spec;
  startedCount += 1;
  const options = { ...(env && { env }), ...(cwd !== undefined && { cwd }), detached: hasGroup };
  if (!isTethered && !hasGroup) return spawn(command, args, { ...options, stdio: 'pipe' });
  const script = tether(hasGroup ? '-$$' : '$$');
  const tethered = ['-c', script, 'agtmux-tether', command, ...args];
  return spawn('/bin/sh', tethered, { ...options, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // No process of the group is left.
  }
}

/** A process that outlives us. */
export interface Detached {
  readonly pid: number;
  /** Null while it runs; of one that a signal ended, -1. */
  readonly exitCode: () => number | null;
}

/** Starts a daemon process with output to `outputFd`. */
export function startDetached(
  spec: ChildSpec & { readonly outputFd?: number },
): Promise<Detached | { readonly error: string }> {
  const { command, args, env, cwd, outputFd = 'ignore' } = spec;
  const { promise, resolve } = Promise.withResolvers<Detached | { error: string }>();
  const child = spawn(command, args, {
    detached: true,
    stdio: ['ignore', outputFd, outputFd],
    ...(env && { env }),
    ...(cwd !== undefined && { cwd }),
  });
  child.once('error', (error) => resolve({ error: error.message }));
  child.once('spawn', () => {
    child.unref();
    const exitCode = () => (child.signalCode === null ? child.exitCode : -1);
    resolve({ pid: child.pid ?? 0, exitCode });
  });
  return promise;
}
