// MCP over HTTP under the web service: the official client in both eras, a real daemon and real
// panes; who is let in, what a token may call, and what is bounded.

import { request as httpRequest } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DaemonClient } from '../../src/client/client.ts';
import { remoteTools } from '../../src/mcp/mcp-server.ts';
import { fakeAgent, type LivePane } from '../daemon-live/live-agents.ts';
import { LiveDaemon } from '../daemon-live/live-daemon.ts';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { type Era, eras } from './mcp-host.ts';

const WAIT_MS = 20_000;
const TOKEN = 'a-token-of-the-test';
const modes = { legacy: 'legacy', modern: { pin: '2026-07-28' } } as const;

type Facts = Record<string, unknown>;

describe.skipIf(isTmuxMissing)('MCP over HTTP', () => {
  let live: LiveDaemon;
  let opener: DaemonClient;
  let url: string;
  let readToken: string;
  let claude: LivePane;

  async function open(token: string, era: Era): Promise<Client & AsyncDisposable> {
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${token}` } },
    });
    const client = new Client(
      { name: 'test-host', version: '1.0.0' },
      { versionNegotiation: { mode: modes[era] } },
    );
    await client.connect(transport);
    return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
  }

  const call = async (client: Client, name: string, args: Facts = {}, options: object = {}) => {
    const result = await client.callTool({ name, arguments: args }, options);
    const [content] = result.content as { text: string }[];
    return {
      ...{ text: content?.text ?? '', isError: result.isError === true },
      data: (result.structuredContent ?? {}) as Facts,
    };
  };

  /** A request by hand: its status and body. */
  const post = (
    body: string,
    headers: Readonly<Record<string, string>>,
    method = 'POST',
  ): Promise<{ readonly status: number; readonly text: string }> =>
    new Promise((resolve, reject) => {
      const all = { 'Content-Type': 'application/json', ...headers };
      const sent = httpRequest(`${url}/mcp`, { method, headers: all }, (response) => {
        let text = '';
        response.on('data', (bytes) => {
          text += bytes;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      sent.on('error', reject);
      sent.end(body);
    });

  beforeAll(async () => {
    live = new LiveDaemon();
    claude = fakeAgent(live.tmux, 'claude', 'one');
    claude.show('claude/104-running');
    await live.start();
    opener = await live.client();
    url = (await opener.call('open_web', { port: 0, auth_token: TOKEN })).url;
    readToken = (await opener.call('create_web_token', { name: 'wall', scope: 'read' })).token;
  });
  afterAll(() => live?.[Symbol.asyncDispose]());

  test.each(eras)('a token for acting has every tool of somebody elsewhere (%s)', async (era) => {
    await using client = await open(TOKEN, era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(remoteTools.map(({ name }) => name));
    expect(tools.map(({ name }) => name)).not.toContain('spawn_agent');
    const self = await call(client, 'whoami');
    // Whoever has a token is a person, and never the agent that may run the client.
    expect(self.data['you']).toMatch(/^operator:/);
    const found = await eventually(
      async () => {
        const { data, text } = await call(client, 'list_agents');
        expect(JSON.parse(text)).toEqual(data);
        return (data['agents'] as Facts[]).find((each) => each['pane_id'] === claude.paneId);
      },
      'the agent is listed',
      WAIT_MS,
    );
    expect(found).toMatchObject({ name: 'claude' });
    expect(found).not.toHaveProperty('is_you');
    const sent = await call(client, 'send_message', { to: [claude.paneId], message: 'hello' });
    expect(sent.data).toMatchObject({ outcome: 'accepted' });
    const wrong = await call(client, 'look', { ref: 'nosuchagent' });
    expect(wrong).toMatchObject({ isError: true });
    expect(wrong.text).toMatch(/^E_REF_NOT_FOUND/);
    const { resources } = await client.listResources();
    expect(resources.map((each) => each.uri)).toContain('agtmux://inbox');
    const { contents } = await client.readResource({ uri: 'agtmux://fleet' });
    expect(JSON.stringify(contents)).toContain(claude.paneId);
  });

  test.each(eras)(
    'a token for looking sees tools that look, and no other is run (%s)',
    async (era) => {
      await using client = await open(readToken, era);
      const { tools } = await client.listTools();
      expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
      expect((await call(client, 'list_agents')).isError).toBe(false);
      const before = (await opener.call('list_actions', { limit: 50 })).actions.length;
      const tried = await call(client, 'send_message', { to: [claude.paneId], message: 'x' }).catch(
        String,
      );
      expect(JSON.stringify(tried)).toMatch(/not found|disabled|E_NOT_PERMITTED/i);
      expect((await opener.call('list_actions', { limit: 50 })).actions).toHaveLength(before);
    },
  );

  test.each(eras)(
    'a wait reports progress, ends with the state, and is cancelled (%s)',
    async (era) => {
      await using client = await open(TOKEN, era);
      const ref = claude.paneId;
      claude.show('claude/104-running');
      await eventually(
        async () =>
          (await call(client, 'wait_for', { ref, states: ['running'], timeout_s: 1 })).data[
            'reached'
          ],
        'it works',
        WAIT_MS,
      );
      let progress = 0;
      const waiting = call(
        client,
        'wait_for',
        { ref, states: ['waiting_approval'] },
        {
          onprogress: () => {
            progress += 1;
            if (progress === 1) claude.show('claude/111-waiting_approval');
          },
        },
      );
      expect((await waiting).data).toMatchObject({ reached: true });
      expect(progress).toBeGreaterThan(0);
      const cancel = new AbortController();
      const cancelled = call(
        client,
        'wait_for',
        { ref, states: ['error'] },
        { signal: cancel.signal },
      );
      const ended = expect(cancelled).rejects.toThrow();
      cancel.abort();
      await ended;
      expect((await call(client, 'list_agents')).isError).toBe(false);
    },
  );

  test('nobody gets in without a token, from another page, or by another name', async () => {
    const listing = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const authorization = `Bearer ${TOKEN}`;
    expect((await post(listing, {})).status).toBe(401);
    expect((await post(listing, { authorization: 'Bearer wrong' })).status).toBe(401);
    const page = { authorization, origin: 'https://evil.example' };
    expect((await post(listing, page)).status).toBe(403);
    const rebound = { authorization, host: 'evil.example' };
    expect((await post(listing, rebound)).status).toBe(403);
  });

  test('what is too large, no JSON or no MCP is refused, and the next is served', async () => {
    const authorization = `Bearer ${TOKEN}`;
    const accept = 'application/json, text/event-stream';
    expect((await post(`"${'x'.repeat(1_100_000)}"`, { authorization })).status).toBe(413);
    expect((await post('{', { authorization })).status).toBe(400);
    const plain = { authorization, 'Content-Type': 'text/plain' };
    expect((await post('{}', plain)).status).toBe(415);
    for (const body of [
      'null',
      '[]',
      '7',
      '{"jsonrpc":"2.0"}',
      '{"jsonrpc":"2.0","id":1,"method":5}',
    ]) {
      const { status } = await post(body, { authorization, accept });
      expect([body, status]).toEqual([body, 400]);
    }
    for (const method of ['GET', 'DELETE', 'PUT']) {
      expect((await post('', { authorization, accept }, method)).status).toBe(405);
    }
    await using client = await open(TOKEN, 'legacy');
    expect((await call(client, 'help')).isError).toBe(false);
  });

  test('requests beyond the most at once are refused, and room comes back', async () => {
    const ending = new AbortController();
    // A cancel of the older era is a request of its own, which has no room here.
    await using client = await open(TOKEN, 'modern');
    const ref = claude.paneId;
    const waits = Array.from({ length: 40 }, () =>
      call(client, 'wait_for', { ref, states: ['error'] }, { signal: ending.signal }).catch(String),
    );
    const authorization = `Bearer ${TOKEN}`;
    const accept = 'application/json, text/event-stream';
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    await eventually(
      async () => (await post(body, { authorization, accept })).status === 503,
      'there is no room',
      WAIT_MS,
    );
    ending.abort();
    await Promise.all(waits);
    await eventually(
      async () => (await post(body, { authorization, accept })).status === 200,
      'there is room again',
      WAIT_MS,
    );
  });
});
