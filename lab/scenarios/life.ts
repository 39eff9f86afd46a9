// The life of an agent in its pane: a new session, an exit, a violent end, a neighbour.

import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Drive, streaming } from '../drive.ts';
import { SHELL_PROMPT } from '../inner-shell.ts';
import { dialogCall } from './turns.ts';

const GONE_LOOK_MS = 10;
const GONE_MS = 20_000;
/** `process.left_ms` of 45 s, and the pace of looks at a pane at rest. */
const FORGOTTEN_MS = 60_000;

export async function clearSession(drive: Drive): Promise<void> {
  const keys = drive.recipe.keys.clear;
  if (keys === undefined) throw new Error(`${drive.recipe.name} has no keys to clear`);
  await drive.hold('cleared', 'idle', await drive.press(keys));
}

/** When the process was gone; an agent may take its time to leave. */
async function goneAt(pid: number): Promise<number> {
  const endMs = Date.now() + GONE_MS;
  while (existsSync(`/proc/${pid}`)) {
    if (Date.now() > endMs) throw new Error(`process ${pid} did not leave`);
    await pause(GONE_LOOK_MS);
  }
  return Date.now();
}

export async function exitAgent(drive: Drive): Promise<void> {
  const pid = drive.stage.agentPid(drive.pane);
  drive.unjudged('leaving', await drive.press(drive.recipe.keys.exit));
  const atMs = await goneAt(pid);
  await drive.hold('exited', drive.goneTruth, atMs);
  await drive.pane.shows(SHELL_PROMPT, 'the shell again');
}

/** Ended by force, so that its title and its files stay as they are. */
export async function killAgent(drive: Drive): Promise<number> {
  const pid = drive.stage.agentPid(drive.pane);
  const atMs = Date.now();
  // The whole group: some agents are a wrapper with a child that would draw on.
  process.kill(-pid, 'SIGKILL');
  await drive.hold('killed by -9', drive.goneTruth, atMs);
  return atMs;
}

/** Killed in the middle of its work. */
export async function killStreaming(drive: Drive): Promise<number> {
  const turn = drive.script(streaming().reply);
  await drive.hold('streaming', 'running', await drive.submit(turn));
  return killAgent(drive);
}

/** Killed while it waits for an approval, whose dialog stays on the screen. */
export async function killWaiting(drive: Drive): Promise<void> {
  const turn = drive.script(dialogCall(drive, 'shell'));
  drive.brief('prompt', 'running', await drive.submit(turn));
  await drive.hold('shell dialog', 'waiting_approval', await turn.at(0, 'finishedAtMs'));
  await drive.expectDialog('approval');
  await killAgent(drive);
}

/** Long after its end an agent has also left a pane that cannot be looked into. */
export async function expectForgotten(drive: Drive, goneMs: number): Promise<void> {
  if (!drive.stage.isOpaque) return;
  drive.unjudged('left', Date.now());
  await pause(Math.max(0, goneMs + FORGOTTEN_MS - Date.now()));
  await drive.hold('left for a minute', 'no_agent', Date.now());
}

/** Two agents in one folder, at different work: neither may be taken for the other. */
export async function runNeighbours(one: Drive, other: Drive): Promise<void> {
  // One after the other: at its very first start codex makes its database, for itself alone.
  await one.start();
  await other.start();
  const { gate, reply } = streaming();
  const long = one.script(reply);
  const oneMs = await one.submit(long);
  await Promise.all([
    one.hold('streams beside a resting one', 'running', oneMs),
    other.hold('rests beside a streaming one', 'idle', oneMs),
  ]);
  const dialogTurn = other.script(dialogCall(other, 'shell'), { kind: 'text', text: 'Done.' });
  other.brief('prompt', 'running', await other.submit(dialogTurn));
  const otherMs = await dialogTurn.at(0, 'finishedAtMs');
  await Promise.all([
    one.hold('streams beside a dialog', 'running', otherMs),
    other.hold('dialog beside a stream', 'waiting_approval', otherMs),
  ]);
  await other.expectDialog('approval');
  gate.open();
  const endMs = await long.at(0, 'finishedAtMs');
  await Promise.all([
    one.hold('ends beside a dialog', 'completed', endMs),
    other.hold('dialog beside a turn that ended', 'waiting_approval', endMs),
  ]);
  const { keys, afterDismiss } = other.recipe;
  const leftMs = await other.press(keys.dismiss);
  await Promise.all([
    one.hold('done beside one that left', 'completed', leftMs),
    other.hold('dialog left by Esc', afterDismiss, leftMs),
  ]);
}
