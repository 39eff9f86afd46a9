// The daemon as a user starts it, from dist/, in the foreground of a private place.

import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAEMON_NODE_ENV, DAEMON_NODE_FLAGS } from '../../src/cli/daemon-link.ts';
import { connectDaemon, type DaemonClient } from '../../src/client/client.ts';
import { monoMs, pause } from './clock.ts';
import { agtmuxBin, type Place } from './place.ts';

const START_MS = 15_000;
const STOP_MS = 10_000;

export interface LiveDaemon extends AsyncDisposable {
  readonly pid: number;
  readonly socketPath: string;
  connect(): Promise<DaemonClient>;
}

export interface LiveDaemonOptions {
  /** Options of Node itself: a profile, a trace of the heap. */
  readonly nodeArgs?: readonly string[];
  /** The Node that runs it; this program's own by default. */
  readonly node?: string;
}

/** Starts a daemon and waits until it answers. */
export async function startDaemon(
  place: Place,
  { nodeArgs = [], node = process.execPath }: LiveDaemonOptions = {},
): Promise<LiveDaemon> {
  const socketPath = join(place.folder, 'run', 'agtmuxd.sock');
  const outputFile = join(place.folder, 'daemon.txt');
  const output = openSync(outputFile, 'a');
  const args = [
    ...DAEMON_NODE_FLAGS,
    ...nodeArgs,
    agtmuxBin,
    'daemon',
    'run',
    '--socket-path',
    socketPath,
  ];
  const stdio: ('ignore' | number)[] = ['ignore', output, output];
  const child = spawn(node, args, { env: { ...DAEMON_NODE_ENV, ...place.env }, stdio });
  closeSync(output);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  place.atEnd(() => child.kill('SIGKILL'));
  const connect = (): Promise<DaemonClient> => connectDaemon({ socketPath, timeoutMs: 20_000 });
  const deadlineMs = monoMs() + START_MS;
  for (;;) {
    const client = await connect().catch(() => null);
    client?.close();
    if (client) break;
    if (child.exitCode !== null || monoMs() > deadlineMs) {
      throw new Error(
        `the daemon did not start: ${readFileSync(outputFile, 'utf8').slice(-2_000)}`,
      );
    }
    await pause(50);
  }
  return {
    pid: child.pid ?? 0,
    socketPath,
    connect,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}
