// Runs of the lab, kept in its cache, and the page that is written from them. A run of one scenario
// renews only that scenario.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { root } from '../scripts/script-entry.ts';
import type { AgentRecipe } from './agent.ts';
import { figuresOf } from './figures.ts';
import { labCache } from './install.ts';
import { modes } from './mode.ts';
import type { ScenarioRun } from './play.ts';
import { scoreboard } from './scoreboard.ts';

const folder = join(labCache, 'runs');
const page = join(root, 'docs', 'scoreboard.md');

/** Keeps a run in the place of the one of the same agent, version, mode and scenario. */
export function keepRun(run: ScenarioRun): void {
  mkdirSync(folder, { recursive: true });
  const { agent, version, mode, scenario } = run;
  const name = [`${agent}@${version}`, mode, scenario].join(' ').replaceAll(' ', '-');
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(run));
}

/**
 * Writes the page from every kept run of these agents in these versions, in their order. Of runs
 * that this machine has not kept the page stays as it was.
 */
export function writeScoreboard(recipes: readonly AgentRecipe[]): string {
  mkdirSync(folder, { recursive: true });
  const runs = readdirSync(folder).map(
    (name): ScenarioRun => JSON.parse(readFileSync(join(folder, name), 'utf8')),
  );
  const all = recipes.flatMap(({ name: agent, version }) =>
    modes.flatMap((mode) => {
      const own = runs.filter(
        (run) => run.agent === agent && run.version === version && run.mode === mode,
      );
      return own.length === 0 ? [] : [figuresOf({ agent, version, mode }, own)];
    }),
  );
  const machine = {
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    system: `${type()} ${release().split('-')[0]}`,
    tmux: execFileSync('tmux', ['-V'], { encoding: 'utf8' }).trim(),
  };
  const labels = recipes.flatMap(({ name: agent, version }) =>
    modes.map((mode) => ({ agent, version, mode })),
  );
  const text = existsSync(page) ? readFileSync(page, 'utf8') : '';
  writeFileSync(page, scoreboard(all, machine, { labels, text }));
  return page;
}
