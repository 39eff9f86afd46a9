// resume: an agent that ended goes on with its session, after the end of its pane, of the daemon
// and of the tmux server; nothing in a name, a folder or an id becomes a command.

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DaemonClient } from '../../src/client/client.ts';
import { LiveDaemon } from '../daemon-live/live-daemon.ts';
import { eventually } from '../live/tmux-server.ts';
import { ResumableClaude, sessionOf } from './resumable.ts';

const AGENT_MS = 30_000;

let live: LiveDaemon;
let client: DaemonClient;
let env: Record<string, string>;
let claude: ResumableClaude;
let daemonPid = 0;

beforeAll(async () => {
  live = new LiveDaemon();
  claude = new ResumableClaude(live.folder, live.env['HOME'] ?? '');
  env = { PATH: claude.path, SHELL: '/bin/sh' };
  live.tmux.newSession('home', 'cat');
  live.tmux.run('set-environment', '-g', 'HOME', live.env['HOME'] ?? '');
  daemonPid = await live.start();
  client = await live.client(90_000);
}, 60_000);
afterAll(() => live[Symbol.asyncDispose]());

const agentIn = async (paneId: string) => {
  const { panes } = await client.call('list_panes', {});
  const found = panes.find(
    ({ identity, presence }) => identity?.pane_id === paneId && presence === 'managed',
  );
  return found?.pid ? found : null;
};

/** tmux expands both as formats, and ends a command at a semicolon. */
const literal = (text: string): string => text.replaceAll('#', '##').replace(/;$/, '\\;');

/** An agent with this session in a pane of its own, which has a shell. */
async function startAgent(session: string, name = `s${session[0]}`, folder = live.folder) {
  const shell = "exec env PS1='$ ' bash --norc --noprofile";
  const place = ['-s', literal(name), '-c', literal(folder), '-x', '100', '-y', '30'];
  const print = ['-P', '-F', '#{pane_id}'];
  const ref = live.tmux.run('new-session', '-d', ...print, ...place, shell);
  live.tmux.run('send-keys', '-t', ref, '-l', claude.line(session));
  live.tmux.run('send-keys', '-t', ref, 'Enter');
  const pane = await eventually(
    async () => {
      const found = await agentIn(ref);
      return found?.session_key === session ? found : null;
    },
    'the agent has named its session',
    AGENT_MS,
  );
  return { ref, pid: pane.pid ?? 0 };
}

const isListed = async (session: string): Promise<boolean> => {
  const { agents } = await client.call('list_ended_agents', {});
  return agents.some(({ session_key }) => session_key === session);
};

async function killAndList(pid: number, session: string): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await eventually(() => isListed(session), 'it is listed as ended', AGENT_MS);
}

const resume = (...args: readonly string[]) => live.cliWith(env, 'resume', ...args);
const paneIn = (out: string): string => /(%\d+)/.exec(out)?.[1] ?? '';

describe('an agent that ended', () => {
  it('goes on with its session in a new window of its folder, by its pane', async () => {
    const session = sessionOf('a');
    const { ref, pid } = await startAgent(session);
    await killAndList(pid, session);
    const { code, out, err } = await resume(ref);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^delivered: claude goes on in %\d+\n$/);
    const pane = paneIn(out);
    expect(pane).not.toBe(ref);
    expect(claude.starts().at(-1)).toEqual({ args: ['--resume', session], cwd: live.folder });
    expect(live.tmux.run('display-message', '-p', '-t', pane, '#{session_name}')).toBe('sa');
    expect(await agentIn(pane)).toMatchObject({ session_key: session });
    expect(await isListed(session)).toBe(false);
    const { actions } = await client.call('list_actions', { limit: 1 });
    expect(actions).toMatchObject([{ kind: 'resume', result: 'delivered' }]);
  });

  it('leaves a shell in that window when it ends again', async () => {
    const { panes } = await client.call('list_panes', {});
    const pane = panes.find(({ session_key }) => session_key === sessionOf('a'));
    const ref = pane?.identity?.pane_id ?? '';
    await client.call('kill', { ref, signal: 'KILL' });
    await eventually(async () => (await agentIn(ref)) === null, 'the agent has ended');
    expect(live.tmux.run('display-message', '-p', '-t', ref, '#{pane_dead}')).toBe('0');
  });

  it('is refused while its session is open', async () => {
    const session = sessionOf('b');
    const { ref } = await startAgent(session);
    const { code, err } = await resume(ref);
    expect([code, err]).toEqual([75, expect.stringContaining('E_PRECONDITION_FAILED')]);
    const unknown = await resume(session);
    expect([unknown.code, unknown.err]).toEqual([66, expect.stringContaining('E_REF_NOT_FOUND')]);
  });

  it('takes words after -- as its own options, and none of its earlier life', async () => {
    const session = sessionOf('c');
    const { pid } = await startAgent(session);
    await killAndList(pid, session);
    const { code } = await resume(session, '--', '--permission-mode', 'plan; touch hit');
    expect(code).toBe(0);
    const words = ['--permission-mode', 'plan; touch hit', '--resume', session];
    expect(claude.starts().at(-1)?.args).toEqual(words);
  });

  it('is started in a folder and a session whose names hold commands, and runs none', async () => {
    const session = sessionOf('d');
    const name = `x'"$(touch hit)#(touch hit)`;
    const folder = join(live.folder, `a b'$(touch hit)#(touch hit)"\`;`);
    mkdirSync(folder);
    const { pid } = await startAgent(session, name, folder);
    await killAndList(pid, session);
    const { code, out } = await resume(session);
    expect([code, claude.starts().at(-1)?.cwd]).toEqual([0, folder]);
    const shown = live.tmux.run('display-message', '-p', '-t', paneIn(out), '#{session_name}');
    expect(shown).toBe(name);
    live.tmux.run('kill-session', '-t', `=${name}`);
    await eventually(() => isListed(session), 'it is listed as ended', AGENT_MS);
    // The session is made again, and its name is no format.
    expect((await resume(session)).code).toBe(0);
    expect(live.tmux.run('list-sessions', '-F', '#{session_name}').split('\n')).toContain(name);
  });

  it('with an id that the agent would not give out is listed with the reason', async () => {
    const session = '--dangerously-skip-permissions';
    const { pid } = await startAgent(session, 'evil');
    process.kill(pid, 'SIGKILL');
    await eventually(() => isListed(session), 'it is listed as ended', AGENT_MS);
    const before = claude.starts().length;
    const { agents } = await client.call('list_ended_agents', {});
    const found = agents.find(({ session_key }) => session_key === session);
    expect(found?.blocker).toContain('is no id of a session');
    const { code, err } = await resume(found?.runtime_id ?? '');
    expect([code, err]).toEqual([75, expect.stringContaining('E_SESSION_UNKNOWN')]);
    expect(claude.starts()).toHaveLength(before);
  });
});

it('what cannot be started is said to be so, and is in the audit trail', async () => {
  const session = sessionOf('e');
  const folder = join(live.folder, 'removed');
  mkdirSync(folder);
  const { pid } = await startAgent(session, 'se', folder);
  await killAndList(pid, session);
  live.tmux.run('kill-session', '-t', '=se');
  rmdirSync(folder);
  const { code, err } = await resume(session);
  expect([code, err]).toEqual([69, expect.stringContaining('E_AGENT_START_FAILED')]);
  const { actions } = await client.call('list_actions', { limit: 1 });
  expect(actions).toMatchObject([{ result: 'refused', code: 'E_AGENT_START_FAILED' }]);
});

it.each(['in its session', 'where its session has ended'])(
  'a program that is not found is said to be missing at once, and makes no window %s',
  async (where) => {
    const session = sessionOf(where === 'in its session' ? '1' : '2');
    const { ref, pid } = await startAgent(session);
    await killAndList(pid, session);
    if (where !== 'in its session') live.tmux.run('kill-pane', '-t', ref);
    const bin = join(live.folder, `bare ${session[0]}`);
    mkdirSync(bin);
    const found = execFileSync('/bin/sh', ['-c', 'command -v tmux'], { encoding: 'utf8' }).trim();
    symlinkSync(found, join(bin, 'tmux'));
    const panes = () => live.tmux.run('list-panes', '-a', '-F', '#{pane_id}');
    const before = panes();
    const { code, err } = await live.cliWith({ ...env, PATH: bin }, 'resume', session);
    expect([code, err]).toEqual([69, expect.stringContaining('claude is in no folder of PATH')]);
    expect(panes()).toBe(before);
  },
);

it('an agent goes on after its tmux server and the daemon have ended', async () => {
  const session = sessionOf('f');
  await startAgent(session, 'last one');
  const before = live.tmux.serverPid();
  await live.kill(daemonPid, 'SIGKILL');
  live.tmux.killServer();
  await eventually(() => !isServing(), 'the tmux server has ended');
  const { code, out, err } = await resume('--last');
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^delivered: /);
  expect(live.tmux.serverPid()).not.toBe(before);
  expect(claude.starts().at(-1)).toEqual({ args: ['--resume', session], cwd: live.folder });
  const shown = live.tmux.run('list-sessions', '-F', '#{session_name}');
  expect(shown).toBe('last one');
}, 120_000);

function isServing(): boolean {
  try {
    live.tmux.run('-N', 'list-sessions');
    return true;
  } catch {
    return false;
  }
}
