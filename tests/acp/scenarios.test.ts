// The scenarios of agentmux about ACP members, by the command line of a real daemon: what an agent
// is sent when it starts, what messages do to its turns, and what is left when it ends.

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DaemonClient } from '../../src/client/client.ts';
import { proveIdentity } from '../../src/client/prove-identity.ts';
import { LiveDaemon } from '../daemon-live/live-daemon.ts';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';

const fakeAgent = join(import.meta.dirname, 'fake-agent.mjs');
const WAIT_MS = 30_000;

describe.skipIf(isTmuxMissing)('an ACP member', () => {
  let live: LiveDaemon;
  let client: DaemonClient;

  beforeAll(async () => {
    live = new LiveDaemon();
    live.tmux.newSession('work');
    await live.start();
    client = await live.client(WAIT_MS);
    await proveIdentity(client);
  });
  afterAll(() => live?.[Symbol.asyncDispose]());

  const folderOf = (name: string): string => join(live.folder, name);
  const linesOf = (name: string, file: string): readonly Record<string, unknown>[] => {
    const path = join(folderOf(name), file);
    if (!existsSync(path)) return [];
    return readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  const promptsOf = (name: string) => linesOf(name, 'prompts.jsonl');
  const start = async (name: string, ...flags: readonly string[]): Promise<void> => {
    mkdirSync(folderOf(name), { recursive: true });
    const own = ['--name', name, '--cwd', live.folder, '--env', `ACP_SESSIONS=${folderOf(name)}`];
    const command = [process.execPath, fakeAgent, ...flags];
    const started = await live.cli('acp', 'start', 'fake', ...own, '--', ...command);
    expect(started.out, started.err).toBe(`acp:${name} ready\n`);
  };
  const memberOf = async (name: string) => {
    const { members } = await client.call('list_acp_members', {});
    return members.find((each) => each.name === name);
  };
  const stateOf = async (name: string) => {
    const { panes } = await client.call('list_panes', {});
    return panes.find(({ pane_key }) => pane_key === `local|acp|${name}`)?.state;
  };
  const send = async (name: string, ...words: readonly string[]) => {
    const sent = await live.cli('msg', 'send', `acp:${name}`, '--json', ...words);
    return { ...sent, reply: sent.out.startsWith('{') ? JSON.parse(sent.out) : null };
  };
  const receiptOf = async (message_id: string) =>
    (await client.call('message_status', { message_id })).message.receipts[0];

  test('is greeted with numbers and lists as ACP wants them, and keeps its session', async () => {
    await start('wire');
    const session = (await memberOf('wire'))?.session_id;
    await live.cli('acp', 'stop', 'wire');
    const again = await live.cli('acp', 'start', 'fake', '--name', 'wire');
    expect(again.out, again.err).toBe('acp:wire ready\n');
    const sent = linesOf('wire', 'params.jsonl');
    expect(sent.map(({ method }) => method)).toEqual(['initialize', 'new', 'initialize', 'load']);
    const greeting = {
      protocolVersion: 1,
      clientInfo: { name: 'agtmux', version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
    };
    expect(sent[0]?.['params']).toMatchObject(greeting);
    expect(sent[1]?.['params']).toMatchObject({
      cwd: live.folder,
      mcpServers: [{ name: 'agtmux', args: expect.any(Array), env: expect.any(Array) }],
    });
    expect(sent[3]?.['params']).toMatchObject({
      sessionId: session,
      mcpServers: [expect.anything()],
    });
    expect((await memberOf('wire'))?.session_id).toBe(session);
  });

  test('has a message as soon as its turn has begun, and the next one after it', async () => {
    await start('busy', '--plays=wait');
    const first = await send('busy', '--wait', '30s', '-m', 'first');
    expect(first.reply).toMatchObject({ status: 'success', mode: 'sync' });
    expect(await stateOf('busy')).toBe('running');
    const second = await send('busy', '-m', 'second');
    const { message_id } = second.reply.message;
    await eventually(
      async () => (await receiptOf(message_id))?.reason?.includes('turn'),
      'it waits for the turn',
      WAIT_MS,
    );
    expect(promptsOf('busy')).toHaveLength(1);
    await live.cli('acp', 'cancel', 'busy');
    await eventually(() => promptsOf('busy').length === 2, 'the second one came', WAIT_MS);
    const prompts = promptsOf('busy');
    expect(prompts.map(({ text }) => /first|second/.exec(String(text))?.[0])).toEqual([
      'first',
      'second',
    ]);
    // One process and one session for both.
    expect(new Set(prompts.map(({ sessionId }) => sessionId)).size).toBe(1);
  });

  test('that dies in the turn of a message is not sent it again', async () => {
    await start('dies', '--plays=die');
    const before = (await memberOf('dies'))?.restarts ?? 0;
    const sent = await send('dies', '--wait', '30s', '-m', 'fatal');
    expect(['delivered', 'unconfirmed']).toContain(sent.reply.message.receipts[0].status);
    await eventually(
      async () => {
        const member = await memberOf('dies');
        return member?.status === 'ready' && member.restarts > before;
      },
      'it runs again',
      WAIT_MS,
    );
    const next = await send('dies', '--wait', '30s', '-m', 'next');
    expect(next.code).toBe(0);
    const texts = () => promptsOf('dies').map(({ text }) => String(text));
    await eventually(() => texts().some((text) => text.includes('next')), 'it came', WAIT_MS);
    expect(texts().map((text) => /fatal|next/.exec(text)?.[0])).toEqual(['fatal', 'next']);
  });

  test('is looked at like a pane: in order, bounded, while it runs', async () => {
    await start('seen');
    for (const word of ['alpha', 'beta']) {
      await live.cli('acp', 'prompt', 'seen', word);
      expect((await live.cli('wait', 'acp:seen', '--for', 'completed')).code).toBe(0);
    }
    const look = await live.cli('look', 'acp:seen', '--json');
    const lines: readonly string[] = JSON.parse(look.out).lines;
    const at = (text: string) => lines.findIndex((line) => line.includes(text));
    expect(at('you said alpha')).toBeGreaterThanOrEqual(0);
    expect(at('you said beta')).toBeGreaterThan(at('you said alpha'));
    const last = await live.cli('look', 'acp:seen', '--lines', '1', '--json');
    expect(JSON.parse(last.out).lines).toHaveLength(1);
  });

  test('that has ended gets nothing, and what waited for it says so', async () => {
    await start('gone', '--plays=wait');
    await live.cli('acp', 'prompt', 'gone', 'work');
    await eventually(async () => (await stateOf('gone')) === 'running', 'it works', WAIT_MS);
    const { reply } = await send('gone', '-m', 'too late');
    await live.cli('acp', 'stop', 'gone', '--forget');
    await eventually(
      async () => (await receiptOf(reply.message.message_id))?.status === 'failed',
      'the message has failed',
      WAIT_MS,
    );
    expect(await receiptOf(reply.message.message_id)).toMatchObject({ code: 'E_RUNTIME_STALE' });
    expect(promptsOf('gone')).toHaveLength(1);
    expect((await send('gone', '-m', 'later')).code).toBe(66);
    expect((await live.cli('look', 'acp:gone')).code).toBe(66);
  });
});
