// Who gets into the web service and who does not: tokens, names of hosts, pages, paths, and peers
// that hang. The inside of a daemon is real, without tmux.

import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { DaemonClient } from '../../src/client/client.ts';
import { WebServer } from '../../src/servers/web/web-server.ts';
import { Inside } from '../api/fixture.ts';
import { eventually } from '../live/tmux-server.ts';
import { RawWebSocket, rawFrame } from './raw-web-socket.ts';
import { ask, askUpgrade, connectRaw, TOKEN, WebPeer } from './web-lab.ts';

interface OpenWeb {
  readonly inside: Inside;
  readonly client: DaemonClient;
  readonly url: string;
}

async function open(input: object = {}): Promise<OpenWeb> {
  const inside = await new Inside().serve();
  const client = await inside.connect();
  const { url } = await client.call('open_web', { port: 0, auth_token: TOKEN, ...input });
  return { inside, client, url };
}

async function connect(url: string, token: string): Promise<WebPeer> {
  const peer = new WebPeer(new WebSocket(`${url.replace('http', 'ws')}/ws?token=${token}`));
  onTestFinished(() => peer.socket.terminate());
  await peer.opened;
  return peer;
}

it('healthz needs no token, and every reply forbids caches', async () => {
  const { url } = await open();
  const healthy = await ask(url, '/healthz');
  expect([healthy.status, healthy.text]).toEqual([200, '{"ok":true}']);
  expect(healthy.headers['access-control-allow-origin']).toBe('*');
  const ready = await ask(url, '/readyz');
  expect([ready.status, JSON.parse(ready.text)]).toMatchObject([503, { ok: false }]);
  for (const path of ['/healthz', '/readyz', '/metrics', '/none', '/ws', '/']) {
    expect((await ask(url, path)).headers['cache-control']).toBe('no-store');
  }
  expect((await ask(url, '/ws')).status).toBe(426);
  expect((await askUpgrade(url, '/other')).status).toBe(404);
});

it('only who names the token gets in, by each of the ways', async () => {
  const { url } = await open();
  const bearer = { Authorization: `Bearer ${TOKEN}` };
  const beside = { 'Sec-WebSocket-Protocol': `agtmux, agtmux.token.${TOKEN}` };
  expect((await askUpgrade(url, '/ws')).status).toBe(401);
  expect((await askUpgrade(url, '/ws?token=wrong')).status).toBe(401);
  expect((await askUpgrade(url, `/ws?token=${TOKEN}x`)).status).toBe(401);
  expect((await askUpgrade(url, `/ws?token=%20${TOKEN}`)).status).toBe(101);
  expect((await askUpgrade(url, '/ws', bearer)).status).toBe(101);
  const reply = await askUpgrade(url, '/ws', beside);
  expect([reply.status, reply.headers['sec-websocket-protocol']]).toEqual([101, 'agtmux']);
  expect((await ask(url, '/metrics')).status).toBe(401);
  expect((await ask(url, '/metrics', { headers: bearer })).text).toContain('agtmux_up 1');
});

it('who guesses tokens has to wait, also with the right one', async () => {
  const { inside, url } = await open();
  for (let tries = 0; tries < 10; tries += 1) {
    expect((await askUpgrade(url, `/ws?token=guess${tries}`)).status).toBe(401);
  }
  expect((await askUpgrade(url, '/ws?token=guess')).status).toBe(429);
  expect((await askUpgrade(url, `/ws?token=${TOKEN}`)).status).toBe(429);
  inside.nowMs += 60_000;
  expect((await askUpgrade(url, `/ws?token=${TOKEN}`)).status).toBe(101);
});

it.each([
  ['http://localhost:3000', 101],
  ['https://localhost:5', 101],
  ['http://LOCALHOST:3000', 101],
  ['http://localhost', 403],
  ['http://evil.com', 403],
  ['http://localhost.evil.com:80', 403],
  ['http://evil.com#localhost:1', 403],
  ['null', 403],
  ['file://', 403],
  ['chrome-extension://abcdefghijklmnop', 403],
  ['', 403],
])('a page of %j is answered with %d', async (origin, status) => {
  const { url } = await open();
  const reply = await askUpgrade(url, `/ws?token=${TOKEN}`, { Origin: origin });
  expect(reply.status).toBe(status);
});

it('without authentication a foreign page still does not get in', async () => {
  const { url } = await open({ auth_token: undefined, no_auth: true });
  expect((await askUpgrade(url, '/ws')).status).toBe(101);
  expect((await askUpgrade(url, '/ws', { Origin: 'http://evil.com' })).status).toBe(403);
  const { headers } = await ask(url, '/metrics', { headers: { Origin: 'http://evil.com' } });
  expect(headers['access-control-allow-origin']).toBeUndefined();
});

it.each([
  ['evil.com', 403],
  ['evil.com:80', 403],
  ['localhost.evil.com', 403],
  ['127.0.0.1.evil.com', 403],
  ['user@localhost', 403],
  ['evil.com.', 403],
  ['localhost.', 403],
  ['2130706433', 403],
  ['localhost:1', 101],
  ['[::1]:1', 101],
  ['192.168.1.7:8080', 101],
])('the host name %j is answered with %d', async (host, status) => {
  const { url } = await open();
  const headers = { Host: host, Origin: `http://${host}` };
  const page = await ask(url, '/healthz', { headers });
  expect(page.status).toBe(status === 101 ? 200 : status);
  expect((await askUpgrade(url, `/ws?token=${TOKEN}`, headers)).status).toBe(status);
});

it('who is refused by name or origin learns what lets them in', async () => {
  const { url } = await open();
  const advice = async (headers: Readonly<Record<string, string>>): Promise<string> => {
    const { status, text } = await ask(url, '/', { headers });
    expect(status).toBe(403);
    return text;
  };
  const byName = await advice({ Host: 'desk.lan:8080' });
  expect(byName).toMatch(/IP address.*--public-url or --allowed-origins/);
  // What a stranger sends is not repeated.
  expect(byName).not.toContain('desk.lan');
  expect(await advice({ Origin: 'http://evil.com' })).toContain('--allowed-origins');
});

it('a pattern of origins lets in its pages and its host names, and no others', async () => {
  const { url } = await open({ allowed_origins: ['*.tunnel.example', 'app.example:8443'] });
  const status = async (origin: string, host: string) =>
    (await askUpgrade(url, `/ws?token=${TOKEN}`, { Origin: origin, Host: host })).status;
  expect(await status('https://a.tunnel.example', 'a.tunnel.example')).toBe(101);
  expect(await status('https://app.example:8443', 'app.example')).toBe(101);
  expect(await status('https://app.example', 'b.tunnel.example')).toBe(403);
  expect(await status('https://tunnel.example.evil.com', 'a.tunnel.example')).toBe(403);
});

it('beyond this machine nothing listens without a token', async () => {
  const inside = await new Inside().serve();
  const client = await inside.connect();
  for (const host of [
    '0.0.0.0',
    '::',
    '::ffff:127.0.0.1',
    '127.1',
    '192.0.2.1',
    'example.com',
    '127.0.0.1.example.com',
  ]) {
    await expect(client.call('open_web', { host, port: 0, no_auth: true })).rejects.toMatchObject({
      code: 'E_INPUT_INVALID',
    });
  }
  inside.webConfig = { ...inside.webConfig, enabled: true, host: '0.0.0.0', port: 1 };
  await inside.web.follow();
  expect(inside.webLog.join('\n')).toContain('there is no token yet');
});

it('a port that is taken is refused with its number', async () => {
  const { client, url } = await open();
  const port = Number(new URL(url).port);
  await expect(client.call('open_web', { port })).rejects.toMatchObject({ code: 'E_WEB_PORT' });
});

it('a made token is shown once, and a given one not at all', async () => {
  const inside = await new Inside().serve();
  const client = await inside.connect();
  const made = await client.call('open_web', { port: 0 });
  expect(made.token).toMatch(/^agw_/);
  expect((await askUpgrade(made.url, `/ws?token=${made.token}`)).status).toBe(101);
  expect((await client.call('open_web', { port: 0, auth_token: TOKEN })).token).toBeNull();
});

it('the service ends with the connection that opened it, and its clients are told', async () => {
  const { inside, client, url } = await open();
  const peer = await connect(url, TOKEN);
  client.close();
  expect(await peer.untilClosed()).toMatchObject({ code: 1000 });
  await eventually(
    () =>
      ask(url, '/healthz').then(
        () => false,
        () => true,
      ),
    'nobody listens any more',
  );
  expect(inside.defects).toEqual([]);
});

it('stored tokens are hashes in a private file, and outlive the service', async () => {
  const { inside, client, url } = await open();
  const { id, token } = await client.call('create_web_token', { name: 'phone' });
  const file = join(inside.folder, 'web-tokens.json');
  expect(readFileSync(file, 'utf8')).not.toContain(token.slice(4));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { tokens } = await client.call('list_web_tokens', {});
  expect(tokens).toMatchObject([{ id, name: 'phone', scope: 'control' }]);
  expect(JSON.stringify(tokens)).not.toContain(token);
  expect((await askUpgrade(url, `/ws?token=${token}`)).status).toBe(101);
});

it('a rotated or revoked token lets nobody in, and its clients are closed', async () => {
  const { client, url } = await open();
  const first = await client.call('create_web_token', { name: 'phone' });
  const other = await connect(url, TOKEN);
  const before = await connect(url, first.token);
  const second = await client.call('rotate_web_token', { id: first.id });
  expect(await before.untilClosed()).toMatchObject({ code: 1008 });
  expect((await askUpgrade(url, `/ws?token=${first.token}`)).status).toBe(401);
  const after = await connect(url, second.token);
  await client.call('revoke_web_token', { id: first.id });
  expect(await after.untilClosed()).toMatchObject({ code: 1008 });
  expect((await askUpgrade(url, `/ws?token=${second.token}`)).status).toBe(401);
  expect(other.closed).toBeNull();
  await expect(client.call('revoke_web_token', { id: first.id })).rejects.toMatchObject({
    code: 'E_WEB_TOKEN_UNKNOWN',
  });
});

it('a token to read shows agents and types nothing', async () => {
  const { client, url } = await open();
  const { token } = await client.call('create_web_token', { name: 'wall', scope: 'read' });
  const peer = await connect(url, token);
  const { agents } = await peer.call('list-agents');
  const [agent] = agents as { readonly name: string }[];
  const reply = await peer.call('send-prompt', { agent: agent?.name, prompt: 'x' });
  expect(reply).toMatchObject({ ok: false, code: 'E_NOT_PERMITTED' });
});

it('the configuration opens the service, moves it and closes it', async () => {
  const inside = await new Inside().serve();
  inside.webConfig = { ...inside.webConfig, enabled: true, noAuth: true, port: await freePort() };
  await inside.web.follow();
  const urlOf = () => `http://127.0.0.1:${inside.webConfig.port}`;
  const old = urlOf();
  expect((await ask(old, '/healthz')).status).toBe(200);
  inside.webConfig = { ...inside.webConfig, port: await freePort() };
  await inside.web.follow();
  expect((await ask(urlOf(), '/healthz')).status).toBe(200);
  await expect(ask(old, '/healthz')).rejects.toThrow('ECONNREFUSED');
  inside.webConfig = { ...inside.webConfig, enabled: false };
  await inside.web.follow();
  await expect(ask(urlOf(), '/healthz')).rejects.toThrow('ECONNREFUSED');
});

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

it('files for development are served, and no path traversal leads out of them', async () => {
  const inside = await new Inside().serve();
  const client = await inside.connect();
  const folder = join(inside.folder, 'pages');
  mkdirSync(join(folder, 'sub'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), '<p>start');
  writeFileSync(join(folder, 'sub', 'a b.js'), '1');
  writeFileSync(join(folder, '.secret'), 'no');
  writeFileSync(join(inside.folder, 'outside.txt'), 'no');
  symlinkSync(join(inside.folder, 'outside.txt'), join(folder, 'link.txt'));
  const { url } = await client.call('open_web', { port: 0, debug_serve_dir: folder });
  expect((await ask(url, '/')).text).toBe('<p>start');
  const script = await ask(url, '/sub/a%20b.js?x=1');
  expect([script.text, script.headers['content-type']]).toEqual([
    '1',
    'text/javascript; charset=utf-8',
  ]);
  expect(script.headers['content-security-policy']).toContain("script-src 'self';");
  const paths = [
    ...['/../outside.txt', '/%2e%2e/outside.txt', '/..%2foutside.txt', '/sub/../../outside.txt'],
    ...['//outside.txt', '/link.txt', '/.secret', '/%00', '/%zz', '/sub\\..\\..\\outside.txt'],
    ...['/sub', '/none', `/${inside.folder}/outside.txt`],
  ];
  for (const path of paths) expect([path, (await ask(url, path)).status]).toEqual([path, 404]);
  expect((await ask(url, '/', { method: 'PUT' })).status).toBe(405);
});

it('lines of a page under development are taken only with its folder, and are cut', async () => {
  const { url: plain } = await open();
  expect((await ask(plain, '/debug/log', { method: 'POST', body: 'x' })).status).toBe(405);
  const inside = await new Inside().serve();
  const client = await inside.connect();
  const { url } = await client.call('open_web', { port: 0, debug_serve_dir: inside.folder });
  const body = `hello ${'x'.repeat(10_000)}`;
  expect((await ask(url, '/debug/log', { method: 'POST', body })).status).toBe(204);
  expect((await ask(url, '/debug/log', { method: 'OPTIONS' })).status).toBe(204);
  const [line = ''] = inside.webLog.filter((each) => each.includes('[UI] hello'));
  expect(line.length).toBeGreaterThan(1_000);
  expect(line.length).toBeLessThan(5_000);
  const foreign = { method: 'POST', body: 'x', headers: { Origin: 'http://evil.com' } };
  expect((await ask(url, '/debug/log', foreign)).status).toBe(403);
});

it('an oversized message closes its connection, and no other', async () => {
  const { inside, url } = await open();
  const [peer, other] = [await connect(url, TOKEN), await connect(url, TOKEN)];
  peer.socket.send(Buffer.alloc(8 * 1024 * 1024 + 64 * 1024 + 1));
  expect(await peer.untilClosed()).toMatchObject({ code: 1009 });
  other.socket.send('x'.repeat(5 * 1024 * 1024));
  await other.error('invalid JSON: more than');
  expect(await other.call('list-agents')).toMatchObject({ type: 'list-agents' });
  expect(inside.defects).toEqual([]);
});

it('bytes that are no HTTP and no WebSocket end their own connection alone', async () => {
  const { inside, url } = await open();
  const peer = await connect(url, TOKEN);
  for (const bytes of ['\0\xff\n\n', 'GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: x\r\n\r\n']) {
    const socket = connectRaw(url);
    let isClosed = false;
    socket
      .on('error', () => {})
      .on('close', () => {
        isClosed = true;
      });
    socket.resume().write(Buffer.from(bytes, 'latin1'));
    await eventually(() => isClosed, 'it is hung up on');
  }
  const raw = (peer.socket as unknown as { readonly _socket: NodeJS.WritableStream })._socket;
  raw.write(Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff]));
  expect((await peer.untilClosed()).code).toBe(1002);
  expect((await ask(url, '/healthz')).status).toBe(200);
  expect(inside.defects).toEqual([]);
});

it('more headers than a browser sends are refused', async () => {
  const { url } = await open();
  const headers = { 'X-Long': 'x'.repeat(20_000) };
  expect((await ask(url, '/healthz', { headers })).status).toBe(431);
});

/** A server that pings often, and a peer of it that answers nothing. */
async function openPinging() {
  const inside = await new Inside().serve();
  const server = new WebServer({
    host: inside.host,
    bind: { host: '127.0.0.1', port: 0 },
    allowedOrigins: [],
    sessions: { pair: () => null, end: () => {} },
    workDir: '',
    debugServeDir: null,
    access: 'open',
    onDebugLine: () => {},
    pingMs: 50,
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const url = await server.listen();
  const silent = await RawWebSocket.open(`${url.replace('http', 'ws')}/ws`);
  onTestFinished(() => void silent.socket.destroy());
  return { server, url, silent };
}

it('a client that answers no ping is ended, and one that does stays', async () => {
  const { server, url } = await openPinging();
  const peer = await connect(url, '');
  await eventually(() => server.clientCount === 1, 'the silent one is gone');
  expect(peer.closed).toBeNull();
});

it('a client that sends a long message stays without an answer, but not for ever', async () => {
  const { silent } = await openPinging();
  // The head of a frame, and then a byte of it for each ping.
  silent.socket.write(rawFrame({ opcode: 0x2, length: 8_000_000n }));
  silent.socket.on('data', () => silent.socket.write('x'));
  await eventually(() => silent.isClosed, 'it is ended');
  const pings = silent.received.length / 2;
  expect(pings).toBeGreaterThan(20);
  expect(pings).toBeLessThan(60);
});

it('two hundred clients are served, and more than 256 are refused', async () => {
  const { url } = await open({ auth_token: undefined, no_auth: true });
  const peers = await Promise.all(Array.from({ length: 256 }, () => connect(url, '')));
  const replies = await Promise.all(peers.map((peer) => peer.call('subscribe-agents')));
  expect(replies.every(({ ok }) => ok === true)).toBe(true);
  expect((await askUpgrade(url, '/ws')).status).toBe(503);
  peers[0]?.socket.terminate();
  await eventually(async () => (await askUpgrade(url, '/ws')).status === 101, 'a place is free');
});
