// All scenarios, in the order in which they are run. The quick run has the first only.

import type { AgentRecipe } from '../agent.ts';
import type { Drive } from '../drive.ts';
import type { Scenario } from '../scenario.ts';
import { clearSession, exitAgent, killAgent, runNeighbours } from './life.ts';
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
  await killAgent(drive);
}

async function approvals(drive: Drive): Promise<void> {
  await drive.start();
  for (const kind of ['edit', 'fetch', 'plan'] as const) {
    if (!drive.recipe.can.includes(kind)) continue;
    await approveTurn(drive, kind);
    await denyTurn(drive, kind);
  }
}

async function escapes(drive: Drive): Promise<void> {
  const { can } = drive.recipe;
  await drive.start();
  await interruptStream(drive);
  if (can.includes('quiet_tool')) {
    await runQuietTool(drive);
    await interruptTool(drive);
  }
  await dismissDialog(drive, 'shell');
  if (can.includes('question')) await dismissQuestion(drive);
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
  await killAgent(drive);
  await drive.start('restarted after a kill');
}

const always = (): boolean => true;
const hasAny =
  (...abilities: AgentRecipe['can']) =>
  ({ can }: AgentRecipe): boolean =>
    abilities.some((ability) => can.includes(ability));

export const scenarios: readonly Scenario[] = [
  { name: 'tour', isQuick: true, fits: always, run: tour },
  { name: 'approvals', isQuick: false, fits: hasAny('edit', 'fetch', 'plan'), run: approvals },
  { name: 'escapes', isQuick: false, fits: always, run: escapes },
  { name: 'errors', isQuick: false, fits: always, run: errors },
  {
    name: 'background',
    isQuick: false,
    fits: hasAny('background_shell', 'subagent'),
    run: background,
  },
  { name: 'life', isQuick: false, fits: always, run: life },
  {
    name: 'neighbours',
    isQuick: false,
    fits: always,
    run: async (drive, another) => runNeighbours(drive, await another('second')),
  },
];
