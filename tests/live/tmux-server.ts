// A real tmux server on a private socket, for live tests: started by each test, ended with it.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { outputOf } from './run-command.ts';

/** Whether `npm test` found no tmux. */
export const isTmuxMissing: boolean = (process.env['AGTMUX_MISSING'] ?? '')
  .split(',')
  .includes('tmux');

export interface PrivateTmux extends Disposable {
  readonly folder: string;
  readonly socketPath: string;
  /** Runs a tmux command and returns what it prints. Starts the server where none runs. */
  run(...args: readonly string[]): string;
  /** Makes a session of 80x24 that runs the command, and returns its id. */
  newSession(name: string, command?: string): string;
  /** The pid of the server. */
  serverPid(): number;
  killServer(): void;
}

export function privateTmux(socket = 'tmux.sock'): PrivateTmux {
  const folder = mkdtempSync(join(tmpdir(), 'agtmux-live-'));
  const socketPath = join(folder, socket);
  mkdirSync(dirname(socketPath), { recursive: true, mode: 0o700 });
  const env = { ...process.env, HOME: folder, TMUX: '', TMUX_PANE: '' };
  const run = (...args: readonly string[]): string =>
    outputOf('tmux', ['-u', '-S', socketPath, '-f', '/dev/null', ...args], env).trimEnd();
  const killServer = (): void => {
    try {
      run('-N', 'kill-server');
    } catch {
      // It has ended already.
    }
  };
  return {
    folder,
    socketPath,
    run,
    newSession: (name, command = 'cat') => {
      const size = ['-x', '80', '-y', '24'];
      return run('new-session', '-d', '-P', '-F', '#{session_id}', '-s', name, ...size, command);
    },
    serverPid: () => Number(run('display-message', '-p', '#{pid}')),
    killServer,
    [Symbol.dispose]() {
      killServer();
      // What ran in its panes may still write a file while it ends.
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
}

/** Generous: it only ends a wait for what never comes, also on a machine that is busy. */
const WAIT_MS = 30_000;

/** The pause grows with the wait: a check may start a process, and late ones need not be exact. */
const PAUSE_SHARE = 0.15;
const PAUSE_MIN_MS = 5;
const PAUSE_MAX_MS = 100;

/** Waits until the check gives something, and returns it. Fails after the deadline. */
export async function eventually<T>(
  check: () => T | Promise<T>,
  what: string,
  deadlineMs = WAIT_MS,
): Promise<Exclude<NonNullable<T>, false>> {
  const startedMs = performance.now();
  for (;;) {
    const found = await check();
    if (found) return found as Exclude<NonNullable<T>, false>;
    const waitedMs = performance.now() - startedMs;
    if (waitedMs > deadlineMs) throw new Error(`did not happen in ${deadlineMs} ms: ${what}`);
    const pauseMs = Math.min(Math.max(waitedMs * PAUSE_SHARE, PAUSE_MIN_MS), PAUSE_MAX_MS);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Whether a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
