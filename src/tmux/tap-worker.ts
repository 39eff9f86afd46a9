// The thread that reads taps. It waits for nothing but their output, because a tap that is not
// read can freeze the programs in its panes: no database, no socket, no queue. Main gets one merged
// report at a time and acknowledges it; until then more is merged into the next.

import { parentPort } from 'node:worker_threads';
import { steadyMs } from '../platform/clock.ts';
import type { Child } from '../platform/process/child.ts';
import { launchProgram } from '../platform/process/launch.ts';
import { type ControlItem, controlParser } from '../tmux-wire/control-parser.ts';
import { commandLine } from '../tmux-wire/quote.ts';
import { type FlowRequest, TapWatch } from './taps/tap-watch.ts';
import { type FromTapWorker, isFar, type ToTapWorker, type WantedTap } from './taps.ts';
import { TapViews } from './views/tap-views.ts';

/** Mere output is reported this often; a signal is reported at once. */
const CHANGE_EVERY_MS = 100;
/** But signals may come without end: each report keeps main busy. */
const SIGNAL_EVERY_MS = 10;
/** How often the output budget is applied. */
const BUDGET_EVERY_MS = 100;
/** A tap that has not begun by then has failed. */
const READY_DEADLINE_MS = 10_000;
/** Enough for why it did not begin. */
const STDERR_LENGTH_MAX = 1_000;
/** A client on another machine whose input has ended has left by then, or its link is broken. */
const LEAVE_MS = 1_000;
/** A tap that has not been attached by then is ended: the next of its server waits for it. */
const ATTACH_MS_MAX = 15_000;

interface Tap extends WantedTap {
  readonly child: Child;
}

const port = parentPort;
if (!port) throw new Error('this file is started as a worker thread');

const taps = new Map<string, Tap>();
/** Wanted and not begun yet. */
let waiting: readonly WantedTap[] = [];
/** Servers to which a client is being attached. */
const attaching = new Set<string>();
/** No longer wanted and not ended yet. */
let leaving: Tap[] = [];
/** The ends of those that are no longer wanted. */
const ending = new Set<Promise<unknown>>();
const watches = new Map<string, TapWatch>();
let isAcknowledged = true;
const views = new TapViews();
/** Main has taken what viewed panes printed before. */
let isViewTaken = true;
let sentAtMs = Number.NEGATIVE_INFINITY;
let budgetTimer: NodeJS.Timeout | null = null;
let next: { readonly timer: NodeJS.Timeout; readonly dueMs: number } | null = null;

const keyOf = ({ server, sessionId }: Pick<WantedTap, 'server' | 'sessionId'>): string =>
  `${sessionId} ${server}`;

port.on('message', (message: ToTapWorker) => {
  if (message.kind === 'set') {
    setTaps(message.wanted);
    const { number } = message;
    Promise.all(ending).then(() => send({ kind: 'settled', number }));
  } else if (message.kind === 'stop') {
    stop();
  } else if (message.kind === 'view') {
    views.set(message.viewed);
    for (const [server, watch] of watches) {
      requestFlow(server, watch.setViewed(views.paneIdsOf(server), steadyMs()));
    }
  } else if (message.kind === 'snapshot') {
    const line = views.request(message.request);
    if (line !== null) taps.get(keyOf(message.request))?.child.write(`${line}\n`);
    sendViews();
  } else if (message.kind === 'view-ack') {
    isViewTaken = true;
    sendViews();
  } else {
    isAcknowledged = true;
    schedule();
  }
});

function setTaps(wanted: readonly WantedTap[]): void {
  const keys = new Set(wanted.map(keyOf));
  for (const [key, tap] of taps) {
    if (keys.has(key)) continue;
    taps.delete(key);
    views.onTapEnded(tap);
    watches.get(tap.server)?.onLeft(tap.sessionId);
    leaving.push(tap);
    const { exited } = tap.child;
    ending.add(exited);
    exited.then(() => ending.delete(exited));
  }
  closeLeaving();
  waiting = wanted.filter((tap) => !taps.has(keyOf(tap)));
  openWaiting();
  const servers = new Set([...taps.values()].map(({ server }) => server));
  for (const [server, watch] of watches) {
    if (!servers.has(server) && watch.pending.isEmpty()) watches.delete(server);
  }
}

/**
 * While a tap is being attached no other of its server leaves, but all may: tmux 3.3a writes that
 * notice to a client that has not begun yet, and dies of it.
 */
function closeLeaving(): void {
  const staying = new Set([...taps.values()].map(({ server }) => server));
  leaving = leaving.filter((tap) => {
    if (attaching.has(tap.server) && staying.has(tap.server)) return true;
    leave(tap);
    return false;
  });
}

/**
 * On another machine only the end of its input is sure to reach the client: one whose channel is
 * cut while it attaches never ends, and its process id is not known yet.
 */
function leave({ child, launch }: Tap): void {
  if (!isFar({ launch })) {
    child.kill('SIGKILL');
    return;
  }
  child.endInput();
  setTimeout(() => child.kill('SIGKILL'), LEAVE_MS).unref();
}

/** One after the other for each server, for the same reason. */
function openWaiting(): void {
  waiting = waiting.filter((tap) => {
    if (attaching.has(tap.server)) return true;
    open(tap);
    return false;
  });
}

/** Returns what is to be called, once or more, when a client is attached or has ended. */
function beginAttaching(server: string, giveUp: () => void): () => void {
  attaching.add(server);
  let isDone = false;
  const done = (): void => {
    if (isDone) return;
    isDone = true;
    clearTimeout(timer);
    attaching.delete(server);
    closeLeaving();
    openWaiting();
  };
  const timer = setTimeout(giveUp, ATTACH_MS_MAX);
  return done;
}

function open(wanted: WantedTap): void {
  const { server, sessionId, launch } = wanted;
  const watch = watches.get(server) ?? new TapWatch(server);
  watches.set(server, watch);
  const parser = controlParser();
  const attached = beginAttaching(server, () => leave({ ...wanted, child }));
  let isOver = false;
  const handle = (item: ControlItem): void => {
    if (item.kind === 'reply') views.onReply(wanted, item);
    else if (item.kind === 'layout-change') views.onResized(wanted);
    else if (item.kind === 'output') {
      const { paneId, bytes } = item;
      views.onOutput({ server, sessionId, paneId }, bytes);
      requestFlow(server, watch.onOutput({ sessionId, paneId, bytes, atMs: steadyMs() }));
    } else if (item.kind === 'pause') {
      requestFlow(server, watch.onPause(sessionId, item.paneId));
      views.onLost({ server, sessionId, paneId: item.paneId });
    } else if (isEnd(item, sessionId)) {
      isOver = true;
      child.kill('SIGKILL');
    }
  };
  const onStdout = (bytes: string): void => {
    attached();
    // One that is to leave says nothing that counts.
    if (isOver || taps.get(keyOf(wanted))?.child !== child) return;
    for (const item of parser.feed(bytes)) handle(item);
    sendViews();
    schedule();
    applyBudgetSoon();
  };
  let isReady = false;
  let stderr = '';
  const child = launchProgram(launch, {
    readyDeadlineMs: READY_DEADLINE_MS,
    onStderr: (bytes) => {
      if (!isReady) stderr = (stderr + bytes).slice(-STDERR_LENGTH_MAX);
    },
    onReady: (pid) => {
      isReady = true;
      if (pid !== null) watch.onOpened(sessionId, pid);
      schedule();
    },
    onStdout,
    onExit: () => {
      attached();
      // One that was closed on purpose has left the table, or was followed by another, before.
      if (taps.get(keyOf(wanted))?.child !== child) return;
      taps.delete(keyOf(wanted));
      views.onTapEnded(wanted);
      sendViews();
      if (isReady) watch.onClosed(sessionId);
      else watch.onFailed(sessionId, stderr);
      schedule();
    },
  });
  taps.set(keyOf(wanted), { ...wanted, child });
}

/** Never `:off`, which would stop the pane's program for good on some versions. */
function requestFlow(server: string, requests: readonly FlowRequest[]): void {
  for (const { sessionId, paneId, how } of requests) {
    const words = ['refresh-client', '-A', `${paneId}:${how}`];
    taps.get(keyOf({ server, sessionId }))?.child.write(`${commandLine(words)}\n`);
  }
}

/** Goes on as long as something is printed or paused. */
function applyBudgetSoon(): void {
  if (budgetTimer === null) budgetTimer = setTimeout(applyBudget, BUDGET_EVERY_MS).unref();
}

function applyBudget(): void {
  budgetTimer = null;
  const atMs = steadyMs();
  for (const [server, watch] of watches) requestFlow(server, watch.turn(atMs));
  if ([...watches.values()].some((watch) => !watch.hasNoPausedPane())) applyBudgetSoon();
  schedule();
}

/** Whether a tap is of no use from now on. */
function isEnd(item: ControlItem, sessionId: string): boolean {
  // Its session is gone and tmux has put it into another one (`detach-on-destroy off`).
  if (item.kind === 'session-changed') return item.sessionId !== sessionId;
  // No tmux talks like that, and others are waiting for this thread.
  return item.kind === 'overflow' || item.kind === 'desync';
}

/** Sees to it that what is pending is reported; what is not acknowledged yet comes back here. */
function schedule(): void {
  if (!isAcknowledged) return;
  const pending = [...watches.values()].map((watch) => watch.pending);
  if (pending.every((each) => each.isEmpty())) return;
  const nowMs = performance.now();
  const isUrgent = pending.some((each) => each.isUrgent());
  const dueMs = isUrgent ? sentAtMs + SIGNAL_EVERY_MS : nowMs + CHANGE_EVERY_MS;
  if (dueMs <= nowMs) {
    report();
  } else if (next === null || dueMs < next.dueMs) {
    if (next !== null) clearTimeout(next.timer);
    next = { timer: setTimeout(report, dueMs - nowMs), dueMs };
  }
}

function report(): void {
  if (next !== null) clearTimeout(next.timer);
  next = null;
  const full = [...watches.values()].filter(({ pending }) => !pending.isEmpty());
  if (!isAcknowledged || full.length === 0) return;
  isAcknowledged = false;
  sentAtMs = performance.now();
  const atMs = steadyMs();
  send({ kind: 'reports', reports: full.map((watch) => watch.take(atMs)) });
}

/** One message at a time, like reports: what comes meanwhile is merged, and bounded. */
function sendViews(): void {
  if (!isViewTaken || views.isEmpty) return;
  isViewTaken = false;
  send({ kind: 'views', items: views.take() });
}

function send(message: FromTapWorker): void {
  port?.postMessage(message);
}

function stop(): void {
  setTaps([]);
  // With its port closed and its children gone the thread has nothing left and ends.
  Promise.all(ending).then(() => port?.close());
}
