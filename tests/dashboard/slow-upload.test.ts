// A file over a slow connection: what takes long to leave is no silence, and what did not leave is
// said to be not sent.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TerminalConnection } from '../../src/web/terminal/terminal-connection.ts';
import { WebLink } from '../../src/web-client/web-link.ts';

/** A connection from which bytes leave when the test says so. */
class SlowSocket {
  static readonly OPEN = 1;
  static last: SlowSocket;
  readonly readyState = SlowSocket.OPEN;
  bufferedAmount = 0;
  isEnded = false;
  onopen = (): void => {};
  onclose = (_event: { readonly code: number }): void => {};

  constructor() {
    SlowSocket.last = this;
  }

  send(data: string | Uint8Array): void {
    this.bufferedAmount += data.length;
  }

  close(): void {
    this.isEnded = true;
  }
}

const FILE = 8 * 1024 * 1024;
const MINUTE_MS = 60_000;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', SlowSocket);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** An open link that is sending a file to a service that does not answer. */
function sending() {
  const seen = { pings: 0, states: [] as string[] };
  const link = new WebLink({
    url: 'http://service',
    onOpen: () => {},
    onMessage: () => {},
    onState: (state) => void seen.states.push(state),
    ping: () => {
      seen.pings += 1;
      link.send('ping');
      return new Promise((_, reject) => setTimeout(() => reject(new Error('no answer')), 10_000));
    },
  });
  link.connect();
  const socket = SlowSocket.last;
  socket.onopen();
  link.send(new Uint8Array(FILE));
  return { link, socket, seen };
}

/** Has bytes leave for so long. */
async function trickle(socket: SlowSocket, forMs: number, bytesPerSecond: number): Promise<void> {
  for (let passedMs = 0; passedMs < forMs; passedMs += 1_000) {
    socket.bufferedAmount = Math.max(0, socket.bufferedAmount - bytesPerSecond);
    await vi.advanceTimersByTimeAsync(1_000);
  }
}

it('a service that is being sent a file is not asked whether it lives', async () => {
  const { link, socket, seen } = sending();
  await trickle(socket, 3 * MINUTE_MS, FILE / 200);
  expect(seen).toEqual({ pings: 0, states: ['open'] });
  await trickle(socket, MINUTE_MS, FILE / 200);
  expect(seen.pings).toBeGreaterThan(0);
  link[Symbol.dispose]();
});

it('a file that begins to leave after the question is a sign of life too', async () => {
  const { link, socket, seen } = sending();
  await vi.advanceTimersByTimeAsync(16_000);
  expect(seen.pings).toBe(1);
  await trickle(socket, MINUTE_MS, FILE / 200);
  expect(seen).toEqual({ pings: 1, states: ['open'] });
  link[Symbol.dispose]();
});

it('a service that takes nothing more is asked, and left when it does not answer', async () => {
  const { link, socket, seen } = sending();
  await trickle(socket, 20_000, FILE / 200);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(seen).toEqual({ pings: 1, states: ['open', 'lost'] });
  expect(socket.isEnded).toBe(true);
  link[Symbol.dispose]();
});

/** A terminal that has been given a file, and what it warned of. */
function uploading() {
  const errors: string[] = [];
  const connection = new TerminalConnection({
    ...{ agent: 'runtime:one', url: 'ws://service/ws', token: undefined },
    onState: () => {},
    onReset: () => {},
    onBytes: () => {},
    onError: (error) => void errors.push(error),
  });
  connection.connect();
  const socket = SlowSocket.last;
  socket.onopen();
  connection.send('FileUpload', new Uint8Array(FILE));
  return { connection, socket, errors };
}

it('a file that had not left when the connection was lost is said to be not sent', () => {
  const { connection, socket, errors } = uploading();
  socket.bufferedAmount -= FILE / 2;
  socket.onclose({ code: 1006 });
  expect(errors).toEqual([expect.stringContaining('The file was not sent')]);
  socket.onclose({ code: 1006 });
  expect(errors).toHaveLength(1);
  connection[Symbol.dispose]();
});

it('of a file that had left nothing is said, though keys after it had not', () => {
  const { connection, socket, errors } = uploading();
  socket.bufferedAmount = 0;
  connection.send('KeyboardInput', 'x');
  socket.onclose({ code: 1006 });
  expect(errors).toEqual([]);
  connection[Symbol.dispose]();
});
