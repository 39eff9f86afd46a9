// Ends and resumes the real agents by agtmux: `npm run lab:acting -- --kills 1 --resumes 1`. A kill
// comes while a tool runs; what is said of it is compared with the processes themselves. A resume
// must show the old conversation and send it to the model with the next prompt.

import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { DaemonClient } from '../src/client/client.ts';
import { LocalProcesses } from '../src/platform/process/processes.ts';
import { eventually } from '../tests/live/tmux-server.ts';
import { Drive } from './drive.ts';
import type { Reply } from './fake-model/reply.ts';
import { LabPane } from './pane.ts';
import type { Stage } from './stage.ts';

const AGENT_MS = 60_000;
const LOOK_MS = 5;
const SHOWN_MS = 30_000;
/** What the state may take after the death of the agent. */
const STATE_MS = 1_000;

export type Signal = 'INT' | 'TERM' | 'KILL';
export type Ending = 'exit' | 'kill -9';
export const signals: readonly Signal[] = ['INT', 'TERM', 'KILL'];
export const endings: readonly Ending[] = ['exit', 'kill -9'];

const done: Reply = { kind: 'text', text: 'Done.' };

interface Ended {
  /** What is wrong; null where all is right. */
  readonly problem: string | null;
  readonly figures: string;
}

async function freshDrive(stage: Stage, mismatches: string): Promise<Drive> {
  const pane = await stage.openPane(`ending-${randomBytes(2).toString('hex')}`);
  const drive = new Drive(stage, pane, { scenario: 'ending', mismatches });
  await drive.start();
  return drive;
}

const paneOf = async (client: DaemonClient, paneId: string) =>
  (await client.call('list_panes', {})).panes.find(
    ({ identity, presence }) => identity?.pane_id === paneId && presence === 'managed',
  );

/** Of their start times only what is equal matters here. */
const processes = new LocalProcesses(mkdtempSync(join(tmpdir(), 'agtmux-lab-boot-')));

/** One that nobody has waited for yet has ended too. */
const isRunning = (pid: number): boolean => processes.read(pid)?.stat.startsWith('Z') === false;

/** The agent, everything that it started, and a tool that runs. */
async function treeWithTool(drive: Drive): Promise<readonly { pid: number; comm: string }[]> {
  const root = drive.stage.agentPid(drive.pane);
  const args = { command: drive.recipe.commands.quiet };
  const turn = drive.script({ kind: 'tool', tool: 'shell', args }, done);
  await drive.submit(turn);
  return eventually(
    () => {
      const tree = processes.tree(root) ?? [];
      return tree.some(({ argv }) => argv[0]?.endsWith('sleep')) ? tree : null;
    },
    'a tool runs',
    AGENT_MS,
  );
}

/** One kill while a tool runs: who ended, who lives, and when the state says so. */
export async function tryKill(stage: Stage, signal: Signal, mismatches: string): Promise<Ended> {
  const drive = await freshDrive(stage, mismatches);
  const client = await stage.live.client();
  const shell = Number(await drive.pane.format('#{pane_pid}'));
  const tree = await treeWithTool(drive);
  const root = tree[0]?.pid ?? 0;
  const sentMs = Date.now();
  const death = watchDeath(root);
  const report = await client.call('kill', { ref: drive.pane.paneId, signal });
  const alive = tree.filter(({ pid }) => isRunning(pid));
  const diedMs = await death.stop();
  const stateMs = diedMs === null ? null : await stateAfter(drive, diedMs);
  const problems = [
    ...(isRunning(shell) ? [] : ['the shell has ended']),
    // An agent that lives on is no orphan, where that is what is said.
    ...(diedMs !== null && alive.length > 0 ? [`left behind: ${namesOf(alive)}`] : []),
    ...((report.result === 'delivered') === (alive.length === 0)
      ? []
      : [`it says ${report.detail}`]),
    ...(stateMs !== null && stateMs > STATE_MS ? [`the state took ${stateMs} ms`] : []),
  ];
  for (const { pid } of alive) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  const died = diedMs === null ? 'the agent lives' : `dead after ${diedMs - sentMs} ms`;
  const state = stateMs === null ? '' : `, the state ${stateMs} ms later`;
  return {
    problem: problems.length === 0 ? null : problems.join('; '),
    figures: `${tree.length} processes, ${died}${state}; ${report.result}`,
  };
}

const namesOf = (tree: readonly { pid: number; comm: string }[]): string =>
  tree.map(({ pid, comm }) => `${comm} (${pid})`).join(', ');

function watchDeath(pid: number): { stop(): Promise<number | null> } {
  let diedMs: number | null = null;
  let isOver = false;
  const watching = (async () => {
    while (!isOver && diedMs === null) {
      if (isRunning(pid)) await pause(LOOK_MS);
      else diedMs = Date.now();
    }
  })();
  return {
    async stop() {
      isOver = true;
      await watching;
      return diedMs ?? (isRunning(pid) ? null : Date.now());
    },
  };
}

/** How long after the death the subscriber was told that no agent is there. */
async function stateAfter(drive: Drive, diedMs: number): Promise<number> {
  const change = await eventually(
    () => drive.changes.find(({ atMs, answer }) => atMs >= diedMs && answer === 'no_agent'),
    'the state says that the agent has ended',
    AGENT_MS,
  );
  return change.atMs - diedMs;
}

/** An agent with one turn behind it ends and is resumed. */
export async function tryResume(stage: Stage, ending: Ending, mismatches: string): Promise<Ended> {
  const drive = await freshDrive(stage, mismatches);
  const client = await stage.live.client(AGENT_MS * 2);
  const word = `answer-${randomBytes(4).toString('hex')}`;
  const turn = drive.script({ kind: 'text', text: `The word is ${word}.` });
  await drive.submit(turn);
  await drive.pane.shows(new RegExp(word), 'the answer');
  await drive.pane.settled();
  const session = await eventually(
    async () => (await paneOf(client, drive.pane.paneId))?.session_key,
    'the agent has named its session',
    AGENT_MS,
  );
  if (ending === 'exit') await drive.press(drive.recipe.keys.exit);
  else await client.call('kill', { ref: drive.pane.paneId, signal: 'KILL' });
  const isEnded = async () =>
    (await client.call('list_ended_agents', {})).agents.some(
      (each) => each.session_key === session,
    );
  await eventually(isEnded, 'the agent is listed as ended', AGENT_MS);
  const startMs = Date.now();
  const { code, out, err } = await resume(stage, session);
  const paneId = /(%\d+)/.exec(out)?.[1];
  const figures = `resumed in ${Date.now() - startMs} ms: ${(out + err).trim()}`;
  if (code !== 0 || paneId === undefined) return { problem: `exit code ${code}`, figures };
  return { problem: await whatIsLost(stage, paneId, word, turn.handle.token), figures };
}

/** Runs the command as the person whose shell has the agent's program and its settings. */
async function resume(stage: Stage, session: string) {
  const { argv, env } = stage.recipe.start(stage.place);
  const [program = '', ...args] = argv;
  const bin = join(stage.live.folder, 'bin');
  mkdirSync(bin, { recursive: true });
  rmSync(join(bin, stage.recipe.name), { force: true });
  symlinkSync(program, join(bin, stage.recipe.name));
  const own = { HOME: stage.place.home, SHELL: '/bin/bash', LANG: 'C.UTF-8', ...env };
  const state = { XDG_STATE_HOME: stage.live.env['XDG_STATE_HOME'] ?? '' };
  for (const [name, value] of Object.entries({ ...own, ...state })) {
    stage.live.tmux.run('set-environment', '-g', name, value);
  }
  const path = { PATH: `${bin}:/usr/local/bin:/usr/bin:/bin` };
  return stage.live.cliWith(path, 'resume', session, '--', ...args);
}

/** What of the conversation is not on the screen, or not sent with the next prompt. */
async function whatIsLost(
  stage: Stage,
  paneId: string,
  word: string,
  token: string,
): Promise<string | null> {
  const pane = LabPane.at(stage.socketPath, paneId);
  const drive = new Drive(stage, pane, { scenario: 'ending', mismatches: stage.live.folder });
  const { ready, readyAgain = ready } = stage.recipe;
  await pane.shows(readyAgain, 'a prompt that takes keys', AGENT_MS);
  // The prompt may be there before the conversation.
  const isShown = await pane.shows(new RegExp(word), 'the conversation', SHOWN_MS).then(
    () => true,
    () => false,
  );
  await pane.settled();
  const turn = drive.script(done);
  await drive.submit(turn);
  await turn.at(0, 'finishedAtMs');
  const isSent = turn.handle.requests.some(({ userTexts }) =>
    userTexts.some((text) => text.includes(token)),
  );
  if (isShown && isSent) return null;
  const shown = isShown ? 'shown' : 'not shown';
  return `the old conversation is ${shown} and ${isSent ? 'sent' : 'not sent'}`;
}
