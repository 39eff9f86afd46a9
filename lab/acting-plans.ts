// Trials of the dialogs that are no tool's: the plan of an agent, and the folder that it asks about
// when it starts. Both are answered by agtmux; what counts is what the agent does afterwards.

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { eventually } from '../tests/live/tmux-server.ts';
import {
  answerRequest,
  type Check,
  done,
  openTool,
  type Trial,
  untilState,
} from './acting-trial.ts';
import { Drive } from './drive.ts';

const START_MS = 90_000;
const SHOWN_MS = 30_000;

/** A plan that is approved goes on, out of the mode; one that is denied ends its turn in it. */
export const checkPlan: Check = async (trial, index) => {
  const { drive } = trial;
  const { prepare = {}, isPrepared = {} } = drive.recipe.keys;
  const isPlanning = async (): Promise<boolean> =>
    isPrepared.plan?.test(await drive.pane.screen()) ?? false;
  await untilState(trial, 'idle', 'completed');
  if (!(await isPlanning())) await drive.press(prepare.plan ?? []);
  if (!(await isPlanning())) return 'the keys did not lead into the mode for plans';
  const args = { plan: '1. Look.\n2. Change it.\n' };
  const turn = await openTool(trial, 'plan', args, 'waiting_approval');
  await drive.expectDialog('approval');
  const isApproved = index % 2 === 0;
  const problem = await answerRequest(trial, { role: isApproved ? 'approve' : 'deny' });
  if (problem !== null) return problem;
  if (isApproved) await turn.at(1, 'finishedAtMs');
  await untilState(trial, 'idle', 'completed');
  await drive.pane.settled();
  const requestCount = turn.handle.requests.length;
  if (!isApproved && requestCount > 1) return `${requestCount} requests after a denial`;
  if ((await isPlanning()) === isApproved)
    return `the mode is wrong:\n${await drive.pane.screen()}`;
  return null;
};

/** A start in a folder that the agent does not know: trusted by the answer, or left. */
export const checkTrust: Check = async ({ drive: { stage, recipe }, client, ...rest }, index) => {
  const name = `trust-${randomBytes(3).toString('hex')}`;
  const folder = join(dirname(stage.place.work), name);
  mkdirSync(folder);
  execFileSync('git', ['init', '-q', folder], { stdio: 'ignore' });
  const pane = await stage.openPane(name);
  const mismatches = stage.live.folder;
  const drive = new Drive(stage, pane, { scenario: 'trust', mismatches });
  await pane.type(stage.startLine(pane, [], folder));
  await pane.press(['Enter']);
  const trial: Trial = { ...rest, drive, client, ref: pane.paneId };
  // The pane is new: it may not be listed yet.
  const isAsked = (): Promise<boolean> =>
    client.call('list_requests', { ref: pane.paneId }).then(
      ({ requests }) => requests.length > 0,
      () => false,
    );
  await eventually(isAsked, 'the agent asks about its folder', START_MS).catch(async (cause) => {
    throw new Error(`no request at its start:\n${await pane.screen()}`, { cause });
  });
  const isApproved = index % 2 === 0;
  const problem = await answerRequest(trial, { role: isApproved ? 'approve' : 'deny' });
  if (problem !== null) return `${problem}\n${await pane.screen()}`;
  return isApproved ? whatIsLost(trial) : whatGoesOn(trial, recipe.shows.trust);
};

/** An agent that was let in takes a prompt. */
async function whatIsLost(trial: Trial): Promise<string | null> {
  const { drive, client, ref } = trial;
  await drive.pane.shows(drive.recipe.ready, 'a prompt that takes keys', START_MS);
  await untilState(trial, 'idle', 'completed');
  const turn = drive.script(done);
  const { result, detail } = await client.call('send', { ref, text: turn.prompt });
  await turn.at(0, 'finishedAtMs');
  await untilState(trial, 'idle', 'completed');
  return result === 'delivered' ? null : `the first prompt: ${result}: ${detail}`;
}

/** One that was not let in has ended, or works without the trust; it asks no more. */
async function whatGoesOn({ client, ref, drive }: Trial, shown?: RegExp): Promise<string | null> {
  let saw = '';
  const isOver = async (): Promise<boolean> => {
    const { requests } = await client.call('list_requests', { ref });
    const { panes } = await client.call('list_panes', {});
    const row = panes.find(({ identity }) => identity?.pane_id === ref);
    const screen = await drive.pane.screen();
    saw = `${requests.length} requests, ${row?.presence} ${row?.state}:\n${screen}`;
    // An agent that has ended may leave its dialog on the screen.
    const isLeft = row?.presence !== 'managed' || shown?.test(screen) !== true;
    return requests.length === 0 && isLeft;
  };
  return eventually(isOver, 'the agent asks no more', SHOWN_MS).then(
    () => null,
    () => `it still asks: ${saw}`,
  );
}
