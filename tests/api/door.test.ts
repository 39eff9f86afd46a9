// The door on the socket under peers that are broken, hostile, many, or slow.

import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectDaemon, DaemonError } from '../../src/client/client.ts';
import { untilAborted } from '../../src/platform/until-aborted.ts';
import { agents } from '../scenario.ts';
import { Inside } from './fixture.ts';
import { type Line, RawPeer } from './raw-peer.ts';
import { until } from './wait.ts';

const never = new Promise<never>(() => {});

async function peerOf(inside: Inside): Promise<RawPeer> {
  const peer = new RawPeer(inside.socketPath);
  await until('connected', () => !peer.socket.connecting);
  return peer;
}

/** Peers that each hold a subscription. */
async function busyPeers(inside: Inside, count: number): Promise<RawPeer[]> {
  const peers = Array.from({ length: count }, () => new RawPeer(inside.socketPath));
  for (const peer of peers) peer.ask({ id: 1, method: 'subscribe', params: {} });
  await until('all are subscribed', () => peers.every(({ lines }) => lines.length > 0));
  return peers;
}

async function answerTo(inside: Inside, bytes: string | Uint8Array): Promise<Line> {
  const peer = await peerOf(inside);
  peer.send(bytes);
  await until('an answer', () => peer.lines.length > 0);
  return peer.lines[0] as Line;
}

describe('what is not a request', () => {
  test.each<[string, string | Uint8Array, number]>([
    ['broken JSON', '{"jsonrpc":\n', -32700],
    ['bytes that are not UTF-8', Uint8Array.from([0x22, 0xff, 0xfe, 0x22, 0x0a]), -32700],
    ['a number', '7\n', -32600],
    ['null', 'null\n', -32600],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"hello"}]\n', -32600],
    ['no version', '{"id":1,"method":"hello"}\n', -32600],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"hello"}\n', -32600],
    ['no method', '{"jsonrpc":"2.0","id":1}\n', -32600],
    ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"nothing"}\n', -32601],
    ['a method of every object', '{"jsonrpc":"2.0","id":1,"method":"constructor"}\n', -32601],
    ['params by place', '{"jsonrpc":"2.0","id":1,"method":"hello","params":[1]}\n', -32602],
    ['a field too many', '{"jsonrpc":"2.0","id":1,"method":"hello","params":{"x":1}}\n', -32602],
  ])('%s is refused with its code', async (_name, bytes, code) => {
    const inside = await new Inside().serve();
    const answer = await answerTo(inside, bytes);
    expect(answer.error?.code).toBe(code);
    expect(answer.error?.data?.code).toBe('E_INPUT_INVALID');
  });

  test('says which field is wrong', async () => {
    const inside = await new Inside().serve();
    const client = await inside.connect();
    const state = 'asleep' as 'idle';
    const error = await client.call('list_panes', { state }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(DaemonError);
    expect((error as Error).message).toContain('state');
  });

  test('does not end the connection: the next line is served', async () => {
    const inside = await new Inside().serve();
    const peer = await peerOf(inside);
    peer.send('nonsense\n\n{"jsonrpc":"2.0","id":"a","method":"hello"}\n');
    await until('both', () => peer.lines.length === 2);
    expect(peer.lines.map(({ id }) => id)).toEqual([null, 'a']);
  });
});

describe('limits', () => {
  test('a line without an end is refused at its limit, and the peer is left', async () => {
    const inside = await new Inside().serve();
    const peer = await peerOf(inside);
    peer.send(`{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(1024 * 1024)}`);
    await until('hung up', () => peer.isClosed);
    expect(peer.lines[0]?.error?.message).toContain('1048576 bytes');
    await until('released', () => inside.connectionCount === 0);
  });

  test('a line just below the limit is served', async () => {
    const inside = await new Inside().serve();
    const peer = await peerOf(inside);
    const events = [{ source: 'x', type: 'y', payload: 'z'.repeat(1024 * 1024 - 200) }];
    peer.ask({ id: 1, method: 'ingest_events', params: { events } });
    await until('answered', () => peer.lines.length === 1);
    expect(peer.lines[0]).toHaveProperty('result.results');
  });

  test('a line that is begun and dripped is given up', async () => {
    const inside = await new Inside().serve({ lineTimeoutMs: 60 });
    const peer = await peerOf(inside);
    const drip = setInterval(() => peer.send(' '), 10);
    await until('hung up', () => peer.isClosed).finally(() => clearInterval(drip));
    expect(peer.lines[0]?.error?.code).toBe(-32700);
  });

  test('a line that comes in two halves in time is served', async () => {
    const inside = await new Inside().serve({ lineTimeoutMs: 5_000 });
    const peer = await peerOf(inside);
    peer.send('{"jsonrpc":"2.0","id":1,"met');
    await until('it arrived', () => peer.socket.bytesWritten > 0);
    peer.send('hod":"hello"}\n');
    await until('answered', () => peer.lines.length === 1);
    expect(peer.lines[0]).toHaveProperty('result.nonce');
  });

  test('a peer that is hung up on is gone, though it never hangs up itself', async () => {
    const inside = await new Inside().serve({ lineTimeoutMs: 60 });
    const socket = connect({ path: inside.socketPath, allowHalfOpen: true });
    onTestFinished(() => {
      socket.destroy();
    });
    socket.on('error', () => {});
    socket.pause();
    socket.write('{"half');
    await until('it is in', () => inside.connectionCount === 1);
    await until('it is gone', () => inside.connectionCount === 0);
  });

  test('128 peers that ask nothing lock nobody out: the idlest leaves for the next', async () => {
    const inside = await new Inside().serve({ idleMs: 0 });
    const user = await inside.connect();
    const peers = Array.from({ length: 127 }, () => new RawPeer(inside.socketPath));
    await until('all are in', () => inside.connectionCount === 128);
    await user.call('hello', {});
    const client = await inside.connect();
    expect((await client.call('hello', {})).protocol).toBe(1);
    await until('one was dropped', () => peers.filter(({ isClosed }) => isClosed).length === 1);
    expect((await user.call('hello', {})).protocol).toBe(1);
    expect(inside.connectionCount).toBe(128);
  });

  test('128 busy clients leave places in reserve; beyond them one is refused', async () => {
    const inside = await new Inside().serve({ idleMs: 60_000 });
    const busy = await busyPeers(inside, 128);
    const client = await inside.connect();
    expect((await client.call('hello', {})).protocol).toBe(1);
    client.close();
    busy.push(...(await busyPeers(inside, 16)));
    const late = new RawPeer(inside.socketPath);
    await until('it is refused', () => late.isClosed);
    expect(late.lines[0]?.error?.message).toContain('144 clients');
    expect(busy.some(({ isClosed }) => isClosed)).toBe(false);
  });

  test('clients that were refused leave nothing open, whatever they do', async () => {
    const inside = await new Inside().serve({ idleMs: 60_000 });
    const peers = await busyPeers(inside, 144);
    const refused = Array.from({ length: 10 }, () => {
      const socket = connect({ path: inside.socketPath, allowHalfOpen: true });
      socket.on('error', () => socket.destroy());
      // It asks at once, never reads, and does not hang up by itself.
      socket.write('{"jsonrpc":"2.0","id":1,"method":"hello"}\n');
      onTestFinished(() => {
        socket.destroy();
      });
      return socket;
    });
    await until('they are hung up on', () => {
      for (const socket of refused) if (!socket.destroyed) socket.write('\n');
      return refused.every(({ destroyed }) => destroyed);
    });
    for (const { socket } of peers) socket.destroy();
    const closed = inside.hangUp().then(() => 'closed');
    expect(await Promise.race([closed, pause(5_000, 'still open')])).toBe('closed');
  });

  test('a peer that asks without reading is not served without end', async () => {
    const inside = await new Inside(agents(40)).serve();
    let listed = 0;
    const { world } = inside.ports.panes;
    Object.assign(inside.ports.panes, {
      world: () => {
        listed += 1;
        return world();
      },
    });
    const socket = connect(inside.socketPath);
    socket.pause();
    socket.on('error', () => socket.destroy());
    const request = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'list_panes' })}\n`;
    const requestCount = 2_000;
    socket.write(request.repeat(requestCount));
    const client = await inside.connect();
    // Some answers fit into buffers; then nothing more is begun for this peer.
    let before = -1;
    await until('it stands still', () => {
      const stands = before === listed && listed > 0;
      before = listed;
      return stands;
    });
    expect(listed).toBeLessThan(requestCount / 2);
    expect((await client.call('hello', {})).protocol).toBe(1);
    let bytes = 0;
    socket.on('data', (chunk) => {
      bytes += chunk.toString().split('\n').length - 1;
    });
    socket.resume();
    await until('all answers came once it read', () => bytes === requestCount, 30_000);
    socket.destroy();
  });
});

describe('many clients', () => {
  test('a hundred ask at once and each gets its own answers', async () => {
    const inside = await new Inside().serve();
    const clients = await Promise.all(Array.from({ length: 100 }, () => inside.connect()));
    const answers = await Promise.all(
      clients.flatMap((client) => [
        client.call('hello', {}),
        client.call('list_panes', {}).then(({ panes }) => panes.length),
      ]),
    );
    expect(answers.filter((answer) => answer === 2)).toHaveLength(100);
    for (const client of clients) client.close();
    await until('all have left', () => inside.connectionCount === 0);
  });

  test('answers come as they complete, not as they were asked', async () => {
    const inside = await new Inside().serve();
    let release: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    Object.assign(inside.ports.sources, { ingest: () => gate.then(() => []) });
    const peer = await peerOf(inside);
    const events = [{ source: 'a', type: 'b' }];
    peer.ask({ id: 1, method: 'ingest_events', params: { events } });
    peer.ask({ id: 2, method: 'hello' });
    await until('the second', () => peer.lines.length === 1);
    expect(peer.lines[0]?.['id']).toBe(2);
    release();
    await until('the first', () => peer.lines.length === 2);
    expect(peer.lines[1]?.['id']).toBe(1);
  });

  test('a notification is run and not answered', async () => {
    const inside = await new Inside().serve();
    const peer = await peerOf(inside);
    peer.ask({ method: 'daemon_stop', params: { reason: 'quietly' } });
    peer.ask({ method: 'nothing' });
    peer.ask({ id: 9, method: 'hello' });
    await until('answered', () => peer.lines.length > 0);
    expect(peer.lines.map(({ id }) => id)).toEqual([9]);
    expect(inside.stopped).toBe('quietly');
  });
});

describe('faults and ends', () => {
  test('a defect is answered as one and reported, and the server goes on', async () => {
    const inside = await new Inside().serve();
    Object.assign(inside.ports.daemon, {
      metrics: () => {
        throw new TypeError('a secret detail');
      },
    });
    const client = await inside.connect();
    const error = await client.call('metrics', {}).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'defect', rpcCode: -32603 });
    expect((error as Error).message).not.toContain('secret');
    expect(inside.defects).toHaveLength(1);
    expect((await client.call('hello', {})).protocol).toBe(1);
  });

  test('a call that is not answered in time is rejected, and the connection lives', async () => {
    const inside = await new Inside().serve();
    Object.assign(inside.ports.sources, { ingest: () => new Promise(() => {}) });
    const client = await inside.connect();
    const events = [{ source: 'a', type: 'b' }];
    await expect(client.call('ingest_events', { events }, { timeoutMs: 30 })).rejects.toMatchObject(
      { code: 'timeout' },
    );
    expect((await client.call('hello', {})).protocol).toBe(1);
  });

  test('a call that its client gives up is aborted, and others are not', async () => {
    const inside = await new Inside().serve();
    const signals: AbortSignal[] = [];
    Object.assign(inside.ports.panes, {
      capture: (_pane: unknown, signal: AbortSignal) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    });
    const client = await inside.connect();
    const other = client.call('preview', { ref: '%0' }).catch(() => null);
    await until('the other runs', () => signals.length === 1);
    const call = client.call('preview', { ref: '%1' }, { timeoutMs: 30 });
    await expect(call).rejects.toMatchObject({ code: 'timeout' });
    await until('it is aborted', () => signals[1]?.aborted === true);
    expect(signals[0]?.aborted).toBe(false);
    client.close();
    await other;
    await until('all is aborted', () => signals[0]?.aborted === true);
  });

  test('a call is given up also while no other may start', async () => {
    const inside = await new Inside().serve({ runningMax: 1 });
    const capture = (_pane: unknown, signal: AbortSignal) => untilAborted(never, signal);
    Object.assign(inside.ports.panes, { capture });
    const peer = await peerOf(inside);
    peer.ask({ id: 1, method: 'preview', params: { ref: '%0' } });
    peer.ask({ method: '$/cancelRequest', params: { id: 1 } });
    peer.ask({ id: 2, method: 'preview', params: { ref: '%0' } });
    await until('the first is answered', () => peer.lines.length === 1);
    peer.ask({ method: '$/cancelRequest', params: { id: 2 } });
    await until('both are answered', () => peer.lines.length === 2, 5_000);
    expect(peer.lines.map(({ id, error }) => [id, error?.data?.code])).toEqual([
      [1, 'timeout'],
      [2, 'timeout'],
    ]);
  });

  test('a cancellation that asks for a reply is refused as no operation', async () => {
    const inside = await new Inside().serve();
    const line = '{"jsonrpc":"2.0","id":1,"method":"$/cancelRequest","params":{"id":7}}\n';
    expect((await answerTo(inside, line)).error?.code).toBe(-32601);
  });

  test('when the door closes, calls are rejected and the socket is gone', async () => {
    const inside = await new Inside().serve();
    Object.assign(inside.ports.sources, { ingest: () => new Promise(() => {}) });
    const client = await inside.connect();
    const waiting = client.call('ingest_events', { events: [{ source: 'a', type: 'b' }] });
    const rejected = expect(waiting).rejects.toMatchObject({ code: 'E_DAEMON_DOWN' });
    await until('connected', () => inside.connectionCount === 1);
    await inside.hangUp();
    await rejected;
    await expect(connectDaemon({ socketPath: inside.socketPath })).rejects.toMatchObject({
      code: 'E_DAEMON_DOWN',
      hint: 'Start it with agtmux daemon start.',
    });
  });
});
