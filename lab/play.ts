// Plays one scenario with one agent in one mode, in a world of its own, and returns its timelines.
// A scenario that the driver could not finish is no evidence: it is played once more from the
// start; a second failure is a fault of the run.

import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { Drive } from './drive.ts';
import { installedVersion } from './install.ts';
import type { Mode } from './mode.ts';
import type { PlannedRun } from './plan.ts';
import { scoreOf, type Timeline } from './score.ts';
import { lagsOf, type SignalLag } from './signal-lag.ts';
import { Stage } from './stage.ts';
import { LabTap } from './tap.ts';

export interface Job extends PlannedRun {
  readonly install: string;
  /** Where screens and ledgers of wrong answers are kept. */
  readonly mismatches: string;
}

export interface ScenarioRun {
  readonly agent: string;
  readonly version: string;
  readonly mode: Mode;
  readonly scenario: string;
  /** The day, as 2026-01-31. */
  readonly day: string;
  /** Programs that wanted a core, the mean of its last minute: the lab is not always alone. */
  readonly load: number;
  readonly timelines: readonly Timeline[];
  readonly lags: readonly SignalLag[];
  /** Why it did not come to its end. */
  readonly fault: string | null;
}

const TRIES = 2;
const FIRST_PANE = 'first';

export async function play(job: Job): Promise<ScenarioRun> {
  const { recipe, install, mode, scenario } = job;
  const version = installedVersion(install, recipe);
  const names = { agent: recipe.name, version, mode, scenario: scenario.name };
  const moment = () => ({
    day: new Date().toISOString().slice(0, 10),
    load: loadavg()[0] ?? Number.NaN,
  });
  let fault = '';
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    try {
      return { ...names, ...(await playOnce(job)), ...moment(), fault: null };
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error);
    }
  }
  return { ...names, ...moment(), timelines: [], lags: [], fault };
}

async function playOnce(job: Job): Promise<Pick<ScenarioRun, 'timelines' | 'lags'>> {
  const { scenario, mismatches } = job;
  await using stage = await Stage.open(job);
  const drives: Drive[] = [];
  const another = async (name: string): Promise<Drive> => {
    const pane = await stage.openPane(name);
    const drive = new Drive(stage, pane, { scenario: scenario.name, mismatches });
    drives.push(drive);
    return drive;
  };
  const first = await another(FIRST_PANE);
  // It taps one session: the other panes of a scenario are for the states only.
  using tap = new LabTap(stage.socketPath, FIRST_PANE);
  await scenario.run(first, another);
  const timelines = drives.map((drive) => drive.timeline());
  await keepLedgers(job, stage, drives);
  const lags = lagsOf(first.changes, tap.signals);
  return { timelines, lags };
}

/** Keeps the evidence ledger of panes that the daemon was wrong about. */
async function keepLedgers(job: Job, stage: Stage, drives: readonly Drive[]): Promise<void> {
  for (const [index, drive] of drives.entries()) {
    const { truths } = drive.timeline();
    const { wrong } = scoreOf([drive.timeline()]);
    if (wrong.length === 0) continue;
    const { out } = await stage.live.cli('explain', drive.pane.paneId, '--events', '200', '--json');
    const name = `${job.recipe.name}-${job.mode}-${job.scenario.name}-${index}`;
    mkdirSync(job.mismatches, { recursive: true });
    const file = join(job.mismatches, `${name.replaceAll(' ', '_')}.ledger.json`);
    writeFileSync(file, `${JSON.stringify({ wrong, truths, changes: drive.changes })}\n${out}`);
  }
}
