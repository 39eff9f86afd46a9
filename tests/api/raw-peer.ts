// A peer of the daemon's socket that writes bytes as it likes.

import { createConnection, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export type Line = Record<string, unknown> & {
  readonly error?: { code: number; message: string; data?: { code?: string } };
};

/** A peer that writes bytes as it likes, and keeps the lines that come back. */
export class RawPeer {
  readonly socket: Socket;
  readonly lines: Line[] = [];
  isClosed = false;
  #rest = '';

  constructor(path: string) {
    this.socket = createConnection(path);
    this.socket.setEncoding('utf8');
    this.socket.on('data', (text) => this.#take(String(text)));
    this.socket.on('error', () => this.socket.destroy());
    this.socket.on('close', () => {
      this.isClosed = true;
    });
    onTestFinished(() => {
      this.socket.destroy();
    });
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(bytes);
  }

  ask(request: object): void {
    this.send(`${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`);
  }

  #take(text: string): void {
    const parts = (this.#rest + text).split('\n');
    this.#rest = parts.pop() ?? '';
    for (const part of parts) this.lines.push(JSON.parse(part) as Line);
  }
}
