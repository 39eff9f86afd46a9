// `npm run lab -- --cost`: what our hooks cost the agent. The same agent runs twice side by side,
// once with our hooks and once with the same hooks running `:`, and takes the same turns in turn. A
// turn is timed from its key to its last request, with several tools between, whose hooks the agent
// waits for.

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentRecipe } from './agent.ts';
import { Drive } from './drive.ts';
import type { Reply } from './fake-model/reply.ts';
import { percentile } from './figures.ts';
import { ensureInstalled } from './install.ts';
import { Stage } from './stage.ts';

const PAIRS = 30;
const TOOLS = 4;
export const COST_MS_MAX = 10;
/** The first turns load what later ones have. */
const WARM_UP = 2;

export interface Cost {
  readonly agent: string;
  readonly hooksInTurn: number;
  /** One for each pair: how much longer the turn with our hooks took, by hook. */
  readonly differencesMs: readonly number[];
  readonly oursMs: readonly number[];
  readonly emptyMs: readonly number[];
}

export const medianCost = ({ differencesMs }: Cost): number => percentile(differencesMs, 0.5);

interface TimedTurn {
  readonly fromMs: number;
  readonly toMs: number;
}

async function timedTurn(drive: Drive): Promise<TimedTurn> {
  const tool: Reply = { kind: 'tool', tool: 'shell', args: { command: 'sleep 0.01' } };
  const tools = Array.from({ length: TOOLS }, () => tool);
  const turn = drive.script(...tools, { kind: 'text', text: 'Done.' });
  const fromMs = await drive.submit(turn);
  const toMs = await turn.at(TOOLS, 'requestAtMs');
  await turn.at(TOOLS, 'finishedAtMs');
  await drive.pane.shows(drive.recipe.ready, 'a prompt after the turn');
  return { fromMs, toMs };
}

/** Where agents whose hooks are programs have them; others load a plugin, which is no process. */
const HOOK_FILES: Readonly<Record<string, string>> = {
  claude: '.claude/settings.json',
  codex: '.codex/hooks.json',
  gemini: '.gemini/settings.json',
  copilot: '.copilot/hooks/agtmux.json',
};
export const hasHookPrograms = ({ name }: AgentRecipe): boolean => Object.hasOwn(HOOK_FILES, name);

/** The agent's own cost of running a hook is not ours: the same entries, with nothing to do. */
function emptyHooks({ place }: Stage): void {
  const files = globSync(Object.values(HOOK_FILES), { cwd: place.home });
  for (const name of files) {
    const file = join(place.home, name);
    const text = readFileSync(file, 'utf8');
    const empty = text.replaceAll(/("(?:command|bash)"\s*:\s*)"(?:[^"\\]|\\.)*"/g, '$1":"');
    if (empty === text) throw new Error(`${name} has no hook of ours`);
    writeFileSync(file, empty);
  }
  if (files.length === 0) throw new Error(`no file of hooks in ${place.home}`);
}

async function startedDrive(stage: Stage): Promise<Drive> {
  const names = { scenario: 'cost', mismatches: stage.live.folder };
  const drive = new Drive(stage, await stage.openPane('first'), names);
  await drive.start();
  return drive;
}

/** How many of our hooks ran within the turn. */
async function hooksIn({ stage, pane, recipe }: Drive, turn: TimedTurn): Promise<number> {
  const client = await stage.live.client();
  const { events } = await client.call('explain', { ref: pane.paneId, events: 200 });
  return events.filter(({ source, event_time: at }) => {
    const atMs = Date.parse(at);
    return source === `${recipe.name}-hooks` && atMs >= turn.fromMs && atMs <= turn.toMs;
  }).length;
}

export async function measureCost(recipe: AgentRecipe): Promise<Cost> {
  const install = await ensureInstalled(recipe);
  const options = { recipe, install, mode: 'with hooks' } as const;
  await using ours = await Stage.open(options);
  await using empty = await Stage.open(options);
  emptyHooks(empty);
  const one = await startedDrive(ours);
  const other = await startedDrive(empty);
  const timeOf = async (drive: Drive): Promise<number> => {
    const { fromMs, toMs } = await timedTurn(drive);
    return toMs - fromMs;
  };
  for (let round = 0; round < WARM_UP; round += 1) await Promise.all([one, other].map(timedTurn));
  const hooksInTurn = await hooksIn(one, await timedTurn(one));
  if (hooksInTurn === 0) throw new Error(`no hook of ${recipe.name} ran`);
  const oursMs: number[] = [];
  const emptyMs: number[] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    // Who is first changes, so that neither has the warmer machine.
    if (pair % 2 === 0) oursMs.push(await timeOf(one));
    emptyMs.push(await timeOf(other));
    if (pair % 2 === 1) oursMs.push(await timeOf(one));
  }
  const differencesMs = oursMs.map((ms, pair) => (ms - (emptyMs[pair] ?? 0)) / hooksInTurn);
  return { agent: recipe.name, hooksInTurn, differencesMs, oursMs, emptyMs };
}
