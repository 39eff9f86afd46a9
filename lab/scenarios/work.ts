// Work that a model's turn does not show by itself: background shells, subagents, failing requests.

import { setTimeout as pause } from 'node:timers/promises';
import type { ApiError } from '../agent.ts';
import { type Drive, streaming } from '../drive.ts';
import type { Reply } from '../fake-model/reply.ts';

/** No agent waits longer between two tries, as they are configured here. */
const GAVE_UP_MS = 6_000;
const LOOK_MS = 50;

const textReply = (text: string): Reply => ({ kind: 'text', text });

/** A shell that outlives its turn: the turn is over all the same. */
export async function runBackgroundShell(drive: Drive): Promise<void> {
  const args = { command: 'sleep 60', yield_time_ms: 1_000 };
  const call: Reply = { kind: 'tool', tool: 'background_shell', args };
  const turn = drive.script(call, textReply('It runs.'));
  drive.brief('prompt', 'running', await drive.submit(turn));
  const atMs = await turn.at(1, 'finishedAtMs');
  await drive.hold('turn ends, its shell goes on', 'completed', atMs);
}

/** A subagent within the turn: the turn goes on with it. */
export async function runSubagent(drive: Drive): Promise<void> {
  const inner = streaming();
  const child = drive.script(inner.reply);
  const args = { prompt: child.prompt, description: 'Look around', run_in_background: false };
  const turn = drive.script({ kind: 'tool', tool: 'subagent', args }, textReply('Done.'));
  drive.brief('prompt', 'running', await drive.submit(turn));
  await drive.hold('subagent streams', 'running', await child.at(0, 'requestAtMs'));
  inner.gate.open();
  await drive.hold('subagent turn ends', 'completed', await turn.at(1, 'finishedAtMs'));
}

/** A subagent that outlives its turn: the agent works on, although the turn has ended. */
export async function runBackgroundSubagent(drive: Drive): Promise<void> {
  const inner = streaming();
  const child = drive.script(inner.reply);
  const args = { prompt: child.prompt, description: 'Look around', run_in_background: true };
  const turn = drive.script({ kind: 'tool', tool: 'subagent', args }, textReply('It works.'));
  drive.brief('prompt', 'running', await drive.submit(turn));
  await child.at(0, 'requestAtMs');
  const endedMs = await turn.at(1, 'finishedAtMs');
  await drive.hold('turn ends, its subagent goes on', 'running/background_work', endedMs);
  inner.gate.open();
  drive.brief('subagent ends', 'running', await child.at(0, 'finishedAtMs'));
  await drive.hold('subagent result read', 'completed', await turn.at(2, 'finishedAtMs'));
}

/**
 * Requests fail until the agent gives up. How often it tries is its own business: the truth is
 * written down when no more requests come, at the times of the model's answers.
 */
export async function failTurn(drive: Drive, error: ApiError): Promise<void> {
  const { status, retrying, isEndless = false, pauseMsMax = GAVE_UP_MS } = error;
  const waits = status === 429 ? { retryAfterS: 3 } : {};
  const turn = drive.script({ kind: 'error', status, ...waits });
  drive.brief('prompt', 'running', await drive.submit(turn));
  const failedMs = [await turn.at(0, 'finishedAtMs')];
  if (isEndless) {
    await drive.hold(`${status} retried`, retrying, failedMs[0] ?? 0);
    const atMs = await drive.press(drive.recipe.keys.interrupt);
    await drive.hold(`${status} left by Esc`, 'idle/interrupted', atMs);
    return;
  }
  while (Date.now() < (failedMs.at(-1) ?? 0) + pauseMsMax) {
    await pause(LOOK_MS);
    const next = turn.handle.requests[failedMs.length]?.finishedAtMs;
    if (next !== undefined) failedMs.push(next);
  }
  const [firstMs = 0, ...moreMs] = failedMs;
  if (moreMs.length > 0) drive.brief(`${status} retried`, retrying, firstMs);
  await drive.hold(`${status} gives up`, 'error', failedMs.at(-1) ?? 0);
}
