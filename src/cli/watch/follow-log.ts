// Follows a conversation until a signal comes: asks for what is after the last entry, again and
// again. A daemon that restarts is waited for; the cursor holds over a restart.

import { setTimeout as sleep } from 'node:timers/promises';
import { DaemonError } from '../../client/client.ts';
import { ReconnectingClient } from '../../client/reconnecting-client.ts';
import { gapText } from '../../render/conversation/log-lines.ts';
import { onSignals } from '../signals.ts';
import { type LogPage, read } from './read-log.ts';

const INTERVAL_MS = 700;
const PAGE = 500;
/** Without an answer for this long it fails. */
const GIVE_UP_MS = 30_000;
/** A daemon or a machine does not answer: it may be back soon. */
const UNAVAILABLE = -32010;

export interface FollowLogOptions {
  readonly socketPath: string;
  readonly ref: string;
  readonly cursor: string;
  readonly print: (page: LogPage) => Promise<boolean>;
  /** Tells the person what is no output. */
  readonly note: (text: string) => void;
}

/** Resolves with the exit code. Rejects with a DaemonError. */
export async function followLog(options: FollowLogOptions): Promise<number> {
  const { ref, print, note } = options;
  const stop = new AbortController();
  let exitCode = 0;
  using _signals = onSignals((code) => {
    exitCode = code;
    stop.abort();
  });
  using client = new ReconnectingClient(options.socketPath);
  stop.signal.addEventListener('abort', () => client[Symbol.dispose]());
  let after = options.cursor;
  for (let lastMs = performance.now(); !stop.signal.aborted; ) {
    await sleep(INTERVAL_MS, null, { signal: stop.signal }).catch(() => null);
    if (stop.signal.aborted) break;
    try {
      const page = await client.ask((daemon) => read(daemon, { ref, after, limit: PAGE }));
      lastMs = performance.now();
      if (page.gap !== null) note(gapText(page.gap));
      await print(page);
      after = page.after;
    } catch (error) {
      if (stop.signal.aborted) break;
      const isPassing = error instanceof DaemonError && error.rpcCode === UNAVAILABLE;
      if (!isPassing || performance.now() - lastMs > GIVE_UP_MS) throw error;
    }
  }
  return exitCode;
}
