// The demo: makes the stage, opens the panes, starts a daemon and plays, while the caller shows the
// daemon's output. However it ends, the stage's exit script removes everything.

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

/** A key is answered as soon; agtmux waits longer for what it should have done. */
const TICK_MS = 100;
const DAEMON_START_MS = 60_000;
/** How long to wait for all states; after it the demo starts with the states that are known. */
const FIRST_ANSWER_MS = 5_000;
const POLL_MS = 25;
const OUTPUT_LENGTH_MAX = 2_000;

/** A completed agent becomes idle after 10 s, not after two minutes, so that the demo shows it. */
const CONFIG = '[engine]\ncompleted = "10s"\n';

export interface DemoOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The command line that runs agtmux, without its arguments. */
  readonly program: readonly string[];
  /** Ends the demo, also during its set-up. */
  readonly signal: AbortSignal;
  /** Shows the demo; resolves with the exit code at its end. */
  readonly show: (stage: DemoStage) => Promise<number>;
}

/** What `show` needs. */
export interface DemoStage {
  /** The environment of all its programs. */
  readonly env: Readonly<Record<string, string>>;
  /** The socket of its daemon. */
  readonly socketPath: string;
}

/** Returns the exit code of `show`, or 0 when it is stopped earlier. Rejects with a Fault. */
export async function runDemo(options: DemoOptions): Promise<number> {
  try {
    return await withStage(options);
  } catch (error) {
    // Ctrl-C also ends our child processes; that is not their failure.
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
  // A title older than its agent is ignored: agents must be detected before they show anything.
  await waitForCounts(stage, ({ agents }) => agents >= cast.length, firstAnswer);
  await Promise.all(players.map((player) => player.play(0)));
  const screenCount = cast.filter(({ scenes }) => (scenes[0]?.screens.length ?? 0) > 0).length;
  const isRead = ({ known, titled }: Counts): boolean =>
    known >= screenCount && titled >= screenCount;
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

/** The machines with their roles. Without a second machine all roles are on the first. */
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
  let output = '';
  let isGone = false;
  const collect = (text: string): void => {
    output = (output + text).slice(-OUTPUT_LENGTH_MAX);
  };
  const daemon = startChild({
    command,
    args: [...args, 'daemon', 'run', '--socket-path', stage.socketPath],
    env: stage.env,
    isTethered: true,
    onStdout: collect,
    onStderr: collect,
    onExit: () => {
      isGone = true;
    },
  });
  const start = { timeoutMs: DAEMON_START_MS, isOver: () => isGone || signal.aborted };
  if (await waitForCounts(stage, () => true, start)) return daemon;
  daemon.kill('SIGKILL');
  const detail = output.trim() || 'it does not answer';
  throw new Fault('E_DEMO_FAILED', { about: "the demo's daemon", detail });
}

/** Adds the second machine as a target. If that fails, only its panes are missing. */
async function addSecondTarget({ socketPath }: Stage): Promise<void> {
  const client = await connectDaemon({ socketPath });
  await client.call('add_target', { name: SECOND_NAME, kind: 'ssh' }).catch(() => null);
  client.close();
}

interface Counts {
  readonly agents: number;
  /** Agents with a known state. */
  readonly known: number;
  /** Agents whose title names their task. */
  readonly titled: number;
}

/** Waits until the counts match. False after the timeout, or when the demo ends. */
async function waitForCounts(
  stage: Stage,
  isMatch: (counts: Counts) => boolean,
  { timeoutMs, isOver }: { readonly timeoutMs: number; readonly isOver: () => boolean },
): Promise<boolean> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const counts = await countAgents(stage);
    if (counts !== null && isMatch(counts)) return true;
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
