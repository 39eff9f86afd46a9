// `npm run lab`: drives real agent CLIs, offline, against the fake model, and scores the daemon by
// what truly happened. Keeps each run, writes docs/scoreboard.md, and fails under its gate.
//   --agent claude,codex --mode plain,hooks,ssh,nested,inside-ssh --scenario tour,life
//   --quick --jobs 2 --version X of one agent, or --version newest of all of them
//   --page writes the page from the kept runs alone
//   --record FILE... adds kept screens of wrong answers to the corpus; --cost is cost.ts.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { AgentRecipe } from './agent.ts';
import { recipes } from './agents/all.ts';
import { COST_MS_MAX, hasHookPrograms, measureCost, medianCost } from './cost.ts';
import { type Figures, failuresOf, figuresOf, percentile } from './figures.ts';
import { ensureInstalled, installedVersion, newestVersion } from './install.ts';
import { modes } from './mode.ts';
import { agentsOf, mainAgents, planOf, siblingAgents } from './plan.ts';
import { type Job, play, type ScenarioRun } from './play.ts';
import { addToCorpus } from './record.ts';
import { keepRun, writeScoreboard } from './results.ts';
import { scenarios } from './scenarios/all.ts';
import { lagTable, latencyTable, statesTable, summaryTable, wrongTable } from './scoreboard.ts';
import { closeAllStages } from './stage.ts';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    agent: { type: 'string' },
    scenario: { type: 'string' },
    mode: { type: 'string' },
    quick: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '2' },
    version: { type: 'string' },
    page: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    cost: { type: 'boolean', default: false },
  },
});

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

async function chosenRecipes(): Promise<readonly AgentRecipe[]> {
  const names = agentsOf(flags);
  const unknown = names.filter((name) => !recipes.some((recipe) => recipe.name === name));
  if (unknown.length > 0) throw new Error(`the lab has no agent ${unknown.join(', ')}`);
  const chosen = recipes.filter(({ name }) => names.includes(name));
  const { version } = flags;
  if (version === undefined) return chosen;
  if (version === 'newest') {
    const withNewest = async (recipe: AgentRecipe): Promise<AgentRecipe> => ({
      ...recipe,
      version: await newestVersion(recipe),
    });
    return Promise.all(chosen.map(withNewest));
  }
  if (names.length !== 1) throw new Error(`--version ${version} wants one --agent`);
  return chosen.map((recipe) => ({ ...recipe, version }));
}

async function jobsOf(recipe: AgentRecipe, mismatches: string): Promise<readonly Job[]> {
  const install = await ensureInstalled(recipe);
  return planOf(recipe, scenarios, flags).map((run) => ({ ...run, install, mismatches }));
}

/** Plays again when an agent did not start or lost a key: that says nothing about the daemon. */
async function playWithRetry(job: Job): Promise<ScenarioRun> {
  const first = await play(job);
  if (first.fault === null) return first;
  say(`again: ${first.agent} ${first.mode}, ${first.scenario}: ${first.fault}`);
  return play(job);
}

/** A quick run has other gates, and its machine is busy. */
const isOfRecord = !flags.quick;

async function playAll(jobs: readonly Job[]): Promise<readonly ScenarioRun[]> {
  const played: ScenarioRun[] = [];
  const waiting = [...jobs];
  const worker = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const one = await playWithRetry(job);
      played.push(one);
      if (isOfRecord) keepRun(one);
      const name = `${one.agent} ${one.mode}, ${one.scenario}`;
      say(`${played.length}/${jobs.length} ${name}${one.fault === null ? '' : `: ${one.fault}`}`);
    }
  };
  await Promise.all(Array.from({ length: Number(flags.jobs) }, worker));
  return played;
}

function printFigures(figures: Figures): void {
  const { agent, mode, wrong, latencies } = figures;
  say(`\n${agent} ${mode}\n${statesTable(figures)}\n\n${latencyTable(latencies)}`);
  if (wrong.length > 0) say(`\n${wrongTable(wrong)}`);
}

function figuresOfAll(chosen: readonly AgentRecipe[], played: readonly ScenarioRun[]) {
  return chosen.flatMap(({ name: agent }) =>
    modes.flatMap((mode) => {
      const own = played.filter((one) => one.agent === agent && one.mode === mode);
      const version = own[0]?.version;
      return version === undefined ? [] : [figuresOf({ agent, version, mode }, own)];
    }),
  );
}

function writePage(): void {
  const agents = [...mainAgents, ...siblingAgents];
  say(`wrote ${writeScoreboard(recipes.filter(({ name }) => agents.includes(name)))}`);
}

async function runLab(): Promise<void> {
  const chosen = await chosenRecipes();
  const mismatches = mkdtempSync(join(tmpdir(), 'agtmux-lab-wrong-'));
  const jobs: Job[] = [];
  for (const recipe of chosen) {
    const own = await jobsOf(recipe, mismatches);
    jobs.push(...own);
    if (own[0] !== undefined)
      say(`${recipe.name} ${installedVersion(own[0].install, recipe)}: ${own.length} runs`);
  }
  if (jobs.length === 0) throw new Error('no scenario fits these flags');
  const all = figuresOfAll(chosen, await playAll(jobs));
  for (const figures of all) printFigures(figures);
  say(`\n${lagTable(all)}\n\n${summaryTable(all)}`);
  if (isOfRecord) writePage();
  const failures = all.flatMap((figures) => failuresOf(figures, flags.quick));
  for (const failure of failures) say(`UNDER THE GATE ${failure}`);
  if (all.some(({ wrong }) => wrong.length > 0)) say(`screens of wrong answers: ${mismatches}`);
  if (flags.quick) say('The quick run has a lower gate of 90 %, because CI machines are busy.');
  process.exitCode = failures.length > 0 ? 1 : 0;
}

async function runCost(): Promise<void> {
  for (const recipe of (await chosenRecipes()).filter(hasHookPrograms)) {
    const cost = await measureCost(recipe);
    const figure = (values: readonly number[]): string => percentile(values, 0.5).toFixed(1);
    const turns = `turns ${figure(cost.oursMs)} ms with ours, ${figure(cost.emptyMs)} ms with ":"`;
    const each = `${figure(cost.differencesMs)} ms for each of ${cost.hooksInTurn} hooks`;
    const isOver = !(medianCost(cost) < COST_MS_MAX);
    say(`${isOver ? 'OVER' : 'ok'} ${cost.agent}: ${each} (median of pairs); ${turns}`);
    if (isOver) process.exitCode = 1;
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void closeAllStages().finally(() => process.exit(1));
  });
}
if (flags.record) addToCorpus(positionals, say);
else if (flags.cost) await runCost();
else if (flags.page) writePage();
else await runLab();
