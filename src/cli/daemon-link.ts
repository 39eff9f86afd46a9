// Connects a command to the daemon. The code that starts a daemon loads only when none answers.

import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { connectDaemon, type DaemonClient, DaemonError } from '../client/client.ts';
import { isTimeout } from '../client/daemon-error.ts';
import { type Paths, resolvePaths } from '../platform/files/paths.ts';
import { packageVersion } from '../platform/version.ts';
import { type Call, textOf } from './command.ts';

/** How long a status bar or a script waits for a daemon that hangs. */
const QUICK_TIMEOUT_MS = 1_000;

/** Keep the daemon's heap near 30 MB; by default V8 lets it grow fourfold before it collects. */
export const DAEMON_NODE_FLAGS: readonly string[] = [
  '--max-semi-space-size=2',
  '--max-old-space-size=256',
];

/**
 * glibc gives each thread of Node a pool of its own and returns little of them: 14 MB of the
 * daemon's memory. One pool, returned from its end, is enough for what it does beside V8.
 */
export const DAEMON_NODE_ENV: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/** The paths of this user's files. */
export function pathsOf(call: Call): Paths {
  return resolvePaths({ env: call.io.env, uid: process.getuid?.() ?? 0, home: homedir() });
}

export function socketPathOf(call: Call): string {
  return textOf(call.flags, 'socket-path') ?? pathsOf(call).socketFile;
}

/** A client of the running daemon; null when none answers. Starts nothing. */
export async function findDaemon(call: Call): Promise<DaemonClient | null> {
  try {
    return await connectDaemon({ socketPath: socketPathOf(call), timeoutMs: QUICK_TIMEOUT_MS });
  } catch (error) {
    if (error instanceof DaemonError && error.code === 'E_DAEMON_DOWN') return null;
    throw error;
  }
}

/** A client of the daemon; starts one when none answers or when its version is another. */
export async function openDaemon(
  call: Call,
  daemonArgs: readonly string[] = [],
): Promise<DaemonClient> {
  const socketPath = socketPathOf(call);
  const version = packageVersion();
  const client = await findDaemon(call);
  if (client !== null) {
    const hello = await client.call('hello', { version, client: 'cli' }).catch(() => null);
    if (hello?.version === version) return client;
    client.close();
  }
  const folders = await import('./state-folder.ts');
  const { stateDir, socketFile } = pathsOf(call);
  if (socketPath !== socketFile) {
    folders.checkSocketFolder(socketPath);
    await folders.checkOtherDaemon(stateDir, socketPath);
  }
  const stderrFile = folders.checkStateFolder(stateDir);
  const { ensureDaemon } = await import('../client/start-daemon.ts');
  const starting = ensureDaemon({
    socketPath,
    version,
    start: {
      command: process.execPath,
      args: [
        ...DAEMON_NODE_FLAGS,
        ...programArgs(),
        ...['daemon', 'run', '--socket-path', socketPath],
        ...daemonArgs,
      ],
      env: { ...DAEMON_NODE_ENV, ...call.io.env },
      ...(stderrFile === null ? {} : { stderrFile }),
    },
  });
  return starting.catch(async (error: unknown) => {
    if (!isTimeout(error)) throw error;
    throw folders.daemonHangs(await folders.lockedPid(stateDir, socketPath));
  });
}

/** How long after a failed attempt to bring the daemon back the next one is made. */
const REVIVE_PAUSE_MS = 30_000;

/**
 * A way to bring back a daemon that died, for commands that follow it. One that was stopped has
 * removed its socket, and stays stopped.
 */
export function daemonReviver(call: Call): () => Promise<void> {
  let pausedUntilMs = 0;
  return async () => {
    const { existsSync } = await import('node:fs');
    if (performance.now() < pausedUntilMs || !existsSync(socketPathOf(call))) return;
    try {
      (await openDaemon(call)).close();
    } catch {
      pausedUntilMs = performance.now() + REVIVE_PAUSE_MS;
    }
  };
}

/** The arguments with which Node runs this program again, from the bundle or from the sources. */
export function programArgs(): readonly string[] {
  if (!import.meta.url.endsWith('.ts')) {
    return [fileURLToPath(new URL('../../bin/agtmux.js', import.meta.url))];
  }
  const main = new URL('./main.ts', import.meta.url).href;
  // No semicolon at the end: tmux would read it as its own separator.
  const script = `const { runCli } = await import(${JSON.stringify(main)});
    process.exitCode = await runCli(['node', 'agtmux', ...process.argv.slice(1)])`;
  return ['--input-type=module', '-e', script, '--'];
}

/** Calls the daemon with a client that is closed afterwards. */
export async function withDaemon<T>(
  call: Call,
  ask: (client: DaemonClient) => Promise<T>,
): Promise<T> {
  const client = await openDaemon(call);
  try {
    return await ask(client);
  } catch (error) {
    if (error instanceof DaemonError && error.code === 'E_REF_NOT_FOUND') {
      await noteUnwatchedServer(call, client);
    }
    throw error;
  } finally {
    client.close();
  }
}

/** A pane that is not found may be on a tmux server that nobody watches. */
async function noteUnwatchedServer(call: Call, client: DaemonClient): Promise<void> {
  const { unwatchedServerNote } = await import('./commands/panes/unwatched-server.ts');
  const { safeText } = await import('../render/safe-text.ts');
  const note = await unwatchedServerNote(call, client);
  if (note !== null) call.io.writeErr(`${safeText(note)}\n`);
}
