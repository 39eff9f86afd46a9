// All scenarios, in the order in which they are run. The quick run has the first only.

import type { AgentRecipe } from '../agent.ts';
import type { Drive } from '../drive.ts';
import type { Scenario } from '../scenario.ts';
import { cleared, exited, killed, neighbours } from './life.ts';
import {
  answeredQuestion,
  approvedTurn,
  deniedTurn,
  dismissedQuestion,
  dismissedTurn,
  interruptedStream,
  interruptedTool,
  quietTool,
  streamedTurn,
} from './turns.ts';
import { backgroundShell, backgroundSubagent, failedTurn, subagent } from './work.ts';

async function tour(drive: Drive): Promise<void> {
  const { can, apiErrors } = drive.launch;
  await drive.start();
  await streamedTurn(drive);
  await approvedTurn(drive, 'shell');
  await deniedTurn(drive, 'shell');
  if (can.includes('question')) await answeredQuestion(drive);
  await interruptedStream(drive);
  const error = apiErrors[0];
  if (error !== undefined) await failedTurn(drive, error);
  await killed(drive);
}

async function approvals(drive: Drive): Promise<void> {
  await drive.start();
  for (const kind of ['edit', 'fetch', 'plan'] as const) {
    if (!drive.launch.can.includes(kind)) continue;
    await approvedTurn(drive, kind);
    await deniedTurn(drive, kind);
  }
}

async function escapes(drive: Drive): Promise<void> {
  const { can } = drive.launch;
  await drive.start();
  await interruptedStream(drive);
  if (can.includes('quiet_tool')) {
    await quietTool(drive);
    await interruptedTool(drive);
  }
  await dismissedTurn(drive, 'shell');
  if (can.includes('question')) await dismissedQuestion(drive);
}

async function errors(drive: Drive): Promise<void> {
  await drive.start();
  for (const error of drive.launch.apiErrors) await failedTurn(drive, error);
  await streamedTurn(drive);
}

async function background(drive: Drive): Promise<void> {
  const { can } = drive.launch;
  await drive.start();
  if (can.includes('subagent')) await subagent(drive);
  if (can.includes('background_subagent')) await backgroundSubagent(drive);
  if (can.includes('background_shell')) {
    await backgroundShell(drive);
    await streamedTurn(drive);
  }
}

async function life(drive: Drive): Promise<void> {
  await drive.start();
  await streamedTurn(drive);
  if (drive.launch.can.includes('clear')) await cleared(drive);
  await exited(drive);
  await drive.start('restarted in the same pane');
  await streamedTurn(drive);
  await killed(drive);
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
    run: async (drive, another) => neighbours(drive, await another('second')),
  },
];
