// Follows what a pane shows until its agent has ended or a signal comes: asks for its last lines
// again and again, and hands out those that are new. A daemon that restarts is waited for.

import { setTimeout as sleep } from 'node:timers/promises';
import { DaemonError } from '../../client/client.ts';
import { ReconnectingClient } from '../../client/reconnecting-client.ts';
import type { Preview } from '../../schema/api/preview.ts';
import { onSignals } from '../signals.ts';
import { followLines, takeLines } from './new-lines.ts';

/** Agents draw the seconds of a turn: two captures must not fall into one of them. */
const INTERVAL_MS = 1_200;
const TIMEOUT_MS = 15_000;
/** Without an answer for this long it fails. */
const GIVE_UP_MS = 30_000;
/** A daemon, a tmux server or a machine does not answer: it may be back soon. */
const UNAVAILABLE = -32010;
const ends: readonly string[] = ['E_RUNTIME_STALE', 'E_REF_NOT_FOUND'];

export interface FollowOptions {
  readonly socketPath: string;
  /** The first capture: what it shows is not new. */
  readonly first: Preview;
  /** Of each capture. */
  readonly lineCount: number;
  readonly print: (lines: readonly string[]) => void;
  /** Tells the person what is no output. */
  readonly note: (text: string) => void;
}

/** Resolves with the exit code. Rejects with a DaemonError. */
export async function followOutput(options: FollowOptions): Promise<number> {
  const { first, lineCount, print, note } = options;
  const stop = new AbortController();
  let exitCode = 0;
  using _signals = onSignals((code) => {
    exitCode = code;
    stop.abort();
  });
  using client = new ReconnectingClient(options.socketPath);
  const ask = (ref: string): Promise<Preview> =>
    client.ask((daemon) =>
      daemon.call('preview', { ref, lines: lineCount }, { timeoutMs: TIMEOUT_MS }),
    );
  // A call that is under way is not waited for.
  stop.signal.addEventListener('abort', () => client[Symbol.dispose]());
  const ref = first.runtime_id === null ? first.pane_key : `runtime:${first.runtime_id}`;
  let state = followLines(first, lineCount);
  const take = (capture: Preview, isLast: boolean): void => {
    const taken = takeLines(state, capture, { isLast });
    state = taken.state;
    if (taken.isGap) note('Lines may be left out here: too many came at once.');
    if (taken.lines.length > 0) print(taken.lines);
  };
  for (let lastMs = performance.now(); ; ) {
    await sleep(INTERVAL_MS, null, { signal: stop.signal }).catch(() => null);
    if (stop.signal.aborted) return exitCode;
    try {
      take(await ask(ref), false);
      lastMs = performance.now();
    } catch (error) {
      if (isEnd(error, performance.now() - lastMs)) break;
    }
  }
  // What it said last is still there, if its pane is.
  const last = await ask(first.pane_key).catch(() => null);
  if (last?.pane_pid === first.pane_pid) take(last, true);
  note(first.runtime_id === null ? 'The pane is gone.' : 'The agent has ended.');
  return exitCode;
}

/** Whether the agent has ended; false where an answer may come yet. Throws what is final. */
function isEnd(error: unknown, silentMs: number): boolean {
  if (!(error instanceof DaemonError)) throw error;
  if (ends.includes(error.code)) return true;
  if (error.rpcCode !== UNAVAILABLE || silentMs > GIVE_UP_MS) throw error;
  return false;
}
