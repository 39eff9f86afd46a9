// A program that runs in our place: it has our terminal and is in our process group, so that typed
// keys, resizes and stops reach it as they would without us. What is sent to us alone is passed on.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { ChildExit, ChildSpec } from './child.ts';

export interface WrappedExit extends ChildExit {
  /** The system's code for a program that could not be started, such as ENOENT. */
  readonly errorCode: string | null;
}

/** Signals that no key sends: they are meant for the program. */
const passedOn: readonly NodeJS.Signals[] = [
  'SIGTERM',
  'SIGHUP',
  'SIGUSR1',
  'SIGUSR2',
  'SIGCONT',
  'SIGALRM',
];
/** The terminal sends these to the whole group: from a terminal the program has them already. */
const typed: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];

/** A program that stops itself and not its group is noticed so soon. */
const STOPPED_MS = 500;

/** Runs a program to its end. A program that cannot start gives an exit code, not an error. */
export function runWrapped(
  { command, args }: ChildSpec,
  onStarted: (pid: number) => void,
): Promise<WrappedExit> {
  const { promise, resolve } = Promise.withResolvers<WrappedExit>();
  // Before the start: a signal in between must not end us and leave the program alone.
  const stopListening = listen((signal) => child.kill(signal));
  const child = spawn(command, args, { stdio: 'inherit' });
  const { pid } = child;
  const watching = pid === undefined ? null : setInterval(() => stopAlong(pid), STOPPED_MS);
  const over = (exit: WrappedExit): void => {
    if (watching !== null) clearInterval(watching);
    stopListening();
    resolve(exit);
  };
  child.once('error', (error: NodeJS.ErrnoException) => {
    // Also emitted when a signal cannot be passed on; only a child without a pid was not started.
    if (pid !== undefined) return;
    over({ code: null, signal: null, error: error.message, errorCode: error.code ?? null });
  });
  child.once('exit', (code, signal) => over({ code, signal, error: null, errorCode: null }));
  if (pid !== undefined) onStarted(pid);
  return promise;
}

function listen(pass: (signal: NodeJS.Signals) => void): () => void {
  // Its input may be a pipe: keys of the terminal reach the whole group all the same.
  const hasTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
  const listeners = [...passedOn, ...typed].map((name) => {
    const isForUs = hasTerminal && typed.includes(name);
    const listener = (): void => {
      if (!isForUs) pass(name);
    };
    process.on(name, listener);
    return [name, listener] as const;
  });
  return () => {
    for (const [name, listener] of listeners) process.off(name, listener);
  };
}

/** Stops us when the program stops, so that the shell gets its terminal back. */
function stopAlong(pid: number): void {
  const stat = textOf(`/proc/${pid}/stat`);
  const isStopped = stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
  if (isStopped) process.kill(process.pid, 'SIGTSTP');
}

/** Where there is no /proc, or the process is gone, it is empty. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
