// The trials of prompts, approvals, denials and interrupts, by agtmux, and the same by bare keys
// for the time that they take.

import { existsSync } from 'node:fs';
import { eventually } from '../tests/live/tmux-server.ts';
import { promptTexts, receivedText } from './acting-prompts.ts';
import {
  answerRequest,
  builtFile,
  type Check,
  done,
  openApproval,
  type Trial,
  untilState,
} from './acting-trial.ts';
import type { Keys } from './agent.ts';
import { streaming } from './drive.ts';
import { goneFrom } from './effect.ts';

const STATE_MS = 30_000;
/** Worth a line of its own. */
const SLOW_MS = 2_000;
/** A request that did not come by then will not come. */
const LOST_MS = 10_000;
const say = (text: string): boolean => process.stdout.write(`${text}\n`);

/** One prompt, byte for byte and once. */
export const checkPrompt: Check = async (trial, index) => {
  const { drive, client, ref } = trial;
  const turn = drive.script(done);
  const text = promptTexts(turn.handle.token)[index % promptTexts('').length] ?? '';
  await untilState(trial, 'idle', 'completed');
  trial.effects.begin();
  const report = await client.call('send', { ref, text });
  if (report.result !== 'delivered') return `${report.result}: ${report.detail}`;
  await turn.at(0, 'finishedAtMs');
  const tookMs = trial.effects.end('prompt', 'action', await turn.at(0, 'requestAtMs'));
  if (tookMs > SLOW_MS) say(`  prompt ${index + 1}: after ${tookMs} ms (${text.length} letters)`);
  const received = receivedText(drive.recipe.name, turn.handle.requests[0]?.userTexts ?? []);
  if (received !== text) return `received ${JSON.stringify(received).slice(0, 200)}`;
  if (turn.handle.requests.length !== 1) return `${turn.handle.requests.length} requests`;
  return null;
};

export const checkApproval: Check = async (trial) => {
  const turn = await openApproval(trial);
  const problem = await answer(trial, 'approval');
  if (problem !== null) return problem;
  await turn.at(1, 'finishedAtMs');
  return existsSync(builtFile(trial)) ? 'the command did not run' : null;
};

export const checkDenial: Check = async (trial) => {
  await openApproval(trial);
  const problem = await answer(trial, 'denial');
  if (problem !== null) return problem;
  await untilState(trial, 'idle', 'completed');
  return existsSync(builtFile(trial)) ? null : 'the command ran';
};

/** Answers, and notes when the dialog has left the screen. */
async function answer(trial: Trial, effect: 'approval' | 'denial'): Promise<string | null> {
  const { pane, recipe } = trial.drive;
  // Some agents report it before they draw it: what is not there yet would count as gone.
  await trial.drive.expectDialog('approval');
  const gone = goneFrom(pane, recipe.shows.approval).catch(() => null);
  const problem = await answerRequest(trial, { role: effect === 'approval' ? 'approve' : 'deny' });
  if (problem !== null) return problem;
  const goneAtMs = await gone;
  if (goneAtMs === null) return 'the dialog stays on the screen';
  trial.effects.end(effect, 'action', goneAtMs);
  return null;
}

export const checkInterrupt: Check = async (trial) => {
  const { drive, client, ref } = trial;
  const { gate, reply } = streaming();
  const turn = drive.script(reply);
  await untilState(trial, 'idle', 'completed');
  await client.call('send', { ref, text: turn.prompt });
  await turn.at(0, 'firstByteAtMs');
  await untilState(trial, 'running');
  const report = await client.call('interrupt', { ref });
  if (report.result !== 'delivered') return `${report.result}: ${report.detail}`;
  await turn.at(0, 'abortedAtMs');
  gate.open();
  return null;
};

/** A prompt while text streams: `delivered` only if the model gets it, once the turn goes on. */
export const checkMidTurn: Check = async (trial) => {
  const { drive, client, ref } = trial;
  const { gate, reply } = streaming();
  const turn = drive.script(reply, done);
  await untilState(trial, 'idle', 'completed');
  await client.call('send', { ref, text: turn.prompt });
  await turn.at(0, 'firstByteAtMs');
  await untilState(trial, 'running');
  const text = `${turn.handle.token} and one thing more`;
  const report = await client.call('send', { ref, text });
  say(`  ${drive.recipe.name} mid-turn: ${report.result}: ${report.detail}`);
  gate.open();
  await eventually(
    () => turn.handle.requests.some(({ userTexts }) => userTexts.join().includes(text)),
    'the second prompt at the model',
    STATE_MS,
  );
  return report.result === 'delivered' ? null : `${report.result}: ${report.detail}`;
};

/** The same three by bare keys, as a person presses them who knows where the dialog is. */
export const pressKeys: Check = async (trial) => {
  const { drive, effects } = trial;
  const { keys } = drive.recipe;
  const turn = drive.script(done);
  await untilState(trial, 'idle', 'completed');
  await drive.pane.type(turn.prompt);
  await drive.pane.shows(new RegExp(turn.handle.token), 'the prompt that was typed');
  await pressLast(trial, keys.submit);
  const requestAtMs = await turn.at(0, 'requestAtMs', LOST_MS).catch(async () => {
    // An Enter is lost where an agent draws; a person sees it and presses it once more.
    await pressLast(trial, keys.submit);
    return turn.at(0, 'requestAtMs');
  });
  effects.end('prompt', 'key', requestAtMs);
  // The row may be at rest from before, and the prompt still be drawn in the box.
  await turn.at(0, 'finishedAtMs');
  await drive.pane.settled();
  await pressInDialog(trial, 'approval', keys.approve);
  await pressInDialog(trial, 'denial', keys.dismiss);
  return null;
};

async function pressInDialog(trial: Trial, effect: 'approval' | 'denial', keys: Keys) {
  const { pane, recipe } = trial.drive;
  await openApproval(trial);
  // A key right after a dialog was drawn is dropped by some agents.
  await pane.settled();
  await pressLast(trial, ['pause', 'pause', ...keys]);
  trial.effects.end(effect, 'key', await goneFrom(pane, recipe.shows.approval));
  await untilState(trial, 'idle', 'completed');
}

/** Presses keys, of which the last one is measured. */
async function pressLast({ drive, effects }: Trial, keys: Keys): Promise<void> {
  await drive.press(keys.slice(0, -1));
  effects.begin();
  await drive.press(keys.slice(-1));
}
