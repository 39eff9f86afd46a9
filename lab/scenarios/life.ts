// The life of an agent in its pane: a new session, an exit, a violent end, a restart, a neighbour.

import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Drive, streaming } from '../drive.ts';
import { dialogCall } from './turns.ts';

const GONE_LOOK_MS = 10;
const GONE_MS = 20_000;

export async function clearSession(drive: Drive): Promise<void> {
  const keys = drive.recipe.keys.clear;
  if (keys === undefined) throw new Error(`${drive.recipe.name} has no keys to clear`);
  await drive.hold('cleared', 'idle', await drive.press(keys));
}

/** The process of the agent: the only child of the pane's shell. */
async function agentPid(drive: Drive): Promise<number> {
  const shell = await drive.pane.format('#{pane_pid}');
  return Number.parseInt(readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8'), 10);
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
  const pid = await agentPid(drive);
  drive.unjudged('leaving', await drive.press(drive.recipe.keys.exit));
  const atMs = await goneAt(pid);
  await drive.hold('exited', 'no_agent', atMs);
  await drive.pane.shows(/^\$ ?$/m, 'the shell again');
}

/** Ended in the middle of its work, so that its title and its files stay as they are. */
export async function killAgent(drive: Drive): Promise<void> {
  const turn = drive.script(streaming().reply);
  await drive.hold('streaming', 'running', await drive.submit(turn));
  const pid = await agentPid(drive);
  const atMs = Date.now();
  // The whole group: some agents are a wrapper with a child that would draw on.
  process.kill(-pid, 'SIGKILL');
  await drive.hold('killed by -9', 'no_agent', atMs);
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
