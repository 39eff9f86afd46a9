// Operations by JSON-RPC, on the WebSocket and as one HTTP request: what a token may call is
// decided by the operations. The inside of a daemon is real, without tmux. The cases that all doors
// share are in tests/api/doors.test.ts.

import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { Actor } from '../../src/operations/ports/operation.ts';
import { operationTable } from '../../src/operations/table.ts';
import { untilAborted } from '../../src/platform/until-aborted.ts';
import { serveRpc } from '../../src/servers/rpc-over-http.ts';
import { Inside } from '../api/fixture.ts';
import { eventually } from '../live/tmux-server.ts';
import { runtimeId } from '../scenario.ts';
import { ask, TOKEN, WebPeer, type WebReply } from './web-lab.ts';

type Fields = Readonly<Record<string, unknown>>;

interface OpenRpc {
  readonly inside: Inside;
  readonly url: string;
  readonly peerOf: (token: string) => Promise<WebPeer>;
  readonly readToken: string;
}

async function open(): Promise<OpenRpc> {
  const inside = await new Inside().serve();
  const client = await inside.connect();
  const { url } = await client.call('open_web', { port: 0, auth_token: TOKEN });
  const { token } = await client.call('create_web_token', { name: 'wall', scope: 'read' });
  const peerOf = async (secret: string): Promise<WebPeer> => {
    const peer = new WebPeer(new WebSocket(`${url.replace('http', 'ws')}/ws?token=${secret}`));
    onTestFinished(() => peer.socket.terminate());
    await peer.opened;
    return peer;
  };
  return { inside, url, peerOf, readToken: token };
}

let lastId = 0;

async function call(peer: WebPeer, method: string, params: object = {}): Promise<Fields> {
  lastId += 1;
  const id = lastId;
  peer.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  return peer.message((message) => message['id'] === id, `a reply to ${method}`);
}

const codeOf = ({ error }: Fields): unknown =>
  (error as { readonly data: { readonly code: string } } | undefined)?.data.code;

it('what a token may call is what its scope allows, for every operation', async () => {
  const { peerOf, readToken } = await open();
  const peers = { read: await peerOf(readToken), control: await peerOf(TOKEN) };
  for (const { name, scope } of operationTable) {
    for (const [held, peer] of Object.entries(peers)) {
      // A field that no operation has: what is permitted is refused for it, and nothing is done.
      const reply = await call(peer, name, { no_such_field: 1 });
      const isPermitted = scope === 'read' || scope === held;
      const code = isPermitted ? 'E_INPUT_INVALID' : 'E_NOT_PERMITTED';
      expect([name, held, codeOf(reply)]).toEqual([name, held, code]);
    }
  }
});

it('a token for looking stays one when its connection acts for an agent', async () => {
  const { inside, peerOf, readToken } = await open();
  inside.isInstallGranted = true;
  for (const [secret, isPermitted] of [
    [readToken, false],
    [TOKEN, true],
  ] as const) {
    const peer = await peerOf(secret);
    expect(await call(peer, 'agent_hello')).toHaveProperty('result');
    for (const method of ['send', 'kill', 'write_raw', 'send_message']) {
      const code = codeOf(await call(peer, method, { no_such_field: 1 }));
      const expected = isPermitted ? 'E_INPUT_INVALID' : 'E_NOT_PERMITTED';
      expect([method, code]).toEqual([method, expected]);
    }
    // No token reaches further than `control`, whatever agents were granted.
    expect(codeOf(await call(peer, 'hooks', { no_such_field: 1 }))).toBe('E_NOT_PERMITTED');
  }
});

it('both protocols share one connection', async () => {
  const { peerOf } = await open();
  const peer = await peerOf(TOKEN);
  expect(await peer.call('list-agents')).toHaveProperty('agents');
  expect(await call(peer, 'list_panes')).toMatchObject({ result: { schema_version: 1 } });
  // A prompt that speaks of it is no call.
  peer.socket.send(
    JSON.stringify({ id: 'p', type: 'send-prompt', agent: 'x', prompt: '"jsonrpc":"2.0"' }),
  );
  expect(await peer.message((message) => message['id'] === 'p', 'its reply')).toMatchObject({
    error: 'agent not found',
  });
});

it('a call can be given up, and more calls than there is room for are refused', async () => {
  const { inside, peerOf } = await open();
  const signals: AbortSignal[] = [];
  Object.assign(inside.ports.panes, {
    capture: (_pane: unknown, signal: AbortSignal) => {
      signals.push(signal);
      return untilAborted(new Promise<never>(() => {}), signal);
    },
  });
  const peer = await peerOf(TOKEN);
  const send = (fields: object): void =>
    peer.socket.send(JSON.stringify({ jsonrpc: '2.0', ...fields }));
  for (let id = 1_000; id < 1_064; id += 1) {
    send({ id, method: 'preview', params: { ref: '%0' } });
  }
  const refused = await call(peer, 'hello');
  expect(JSON.stringify(refused['error'])).toContain('64 calls already');
  send({ method: '$/cancelRequest', params: { id: 1_000 } });
  await peer.message(({ id }) => id === 1_000, 'what was given up is answered');
  expect(signals[0]?.aborted).toBe(true);
  expect(await call(peer, 'hello')).toHaveProperty('result');
});

const post = (url: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  ask(url, '/rpc', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${TOKEN}`,
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const replyIn = ({ text }: WebReply): Fields => JSON.parse(text) as Fields;

it('one call over HTTP is answered; streams, broken bodies and the like are refused', async () => {
  const { url, readToken } = await open();
  const hello = { jsonrpc: '2.0', id: 7, method: 'hello' };
  const reply = await post(url, hello);
  expect([reply.status, replyIn(reply)]).toMatchObject([200, { id: 7, result: { protocol: 1 } }]);
  type Refusal = readonly [Promise<WebReply>, number, string];
  const refusals: readonly Refusal[] = [
    [post(url, { ...hello, method: 'subscribe' }), 200, 'stays open'],
    [post(url, '{"jsonrpc"'), 200, 'not JSON'],
    [post(url, { jsonrpc: '2.0', method: 'hello' }), 200, 'has an id'],
    [post(url, 'x'.repeat(1024 * 1024 + 1)), 413, '1048576 bytes'],
    [post(url, hello, { 'Content-Type': 'text/plain' }), 415, 'application/json'],
    [post(url, hello, { Authorization: 'Bearer no' }), 401, 'unauthorized'],
    [post(url, hello, { 'Sec-Fetch-Site': 'cross-site' }), 403, 'may not ask'],
  ];
  for (const [refused, status, words] of refusals) {
    const { status: found, text } = await refused;
    expect([found, text.includes(words)]).toEqual([status, true]);
  }
  const snooze = { ...hello, method: 'snooze', params: { ref: '%0' } };
  const denied = await post(url, snooze, { Authorization: `Bearer ${readToken}` });
  expect(codeOf(replyIn(denied))).toBe('E_NOT_PERMITTED');
});

it('who does not read a long reply over HTTP does not keep its connection', async () => {
  const inside = await new Inside().serve();
  Object.assign(inside.ports.panes, {
    capture: async () => ({ ansi: 'x'.repeat(32 * 1024 * 1024) }),
  });
  const actor: Actor = { kind: 'user', id: 'test', scopes: ['read'] };
  const server = createServer((request, response) => {
    void serveRpc(request, response, { host: inside.host, actor });
  });
  server.timeout = 300;
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const params = { runtime_id: runtimeId(0) };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'read_output', params });
  const reader = request({
    ...{ port, host: '127.0.0.1', method: 'POST', path: '/rpc' },
    headers: { 'Content-Type': 'application/json', 'Content-Length': body.length },
  });
  onTestFinished(() => void reader.destroy());
  reader.end(body);
  // Its head has come, and nobody reads the rest.
  await once(reader, 'response');
  const connectionCount = (): Promise<number> =>
    new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
  await eventually(async () => (await connectionCount()) === 0, 'it is hung up on');
});
