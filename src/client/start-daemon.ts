// Finds the daemon or starts it. Many callers at once start one: the daemon's own instance lock
// decides, and the others connect to the winner. Also the hand-over from an older daemon.

import { constants } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Detached, startDetached } from '../platform/process/child.ts';
import { isProcessAlive } from '../platform/process/process-alive.ts';
import type { Hello } from '../schema/api/health.ts';
import { connectDaemon, type DaemonClient } from './client.ts';
import { DaemonError, daemonDown, isPassing, isTimeout } from './daemon-error.ts';

/** The protocol that this client speaks; the daemon's is `PROTOCOL_VERSION` of the schema. */
export const CLIENT_PROTOCOL = 1;

/** A daemon starts in a fraction of a second; builds on a busy machine may delay it. */
const START_TIMEOUT_MS = 15_000;
/** The exit code of a daemon that found another one running, as in schema/problem.ts. */
export const ALREADY_RUNNING_EXIT = 75;
/** How long to wait for that other daemon, which has won the lock and may not answer yet. */
const OVER_TIMEOUT_MS = 3_000;
/** A daemon ends itself hard after 5 s; longer means that it hangs. */
const HAND_OVER_TIMEOUT_MS = 10_000;
const POLL_FIRST_MS = 20;
const POLL_MAX_MS = 60;
/** Enough of the daemon's stderr to show why it did not start. */
const TAIL_BYTES = 2_048;
const STDERR_FLAGS =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

export interface EnsureOptions {
  readonly socketPath: string;
  /** How the daemon is started: the program and its arguments. */
  readonly start: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env?: Record<string, string | undefined>;
    /** Where the daemon's stderr goes, to be quoted if it dies at its start. */
    readonly stderrFile?: string;
  };
  /** This program's version; a daemon with an older one is asked to hand over. */
  readonly version: string;
  /** For each call of the client that is returned. */
  readonly timeoutMs?: number;
  /** For the start of the daemon, and for the end of one that hands over. */
  readonly startTimeoutMs?: number;
}

/** A client of a daemon that answers and speaks our protocol. Rejects with a DaemonError. */
export async function ensureDaemon(options: EnsureOptions): Promise<DaemonClient> {
  const found = await tryHello(options, true);
  if (!found) return startAndWait(options);
  const { client, hello } = found;
  if (compareVersions(options.version, hello.version) > 0) {
    await handOver(found, options);
    return startAndWait(options);
  }
  if (hello.protocol === CLIENT_PROTOCOL) return client;
  client.close();
  throw new DaemonError({
    code: 'E_DAEMON_NEWER',
    rpcCode: -32010,
    message:
      `the daemon is agtmux ${hello.version} (protocol ${hello.protocol}), ` +
      `this is ${options.version} (protocol ${CLIENT_PROTOCOL})`,
    hint: 'Use the newer agtmux, or stop the daemon with it first.',
  });
}

interface Found {
  readonly client: DaemonClient;
  readonly hello: Hello;
}

/**
 * Null when no daemon answers. Other failures (another user's socket) are thrown at once, and with
 * `isHangThrown` a daemon that hangs: it holds the lock, so that no other one can start.
 */
async function tryHello(
  { socketPath, version, timeoutMs }: EnsureOptions,
  isHangThrown = false,
): Promise<Found | null> {
  let client: DaemonClient | null = null;
  try {
    client = await connectDaemon({ socketPath, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
    const hello = await client.call('hello', { protocol: CLIENT_PROTOCOL, version });
    return { client, hello };
  } catch (error) {
    client?.close();
    if (!isPassing(error) || (isHangThrown && isTimeout(error))) throw error;
    return null;
  }
}

async function startAndWait(options: EnsureOptions): Promise<DaemonClient> {
  const { stderrFile, ...program } = options.start;
  const words = await openOutput(stderrFile).catch(() => openOutput().catch(() => null));
  try {
    const beganAt = words ? (await words.stat()).size : 0;
    const started = await startDetached({ ...program, ...(words ? { outputFd: words.fd } : {}) });
    const client = 'error' in started ? null : await waitForHello(options, started);
    if (client) return client;
    const how = 'error' in started ? started.error : 'it was started and does not answer';
    const stderrTail = words ? await tailOf(words, beganAt) : '';
    throw new DaemonError({
      code: 'E_DAEMON_START_FAILED',
      rpcCode: -32010,
      message: `the daemon did not start: ${how}${stderrTail && `; it said: ${stderrTail}`}`,
      hint: 'Run agtmux daemon run to see why.',
    });
  } finally {
    await words?.close();
  }
}

/** The file for the daemon's stderr; without a path one that nobody else can open. */
async function openOutput(path?: string): Promise<FileHandle> {
  if (path !== undefined) return open(path, STDERR_FLAGS, 0o600);
  const folder = await mkdtemp(join(tmpdir(), 'agtmux-start-'));
  try {
    return await open(join(folder, 'stderr'), STDERR_FLAGS, 0o600);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function waitForHello(
  options: EnsureOptions,
  started: Detached,
): Promise<DaemonClient | null> {
  let deadlineMs = performance.now() + (options.startTimeoutMs ?? START_TIMEOUT_MS);
  for (let waitMs = POLL_FIRST_MS; ; waitMs = Math.min(waitMs * 1.5, POLL_MAX_MS)) {
    const exitCode = started.exitCode();
    const found = await tryHello(options);
    if (found) return found.client;
    if (exitCode !== null) {
      if (exitCode !== ALREADY_RUNNING_EXIT) return null;
      deadlineMs = Math.min(deadlineMs, performance.now() + OVER_TIMEOUT_MS);
    }
    if (performance.now() + waitMs > deadlineMs) return null;
    await pause(waitMs);
  }
}

/** Stops an older daemon and waits for its process, which frees the lock last. */
async function handOver({ client, hello }: Found, options: EnsureOptions): Promise<void> {
  const { socketPath } = options;
  await client.call('daemon_stop', { reason: 'upgrade' }).catch((error: unknown) => {
    // A daemon that stops may hang up before it replies.
    if (!(error instanceof DaemonError) || error.code !== 'E_DAEMON_DOWN') throw error;
  });
  client.close();
  const deadlineMs = performance.now() + (options.startTimeoutMs ?? HAND_OVER_TIMEOUT_MS);
  do {
    const found = await tryHello(options);
    found?.client.close();
    // Another client of our version may have started the new one already.
    const isNewer = found && compareVersions(options.version, found.hello.version) <= 0;
    if (isNewer || (!found && !isProcessAlive(hello.pid))) return;
    await pause(POLL_FIRST_MS);
  } while (performance.now() < deadlineMs);
  throw daemonDown(`the older daemon at ${socketPath} was asked to hand over and goes on`);
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** What was written to the file since, its end at least. */
async function tailOf(file: FileHandle, beganAt: number): Promise<string> {
  const { size } = await file.stat();
  const from = Math.max(beganAt, size - TAIL_BYTES);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, from);
  return buffer.toString('utf8', 0, bytesRead).trim();
}

/** Above zero: a is newer. A pre-release comes before its release; unreadable parts count as 0. */
export function compareVersions(a: string, b: string): number {
  const [aNumbers, aPre] = partsOf(a);
  const [bNumbers, bPre] = partsOf(b);
  for (let index = 0; index < 3; index += 1) {
    const difference = (aNumbers[index] ?? 0) - (bNumbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (aPre === bPre) return 0;
  if (aPre === '' || bPre === '') return aPre === '' ? 1 : -1;
  return aPre < bPre ? -1 : 1;
}

function partsOf(version: string): readonly [readonly number[], string] {
  const [core = '', pre = ''] = version.split('+')[0]?.split(/-(.*)/s) ?? [];
  return [core.split('.').map((part) => Number.parseInt(part, 10) || 0), pre];
}
