// Peers of the web service that break the protocol, in a real daemon over a real tmux: an error
// reply or a clean close for each, no crash, and nothing that is kept for them afterwards.

import { readdirSync, readlinkSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { Printer, untilSame } from './printer.ts';
import { type RawFrame, RawWebSocket, rawFrame } from './raw-web-socket.ts';
import { ask, connectRaw, type WebLab as Web, WebLab, type WebPeer } from './web-lab.ts';

const [KEYS, SIZE, UPLOAD] = [0x02, 0x03, 0x04];
const [TEXT, BINARY, CLOSE, PING, PONG] = [0x1, 0x2, 0x8, 0x9, 0xa];
const CLIENTS = 200;
const MESSAGE_BYTES_MAX = 8 * 1024 * 1024 + 64 * 1024;

/** What a daemon keeps for clients. */
interface Kept {
  readonly web: number;
  readonly viewers: number;
  readonly sizedWindows: number;
  readonly subscribers: number;
  readonly tmuxClients: number;
  readonly sockets: number;
}

/** Its connections and its children; a database is also opened for its check, now and then. */
function openSockets(pid: number): number {
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      // It was closed meanwhile.
      return '';
    }
  });
  return links.filter((link) => /^(?:socket|pipe):/.test(link)).length;
}

/** Does some of what a client can, and leaves without waiting for any answer. */
function visit(peer: WebPeer, index: number): void {
  const agent = index % 2 === 0 ? 'shown' : 'typed';
  const send = (message: object): void => peer.socket.send(JSON.stringify(message));
  send({ type: 'subscribe-agents' });
  send({ type: 'subscribe-output', agent });
  if (index % 3 === 0) peer.sendFrame(SIZE, 'shown', `${40 + index}:${10 + index}`);
  if (index % 4 === 0) peer.sendFrame(KEYS, 'shown', 'x');
  if (index % 5 === 0) send({ type: 'unsubscribe-output', agent });
  if (index % 2 === 0) peer.socket.terminate();
  else peer.socket.close();
}

describe.skipIf(isTmuxMissing).each([
  ['with a token', false],
  ['without authentication', true],
])('hostile peers, %s', (_name, noAuth) => {
  let web: Web;
  let printer: Printer;
  let pid = 0;
  let start: Kept;

  beforeAll(async () => {
    web = await WebLab.open({ attach: 'always', noAuth });
    printer = await Printer.open(web, 'shown');
    await web.agent('typed');
    await web.untilListed('typed');
    ({ pid } = await web.lab.client.call('daemon_info', {}));
    await settled();
    start = await kept();
    expect(start).toMatchObject({ web: 0, viewers: 0, sizedWindows: 0 });
  }, 120_000);
  afterAll(() => web[Symbol.asyncDispose]());
  afterEach(async () => {
    for (const peer of web.peers()) peer.socket.terminate();
    await untilStart();
    expect((await ask(web.url, '/healthz')).text).toBe('{"ok":true}');
    expect((await web.lab.client.call('daemon_info', {})).pid).toBe(pid);
    expect(web.lab.live.errors()).not.toMatch(/MaxListeners|defect|Unhandled/i);
  });

  const kept = async (): Promise<Kept> => {
    const { text } = await web.lab.client.call('metrics', {});
    const count = (kind: string): number =>
      Number(new RegExp(`agtmux_clients\\{kind="${kind}"\\} (\\d+)`).exec(text)?.[1]);
    return {
      ...{ web: count('web'), viewers: count('viewers'), sizedWindows: count('sized_windows') },
      subscribers: count('subscribers'),
      tmuxClients: web.lab.live.tmuxClients().length,
      sockets: openSockets(pid),
    };
  };
  /** The first viewer of each pane has it tapped, and then it stays so. */
  const settled = async (): Promise<void> => {
    for (const agent of ['shown', 'typed']) {
      await eventually(async () => {
        const peer = await web.peer();
        const reply = await peer.call('subscribe-output', { agent });
        peer.socket.terminate();
        return reply['live'] === true;
      }, `the pane of ${agent} is tapped`);
    }
    await eventually(async () => (await kept()).web === 0, 'the first viewers have left');
  };
  const untilStart = async (): Promise<void> => {
    let last: Kept | null = null;
    await eventually(
      async () => {
        last = await kept();
        // The start may have counted a socket of somebody else.
        const { sockets } = start;
        const isEqual = JSON.stringify({ ...last, sockets }) === JSON.stringify(start);
        return isEqual && last.sockets <= sockets;
      },
      'nothing is kept',
      45_000,
    ).catch((error: Error) => {
      throw new Error(`${error.message}: ${JSON.stringify({ start, last })}`);
    });
  };

  it(`${CLIENTS} clients at once are all served, through one client of tmux`, async () => {
    const peers = await Promise.all(Array.from({ length: CLIENTS }, () => web.peer()));
    const replies = await Promise.all(
      peers.flatMap((peer) => [
        peer.call('list-agents'),
        peer.call('subscribe-agents'),
        peer.call('subscribe-output', { agent: 'shown' }),
      ]),
    );
    for (const reply of replies) expect(reply).not.toHaveProperty('error');
    expect(await kept()).toMatchObject({
      ...{ web: CLIENTS, viewers: CLIENTS, tmuxClients: start.tmuxClients },
    });
    printer.print('\x1b[2J\x1b[Hfor all of them');
    for (const peer of peers.slice(0, 3)) await untilSame(peer, printer, 'it sees the screen');
    for (const peer of peers) {
      await eventually(() => peer.output('shown').includes('for all of them'), 'each gets it');
    }
  });

  it('clients that come and go in every way leave nothing behind', async () => {
    for (let round = 0; round < 5; round += 1) {
      const peers = await Promise.all(Array.from({ length: 20 }, () => web.peer()));
      for (const [index, peer] of peers.entries()) visit(peer, index);
    }
    await untilStart();
    await eventually(
      () => `${printer.size.cols}x${printer.size.rows}` === '100x30',
      'the window has its own size',
    );
  });

  const broken: readonly (readonly [string, readonly RawFrame[], number | null])[] = [
    ['a frame without a mask', [{ opcode: TEXT, payload: '{}', isMasked: false }], 1002],
    ['a reserved bit', [{ opcode: TEXT, payload: '{}', reserved: 4 }], 1002],
    ['an opcode that there is not', [{ opcode: 0x3 }], 1002],
    ['a ping in parts', [{ opcode: PING, isLast: false }], 1002],
    ['a ping that is too long', [{ opcode: PING, payload: 'x'.repeat(126) }], 1002],
    ['the middle of no message', [{ opcode: 0x0, payload: 'x' }], 1002],
    [
      'a message inside another',
      [
        { opcode: TEXT, payload: '{', isLast: false },
        { opcode: TEXT, payload: '}' },
      ],
      1002,
    ],
    ['text that is none', [{ opcode: TEXT, payload: Buffer.from([0xff, 0xfe]) }], 1007],
    ['a close with no code', [{ opcode: CLOSE, payload: 'x' }], 1002],
    ['a close with a code that there is not', [{ opcode: CLOSE, payload: '\x00\x01' }], 1002],
    ['a length beyond every message', [{ opcode: BINARY, length: 2n ** 62n }], 1009],
    ['a length of 9 MB', [{ opcode: BINARY, length: 9_000_000n }], 1009],
    [
      'more parts than a message has',
      Array.from({ length: 5_000 }, (_, at) => ({
        ...{ opcode: at === 0 ? TEXT : 0, payload: 'x', isLast: false },
      })),
      1008,
    ],
  ];
  it.each(broken)('%s closes the connection, and no other', async (_what, frames, code) => {
    const other = await web.peer();
    const peer = await RawWebSocket.open(web.socketUrl);
    for (const frame of frames) peer.send(frame);
    await eventually(() => peer.closeCode !== null || peer.isClosed, 'it is closed');
    expect(peer.closeCode).toBe(code);
    expect(await other.call('list-agents')).toMatchObject({ type: 'list-agents' });
    peer.socket.destroy();
  });

  it('a message of the largest size is read, and one byte more closes the connection', async () => {
    const peer = await web.peer();
    peer.socket.send(
      Buffer.concat([Buffer.from('\x04none\0'), Buffer.alloc(MESSAGE_BYTES_MAX - 6)]),
    );
    await peer.error('file upload none: agent not found');
    peer.socket.send('x'.repeat(5 * 1024 * 1024));
    await peer.error('invalid JSON: more than 4194304 bytes');
    peer.socket.send(Buffer.alloc(MESSAGE_BYTES_MAX + 1));
    expect(await peer.untilClosed()).toMatchObject({ code: 1009 });
  });

  it('frames and texts at random get an error each, and the connection goes on', async () => {
    const peer = await web.peer();
    const texts = fc.sample(
      fc.oneof(
        fc.json(),
        fc.string(),
        fc.json().map((text) => text.slice(0, -1)),
      ),
      { numRuns: 150, seed: 1 },
    );
    // Frames that name no agent: those for an agent would type.
    const frames = fc.sample(fc.uint8Array({ maxLength: 200 }), { numRuns: 150, seed: 2 });
    for (const text of texts) peer.socket.send(text);
    for (const bytes of frames) peer.socket.send(bytes);
    expect(await peer.call('list-agents')).toMatchObject({ type: 'list-agents' });
    const errors = peer.messages.filter((message) => message['id'] === undefined);
    for (const error of errors) expect(error).toMatchObject({ ok: false });
    expect(errors).toHaveLength(texts.length + frames.length);
    expect(peer.closed).toBeNull();
  });

  it('messages of every type with fields of every kind are answered', async () => {
    const peer = await web.peer();
    const types = [
      ...['list-agents', 'send-prompt', 'subscribe-output', 'unsubscribe-output', 'hello'],
      ...['subscribe-agents', 'unsubscribe-agents', '', '__proto__', 'constructor'],
    ];
    const values = [null, 1, true, [], {}, '', 'none', '\u0000', 'x'.repeat(100_000), '../..'];
    const fields = ['agent', 'prompt', 'stream', 'includeSessionFilter', 'excludeSessionFilter'];
    let count = 0;
    for (const type of types) {
      for (const field of fields) {
        for (const value of values) {
          // Only agents that there are not are written to.
          peer.socket.send(JSON.stringify({ id: `${count}`, type, [field]: value }));
          count += 1;
        }
      }
    }
    await eventually(
      () => peer.messages.filter(({ type }) => !String(type).startsWith('agent')).length >= count,
      'each is answered',
    );
    expect(peer.closed).toBeNull();
  });

  it('requests in a wrong order are answered, and change nothing', async () => {
    const peer = await web.peer();
    expect(await peer.call('unsubscribe-output', { agent: 'shown' })).toMatchObject({ ok: true });
    expect(await peer.call('unsubscribe-agents')).toMatchObject({ ok: true });
    for (let times = 0; times < 5; times += 1) {
      expect(await peer.call('subscribe-output', { agent: 'shown' })).toMatchObject({ ok: true });
      expect(await peer.call('subscribe-agents')).toMatchObject({ ok: true, totalAgents: 2 });
    }
    expect(await kept()).toMatchObject({ web: 1, viewers: 1 });
    // All at once: the last one counts.
    for (let times = 0; times < 50; times += 1) {
      const type = times % 2 === 0 ? 'subscribe-output' : 'unsubscribe-output';
      peer.socket.send(JSON.stringify({ type, agent: 'shown' }));
    }
    await peer.call('unsubscribe-output', { agent: 'shown' });
    await eventually(async () => (await kept()).viewers === 0, 'nothing is watched');
    peer.sendFrame(UPLOAD, 'none', 'a\0b\0c');
    peer.sendFrame(SIZE, 'none', '80:24');
    peer.sendFrame(KEYS, 'none', 'x');
    for (const about of ['file upload', 'resize', 'keyboard input']) {
      await peer.error(`${about} none: agent not found`);
    }
  });

  it('a connection that is half closed, cut in a frame or silent is ended', async () => {
    const peers = await Promise.all(
      Array.from({ length: 4 }, () => RawWebSocket.open(web.socketUrl)),
    );
    const [half, cut, silent, muttering] = peers;
    for (const peer of peers) {
      peer.send({
        ...{ opcode: TEXT, payload: JSON.stringify({ type: 'subscribe-output', agent: 'shown' }) },
      });
    }
    if (!half || !cut || !silent || !muttering) throw new Error('four peers');
    await eventually(async () => (await kept()).viewers === 4, 'all view');
    half.socket.allowHalfOpen = true;
    half.socket.end();
    cut.send({ opcode: BINARY, length: 1_000n });
    cut.socket.destroy();
    // It answers no ping; the other one does, though it was not asked.
    const answering = setInterval(() => muttering.send({ opcode: PONG }), 1_000);
    await eventually(() => half.isClosed || half.socket.readableEnded, 'the half is ended');
    await eventually(() => silent.isClosed, 'the silent one is ended', 45_000);
    expect(muttering.isClosed).toBe(false);
    clearInterval(answering);
    for (const { socket } of peers) socket.destroy();
  }, 90_000);

  it('who pings and reads no answer is ended before the answers fill the memory', async () => {
    const peer = await RawWebSocket.open(web.socketUrl);
    peer.socket.pause();
    const ping = rawFrame({ opcode: PING, payload: 'x'.repeat(125) });
    // Its pongs count as a sign of life, though nobody asked for them.
    const pings = Buffer.concat([rawFrame({ opcode: PONG }), ...Array(5_000).fill(ping)]);
    const pinging = setInterval(() => {
      // What it does not take is not kept here either.
      if (peer.socket.writableLength < 4_000_000) peer.socket.write(pings);
    }, 1);
    await eventually(() => peer.isClosed || peer.socket.destroyed, 'it is ended', 45_000).finally(
      () => clearInterval(pinging),
    );
    peer.socket.destroy();
  }, 60_000);

  it('requests without an end and upgrades that go nowhere hold nothing', async () => {
    const sockets = Array.from({ length: 50 }, (_, index) => {
      const socket = connectRaw(web.url).on('error', () => {});
      const lines = ['GET /ws HTTP/1.1', 'Host: localhost', 'Connection: Upgrade'];
      socket.write(index % 2 === 0 ? lines.join('\r\n') : `${lines[0]}\r\n\r\n`);
      return socket;
    });
    const peer: WebPeer = await web.peer();
    expect(await peer.call('list-agents')).toMatchObject({ type: 'list-agents' });
    for (const socket of sockets) socket.destroy();
  });
});
