// The client against somebody who is no daemon.

import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectDaemon } from '../../src/client/client.ts';
import { makeFolder } from './fixture.ts';
import { until } from './wait.ts';

/** Listens, and answers each connection by the given function. */
async function impostor(answer: (socket: Socket) => void): Promise<string> {
  const path = join(makeFolder(), 'x.sock');
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    answer(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(path, resolve);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return path;
}

describe('the client', () => {
  test.each<[string, string]>([
    ['text', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
    ['a number', '7\n'],
    ['null', 'null\n'],
  ])('is not confused by %s in the place of answers', async (_name, text) => {
    const socketPath = await impostor((socket) => socket.write(text));
    const client = await connectDaemon({ socketPath });
    onTestFinished(() => client.close());
    await expect(client.call('hello', {})).rejects.toMatchObject({ code: 'protocol_desync' });
    await expect(client.call('hello', {})).rejects.toMatchObject({ code: 'protocol_desync' });
  });

  test('ignores replies to calls it never made and joins pieces of lines', async () => {
    const socketPath = await impostor((socket) => {
      socket.once('data', () => {
        socket.write('{"jsonrpc":"2.0","id":99,"result":1}\n{"jsonrpc":"2.0","id":1,"resu');
        setImmediate(() => socket.write(`lt":{"version":"${'ü'.repeat(100_000)}"}}\n`));
      });
    });
    const client = await connectDaemon({ socketPath });
    onTestFinished(() => client.close());
    expect((await client.call('hello', {})).version).toHaveLength(100_000);
  });

  test('reports a daemon that has no room for another client', async () => {
    const socketPath = await impostor((socket) => {
      const error = { code: -32003, message: 'full', data: { code: 'E_NOT_PERMITTED' } };
      socket.end(`${JSON.stringify({ jsonrpc: '2.0', id: null, error })}\n`);
    });
    const client = await connectDaemon({ socketPath });
    await expect(client.call('hello', {})).rejects.toMatchObject({ code: 'E_NOT_PERMITTED' });
  });

  test('gives up a subscription that is refused, also with resume', async () => {
    let requestCount = 0;
    const socketPath = await impostor((socket) => {
      socket.on('data', () => {
        requestCount += 1;
        const error = { code: -32602, message: 'no', data: { code: 'E_INPUT_INVALID' } };
        socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, error })}\n`);
      });
    });
    const client = await connectDaemon({ socketPath });
    onTestFinished(() => client.close());
    const stream = client.subscribe({}, { resume: true });
    await expect(stream.next()).rejects.toMatchObject({ code: 'E_INPUT_INVALID' });
    expect(requestCount).toBe(1);
  });

  test('closing it rejects what waits and ends its connections', async () => {
    let open = 0;
    const socketPath = await impostor((socket) => {
      open += 1;
      socket.on('close', () => {
        open -= 1;
      });
      socket.resume();
    });
    const client = await connectDaemon({ socketPath });
    const waiting = client.call('hello', {});
    const next = client.subscribe({}).next();
    await until('both are connected', () => open === 2);
    client.close();
    await expect(waiting).rejects.toMatchObject({ code: 'E_DAEMON_DOWN' });
    expect(await next).toEqual({ done: true, value: undefined });
    await until('both have ended', () => open === 0);
  });
});
