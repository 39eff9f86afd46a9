// The door on the Unix socket: JSON-RPC, one message a line. Its peers are the user: the folder is
// 0700 and the socket 0600, which keep everybody else out. Making the folder, checking its owner
// and replacing a stale socket are left to the daemon's start.

import { statSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { Actor } from '../operations/ports/operation.ts';
import { problem } from './access.ts';
import { problemLine } from './json-rpc.ts';
import type { OperationHost } from './session.ts';
import { type ConnectionLimits, connectionLimits, SocketConnection } from './socket-connection.ts';

const CONNECTIONS_MAX = 128;
/** Places for when every peer is busy: `daemon stop` must get in. Each is lent for a short time. */
const RESERVE_MAX = 16;
const RESERVE_MS = 10_000;
const SOCKET_UMASK = 0o177;

/** Whoever can open the socket is the user, or root. */
const user: Actor = { kind: 'user', id: 'socket', scopes: ['read', 'control', 'admin'] };

export interface SocketServerOptions {
  readonly path: string;
  readonly host: OperationHost;
  /** Asked for each new peer. */
  readonly limits?: () => Partial<ConnectionLimits>;
}

export class SocketServer {
  readonly #options: SocketServerOptions;
  /** The newest last. Ending one removes the file at its path, so all of them end together. */
  readonly #servers: Server[] = [];
  /** Which file is our socket: another one may take its place. */
  #inode = 0;
  readonly #connections = new Map<Socket, SocketConnection>();
  /** Peers that are refused because there are too many. */
  readonly #refused = new Set<Socket>();

  constructor(options: SocketServerOptions) {
    this.#options = options;
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  /** Resolves when peers can connect; rejects with the system's error. Connections stay open. */
  listen(): Promise<void> {
    const server = createServer((socket) => this.#accept(socket));
    const { path, host } = this.#options;
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      // The socket is made in this call, so that it is never there with a wider mode.
      const before = process.umask(SOCKET_UMASK);
      try {
        server.listen(path, () => {
          server.off('error', reject);
          server.on('error', (error) => host.onDefect(error, 'accept'));
          this.#servers.push(server);
          this.#inode = statSync(path, { throwIfNoEntry: false })?.ino ?? 0;
          resolve();
        });
      } finally {
        process.umask(before);
      }
    });
  }

  /** Whether the file at our path is still our socket. One that is not is left alone. */
  isReachable(): boolean {
    return statSync(this.#options.path, { throwIfNoEntry: false })?.ino === this.#inode;
  }

  /** Accepts no new peer, flushes replies, hangs up and removes the socket. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = Promise.all(
      this.#servers.map(
        (server) =>
          new Promise<void>((resolve) => {
            server.close(() => resolve());
          }),
      ),
    );
    for (const socket of this.#refused) socket.destroy();
    for (const connection of this.#connections.values()) connection.end();
    await closed;
  }

  #accept(socket: Socket): void {
    if (this.#connections.size >= CONNECTIONS_MAX) this.#dropIdlest();
    const isFull = this.#connections.size >= CONNECTIONS_MAX;
    if (isFull && this.#connections.size >= CONNECTIONS_MAX + RESERVE_MAX) {
      this.#refuse(socket);
      return;
    }
    const { host, limits } = this.#options;
    const connection = new SocketConnection({
      socket,
      host,
      actor: user,
      limits: { ...connectionLimits, ...limits?.() },
    });
    this.#connections.set(socket, connection);
    const loan = isFull ? setTimeout(() => connection.end(), RESERVE_MS).unref() : undefined;
    socket.on('close', () => {
      clearTimeout(loan);
      this.#connections.delete(socket);
    });
  }

  /** Hangs up on the peer that has asked nothing for the longest time, if there is one. */
  #dropIdlest(): void {
    let longestMs = 0;
    let idlest: Socket | null = null;
    for (const [socket, { idleMs }] of this.#connections) {
      if (idleMs > longestMs) [longestMs, idlest] = [idleMs, socket];
    }
    if (idlest === null) return;
    this.#connections.delete(idlest);
    idlest.destroy();
  }

  /** Sends the reason and closes the connection. */
  #refuse(socket: Socket): void {
    const full = problem(
      'E_NOT_PERMITTED',
      `${this.#connections.size} clients are connected already`,
    );
    this.#refused.add(socket);
    socket.on('close', () => this.#refused.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.write(problemLine(null, { ...full, hint: 'Close one of them.' }));
    // end() alone would leave it open while the peer has sent bytes that are never read.
    socket.destroySoon();
  }
}
