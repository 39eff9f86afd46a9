// All scenarios, in the order in which they are run. The quick run has the first only.

import type { AgentRecipe, Approval } from '../agent.ts';
import type { Drive } from '../drive.ts';
import type { Scenario } from '../scenario.ts';
import {
  clearSession,
  exitAgent,
  expectForgotten,
  killAgent,
  killStreaming,
  killWaiting,
  runNeighbours,
} from './life.ts';
import {
  answerQuestion,
  approveTurn,
  denyTurn,
  dismissDialog,
  dismissQuestion,
  interruptStream,
  interruptTool,
  runQuietTool,
  streamTurn,
} from './turns.ts';
import { failTurn, runBackgroundShell, runBackgroundSubagent, runSubagent } from './work.ts';

const dialogKinds: readonly Approval[] = ['shell', 'edit', 'fetch', 'plan'];

async function tour(drive: Drive): Promise<void> {
  const { can, apiErrors } = drive.recipe;
  await drive.start();
  await streamTurn(drive);
  await approveTurn(drive, 'shell');
  await denyTurn(drive, 'shell');
  if (can.includes('question')) await answerQuestion(drive);
  await interruptStream(drive);
  const error = apiErrors[0];
  if (error !== undefined) await failTurn(drive, error);
  await expectForgotten(drive, await killStreaming(drive));
}

async function approvals(drive: Drive): Promise<void> {
  await drive.start();
  for (const kind of ['edit', 'fetch', 'plan'] as const) {
    if (drive.recipe.can.includes(kind)) await approveTurn(drive, kind);
  }
}

/** Every dialog refused by its own option and by Esc, and a turn after it all. */
async function denials(drive: Drive): Promise<void> {
  const { can } = drive.recipe;
  await drive.start();
  for (const kind of dialogKinds.filter((each) => can.includes(each))) {
    await denyTurn(drive, kind);
    await dismissDialog(drive, kind);
  }
  if (can.includes('question')) await dismissQuestion(drive);
  await streamTurn(drive);
}

async function escapes(drive: Drive): Promise<void> {
  const { can } = drive.recipe;
  await drive.start();
  await interruptStream(drive);
  if (can.includes('quiet_tool')) {
    await runQuietTool(drive);
    await interruptTool(drive);
  }
  await streamTurn(drive);
}

async function errors(drive: Drive): Promise<void> {
  await drive.start();
  for (const error of drive.recipe.apiErrors) await failTurn(drive, error);
  await streamTurn(drive);
}

async function background(drive: Drive): Promise<void> {
  const { can } = drive.recipe;
  await drive.start();
  if (can.includes('subagent')) await runSubagent(drive);
  if (can.includes('background_subagent')) await runBackgroundSubagent(drive);
  if (can.includes('background_shell')) {
    await runBackgroundShell(drive);
    await streamTurn(drive);
  }
}

async function life(drive: Drive): Promise<void> {
  await drive.start();
  await streamTurn(drive);
  if (drive.recipe.can.includes('clear')) await clearSession(drive);
  await exitAgent(drive);
  await drive.start('restarted in the same pane');
  await streamTurn(drive);
  await killStreaming(drive);
  await drive.start('restarted after a kill');
}

/** What an earlier run left on the screen is not the state of the next one. */
async function restarts(drive: Drive): Promise<void> {
  const { apiErrors, can } = drive.recipe;
  await drive.start();
  const error = apiErrors.find(({ isEndless = false }) => !isEndless);
  if (error !== undefined) {
    await failTurn(drive, error);
    await exitAgent(drive);
    await drive.start('restarted after an error');
  }
  if (can.includes('shell')) {
    await killWaiting(drive);
    await drive.start('restarted after a kill at a dialog');
  }
  await streamTurn(drive);
  await killAgent(drive);
  await drive.start('restarted after a kill at rest');
}

const always = (): boolean => true;
const hasAny =
  (...abilities: AgentRecipe['can']) =>
  ({ can }: AgentRecipe): boolean =>
    abilities.some((ability) => can.includes(ability));

/** A scenario of the full run, in panes whose processes can be seen. */
const plainScenario = (
  name: string,
  run: Scenario['run'],
  fits: Scenario['fits'] = always,
): Scenario => ({ name, isQuick: false, isOpaqueToo: false, fits, run });

export const scenarios: readonly Scenario[] = [
  { name: 'tour', isQuick: true, isOpaqueToo: true, fits: always, run: tour },
  plainScenario('approvals', approvals, hasAny('edit', 'fetch', 'plan')),
  plainScenario('denials', denials, hasAny(...dialogKinds)),
  plainScenario('escapes', escapes),
  plainScenario('errors', errors),
  plainScenario('background', background, hasAny('background_shell', 'subagent')),
  plainScenario('life', life),
  { name: 'restarts', isQuick: false, isOpaqueToo: true, fits: always, run: restarts },
  plainScenario('neighbours', async (drive, another) =>
    runNeighbours(drive, await another('second')),
  ),
];
