// The thread that reads all taps. It waits for nothing but their output, because a tap that is not
// read can freeze the programs in its panes: no database, no socket, no queue. Main gets one merged
// report at a time and acknowledges it; until then more is merged into the next.

import { parentPort } from 'node:worker_threads';
import { type Child, startChild } from '../platform/child.ts';
import { controlParser } from '../tmux-wire/control-parser.ts';
import { commandLine } from '../tmux-wire/quote.ts';
import { outsideTmux } from './client.ts';
import { type TapWatch, tapWatch } from './tap-watch.ts';
import type { FromTapWorker, ToTapWorker, WantedTap } from './taps.ts';

/** Mere output is told this often; what carries a signal is told at once. */
const CHANGE_EVERY_MS = 50;

interface Tap extends WantedTap {
  readonly child: Child;
}

const port = parentPort;
if (!port) throw new Error('this file is started as a worker thread');

const taps = new Map<string, Tap>();
const watches = new Map<string, TapWatch>();
let isAcknowledged = true;
let changeTimer: NodeJS.Timeout | null = null;

const keyOf = ({ socketPath, sessionId }: WantedTap): string => `${sessionId} ${socketPath}`;

port.on('message', (message: ToTapWorker) => {
  if (message.kind === 'set') {
    setTaps(message.wanted);
  } else if (message.kind === 'stop') {
    stop();
  } else {
    isAcknowledged = true;
    report();
  }
});

function setTaps(wanted: readonly WantedTap[]): void {
  const keys = new Set(wanted.map(keyOf));
  for (const [key, tap] of taps) {
    if (keys.has(key)) continue;
    taps.delete(key);
    tap.child.kill('SIGKILL');
  }
  for (const tap of wanted) if (!taps.has(keyOf(tap))) open(tap);
  const sockets = new Set([...taps.values()].map(({ socketPath }) => socketPath));
  for (const [socketPath, watch] of watches) {
    if (!sockets.has(socketPath) && watch.pending.isEmpty()) watches.delete(socketPath);
  }
}

function open({ socketPath, sessionId }: WantedTap): void {
  const watch = watches.get(socketPath) ?? tapWatch(socketPath);
  watches.set(socketPath, watch);
  const parser = controlParser();
  const onStdout = (bytes: string): void => {
    const atMs = Date.now();
    for (const item of parser.feed(bytes)) {
      if (item.kind === 'output') {
        watch.onOutput({ sessionId, paneId: item.paneId, bytes: item.bytes, atMs });
      } else if (item.kind === 'session-changed' && item.sessionId !== sessionId) {
        // Its session is gone and tmux has put it into another one (`detach-on-destroy off`).
        child.kill('SIGKILL');
      } else if (item.kind === 'pause') {
        watch.onGap(item.paneId);
        // Never `:off`, which would stop the pane's program for good on some versions.
        child.write(`${commandLine(['refresh-client', '-A', `${item.paneId}:continue`])}\n`);
      }
    }
    schedule();
  };
  const child = startChild({
    command: 'tmux',
    args: tapArguments({ socketPath, sessionId }),
    env: outsideTmux(),
    isTethered: true,
    onStdout,
    onExit: () => {
      const key = keyOf({ socketPath, sessionId });
      // One that was closed on purpose has left the table, or was followed by another, before.
      if (taps.get(key)?.child !== child) return;
      taps.delete(key);
      watch.onClosed(sessionId);
      schedule();
    },
  });
  taps.set(keyOf({ socketPath, sessionId }), { socketPath, sessionId, child });
}

/** `pause-after=1` keeps tmux's memory flat while we are stopped: it drops what we do not read. */
function tapArguments({ socketPath, sessionId }: WantedTap): string[] {
  const server = ['-N', '-u', '-S', socketPath];
  const flags = ['-f', 'ignore-size,pause-after=1'];
  return [...server, '-C', 'attach-session', '-E', ...flags, '-t', sessionId];
}

function schedule(): void {
  const pending = [...watches.values()].map((watch) => watch.pending);
  if (pending.some((each) => each.isUrgent())) report();
  else if (changeTimer === null && pending.some((each) => !each.isEmpty())) {
    changeTimer = setTimeout(() => {
      changeTimer = null;
      report();
    }, CHANGE_EVERY_MS);
  }
}

function report(): void {
  if (!isAcknowledged) return;
  const atMs = Date.now();
  const full = [...watches.values()].filter(({ pending }) => !pending.isEmpty());
  if (full.length === 0) return;
  isAcknowledged = false;
  send({
    kind: 'reports',
    reports: full.map((watch) => watch.take(atMs)),
    openCount: taps.size,
  });
}

function send(message: FromTapWorker): void {
  port?.postMessage(message);
}

function stop(): void {
  const ends = [...taps.values()].map(({ child }) => child.exited);
  setTaps([]);
  // With its port closed and its children gone the thread has nothing left and ends.
  Promise.all(ends).then(() => port?.close());
}
