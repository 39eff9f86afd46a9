// What the messages of an app server go over, and one way to it: a WebSocket over a Unix socket of
// the user's own. The other way is child.ts. Whoever opens a wire tries again by himself.

import { lstat, realpath } from 'node:fs/promises';
import { connect } from 'node:net';
import type { WebSocket } from 'ws';

/** A server that starts on a busy machine needs seconds; one that hangs must not be waited for. */
export const ANSWER_MS = 10_000;
/** Threads are read without their turns: a few KB. */
export const MESSAGE_BYTES_MAX = 1_048_576;

export interface CodexWire {
  send(text: string): void;
  /** Asks for a sign of life; the answer has no other meaning. */
  ping(): void;
  end(): void;
}

export interface WireEvents {
  readonly onText: (text: string) => void;
  /** The server lives. Text shows so too. */
  readonly onAlive: () => void;
  /** Called once for each wire that was open, however it ended. */
  readonly onClose: () => void;
}

export interface WireEndpoint {
  /** For people. */
  readonly name: string;
  /** An open wire; null where there is no server now. */
  open(events: WireEvents): Promise<CodexWire | null>;
}

/** The server at a Unix socket. */
export const socketEndpoint = (socketPath: string): WireEndpoint => ({
  name: socketPath,
  async open(events) {
    const path = await ownSocket(socketPath);
    if (path === null) return null;
    // Loaded only where there is a server to talk to.
    const { WebSocket } = await import('ws');
    return opened(openSocket(WebSocket, path), events);
  },
});

/** The socket behind the path; null where there is none, or where another user owns it. */
async function ownSocket(socketPath: string): Promise<string | null> {
  const path = await realpath(socketPath).catch(() => null);
  const stats = path === null ? null : await lstat(path).catch(() => null);
  return stats?.isSocket() && stats.uid === process.getuid?.() ? path : null;
}

const openSocket = (Socket: typeof WebSocket, path: string): WebSocket =>
  new Socket('ws://localhost/', {
    createConnection: () => connect(path),
    handshakeTimeout: ANSWER_MS,
    maxPayload: MESSAGE_BYTES_MAX,
    perMessageDeflate: false,
    followRedirects: false,
  });

function opened(
  socket: WebSocket,
  { onText, onAlive, onClose }: WireEvents,
): Promise<CodexWire | null> {
  const { promise, resolve } = Promise.withResolvers<CodexWire | null>();
  socket.on('message', (data, isBinary) => {
    if (!isBinary) onText(String(data));
  });
  socket.on('pong', onAlive);
  // `close` follows and reports it.
  socket.on('error', () => null);
  socket.once('close', () => resolve(null));
  socket.once('open', () => {
    socket.once('close', onClose);
    resolve({
      send: (text) => socket.send(text, () => null),
      ping: () => socket.ping(),
      end: () => socket.terminate(),
    });
  });
  return promise;
}
