// The demo: builds the stage, opens the panes, starts a daemon of its own and plays, while the
// caller shows what the daemon tells. However it ends, the stage's exit script removes everything.

import { setTimeout as pause } from 'node:timers/promises';
import { connectDaemon } from '../client/client.ts';
import { Fault } from '../platform/fault.ts';
import { type Child, startChild } from '../platform/process/child.ts';
import { cast, type Role, SHELL_SESSION } from './cast.ts';
import { openPane, openShell } from './fake-agents.ts';
import type { Machine } from './machine.ts';
import { Player } from './player.ts';
import { openSecondMachine, SECOND_NAME, type SecondMachine } from './second-machine.ts';
import { Stage } from './stage.ts';

const TICK_MS = 250;
const DAEMON_START_MS = 60_000;
/** Longer is not waited for its first right answer: what it says then is no lie either. */
const FIRST_ANSWER_MS = 5_000;
const POLL_MS = 25;
const WORDS_LENGTH_MAX = 2_000;

/** Nobody waits two minutes to see that a completion is no longer news. */
const CONFIG = '[engine]\ncompleted = "10s"\n';

export interface DemoOptions {
  readonly env: NodeJS.ProcessEnv;
  /** How agtmux itself is run: the program and what comes before its own arguments. */
  readonly program: readonly string[];
  /** Ends the demo, also while it is being set up. */
  readonly signal: AbortSignal;
  /** Shows the demo until it has been seen; its answer is the demo's. */
  readonly show: (stage: DemoStage) => Promise<number>;
}

/** What one needs to look at the demo. */
export interface DemoStage {
  /** The environment of every program that belongs to it. */
  readonly env: Readonly<Record<string, string>>;
  /** The socket of its daemon. */
  readonly socketPath: string;
}

/**
 * Runs the demo until it was shown, and returns what `show` returned, or 0 where it was ended
 * before that. Rejects with a Fault.
 */
export async function runDemo(options: DemoOptions): Promise<number> {
  try {
    return await withStage(options);
  } catch (error) {
    // Ctrl-C ends our programs too; that they are gone is no failure of theirs.
    if (options.signal.aborted) return 0;
    throw error;
  }
}

async function withStage(options: DemoOptions): Promise<number> {
  const stage = await Stage.build(options.env, CONFIG);
  try {
    return await playDemo(stage, options);
  } finally {
    await stage[Symbol.asyncDispose]();
  }
}

async function playDemo(stage: Stage, { program, signal, show }: DemoOptions): Promise<number> {
  const second = await openSecondMachine(stage);
  signal.throwIfAborted();
  const players = await openPanes(machinesOf(stage, second));
  const daemon = await startDaemon(stage, program, signal);
  if (second) await addSecondTarget(stage);
  const firstAnswer = { timeoutMs: FIRST_ANSWER_MS, isOver: () => signal.aborted };
  // A title that was there before its agent is not believed: first they are seen, then they speak.
  await waitForCounts(stage, ({ agents }) => agents >= cast.length, firstAnswer);
  await Promise.all(players.map((player) => player.play(0)));
  const speakers = cast.filter(({ scenes }) => (scenes[0]?.screens.length ?? 0) > 0).length;
  const isRead = ({ known, titled }: Counts): boolean => known >= speakers && titled >= speakers;
  await waitForCounts(stage, isRead, firstAnswer);
  const beganMs = performance.now();
  const timer = setInterval(() => {
    for (const player of players) void player.play(performance.now() - beganMs);
  }, TICK_MS);
  try {
    return await show(stage);
  } finally {
    clearInterval(timer);
    daemon.kill('SIGTERM');
    await Promise.all([daemon.exited, ...players.map((player) => player[Symbol.asyncDispose]())]);
    second?.[Symbol.dispose]();
  }
}

/** Where who plays. With one machine only, all play there. */
function machinesOf(stage: Stage, second: SecondMachine | null): readonly Machine[] {
  const { tmuxSocket } = stage;
  if (second === null) return [{ stage, tmuxSocket, roles: cast }];
  const isElsewhere = (role: Role): boolean => role.isOnSecondMachine ?? false;
  return [
    { stage, tmuxSocket, roles: cast.filter((role) => !isElsewhere(role)) },
    { stage, tmuxSocket: second.tmuxSocket, roles: cast.filter(isElsewhere) },
  ];
}

async function openPanes(machines: readonly Machine[]): Promise<readonly Player[]> {
  const players: Player[] = [];
  for (const machine of machines) {
    const sessions = new Set<string>();
    for (const role of machine.roles) {
      const pane = await openPane(machine, role, !sessions.has(role.session));
      sessions.add(role.session);
      players.push(new Player(machine, role, pane));
    }
  }
  const [first] = machines;
  if (first) await openShell(first, SHELL_SESSION);
  return players;
}

/** Starts the demo's own daemon and waits until it answers. */
async function startDaemon(
  stage: Stage,
  program: readonly string[],
  signal: AbortSignal,
): Promise<Child> {
  const [command = '', ...args] = program;
  let words = '';
  let isGone = false;
  const hear = (text: string): void => {
    words = (words + text).slice(-WORDS_LENGTH_MAX);
  };
  const daemon = startChild({
    command,
    args: [...args, 'daemon', 'run', '--socket-path', stage.socketPath],
    env: stage.env,
    isTethered: true,
    onStdout: hear,
    onStderr: hear,
    onExit: () => {
      isGone = true;
    },
  });
  const start = { timeoutMs: DAEMON_START_MS, isOver: () => isGone || signal.aborted };
  if (await waitForCounts(stage, () => true, start)) return daemon;
  daemon.kill('SIGKILL');
  const detail = words.trim() || 'it does not answer';
  throw new Fault('E_DEMO_FAILED', { about: "the demo's daemon", detail });
}

/** Has the second machine watched. Where that fails its rows are missing, and no other. */
async function addSecondTarget({ socketPath }: Stage): Promise<void> {
  const client = await connectDaemon({ socketPath });
  await client.call('add_target', { name: SECOND_NAME, kind: 'ssh' }).catch(() => null);
  client.close();
}

interface Counts {
  readonly agents: number;
  /** Those of them that have a state. */
  readonly known: number;
  /** Those whose title tells their task. */
  readonly titled: number;
}

/** Waits until the daemon's answer is as wanted. False when the time is over, or all is. */
async function waitForCounts(
  stage: Stage,
  isWanted: (counts: Counts) => boolean,
  { timeoutMs, isOver }: { readonly timeoutMs: number; readonly isOver: () => boolean },
): Promise<boolean> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const counts = await countAgents(stage);
    if (counts !== null && isWanted(counts)) return true;
    if (isOver() || performance.now() > deadlineMs) return false;
    await pause(POLL_MS);
  }
}

/** Null when the daemon does not answer. */
async function countAgents({ socketPath }: Stage): Promise<Counts | null> {
  try {
    const client = await connectDaemon({ socketPath });
    try {
      const { panes } = await client.call('list_panes', {});
      const agents = panes.filter(({ presence }) => presence === 'managed');
      const known = agents.filter(({ state }) => state !== 'unknown');
      const titled = agents.filter(({ title }) => cast.some(({ task }) => title?.includes(task)));
      return { agents: agents.length, known: known.length, titled: titled.length };
    } finally {
      client.close();
    }
  } catch {
    return null;
  }
}
