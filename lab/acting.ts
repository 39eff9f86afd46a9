// `npm run lab:acting`: the actions of agtmux on the real agent CLIs. Prompts are compared with
// what the fake model received; an approval must let the tool run, a denial must not, an interrupt
// must end the stream.
//   --agent claude,codex --prompts 5 --approvals 4 --denials 4 --interrupts 2
//   --reasons 1 --texts 1 --several 1 --midturn 1 --plans 2 --trusts 2 --keys 3 --jobs 1
// With --quick, as CI runs it, only prompts, approvals, denials and keys, two agents at a time.
// With --server on, opencode and Kilo listen, and what they ask is answered by their server.
// With --kills or --resumes only those (ending.ts).

import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkOwnAnswer, checkReason, checkSeveral } from './acting-answers.ts';
import {
  checkApproval,
  checkDenial,
  checkInterrupt,
  checkMidTurn,
  checkPrompt,
  pressKeys,
} from './acting-checks.ts';
import { checkPlan, checkTrust } from './acting-plans.ts';
import type { Check, Trial } from './acting-trial.ts';
import type { AgentRecipe } from './agent.ts';
import { recipes } from './agents/all.ts';
import { Drive } from './drive.ts';
import { ABOVE_MS_MAX, EffectTimes, QUICK_ABOVE_MS_MAX } from './effect.ts';
import { endings, signals, tryKill, tryResume } from './ending.ts';
import { ensureInstalled } from './install.ts';
import type { Mode } from './mode.ts';
import { closeAllStages, Stage } from './stage.ts';

const { values: flags } = parseArgs({
  options: {
    agent: { type: 'string', default: 'claude,codex,gemini,copilot,opencode' },
    prompts: { type: 'string', default: '5' },
    approvals: { type: 'string', default: '4' },
    denials: { type: 'string', default: '4' },
    reasons: { type: 'string', default: '1' },
    texts: { type: 'string', default: '1' },
    several: { type: 'string', default: '1' },
    interrupts: { type: 'string', default: '2' },
    midturn: { type: 'string', default: '1' },
    plans: { type: 'string', default: '2' },
    trusts: { type: 'string', default: '2' },
    keys: { type: 'string', default: '3' },
    jobs: { type: 'string' },
    quick: { type: 'boolean', default: false },
    kills: { type: 'string', default: '0' },
    resumes: { type: 'string', default: '0' },
    hooks: { type: 'string', default: 'off' },
    server: { type: 'string', default: 'off' },
  },
});

const say = (text: string): boolean => process.stdout.write(`${text}\n`);
async function runChecks(trial: Trial, name: string, count: number, check: Check) {
  const failures: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const problem = await check(trial, index).catch((error: unknown) => String(error));
    if (problem === null) continue;
    failures.push(`${name} ${index + 1}: ${problem}`);
    say(`  ${name} ${index + 1}: ${problem}\n${await trial.drive.pane.screen()}`);
    // Back to an empty prompt, so that one failure does not become the next one's.
    await trial.drive.press([...trial.drive.recipe.keys.dismiss, 'pause', 'C-u']);
  }
  if (count > 0) say(`${trial.drive.recipe.name} ${name}: ${count - failures.length} of ${count}`);
  return failures;
}

/** Each signal and each way to end, so many times. */
async function runEndings(stage: Stage, mismatches: string): Promise<readonly string[]> {
  const trials = [
    ...signals.map((signal) => ({
      name: `SIG${signal}`,
      count: Number(flags.kills),
      run: () => tryKill(stage, signal, mismatches),
    })),
    ...endings.map((ending) => ({
      name: `resume after ${ending}`,
      count: Number(flags.resumes),
      run: () => tryResume(stage, ending, mismatches),
    })),
  ];
  const failures: string[] = [];
  for (const { name, count, run } of trials) {
    for (let index = 0; index < count; index += 1) {
      const { problem, figures } = await run().catch((error: unknown) => ({
        problem: String(error),
        figures: 'failed',
      }));
      const what = `${stage.recipe.name} ${name}`;
      say(`${what}: ${problem === null ? 'right' : `WRONG (${problem})`}; ${figures}`);
      if (problem !== null) failures.push(`${what}: ${problem}`);
    }
  }
  return failures;
}

const isServed = flags.server === 'on';

async function tryAgent(recipe: AgentRecipe): Promise<readonly string[]> {
  const install = await ensureInstalled(recipe);
  const mode: Mode = flags.hooks === 'on' ? 'with hooks' : 'without hooks';
  await using stage = await Stage.open({ recipe, install, mode });
  const pane = await stage.openPane(`acting-${randomBytes(2).toString('hex')}`);
  const mismatches = mkdtempSync(join(tmpdir(), 'agtmux-lab-wrong-'));
  const drive = new Drive(stage, pane, { scenario: 'acting', mismatches });
  await drive.start();
  const effects = new EffectTimes();
  const trial = { drive, client: await stage.live.client(), ref: pane.paneId, isServed, effects };
  // The stage must be there until the last of them.
  if (Number(flags.kills) + Number(flags.resumes) > 0) return await runEndings(stage, mismatches);
  const failures: string[] = [];
  for (const { name, count, check, isFor } of checks) {
    if (isFor?.(recipe) === false) continue;
    failures.push(...(await runChecks(trial, name, count, check)));
  }
  for (const line of effects.lines()) say(`${recipe.name} ${line}`);
  const problems = effects.problems(flags.quick ? QUICK_ABOVE_MS_MAX : ABOVE_MS_MAX);
  for (const problem of problems) say(`${recipe.name}: ${problem}`);
  return [...failures, ...problems];
}

const more = (count: string): number => (flags.quick ? 0 : Number(count));
interface Listed {
  readonly name: string;
  readonly count: number;
  readonly check: Check;
  /** Where not every agent has it. */
  readonly isFor?: (recipe: AgentRecipe) => boolean;
}

const canPlan = ({ can }: AgentRecipe): boolean => can.includes('plan');
const asksForTrust = ({ shows }: AgentRecipe): boolean => shows.trust !== undefined;
const checks: readonly Listed[] = [
  { name: 'prompts', count: Number(flags.prompts), check: checkPrompt },
  { name: 'approvals', count: Number(flags.approvals), check: checkApproval },
  { name: 'denials', count: Number(flags.denials), check: checkDenial },
  { name: 'bare keys', count: isServed ? 0 : Number(flags.keys), check: pressKeys },
  { name: 'reasons', count: more(flags.reasons), check: checkReason },
  { name: 'texts', count: more(flags.texts), check: checkOwnAnswer },
  { name: 'several', count: more(flags.several), check: checkSeveral },
  { name: 'mid-turn', count: more(flags.midturn), check: checkMidTurn },
  { name: 'plans', count: more(flags.plans), check: checkPlan, isFor: canPlan },
  { name: 'trusts', count: more(flags.trusts), check: checkTrust, isFor: asksForTrust },
  { name: 'interrupts', count: more(flags.interrupts), check: checkInterrupt },
];

/** It listens only where it was given a port. */
function withServer(recipe: AgentRecipe): AgentRecipe {
  const port = `${20_000 + (process.pid % 20_000)}`;
  return {
    ...recipe,
    start: (place) => {
      const started = recipe.start(place);
      return { ...started, argv: [...started.argv, '--port', port] };
    },
  };
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void closeAllStages().finally(() => process.exit(1)));
}
const names = flags.agent.split(',');
const waiting = recipes.filter(({ name }) => names.includes(name));
async function tryNext(): Promise<void> {
  for (let recipe = waiting.shift(); recipe !== undefined; recipe = waiting.shift()) {
    const failures = await tryAgent(isServed ? withServer(recipe) : recipe);
    if (failures.length > 0) process.exitCode = 1;
  }
}
const jobCount = Number(flags.jobs ?? (flags.quick ? 2 : 1));
await Promise.all(Array.from({ length: jobCount }, tryNext));
