// The app server that the daemon starts where none runs: when, how often, what it is asked, and
// that nothing is believed of it but names. It is a program of ours, and the real one where it is
// installed.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AlertSignal } from '../../src/daemon/health/alert-rules.ts';
import { PartGate } from '../../src/daemon/life/part-gate.ts';
import { defaultConfig } from '../../src/schema/config.ts';
import { eventually, isAlive } from '../live/tmux-server.ts';
import { CodexStage, ROLLOUT, SERVER } from './codex-stage.ts';
import { FakeRollout, threadIdOf } from './fake-codex.ts';

const WAIT_MS = 20_000;
/** Longer than a shared server is waited for. */
const LATER_MS = 11_000;
const wanted = { codex: { spawnAppServer: true } };
const program = join(import.meta.dirname, 'fake-own-server.mjs');

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Puts a `codex` on the PATH that is this script of a shell; null: there is none. */
function install(stage: CodexStage, script: string | null): void {
  const folder = join(stage.folder, 'path');
  mkdirSync(folder);
  vi.stubEnv('PATH', script === null ? folder : `${folder}${delimiter}${process.env['PATH']}`);
  if (script === null) return;
  writeFileSync(join(folder, 'codex'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** A Codex that holds a thread itself, and the server that knows the name of it. */
function stageWith(
  config: object,
  script: string | null = `exec '${process.execPath}' '${program}' "$@"`,
) {
  const stage = new CodexStage(config);
  install(stage, script);
  const threadId = threadIdOf(Date.now() - 59_000, 1);
  const rollout = new FakeRollout(stage.home, threadId);
  rollout.meta();
  const thread = { id: threadId, name: 'Fix it', cwd: stage.cwd, status: { type: 'notLoaded' } };
  writeFileSync(join(stage.home, 'threads.json'), JSON.stringify({ [threadId]: thread }));
  return { stage, rollout, name: stage.live({ open: [rollout.path] }) };
}

/** What the program was asked, and how it was started each time. */
function noted({ home }: CodexStage): { readonly asked: string[]; readonly starts: string[] } {
  const file = join(home, 'own-server.log');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  const isStart = (line: string): boolean => line.startsWith('started ');
  return { asked: lines.filter((line) => !isStart(line)), starts: lines.filter(isStart) };
}

const pidsOf = (stage: CodexStage): number[] =>
  noted(stage).starts.map((start) => Number(start.split(' ')[1]));

/** Looks until it holds, first now and then so much later that no server will be found. */
async function until(stage: CodexStage, check: () => boolean, what: string): Promise<void> {
  stage.look();
  await stage.until('runtime-1', 'began', ROLLOUT);
  stage.look(LATER_MS);
  await looking(stage, check, what);
}

const looking = (stage: CodexStage, check: () => boolean, what: string): Promise<true> =>
  eventually(
    () => {
      stage.look();
      return check();
    },
    what,
    WAIT_MS,
  );

/** Waits for a line with the name of its thread. */
const toldName = (stage: CodexStage, rollout: FakeRollout): Promise<true> =>
  looking(
    stage,
    () => {
      rollout.event('task_started');
      return stage.evidence(ROLLOUT).some(({ activity }) => activity?.title === 'Fix it');
    },
    'the name is published',
  );

describe('an app server of our own', () => {
  it.each([
    ['nobody wants it', {}, []],
    ['one is named', { codex: { ...wanted.codex, appServer: 'unix:///no/such.sock' } }, []],
    ['it is wanted', wanted, ['asked']],
  ])('is started or not where %s', async (_where, config, expected) => {
    const { stage, name } = stageWith(config);
    const asks: string[] = [];
    // Asked before each start, at once.
    stage.gate = { isOpen: () => asks.push('asked') === 0, failed: () => {} };
    await stage.until(name, 'began', ROLLOUT);
    expect(asks).toEqual([]);
    stage.look(LATER_MS);
    expect(asks).toEqual(expected);
  });

  it('names the thread that a process holds, and is believed nothing else', async () => {
    vi.stubEnv('TMUX_PANE', '%7');
    const { stage, rollout, name } = stageWith(wanted);
    await until(stage, () => noted(stage).asked.includes('thread/read'), 'the thread was read');
    await toldName(stage, rollout);
    await stage.until(name, 'running', ROLLOUT);
    expect(stage.evidence(SERVER)).toEqual([]);
    const says = stage.evidence(ROLLOUT).flatMap(({ claims }) => claims.map((each) => each.says));
    expect(new Set(says)).toEqual(new Set(['began', 'running']));
    const { asked, starts } = noted(stage);
    expect(new Set(asked)).toEqual(new Set(['initialize', 'initialized', 'thread/read']));
    expect(starts).toEqual([expect.stringMatching(/^started \d+ app-server -$/)]);
    stage.end();
    await eventually(() => !pidsOf(stage).some(isAlive), 'it ends with the daemon', WAIT_MS);
    expect(stage.problems).toEqual([]);
  });

  it('gives way to a server that is found', async () => {
    const { stage } = stageWith(wanted);
    await until(stage, () => noted(stage).asked.includes('thread/read'), 'the thread was read');
    stage.serve();
    await looking(stage, () => !pidsOf(stage).some(isAlive), 'it has given way');
    expect(noted(stage).starts).toHaveLength(1);
  });

  it('ends when it is switched off, and comes back when it is wanted again', async () => {
    const { stage } = stageWith(wanted);
    await until(stage, () => pidsOf(stage).length === 1, 'it is started');
    stage.config = {};
    await looking(stage, () => !pidsOf(stage).some(isAlive), 'it has ended');
    stage.config = wanted;
    await looking(stage, () => pidsOf(stage).length === 2, 'it is started again');
    expect(stage.problems).toEqual([]);
  });

  it.each([
    ['breaks', 'echo started 1 >>"$CODEX_HOME/own-server.log"; echo no >&2; exit 1', 'with 1: no'],
    ['is not there', null, 'codex is not installed'],
  ])('that %s is tried so often and then left alone', async (_what, script, words) => {
    const { stage } = stageWith(wanted, script);
    const signals: AlertSignal[] = [];
    let failures = 0;
    const gate = new PartGate('codex app-server', {
      config: () => defaultConfig,
      // So late that no wait between two attempts is felt.
      nowMs: () => Date.now() + failures * 20_000,
      random: () => 1,
      signal: (signal) => signals.push(signal),
    });
    stage.gate = {
      isOpen: () => gate.isOpen(),
      failed: (problem) => {
        failures += 1;
        gate.failed(problem);
      },
    };
    await until(stage, () => signals.length > 0, 'it is held down');
    expect(failures).toBe(5);
    expect(signals).toEqual([
      expect.objectContaining({
        part: 'codex app-server',
        problem: expect.stringContaining(words),
      }),
    ]);
    expect(stage.problems[0]).toContain(words);
  });
});

const real = join(homedir(), '.cache/agtmux-lab/codex@0.166.0/node_modules/.bin/codex');

/** Has the real Codex name a thread, as a person would. */
async function nameThread(home: string, threadId: string): Promise<void> {
  const env = { PATH: process.env['PATH'], HOME: home, CODEX_HOME: home };
  const server = spawn(real, ['app-server'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  onTestFinished(() => {
    server.kill('SIGKILL');
  });
  let output = '';
  server.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const clientInfo = { name: 'test', version: '1' };
  const requests = [
    { id: 1, method: 'initialize', params: { clientInfo } },
    { method: 'initialized' },
    { id: 2, method: 'thread/name/set', params: { threadId, name: 'Fix it' } },
  ];
  for (const request of requests) server.stdin.write(`${JSON.stringify(request)}\n`);
  await eventually(() => output.includes('{"id":2,"result"'), 'the thread is named', WAIT_MS);
  server.stdin.end();
  await eventually(() => server.exitCode !== null, 'it ends with its input', WAIT_MS);
}

describe.skipIf(!existsSync(real))('an app server of the real Codex', () => {
  it('names the thread that a process holds, writes none and ends with the daemon', async () => {
    const start = 'echo started $$ >>"$CODEX_HOME/own-server.log"';
    const { stage, rollout } = stageWith(wanted, `${start}; exec '${real}' "$@"`);
    await nameThread(stage.home, rollout.threadId);
    await until(stage, () => noted(stage).starts.length === 1, 'it is started');
    await toldName(stage, rollout);
    const lines = readFileSync(rollout.path, 'utf8').trimEnd().split('\n');
    // A line of another writer would have a number of its own.
    expect(lines.map((line) => JSON.parse(line).ordinal)).toEqual([...lines.keys()]);
    expect(stage.evidence(SERVER)).toEqual([]);
    stage.end();
    await eventually(() => !pidsOf(stage).some(isAlive), 'it ends', WAIT_MS);
    expect(stage.problems).toEqual([]);
  });
});
