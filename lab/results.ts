// Figures of earlier runs, kept in the lab's cache, and the page that is written from them.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { root } from '../scripts/script-entry.ts';
import type { Figures } from './figures.ts';
import { labCache } from './install.ts';
import { scoreboard } from './scoreboard.ts';

const folder = join(labCache, 'results');
const page = join(root, 'docs', 'scoreboard.md');

/** Keeps the figures in the place of those of the same agent and mode. */
export function keepFigures(figures: Figures): void {
  mkdirSync(folder, { recursive: true });
  const name = `${figures.agent} ${figures.mode}.json`.replaceAll(' ', '-');
  writeFileSync(join(folder, name), JSON.stringify(figures));
}

/** Writes the page from everything that is kept, in the order of the agents. */
export function writeScoreboard(agents: readonly string[]): string {
  const all = readdirSync(folder)
    .map((name): Figures => JSON.parse(readFileSync(join(folder, name), 'utf8')))
    .filter(({ agent }) => agents.includes(agent))
    .sort((one, other) => placeOf(one, agents) - placeOf(other, agents));
  const machine = {
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    system: `${type()} ${release().split('-')[0]}`,
    tmux: execFileSync('tmux', ['-V'], { encoding: 'utf8' }).trim(),
  };
  writeFileSync(page, scoreboard(all, machine));
  return page;
}

const modes = ['without hooks', 'with hooks', 'over ssh'];
const placeOf = ({ agent, mode }: Figures, agents: readonly string[]): number =>
  agents.indexOf(agent) * modes.length + modes.indexOf(mode);
