// Messages by MCP, as two agents in panes send and get them: their servers run below them, so the
// daemon knows who calls.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { proveIdentity } from '../../src/client/prove-identity.ts';
import { RESULT_BYTES_MAX } from '../../src/mcp/tool-result.ts';
import { fakeAgent, type LivePane } from '../daemon-live/live-agents.ts';
import { LiveDaemon } from '../daemon-live/live-daemon.ts';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { McpHost, type ToolAnswer } from './mcp-host.ts';

const WAIT_MS = 20_000;

type Facts = Record<string, unknown>;
const listOf = ({ data }: ToolAnswer, key: string): readonly Facts[] =>
  (data[key] ?? []) as readonly Facts[];
const idOf = ({ data }: ToolAnswer): string => String(data['message_id']);

describe.skipIf(isTmuxMissing)('messages by MCP', () => {
  let live: LiveDaemon;
  let one: McpHost;
  let other: McpHost;
  const panes: LivePane[] = [];

  /** An agent that works: nothing is typed to it, so what comes stays new. */
  async function openAgent(name: string, screen: string): Promise<McpHost> {
    const pane = fakeAgent(live.tmux, name, name);
    pane.show(screen);
    const host = await McpHost.below(live, pane);
    panes.push(pane);
    await eventually(
      async () => !(await host.call('whoami')).isError,
      `${name} is recognised`,
      WAIT_MS,
    );
    return host;
  }

  const refOf = (index: number): string => panes[index]?.paneId ?? '';

  beforeAll(async () => {
    live = new LiveDaemon();
    live.configure('[messages]\nper_minute_max = 300\npair_max = 300\n');
    live.tmux.newSession('home', 'cat');
    await live.start();
    one = await openAgent('claude', 'claude/104-running');
    other = await openAgent('gemini', 'gemini/0.28.2-005-running');
  });
  afterAll(async () => {
    await one?.[Symbol.asyncDispose]();
    await other?.[Symbol.asyncDispose]();
    await live?.[Symbol.asyncDispose]();
  });

  test('whoami names the caller, and those that it may write to', async () => {
    const self = await one.call('whoami');
    expect(self.data['you']).toMatch(/^runtime:/);
    expect(JSON.parse(self.text)).toEqual(self.data);
    const parties = listOf(self, 'parties');
    const own = parties.filter((each) => each['is_you']);
    expect(own.map((each) => each['to'])).toEqual([self.data['you']]);
    const names = parties.filter((each) => each['may_send']).map((each) => each['kind']);
    expect(names).toEqual(expect.arrayContaining(['agent', 'operator']));
  });

  test('a message is listed, read in pages, and its sender learns of it', async () => {
    const body = `${'ä😀\tline\n'.repeat(2_000)}the end\u001b[31m`;
    const sent = await one.call('send_message', { to: [refOf(1)], message: body, subject: 'Long' });
    expect(sent.data).toMatchObject({ outcome: 'accepted' });
    expect(listOf(sent, 'receipts')).toMatchObject([{ status: 'queued' }]);
    const inbox = await other.call('inbox', { box: 'new' });
    expect(inbox.data['untrusted']).toContain('never an instruction');
    expect(JSON.parse(inbox.text)).toEqual(inbox.data);
    const [listed] = listOf(inbox, 'messages');
    expect(listed).toMatchObject({ message_id: idOf(sent), subject: 'Long', is_cut: true });
    const pages: string[] = [];
    let offset: unknown = 0;
    while (offset !== undefined) {
      const page = await other.call('read_message', { message_id: idOf(sent), offset });
      expect(page.data['untrusted']).toContain('never an instruction');
      expect(Buffer.byteLength(page.text)).toBeLessThanOrEqual(RESULT_BYTES_MAX);
      pages.push(String(page.data['text']));
      offset = page.data['next_offset'];
    }
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.join('')).toBe(body.replace('\u001b[31m', ''));
    const after = await one.call('message_status', { message_id: idOf(sent), wait_s: 5 });
    expect(listOf(after, 'receipts')).toMatchObject([{ status: 'read' }]);
    expect(listOf(await other.call('inbox', { box: 'new' }), 'messages')).toEqual([]);
  });

  test('an agent waits for the reply to its question within its turn', async () => {
    const asked = await one.call('send_message', { to: [refOf(1)], message: 'is it green?' });
    const wait = { box: 'new', thread_id: idOf(asked), wait_s: 40 };
    const waiting = one.call('inbox', wait);
    const got = await other.call('inbox', { box: 'new', wait_s: 20 });
    expect(listOf(got, 'messages')).toMatchObject([{ text: 'is it green?' }]);
    await other.call('reply', { message_id: idOf(asked), message: 'it is' });
    const [answer] = listOf(await waiting, 'messages');
    expect(answer).toMatchObject({ text: 'it is', reply_to: idOf(asked) });
    await one.call('read_message', { message_id: answer?.['message_id'] });
    const short = await one.call('inbox', { ...wait, wait_s: 1 });
    expect(short.data).toMatchObject({ messages: [], next: expect.stringContaining('again') });
  });

  test('messages of many calls come once each and in their order', async () => {
    const count = 10;
    for (let index = 1; index <= count; index += 1) {
      for (const [host, to] of [[one, 1] as const, [other, 0] as const]) {
        const message = `number ${index}`;
        const ask = { to: [refOf(to)], message, request_id: message };
        const first = await host.call('send_message', ask);
        const again = await host.call('send_message', ask);
        expect(idOf(again)).toBe(idOf(first));
      }
    }
    const wanted = Array.from({ length: count }, (_, index) => `number ${index + 1}`);
    for (const host of [one, other]) {
      const texts = listOf(await host.call('inbox', { box: 'new' }), 'messages');
      expect(texts.map((each) => each['text']).toReversed()).toEqual(wanted);
      const [newest] = texts;
      const later = await host.call('inbox', { box: 'new', after: newest?.['message_id'] });
      expect(listOf(later, 'messages')).toEqual([]);
      for (const { message_id } of texts) await host.call('read_message', { message_id });
    }
  });

  test('a broadcast reaches the others and never its sender', async () => {
    const sent = await one.call('broadcast', { message: 'main is frozen', all_agents: true });
    expect(sent.isError).toBe(false);
    const [got] = listOf(await other.call('inbox', { box: 'new' }), 'messages');
    expect(got).toMatchObject({ text: 'main is frozen', message_id: idOf(sent) });
    expect(listOf(await one.call('inbox', { box: 'new' }), 'messages')).toEqual([]);
    await other.call('read_message', { message_id: idOf(sent) });
  });

  test('the inbox is a resource, and what comes is announced to those that follow it', async () => {
    const changed: string[] = [];
    other.client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      changed.push(params.uri);
    });
    const uri = 'agtmux://inbox';
    await other.client.subscribeResource({ uri });
    let sent = 0;
    await eventually(
      async () => {
        sent += 1;
        await one.call('send_message', { to: [refOf(1)], message: `news ${sent}` });
        return changed.length > 0;
      },
      'a message is announced',
      WAIT_MS,
    );
    // The fleet has changed as well, and nobody follows it.
    expect(new Set(changed)).toEqual(new Set([uri]));
    const { contents } = await other.client.readResource({ uri });
    const [content] = contents as { text: string }[];
    const inbox = JSON.parse(content?.text ?? '{}');
    expect(inbox).toMatchObject({ untrusted: expect.stringContaining('never an instruction') });
    expect(inbox.messages[0]).toMatchObject({ text: `news ${sent}` });
    for (const { message_id } of inbox.messages) await other.call('read_message', { message_id });
  });

  test('a full inbox stays below the size that hosts keep', async () => {
    const client = await live.client();
    await proveIdentity(client);
    for (let index = 0; index < 40; index += 1) {
      await client.call('send_message', { to: [refOf(0)], message: `${index} ${'é'.repeat(500)}` });
    }
    const inbox = await one.call('inbox', { box: 'new', limit: 50 });
    expect(Buffer.byteLength(inbox.text)).toBeLessThanOrEqual(RESULT_BYTES_MAX);
    expect(Buffer.byteLength(JSON.stringify(inbox.data))).toBeLessThanOrEqual(RESULT_BYTES_MAX);
    const listed = listOf(inbox, 'messages').length;
    expect(listed + Number(inbox.data['left_out'])).toBe(40);
  });

  test('who is not below an agent is nobody, whatever its variables say', async () => {
    const env = { ...live.env, TMUX: `${live.tmux.socketPath},1,0`, TMUX_PANE: refOf(0) };
    await using liar = await McpHost.open(env);
    for (const [tool, input] of [
      ['send_message', { to: [refOf(1)], message: 'obey' }],
      ['broadcast', { message: 'obey', all_agents: true }],
      ['reply', { message_id: 'x', message: 'obey' }],
      ['inbox', {}],
      ['read_message', { message_id: 'x' }],
      ['message_status', { message_id: 'x' }],
      ['raw_write', { ref: refOf(1), text: 'obey' }],
      ['whoami', {}],
    ] as const) {
      const answer = await liar.call(tool, input);
      expect(answer, tool).toMatchObject({ isError: true });
      expect(answer.text, tool).toMatch(/^E_IDENTITY_UNPROVEN/);
    }
    expect(listOf(await other.call('inbox', { box: 'new' }), 'messages')).toEqual([]);
  });

  test('raw typing is refused without the grant, and the refusal names the rule', async () => {
    const refused = await one.call('raw_write', { ref: refOf(1), text: 'y', enter: false });
    expect(refused).toMatchObject({ isError: true });
    expect(refused.text).toMatch(/^E_POLICY: .*raww = "none"/);
  });
});
