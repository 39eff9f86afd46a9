// `agtmux web` as a person runs it: the service is there while the command runs, and its tokens are
// made, listed and revoked by commands.

import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { builtProgram } from '../built-program.ts';
import { LiveDaemon } from '../daemon-live/live-daemon.ts';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { ask, askUpgrade } from './web-lab.ts';

describe.skipIf(isTmuxMissing)('agtmux web', () => {
  let live: LiveDaemon;

  beforeAll(async () => {
    live = new LiveDaemon();
    live.tmux.newSession('home');
    await live.start();
  });
  afterAll(() => live[Symbol.asyncDispose]());

  function run(...args: readonly string[]) {
    const child = spawn(process.execPath, [...builtProgram, 'web', ...args], { env: live.env });
    onTestFinished(() => void child.kill('SIGKILL'));
    const output = { text: '', exitCode: null as number | null };
    child.stdout.on('data', (bytes: Buffer) => {
      output.text += bytes.toString('utf8');
    });
    child.on('exit', (code) => {
      output.exitCode = code;
    });
    return { child, output };
  }

  const isOpen = (url: string): Promise<boolean> =>
    ask(url, '/healthz').then(
      ({ status }) => status === 200,
      () => false,
    );

  it('prints its address and a token, serves until Ctrl-C, and is closed then', async () => {
    const { child, output } = run('--port', '0');
    const url = await eventually(() => /http:\S+/.exec(output.text)?.[0], 'the address is printed');
    const token = /Token for programs: (\S+)/.exec(output.text)?.[1] ?? '';
    expect((await ask(url, '/readyz')).status).toBe(200);
    expect((await askUpgrade(url, '/ws')).status).toBe(401);
    expect((await askUpgrade(url, `/ws?token=${token}`)).status).toBe(101);
    child.kill('SIGINT');
    await eventually(() => output.exitCode === 130, 'the command ends');
    await eventually(async () => !(await isOpen(url)), 'the port is closed');
  });

  it('is closed when its command is killed', async () => {
    const { child, output } = run('--port', '0', '--no-auth', '--json');
    await eventually(() => output.text.includes('\n'), 'the reply is printed');
    const { url, token } = JSON.parse(output.text);
    expect(token).toBeNull();
    expect((await askUpgrade(url, '/ws')).status).toBe(101);
    child.kill('SIGKILL');
    await eventually(async () => !(await isOpen(url)), 'the port is closed');
  });

  it('a port that is taken and an open door to the network are refused', async () => {
    const { output } = run('--port', '0', '--no-auth', '--json');
    await eventually(() => output.text.includes('\n'), 'the reply is printed');
    const { port } = new URL(JSON.parse(output.text).url);
    const taken = await live.cli('web', '--port', port, '--no-auth');
    expect([taken.code, taken.err]).toEqual([75, expect.stringContaining('E_WEB_PORT')]);
    const wide = await live.cli('web', '--host', '0.0.0.0', '--no-auth');
    expect([wide.code, wide.err]).toEqual([64, expect.stringContaining('this machine alone')]);
    const missing = await live.cli('web', '--debug-serve-dir', '/none/there');
    expect(missing.code).toBe(66);
  });

  it('tokens are made, listed without their secret, and revoked', async () => {
    const made = await live.cli('web', 'token', 'create', 'phone', '--scope', 'read');
    const [, id = '', secret = ''] = /^(\w+) \(read\): (\S+)/.exec(made.out) ?? [];
    expect(secret).toMatch(/^agw_/);
    const listed = await live.cli('web', 'token', 'list');
    expect(listed.out).toContain(`${id}  read`);
    expect(listed.out).not.toContain(secret);
    expect((await live.cli('web', 'token', 'revoke', id)).code).toBe(0);
    expect((await live.cli('web', 'token', 'revoke', id)).code).toBe(66);
    expect((await live.cli('web', 'token')).out).toContain('There is no token');
  });
});
