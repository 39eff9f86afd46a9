// `npm run lab`: drives real agent CLIs, offline, against the fake model, and scores the daemon by
// what truly happened. Writes docs/scoreboard.md after a full run, and fails under its gate.
//   --agent claude,codex --scenario tour,life --hooks on|off|both --ssh --quick --jobs 2
//   --version X of one agent
//   --record FILE... adds kept screens of wrong answers to the corpus; --cost is cost.ts.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { AgentRecipe } from './agent.ts';
import { recipes } from './agents/all.ts';
import { COST_MS_MAX, hasHookPrograms, measureCost, medianCost } from './cost.ts';
import { type Figures, failuresOf, figuresOf, percentile } from './figures.ts';
import { ensureInstalled, installedVersion } from './install.ts';
import { type Job, play, type ScenarioRun } from './play.ts';
import { addToCorpus } from './record.ts';
import { keepFigures, writeScoreboard } from './results.ts';
import { scenarios } from './scenarios/all.ts';
import { lagTable, latencyTable, statesTable, summaryTable, wrongTable } from './scoreboard.ts';
import { closeAllStages, type Mode } from './stage.ts';

/** The agents that a run without --agent takes, as CI does. */
const usual = ['claude', 'codex', 'gemini', 'copilot', 'opencode'];
const overSsh = ['claude', 'codex'];

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    agent: { type: 'string', default: usual.join(',') },
    scenario: { type: 'string' },
    hooks: { type: 'string' },
    ssh: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '2' },
    version: { type: 'string' },
    record: { type: 'boolean', default: false },
    cost: { type: 'boolean', default: false },
  },
});

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

function chosenRecipes(): readonly AgentRecipe[] {
  const names = flags.agent.split(',');
  const unknown = names.filter((name) => !recipes.some((recipe) => recipe.name === name));
  if (unknown.length > 0) throw new Error(`the lab has no agent ${unknown.join(', ')}`);
  const { version } = flags;
  if (version !== undefined && names.length !== 1) throw new Error('--version wants one --agent');
  const chosen = recipes.filter(({ name }) => names.includes(name));
  return version === undefined ? chosen : chosen.map((recipe) => ({ ...recipe, version }));
}

/** What --hooks and --ssh name; without either both ways, and ssh in a full run. */
function modesOf({ name }: AgentRecipe): readonly Mode[] {
  const { hooks = flags.ssh ? 'none' : 'both' } = flags;
  const isUsual = flags.hooks === undefined && !flags.quick && overSsh.includes(name);
  const modes: Mode[] = [];
  if (hooks === 'off' || hooks === 'both') modes.push('without hooks');
  if (hooks === 'on' || hooks === 'both') modes.push('with hooks');
  if (flags.ssh || isUsual) modes.push('over ssh');
  return modes;
}

async function jobsOf(recipe: AgentRecipe, mismatches: string): Promise<readonly Job[]> {
  const install = await ensureInstalled(recipe);
  const wanted = flags.scenario?.split(',');
  const chosen = scenarios.filter(
    ({ name, isQuick, fits }) =>
      fits(recipe) && (wanted === undefined ? isQuick || !flags.quick : wanted.includes(name)),
  );
  return modesOf(recipe).flatMap((mode) =>
    chosen.map((scenario) => ({ recipe, install, mode, scenario, mismatches })),
  );
}

/** Plays again when an agent did not start or lost a key: that says nothing about the daemon. */
async function playWithRetry(job: Job): Promise<ScenarioRun> {
  const first = await play(job);
  if (first.fault === null) return first;
  say(`again: ${first.agent} ${first.mode}, ${first.scenario}: ${first.fault}`);
  return play(job);
}

async function playAll(jobs: readonly Job[]): Promise<readonly ScenarioRun[]> {
  const played: ScenarioRun[] = [];
  const waiting = [...jobs];
  const worker = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const one = await playWithRetry(job);
      played.push(one);
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

async function runLab(): Promise<void> {
  const chosen = chosenRecipes();
  const mismatches = mkdtempSync(join(tmpdir(), 'agtmux-lab-wrong-'));
  const jobs: Job[] = [];
  for (const recipe of chosen) jobs.push(...(await jobsOf(recipe, mismatches)));
  const played = await playAll(jobs);
  const day = new Date().toISOString().slice(0, 10);
  const all = chosen.flatMap((recipe) => {
    const install = jobs.find((job) => job.recipe === recipe)?.install ?? '';
    const version = installedVersion(install, recipe);
    return modesOf(recipe).map((mode) => {
      const own = played.filter((one) => one.agent === recipe.name && one.mode === mode);
      return figuresOf({ agent: recipe.name, version, mode, day }, own);
    });
  });
  for (const figures of all) printFigures(figures);
  say(`\n${lagTable(all)}\n\n${summaryTable(all)}`);
  const isWhole = !flags.quick && flags.scenario === undefined && flags.version === undefined;
  if (isWhole) {
    for (const figures of all) keepFigures(figures);
    say(`wrote ${writeScoreboard(usual)}`);
  }
  const failures = all.flatMap((figures) => failuresOf(figures, flags.quick));
  for (const failure of failures) say(`UNDER THE GATE ${failure}`);
  if (all.some(({ wrong }) => wrong.length > 0)) say(`screens of wrong answers: ${mismatches}`);
  if (flags.quick) say('The quick run has a lower gate of 90 %, because CI machines are busy.');
  process.exitCode = failures.length > 0 ? 1 : 0;
}

async function runCost(): Promise<void> {
  for (const recipe of chosenRecipes().filter(hasHookPrograms)) {
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
else await runLab();
