// The command line with a real daemon on a real tmux: it starts by itself, once, knows names that
// bite, and ends by `daemon stop`.

import { execFile, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { PaneItem } from '../../src/schema/api/panes.ts';
import { builtProgram } from '../built-program.ts';
import { eventually } from '../live/tmux-server.ts';

const hasNoTmux = (process.env['AGTMUX_MISSING'] ?? '').split(',').includes('tmux');
const WAIT_MS = 30_000;
const RUN_MAX_MS = 30_000;

// tmux itself changes `:` and `.` in names, and shows tabs and newlines as escapes.
const names = ['a;b', 'a"b\'c', '#{pid}', '$(x)', 'do$llar', '日本 🚀', 'x'.repeat(200), 'tab\tx'];

let folder = '';
let env: NodeJS.ProcessEnv = {};

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function agtmux(args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { env: { ...env, ...more }, timeout: RUN_MAX_MS };
    const words = [...builtProgram, ...args];
    execFile(process.execPath, words, options, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, out, err });
    });
  });
}

function tmux(...args: readonly string[]): string {
  const words = ['-u', '-S', join(folder, 'tmux'), '-f', '/dev/null', ...args];
  return execFileSync('tmux', words, { encoding: 'utf8' });
}

type ListedPane = Pick<PaneItem, 'agent' | 'ref'> & { identity: { session_name: string } };

async function panesListed(): Promise<readonly ListedPane[]> {
  return JSON.parse((await agtmux(['list', 'panes', '--json'])).out).panes;
}

const until = (what: string, isSo: () => Promise<boolean>): Promise<true> =>
  eventually(isSo, what, WAIT_MS);

describe.skipIf(hasNoTmux)('agtmux with a real daemon', () => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'agtmux-cli-live-'));
    const { TMUX: _t, TMUX_PANE: _p, AGTMUX_LOG: _l, ...outer } = process.env;
    env = {
      ...outer,
      HOME: folder,
      XDG_RUNTIME_DIR: join(folder, 'run'),
      XDG_STATE_HOME: join(folder, 'state'),
      XDG_CONFIG_HOME: join(folder, 'config'),
      AGTMUX_TMUX_SOCKET_PATH: join(folder, 'tmux'),
      LC_ALL: 'C.UTF-8',
    };
    mkdirSync(join(folder, 'run'), { mode: 0o700 });
    for (const name of names) tmux('new-session', '-d', '-x', '80', '-y', '24', '-s', name, 'cat');
  });

  afterAll(async () => {
    await agtmux(['daemon', 'stop']);
    tmux('kill-server');
    rmSync(folder, { recursive: true, force: true });
  });

  it('starts one daemon for many first calls at once', async () => {
    expect((await agtmux(['status'])).code).toBe(3);
    const ran = await Promise.all(Array.from({ length: 4 }, () => agtmux(['list', 'panes'])));
    expect(ran.map(({ code, err }) => ({ code, err }))).toEqual(
      ran.map(() => ({ code: 0, err: '' })),
    );
    const pids = await Promise.all(
      [1, 2].map(async () => JSON.parse((await agtmux(['daemon', 'start', '--json'])).out).pid),
    );
    expect(new Set(pids).size).toBe(1);
  }, 60_000);

  it('lists and explains panes of sessions with names that bite', async () => {
    const sessionNames = tmux('list-sessions', '-F', '#{session_name}').trimEnd().split('\n');
    await until('every pane', async () => (await panesListed()).length === names.length);
    const panes = await panesListed();
    expect(panes.map(({ identity }) => identity.session_name).sort()).toEqual(sessionNames.sort());
    for (const { ref, identity } of panes) {
      const { code, out } = await agtmux(['explain', ref, '--json']);
      expect(code, ref).toBe(0);
      expect(JSON.parse(out).pane.identity.session_name).toBe(identity.session_name);
      const one = await agtmux(['list', 'panes', '--session', identity.session_name, '--json']);
      expect(JSON.parse(one.out).panes).toHaveLength(1);
    }
    const { out } = await agtmux(['list', 'panes']);
    expect(out.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  }, 60_000);

  it('follows an event of a script to the state of a pane', async () => {
    // Whatever is called claude is one, as far as its process goes.
    const claude = join(folder, 'claude');
    copyFileSync('/bin/sleep', claude);
    tmux('new-session', '-d', '-s', 'agent', `${claude} 300`);
    const find = async () =>
      (await panesListed()).find(({ identity }) => identity.session_name === 'agent');
    await until('the agent', async () => (await find())?.agent === 'claude');
    const ref = (await find())?.ref ?? '';
    const emitted = await agtmux(['emit', '--type', 'running', '--agent', 'claude', '--pane', ref]);
    expect(emitted).toMatchObject({ code: 0, out: expect.stringMatching(/^applied /) });
    await until('running', async () =>
      /^> running .* claude /m.test((await agtmux(['list', 'panes'])).out),
    );
    expect((await agtmux(['tmux-status'])).out).toBe('1>\n');
    expect((await agtmux(['watch', '--once'])).out).toContain('> running');
    expect((await agtmux(['explain', ref])).out).toMatch(/won emit says running/);
    expect((await agtmux(['history', ref])).out).toContain('> running');
    expect((await agtmux(['explain', 'pane:local/none/@9/%259'])).code).toBe(66);
  }, 60_000);

  it('reports why a daemon did not start', async () => {
    const run = join(folder, 'open', 'agtmux');
    mkdirSync(run, { recursive: true });
    chmodSync(run, 0o777);
    const { code, err } = await agtmux(['list', 'panes'], {
      XDG_RUNTIME_DIR: join(folder, 'open'),
      XDG_STATE_HOME: join(folder, 'other-state'),
    });
    expect(code).toBe(69);
    expect(err).toMatch(/^E_DAEMON_START_FAILED: .*it said: E_\w+: .*open\/agtmux/);
  }, 60_000);

  it('writes nothing through a state folder that is a link, and still says why', async () => {
    const theirs = join(folder, 'theirs');
    mkdirSync(theirs);
    mkdirSync(join(folder, 'linked-state'));
    symlinkSync(theirs, join(folder, 'linked-state', 'agtmux'));
    mkdirSync(join(folder, 'linked-run'), { mode: 0o700 });
    const { code, err } = await agtmux(['list', 'panes'], {
      XDG_RUNTIME_DIR: join(folder, 'linked-run'),
      XDG_STATE_HOME: join(folder, 'linked-state'),
    });
    expect(code).toBe(69);
    expect(err).toMatch(/^E_DAEMON_START_FAILED: .*linked-state\/agtmux/);
    expect(readdirSync(theirs)).toEqual([]);
  }, 60_000);

  it('brings back a killed daemon while `watch` follows it, and not a stopped one', async () => {
    const pidOf = async (): Promise<number> =>
      JSON.parse((await agtmux(['daemon', 'status', '--json'])).out).pid;
    const watch = spawn(process.execPath, [...builtProgram, 'watch', '--json'], { env });
    onTestFinished(() => {
      watch.kill('SIGKILL');
    });
    let out = '';
    watch.stdout.setEncoding('utf8').on('data', (text) => {
      out += text;
    });
    const links = () => out.split('"link_changed"').length - 1;
    await until('the first state', async () => out.includes('"summary_changed"'));
    const before = await pidOf();
    process.kill(before, 'SIGKILL');
    await until('it is back', async () => links() === 2);
    expect(await pidOf()).not.toBe(before);
    await agtmux(['daemon', 'stop']);
    await until('it is lost', async () => links() === 3);
    expect((await agtmux(['daemon', 'status'])).code).toBe(3);
    await agtmux(['daemon', 'start']);
  }, 60_000);

  it('ends the daemon by `daemon stop`, and waits until it is gone', async () => {
    const { pid } = JSON.parse((await agtmux(['daemon', 'status', '--json'])).out);
    expect(await agtmux(['daemon', 'stop'])).toMatchObject({
      code: 0,
      out: `Stopped (pid ${pid}).\n`,
    });
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect((await agtmux(['daemon', 'status'])).code).toBe(3);
    expect((await agtmux(['tmux-status'])).out).toBe('\n');
  }, 60_000);
});
