// ACP members in a real daemon, by the command line: the same states, requests, messages and logs
// as agents in panes. The agent is built with the SDK.

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DaemonClient } from '../../src/client/client.ts';
import type { PaneItem } from '../../src/schema/api/panes.ts';
import type { AcpMemberItem } from '../../src/schema/relay/acp-api.ts';
import { builtProgram } from '../built-program.ts';
import { LiveDaemon, wordOf } from '../daemon-live/live-daemon.ts';
import { eventually, isAlive, isTmuxMissing } from '../live/tmux-server.ts';

const fakeAgent = join(import.meta.dirname, 'fake-agent.mjs');
const WAIT_MS = 30_000;

describe.skipIf(isTmuxMissing)('ACP members', () => {
  let live: LiveDaemon;
  let client: DaemonClient;
  let sessions: string;

  beforeAll(async () => {
    live = new LiveDaemon();
    sessions = join(live.folder, 'sessions');
    mkdirSync(sessions);
    live.tmux.newSession('work');
    await live.start();
    client = await live.client();
  });
  afterAll(() => live?.[Symbol.asyncDispose]());

  const start = async (name: string, ...flags: readonly string[]) => {
    const own = ['--name', name, '--cwd', live.folder, '--env', `ACP_SESSIONS=${sessions}`];
    const command = [process.execPath, fakeAgent, ...flags];
    return live.cli('acp', 'start', 'fake', ...own, '--', ...command);
  };
  const memberOf = async (name: string): Promise<AcpMemberItem> => {
    const { members } = await client.call('list_acp_members', {});
    const found = members.find((each) => each.name === name);
    if (!found) throw new Error(`no member ${name}`);
    return found;
  };
  const paneOf = async (name: string): Promise<PaneItem | null> => {
    const { panes } = await client.call('list_panes', {});
    return panes.find(({ pane_key }) => pane_key === `local|acp|${name}`) ?? null;
  };
  const until = (name: string, word: string): Promise<PaneItem> => {
    let last = 'not listed';
    return eventually(
      async () => {
        const pane = await paneOf(name);
        last = pane === null ? 'not listed' : wordOf(pane);
        return last === word && pane;
      },
      `${name} is ${word}`,
      WAIT_MS,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}; it is ${last}`);
    });
  };
  const requestOf = (name: string) =>
    eventually(async () => {
      const { requests } = await client.call('list_requests', {});
      return requests.find(({ pane }) => pane.pane_key === `local|acp|${name}`);
    }, `${name} asks`);

  test('one is started, prompted, seen and read like an agent in a pane', async () => {
    const started = await start('one');
    expect(started).toMatchObject({ code: 0, out: 'acp:one ready\n' });
    const pane = await until('one', 'idle');
    expect(pane).toMatchObject({ alias: 'acp:one', agent: 'fake', current_path: live.folder });
    expect(pane.evidence).toMatchObject({ mode: 'deterministic', source: 'acp' });
    expect((await live.cli('list')).out).toContain('acp:one');
    expect(await live.cli('acp', 'prompt', 'one', 'hello')).toMatchObject({ code: 0 });
    const done = await until('one', 'completed');
    expect(done.activity).toMatchObject({ prompt: 'hello', message: 'you said hello' });
    expect(done.attention.kinds).toEqual(['completion']);
    expect((await live.cli('view-output', 'acp:one')).out).toContain('you said hello');
    const log = await live.cli('log', 'acp:one', '--json');
    const entries = log.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).entry);
    expect(entries.map(({ kind }) => kind)).toEqual(['turn', 'prompt', 'thinking', 'text', 'turn']);
    expect(entries[3].text).toBe('you said hello');
    expect((await live.cli('send', 'acp:one', '--text', 'again')).code).toBe(0);
    expect((await live.cli('wait', 'acp:one', '--for', 'completed')).code).toBe(0);
    const history = await live.cli('history', 'acp:one');
    expect(history.out).toMatch(/running[\s\S]*completed/);
  });

  test('permissions are in the inbox, and answered there by meaning or by label', async () => {
    await start('asks');
    for (const [command, outcome] of [
      [['approve', 'acp:asks'], 'yes'],
      [['deny', 'acp:asks'], 'no'],
      [['answer', 'acp:asks', '--option', 'Always'], 'ever'],
    ] as const) {
      await live.cli('acp', 'prompt', 'asks', 'approve');
      const request = await requestOf('asks');
      expect(request).toMatchObject({ kind: 'approval', detail: { command: 'ls' } });
      expect(request.detail?.options?.map(({ label }) => label)).toContain('Allow once');
      expect((await paneOf('asks'))?.state).toBe('waiting_approval');
      const answered = await live.cli(...command, '--request', request.request_id);
      expect(answered, answered.err).toMatchObject({ code: 0 });
      const pane = await until('asks', 'completed');
      expect(pane.activity.message).toBe(outcome);
      expect(pane.attention.requests.map(({ kind }) => kind)).toEqual(['completion']);
      const input = { ref: 'acp:asks', request_id: request.request_id, choice: { role: 'deny' } };
      const late = client.call('choose', input as never).catch((error: { code: string }) => error);
      expect(await late).toMatchObject({ code: 'E_NO_DIALOG' });
    }
  });

  test('a cancel, an error and a missing login are what they are', async () => {
    await start('moods');
    await live.cli('acp', 'prompt', 'moods', 'wait');
    await until('moods', 'running');
    expect((await live.cli('acp', 'prompt', 'moods', 'more')).code).toBe(75);
    expect((await live.cli('acp', 'cancel', 'moods')).code).toBe(0);
    await until('moods', 'idle/interrupted');
    await live.cli('acp', 'prompt', 'moods', 'error');
    await until('moods', 'error/usage_limit');
    await live.cli('acp', 'prompt', 'moods', 'login');
    await until('moods', 'error/auth_required');
    await live.cli('acp', 'prompt', 'moods', 'refuse');
    await until('moods', 'error/api_error');
    // Nobody knows what a new stop reason means: it rests, and did not say that it is done.
    await live.cli('acp', 'prompt', 'moods', 'odd');
    await until('moods', 'idle/interrupted');
    expect((await start('login', '--auth')).out).toMatch(/^acp:login auth_required: .*key\n$/);
    await until('login', 'waiting_input/auth_required');
    // Started anew, as after a login elsewhere: the end of the first is not that of the next.
    const { pid } = await memberOf('login');
    expect((await start('login')).out).toBe('acp:login ready\n');
    await eventually(() => pid !== null && !isAlive(pid), 'the first one is gone', WAIT_MS);
    await live.cli('acp', 'prompt', 'login', 'hello');
    await until('login', 'completed');
  });

  test('one that dies in a turn is a crash, then starts again and is interrupted', async () => {
    await start('dies');
    const { session_id: session } = await memberOf('dies');
    const crash = until('dies', 'error/crashed');
    await live.cli('acp', 'prompt', 'dies', 'die');
    await crash;
    await until('dies', 'idle/interrupted');
    expect((await memberOf('dies')).session_id).toBe(session);
    expect((await paneOf('dies'))?.alias).toBe('acp:dies');
  });

  test('a message is a prompt of its own when the member rests', async () => {
    await start('mail');
    await live.cli('acp', 'prompt', 'mail', 'wait');
    await until('mail', 'running');
    const sent = await live.cli('msg', 'send', 'acp:mail', '-m', 'look at this');
    expect(sent, sent.err).toMatchObject({ code: 0 });
    await live.cli('acp', 'cancel', 'mail');
    await until('mail', 'completed');
    const prompts = readFileSync(join(sessions, 'prompts.jsonl'), 'utf8');
    expect(prompts).toContain('look at this');
    const queued = await live.cli('send', 'acp:mail', '--text', 'hello', '--when-idle');
    expect(queued, queued.err).toMatchObject({ code: 0 });
    await eventually(async () => {
      return (await paneOf('mail'))?.activity.message === 'you said hello';
    }, 'the queued prompt came');
  });

  test('it gets our tools with its session, and is known by its process', async () => {
    await start('tools');
    const { pane_key } = await memberOf('tools');
    await live.cli('acp', 'prompt', 'tools', 'write');
    const pane = await until('tools', 'completed');
    expect(pane.pane_key).toBe(pane_key);
    expect(pane.activity.message).toMatch(/^0 /);
    const prompts = () => readFileSync(join(sessions, 'prompts.jsonl'), 'utf8');
    await eventually(() => prompts().includes('from a colleague'), 'the message came');
    expect(prompts()).toContain(`runtime:${pane.runtime_id}`);
  });

  test('its MCP server speaks for it, without a variable that says so', async () => {
    await start('host');
    await live.cli('acp', 'prompt', 'host', 'whoami');
    const pane = await until('host', 'completed');
    const said = await live.cli('log', 'acp:host');
    expect(said.out).toContain(`"you":"runtime:${pane.runtime_id}"`);
  });

  test('a chat shows what it says, and takes answers by their numbers', async () => {
    await start('chat');
    const child = spawn(process.execPath, [...builtProgram, 'acp', 'attach', 'chat'], {
      env: live.env,
    });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    await eventually(() => out.includes('Ctrl-D leaves'), 'the chat is open');
    child.stdin.write('approve\n');
    await eventually(() => out.includes('3. Reject'), 'it shows the request');
    child.stdin.end('3\n');
    await new Promise((resolve) => child.once('exit', resolve));
    expect(out).toContain('? run ls\n  1. Allow once\n  2. Always allow\n  3. Reject\n');
    expect(out).toContain('● run ls (failed)\nno\n');
    expect(child.exitCode).toBe(0);
    expect((await memberOf('chat')).status).toBe('ready');
  });

  test('silent, endless and deaf ones keep nobody waiting, and end when stopped', async () => {
    await start('calm');
    const silent = start('silent', '--silent', '--ignores-signals');
    await start('endless');
    await start('deaf', '--ignores-signals');
    await live.cli('acp', 'prompt', 'endless', 'endless');
    await live.cli('acp', 'prompt', 'deaf', 'deaf');
    await until('endless', 'running');
    await until('deaf', 'running');
    await live.cli('acp', 'prompt', 'calm', 'hello');
    await until('calm', 'completed');
    const pids = await Promise.all(
      ['endless', 'deaf', 'silent'].map(async (name) => (await memberOf(name)).pid ?? 0),
    );
    for (const name of ['endless', 'deaf', 'silent']) {
      expect((await live.cli('acp', 'stop', name, '--forget')).code).toBe(0);
      expect(await paneOf(name)).toBeNull();
    }
    expect(pids.filter((pid) => pid > 0 && isAlive(pid))).toEqual([]);
    await silent;
  });

  test('a restart of the daemon interrupts a turn and goes on with the session', async () => {
    await start('lives');
    await live.cli('acp', 'prompt', 'lives', 'hello');
    await until('lives', 'completed');
    await live.cli('acp', 'prompt', 'lives', 'wait');
    await until('lives', 'running');
    const { session_id: session, pid } = await memberOf('lives');
    await live.cli('acp', 'stop', 'one');
    const [daemon] = live.processes().filter(({ command }) => command.includes('daemon run'));
    await live.kill(daemon?.pid ?? 0, 'SIGKILL');
    await live.ended(pid ?? 0);
    await live.start();
    client = await live.client();
    await until('lives', 'idle/interrupted');
    expect(await memberOf('lives')).toMatchObject({ session_id: session, status: 'ready' });
    const log = await live.cli('log', 'acp:lives');
    expect(log.out).toContain('you said hello');
    expect(await memberOf('one')).toMatchObject({ status: 'stopped' });
    expect(await paneOf('one')).toBeNull();
    const again = await live.cli('acp', 'start', 'fake', '--name', 'one');
    expect(again.out).toBe('acp:one ready\n');
  });

  test('a session of Gemini CLI is not loaded in its first minute after a restart', async () => {
    const minute = (): number => Math.floor(Date.now() / 60_000);
    const env = ['--cwd', live.folder, '--env', `ACP_SESSIONS=${sessions}`];
    const beganIn = minute();
    const command = [process.execPath, fakeAgent];
    await live.cli('acp', 'start', 'gemini', '--name', 'early', ...env, '--', ...command);
    const { session_id: session } = await memberOf('early');
    const [daemon] = live.processes().filter((each) => each.command.includes('daemon run'));
    await live.kill(daemon?.pid ?? 0, 'SIGKILL');
    await live.start();
    client = await live.client();
    const early = await eventually(async () => {
      const member = await memberOf('early');
      return member.status !== 'stopped' && member;
    }, 'it is started again');
    expect(early.session_id).toBe(session);
    // On a slow machine the minute may be over by now.
    const detail = 'its session began a moment ago';
    const isFresh = minute() === beganIn;
    expect(isFresh ? early : { status: 'waiting', detail }).toMatchObject({
      status: 'waiting',
      detail,
    });
  });
});
