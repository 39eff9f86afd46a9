// `npm run lab:acting`: the actions of agtmux on the real agent CLIs. Prompts are compared with
// what the fake model received; an approval must let the tool run, a denial must not, an interrupt
// must end the stream.
//   --agent claude,codex --prompts 5 --approvals 4 --denials 4 --interrupts 2
//   --reasons 1 --texts 1 --several 1 --midturn 1
// With --server on, opencode and Kilo listen, and what they ask is answered by their server.
// With --kills or --resumes only those (ending.ts).

import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { eventually } from '../tests/live/tmux-server.ts';
import { checkOwnAnswer, checkReason, checkSeveral } from './acting-answers.ts';
import { promptTexts, receivedText } from './acting-prompts.ts';
import {
  answerRequest,
  builtFile,
  type Check,
  openApproval,
  type Trial,
  untilState,
} from './acting-trial.ts';
import type { AgentRecipe } from './agent.ts';
import { recipes } from './agents/all.ts';
import { Drive, streaming } from './drive.ts';
import { endings, signals, tryKill, tryResume } from './ending.ts';
import type { Reply } from './fake-model/reply.ts';
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
    kills: { type: 'string', default: '0' },
    resumes: { type: 'string', default: '0' },
    hooks: { type: 'string', default: 'off' },
    server: { type: 'string', default: 'off' },
  },
});

const STATE_MS = 30_000;
const say = (text: string): boolean => process.stdout.write(`${text}\n`);
const done: Reply = { kind: 'text', text: 'Done.' };

/** One prompt, byte for byte and once. */
const checkPrompt: Check = async (trial, index) => {
  const { drive, client, ref } = trial;
  const turn = drive.script(done);
  const text = promptTexts(turn.handle.token)[index % promptTexts('').length] ?? '';
  await untilState(trial, 'idle', 'completed');
  const report = await client.call('send', { ref, text });
  if (report.result !== 'delivered') return `${report.result}: ${report.detail}`;
  await turn.at(0, 'finishedAtMs');
  const received = receivedText(drive.recipe.name, turn.handle.requests[0]?.userTexts ?? []);
  if (received !== text) return `received ${JSON.stringify(received).slice(0, 200)}`;
  if (turn.handle.requests.length !== 1) return `${turn.handle.requests.length} requests`;
  return null;
};

const checkApproval: Check = async (trial) => {
  const turn = await openApproval(trial);
  const problem = await answerRequest(trial, { role: 'approve' });
  if (problem !== null) return problem;
  await turn.at(1, 'finishedAtMs');
  return existsSync(builtFile(trial)) ? 'the command did not run' : null;
};

const checkDenial: Check = async (trial) => {
  await openApproval(trial);
  const problem = await answerRequest(trial, { role: 'deny' });
  if (problem !== null) return problem;
  await untilState(trial, 'idle', 'completed');
  return existsSync(builtFile(trial)) ? null : 'the command ran';
};

const checkInterrupt: Check = async (trial) => {
  const { drive, client, ref } = trial;
  const { gate, reply } = streaming();
  const turn = drive.script(reply);
  await untilState(trial, 'idle', 'completed');
  await client.call('send', { ref, text: turn.prompt });
  await turn.at(0, 'firstByteAtMs');
  await untilState(trial, 'running');
  const report = await client.call('interrupt', { ref });
  if (report.result !== 'delivered') return `${report.result}: ${report.detail}`;
  await turn.at(0, 'abortedAtMs');
  gate.open();
  return null;
};

/** A prompt while text streams: `delivered` only if the model gets it, once the turn goes on. */
const checkMidTurn: Check = async (trial) => {
  const { drive, client, ref } = trial;
  const { gate, reply } = streaming();
  const turn = drive.script(reply, done);
  await untilState(trial, 'idle', 'completed');
  await client.call('send', { ref, text: turn.prompt });
  await turn.at(0, 'firstByteAtMs');
  await untilState(trial, 'running');
  const text = `${turn.handle.token} and one thing more`;
  const report = await client.call('send', { ref, text });
  say(`  ${drive.recipe.name} mid-turn: ${report.result}: ${report.detail}`);
  gate.open();
  await eventually(
    () => turn.handle.requests.some(({ userTexts }) => userTexts.join().includes(text)),
    'the second prompt at the model',
    STATE_MS,
  );
  return report.result === 'delivered' ? null : `${report.result}: ${report.detail}`;
};

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
  const trial = { drive, client: await stage.live.client(), ref: pane.paneId, isServed };
  // The stage must be there until the last of them.
  if (Number(flags.kills) + Number(flags.resumes) > 0) return await runEndings(stage, mismatches);
  return [
    ...(await runChecks(trial, 'prompts', Number(flags.prompts), checkPrompt)),
    ...(await runChecks(trial, 'approvals', Number(flags.approvals), checkApproval)),
    ...(await runChecks(trial, 'denials', Number(flags.denials), checkDenial)),
    ...(await runChecks(trial, 'reasons', Number(flags.reasons), checkReason)),
    ...(await runChecks(trial, 'texts', Number(flags.texts), checkOwnAnswer)),
    ...(await runChecks(trial, 'several', Number(flags.several), checkSeveral)),
    ...(await runChecks(trial, 'mid-turn', Number(flags.midturn), checkMidTurn)),
    ...(await runChecks(trial, 'interrupts', Number(flags.interrupts), checkInterrupt)),
  ];
}

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
for (const recipe of recipes.filter(({ name }) => names.includes(name))) {
  const failures = await tryAgent(isServed ? withServer(recipe) : recipe);
  if (failures.length > 0) process.exitCode = 1;
}
