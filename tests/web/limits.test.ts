// What peers of the web service cannot do by being slow, silent or half gone: hold its connections,
// hold up its end, or go on after they were dismissed. The daemon's inside is real, without tmux.

import type { Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { WebServer } from '../../src/servers/web/web-server.ts';
import { Inside } from '../api/fixture.ts';
import { eventually } from '../live/tmux-server.ts';
import { ask, askUpgrade, connectRaw, TOKEN, WebPeer } from './web-lab.ts';

interface OpenServer {
  readonly inside: Inside;
  readonly server: WebServer;
  readonly url: string;
}

async function open(): Promise<OpenServer> {
  const inside = await new Inside().serve();
  const server = new WebServer({
    host: inside.host,
    bind: { host: '127.0.0.1', port: 0 },
    allowedOrigins: [],
    sessions: { pair: () => null, end: () => {} },
    workDir: '',
    debugServeDir: inside.folder,
    access: (secret) => (secret === TOKEN ? { id: 'one', scope: 'control' } : null),
    onDebugLine: () => {},
    requestMs: 300,
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { inside, server, url: await server.listen() };
}

/** A peer without any protocol, and whether it was hung up on. */
function raw(url: string, text = ''): { readonly socket: Socket; isClosed: boolean } {
  const peer = { socket: connectRaw(url), isClosed: false };
  onTestFinished(() => void peer.socket.destroy());
  peer.socket
    .on('error', () => {})
    .on('close', () => {
      peer.isClosed = true;
    });
  peer.socket.write(text);
  return peer;
}

const head = (path: string, ...lines: readonly string[]): string =>
  [`GET ${path} HTTP/1.1`, 'Host: localhost', ...lines, '', ''].join('\r\n');

const upgradeHead = (path: string): string =>
  head(
    path,
    ...['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  );

it.each([
  ['nothing at all', '', ''],
  ['a header without an end, byte by byte', 'GET /healthz HTTP/1.1\r\nX-Slow: ', 'x'],
  [
    'a body without an end, byte by byte',
    'POST /debug/log HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n',
    'x',
  ],
])('who sends %s is hung up on', async (_what, text, drop) => {
  const { url, inside } = await open();
  const peer = raw(url, text);
  peer.socket.resume();
  const dropping = setInterval(() => peer.socket.write(drop), 20);
  onTestFinished(() => clearInterval(dropping));
  await eventually(() => peer.isClosed, 'it is hung up on');
  expect((await ask(url, '/healthz')).status).toBe(200);
  expect(inside.defects).toEqual([]);
});

it('who asks and does not read the replies is hung up on', async () => {
  const { url } = await open();
  const peer = raw(url, head('/healthz').repeat(200_000));
  peer.socket.pause();
  await eventually(() => peer.isClosed, 'it is hung up on');
});

it('a refused upgrade ends its connection, though the peer keeps its half of it', async () => {
  const { url, server } = await open();
  const peers = Array.from({ length: 5 }, () => {
    const peer = raw(url, upgradeHead('/ws?token=wrong'));
    peer.socket.allowHalfOpen = true;
    peer.socket.resume();
    return peer;
  });
  for (const peer of peers) await eventually(() => peer.socket.readableEnded, 'it is refused');
  // It waits for every connection.
  await server[Symbol.asyncDispose]();
});

it('a page elsewhere cannot have the address of its reader shut out', async () => {
  const { url } = await open();
  const headers = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' };
  for (let tries = 0; tries < 12; tries += 1) {
    expect((await ask(url, `/metrics?token=wrong${tries}`, { headers })).status).toBe(403);
  }
  expect((await ask(url, `/metrics?token=${TOKEN}`)).status).toBe(200);
  expect((await askUpgrade(url, `/ws?token=${TOKEN}`)).status).toBe(101);
});

/** A client that answers no close. */
async function deaf(url: string) {
  const peer = raw(url, upgradeHead(`/ws?token=${TOKEN}`));
  let received = '';
  peer.socket.on('data', (bytes: Buffer) => {
    received += bytes.toString('latin1');
  });
  await eventually(() => received.includes('101 Switching'), 'it is connected');
  return peer;
}

it('a client whose token was revoked has to go, though it answers no close', async () => {
  const { url, server } = await open();
  const peer = await deaf(url);
  server.dropToken('one');
  await eventually(() => peer.isClosed, 'it is ended');
});

it('the end waits for no client that answers no close, and lets none in', async () => {
  const { url, server } = await open();
  const peer = await deaf(url);
  const late = raw(url, upgradeHead(`/ws?token=${TOKEN}`).slice(0, -2));
  let received = '';
  late.socket.on('data', (bytes: Buffer) => {
    received += bytes.toString('latin1');
  });
  const ready = new WebPeer(new WebSocket(`${url.replace('http', 'ws')}/ws?token=${TOKEN}`));
  await ready.opened;
  const ended = server[Symbol.asyncDispose]();
  late.socket.write('\r\n');
  await ended;
  await eventually(() => peer.isClosed && late.isClosed && ready.closed, 'all are gone');
  expect(received).not.toContain('101 Switching');
  expect(server.clientCount).toBe(0);
});
