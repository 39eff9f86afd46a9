// `agtmux run` in a real pane, under a real shell: the program behaves as if nobody were between,
// and the daemon knows of its start, its exit code and its crash.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import type { PaneItem } from '../../src/schema/api/panes.ts';
import { eventually, isAlive, isTmuxMissing } from '../live/tmux-server.ts';
import { LivePane } from './live-agents.ts';
import { LiveDaemon, Subscriber, wordOf } from './live-daemon.ts';

const WAIT_MS = 20_000;

describe.skipIf(isTmuxMissing)('a program under agtmux run', () => {
  let live: LiveDaemon;
  let subscriber: Subscriber;
  let run: string;

  beforeAll(async () => {
    live = new LiveDaemon();
    live.tmux.newSession('quiet');
    const program = join(live.folder, 'agtmux.js');
    const main = join(root, 'src', 'cli', 'main.ts');
    writeFileSync(
      program,
      `import('${main}').then(async ({ runCli }) => {
        process.exitCode = await runCli(process.argv);
      });`,
    );
    run = `'${process.execPath}' --disable-warning=ExperimentalWarning '${program}' run`;
    await live.start();
    subscriber = new Subscriber(await live.client());
  });
  afterAll(async () => {
    subscriber?.[Symbol.dispose]();
    await live?.[Symbol.asyncDispose]();
  });

  /** A pane with a shell that has job control, as a person has it. */
  function shell(session: string): LivePane {
    const env = `XDG_STATE_HOME='${live.env['XDG_STATE_HOME']}' PS1='$ '`;
    const sessionId = live.tmux.newSession(session, `exec env ${env} bash --norc --noprofile -i`);
    return LivePane.of(live.tmux, sessionId);
  }
  const screen = (pane: LivePane): string =>
    live.tmux.run('capture-pane', '-p', '-J', '-t', pane.paneId);
  const key = (pane: LivePane, name: string): string =>
    live.tmux.run('send-keys', '-t', pane.paneId, name);
  const shows = (pane: LivePane, line: RegExp) =>
    eventually(() => line.test(screen(pane)), String(line), WAIT_MS).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${screen(pane)}`);
    });
  const until = (pane: LivePane, check: (row: PaneItem) => boolean, what: string) =>
    subscriber.until(pane.paneId, check, what);
  const crashOf = (row: PaneItem) => row.attention.requests.find(({ kind }) => kind === 'crash');
  /** The wrapper, and the program under it. */
  async function pids(pane: LivePane): Promise<{ wrapper: number; program: number }> {
    const { pid } = await until(pane, (row) => row.pid !== null, 'the program is known');
    const ofWrapper = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) \S /s, '');
    return { wrapper: Number(ofWrapper.split(' ')[0]), program: pid ?? 0 };
  }

  test('takes no prompt, and says so, and is ended by kill like any agent', async () => {
    const pane = shell('ended');
    pane.type(`${run} --name b1 -- sleep 600; echo "code=$?"`);
    await until(pane, (each) => each.agent === 'b1' && wordOf(each) === 'running', 'it runs');
    const { program } = await pids(pane);
    for (const words of [
      ['--text', 'hello'],
      ['--text', 'hello', '--when-idle'],
    ]) {
      const sent = await live.cli('send', pane.paneId, ...words);
      expect(sent.code).toBe(64);
      expect(sent.err).toContain('programs under agtmux run take no prompts');
      expect(sent.err).not.toContain('E_NO_AGENT');
    }
    const killed = await live.cli('kill', pane.paneId, '--signal', 'TERM', '--yes');
    expect([killed.code, killed.err]).toEqual([0, '']);
    expect(killed.out).toMatch(/^delivered: /);
    expect(isAlive(program)).toBe(false);
    await shows(pane, /code=143$/m);
  });

  test('is an agent by its name, and its exit code is its own and a crash until seen', async () => {
    const pane = shell('codes');
    pane.type(`${run} --name 'My job' -- sh -c 'echo up; read x; exit 3'; echo "code=$?"`);
    await until(
      pane,
      (each) => each.agent === 'my-job' && wordOf(each) === 'running',
      'it is an agent that runs',
    );
    await until(pane, ({ title }) => title === 'My job', 'it has its name');
    expect(pane.format('#{pane_current_command}')).toBe('sh');
    pane.type('');
    await shows(pane, /code=3$/m);
    const left = await until(pane, (each) => crashOf(each) !== undefined, 'a crash');
    expect(left).toMatchObject({ presence: 'unmanaged', agent: 'my-job', state: 'error' });
    expect(crashOf(left)?.note).toBe('my-job ended with exit code 3');
    // Nothing but what the program itself wrote. A line that is typed before the shell has its
    // prompt is on the screen twice.
    const lines = screen(pane).replace(/^.*echo "code=\$\?"\n/s, '');
    expect(lines.split('\n').map((line) => line.trim())).toEqual(['up', '', 'code=3', '$']);
    pane.type(`${run} -- sh -c 'read x'; echo "then=$?"`);
    const next = await until(pane, ({ agent }) => agent === 'sh', 'another life');
    expect(crashOf(next)).toBeUndefined();
    pane.type('');
    await shows(pane, /then=0$/m);
    // The process may be missed before the report of its exit was read.
    const over = await until(pane, (each) => wordOf(each) === 'completed/exited', 'it is over');
    expect(over.presence).toBe('unmanaged');
    expect(over.attention).toMatchObject({
      kinds: ['completion'],
      requests: [{ note: 'sh ended with exit code 0' }],
    });
  });

  test('that was never seen running is a crash all the same', async () => {
    const pane = shell('short');
    await until(pane, () => true, 'the pane is listed');
    pane.type(`${run} --agent shortlived -- sh -c 'kill -SEGV $$'; echo "code=$?"`);
    await shows(pane, /code=139$/m);
    const row = await until(pane, (each) => crashOf(each) !== undefined, 'a crash');
    expect(crashOf(row)?.note).toBe('shortlived ended with SIGSEGV');
  });

  test('gets one SIGINT of a key, one SIGTERM sent to the wrapper, and resizes', async () => {
    const pane = shell('signals');
    const traps = 'trap "echo int" INT; trap "echo term; exit 5" TERM; trap "stty size" WINCH';
    pane.type(`${run} -- sh -c '${traps}; echo up
      while :; do sleep 0.1; done'; echo "code=$?"`);
    await shows(pane, /^up$/m);
    const { wrapper } = await pids(pane);
    key(pane, 'C-c');
    await shows(pane, /int$/m);
    live.tmux.run('resize-window', '-t', pane.paneId, '-x', '100', '-y', '30');
    await shows(pane, /^30 100$/m);
    process.kill(wrapper, 'SIGTERM');
    await shows(pane, /code=5$/m);
    expect(screen(pane).match(/int$/gm)).toHaveLength(1);
    expect(screen(pane).match(/term$/gm)).toHaveLength(1);
    expect(screen(pane).match(/^30 100$/gm)).toHaveLength(1);
  });

  test('that a key ends by SIGINT takes the wrapper along', async () => {
    const pane = shell('int');
    pane.type(`${run} -- sh -c 'echo up; sleep 1000'; echo "code=$?"`);
    await shows(pane, /^up$/m);
    key(pane, 'C-c');
    // The shell ends the whole line when a program was ended by SIGINT, as it does without us.
    await eventually(() => pane.format('#{pane_current_command}') === 'bash', 'it ended', WAIT_MS);
    pane.type('echo "code=$?"');
    await shows(pane, /code=130$/m);
  });

  test('stops by a key, or by itself, and goes on in the foreground', async () => {
    const pane = shell('stops');
    pane.type(`${run} --name stopper -- sh -c 'echo up; kill -STOP $$; echo on; read x; echo end'`);
    await shows(pane, /Stopped/);
    await until(pane, (row) => wordOf(row) === 'unknown/suspended', 'it is suspended');
    pane.type('fg');
    await shows(pane, /^on$/m);
    await until(pane, (row) => row.reason_code !== 'suspended', 'it goes on');
    key(pane, 'C-z');
    await eventually(
      () => screen(pane).match(/Stopped/g)?.length === 2,
      'it stopped again',
      WAIT_MS,
    );
    pane.type('fg');
    await eventually(() => pane.format('#{pane_current_command}') !== 'bash', 'in front', WAIT_MS);
    pane.type('');
    await shows(pane, /^end$/m);
  });

  test('outlives a wrapper that was killed, and nobody calls that a crash', async () => {
    const pane = shell('killed');
    pane.type(`${run} -- sh -c 'echo up; exec sleep 1000'`);
    await shows(pane, /^up$/m);
    const { wrapper, program } = await pids(pane);
    process.kill(wrapper, 'SIGKILL');
    const row = await until(pane, ({ presence }) => presence === 'unmanaged', 'no agent here');
    expect(crashOf(row)).toBeUndefined();
    expect(isAlive(program)).toBe(true);
    process.kill(program, 'SIGKILL');
  });
});
