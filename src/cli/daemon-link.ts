// The way from a command to the daemon: where its socket is, and a client of it. A daemon that is
// there is asked directly; what starts one loads only when none is.

import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectDaemon, type DaemonClient, DaemonError } from '../client/client.ts';
import { type Paths, resolvePaths } from '../platform/files/paths.ts';
import { packageVersion } from '../platform/version.ts';
import { type Call, textOf } from './command.ts';

/** What a status bar or a script may wait at most for a daemon that hangs. */
const QUICK_TIMEOUT_MS = 1_000;

/**
 * How Node runs a daemon that stays: its heap of some 30 MB is kept small and flat. Without them V8
 * lets it grow fourfold before it collects.
 */
export const DAEMON_NODE_FLAGS: readonly string[] = [
  '--max-semi-space-size=4',
  '--max-old-space-size=256',
];

/** Where this user's files are. */
export function pathsOf(call: Call): Paths {
  return resolvePaths({ env: call.io.env, uid: process.getuid?.() ?? 0, home: homedir() });
}

export function socketPathOf(call: Call): string {
  return textOf(call.flags, 'socket-path') ?? pathsOf(call).socketFile;
}

/** A client of the daemon that runs; null when none answers. Starts nothing. */
export async function findDaemon(call: Call): Promise<DaemonClient | null> {
  try {
    return await connectDaemon({ socketPath: socketPathOf(call), timeoutMs: QUICK_TIMEOUT_MS });
  } catch (error) {
    if (error instanceof DaemonError && error.code === 'E_DAEMON_DOWN') return null;
    throw error;
  }
}

/** A client of the daemon, which is started when none answers or when it is of an older version. */
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
  const { ensureDaemon } = await import('../client/start-daemon.ts');
  return ensureDaemon({
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
      env: { ...call.io.env },
      ...(await stderrOption(pathsOf(call).stateDir)),
    },
  });
}

/** Where a daemon that dies at its start leaves its words; nowhere when there is no such place. */
async function stderrOption(stateDir: string): Promise<{ stderrFile?: string }> {
  // To import node:fs costs 3 ms, which a daemon that is there already need not wait for.
  const { mkdir } = await import('node:fs/promises');
  try {
    await mkdir(stateDir, { recursive: true, mode: 0o700 });
    return { stderrFile: join(stateDir, 'agtmuxd.stderr') };
  } catch {
    return {};
  }
}

/** How Node runs this program once more: the bundle by its entry, the sources by themselves. */
export function programArgs(): readonly string[] {
  if (!import.meta.url.endsWith('.ts')) {
    return [fileURLToPath(new URL('../../bin/agtmux.js', import.meta.url))];
  }
  const main = new URL('./main.ts', import.meta.url).href;
  // tmux would take a semicolon at its end for its own.
  const script = `const { runCli } = await import(${JSON.stringify(main)});
    process.exitCode = await runCli(['node', 'agtmux', ...process.argv.slice(1)])`;
  return ['--input-type=module', '-e', script, '--'];
}

/** Asks with a client of its own, which is closed whatever happens. */
export async function withDaemon<T>(
  call: Call,
  ask: (client: DaemonClient) => Promise<T>,
): Promise<T> {
  const client = await openDaemon(call);
  try {
    return await ask(client);
  } finally {
    client.close();
  }
}
