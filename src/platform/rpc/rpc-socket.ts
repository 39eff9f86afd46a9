// JSON-RPC over a socket, one message a line: calls with their replies, and what else the peer
// sends, in order. A peer that breaks the protocol is hung up on; nothing is retried here.

import type { Socket } from 'node:net';
import { LineReader } from '../text/line-reader.ts';
import { parseMessage, RpcCalls, type RpcMessage, type RpcRequest } from './rpc-calls.ts';

/** hung_up: the peer is gone. broken: it sent an invalid message. closed: by us. */
export type RpcEnd = 'hung_up' | 'broken' | 'closed';

export interface RpcSocketOptions {
  readonly socket: Socket;
  readonly lineBytesMax: number;
  readonly replyError: (error: unknown) => Error;
  readonly cancelMethod?: string;
  /** What calls reject with after the end. */
  readonly endError: (end: RpcEnd, detail: string) => Error;
}

export class RpcSocket implements Disposable {
  readonly #options: RpcSocketOptions;
  readonly #calls: RpcCalls;
  readonly #lines: LineReader;
  /** Receives messages that are not replies; set it before the call that causes them. */
  onMessage: ((message: RpcMessage) => void) | null = null;
  /** Called once, when nothing more will come. */
  onEnd: (() => void) | null = null;

  constructor(options: RpcSocketOptions) {
    this.#options = options;
    const { socket, lineBytesMax, replyError, cancelMethod } = options;
    const send = (text: string): void => void socket.write(`${text}\n`);
    this.#calls = new RpcCalls({ send, replyError, cancelMethod });
    this.#lines = new LineReader(lineBytesMax);
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    socket.on('error', (error) => this.#end('hung_up', error.message));
    socket.on('close', () => this.#end('hung_up', 'it hung up'));
  }

  get isEnded(): boolean {
    return this.#calls.isEnded;
  }

  request(request: RpcRequest): Promise<unknown> {
    return this.#calls.request(request);
  }

  /** Stops and goes on reading, so that the peer can tell a slow reader. */
  pause(): void {
    this.#options.socket.pause();
  }

  resume(): void {
    this.#options.socket.resume();
  }

  [Symbol.dispose](): void {
    this.#end('closed', 'the connection was closed');
  }

  #take(bytes: Buffer): void {
    const lines = this.#lines.push(bytes);
    if (lines === null) {
      this.#end('broken', `a line has more than ${this.#options.lineBytesMax} bytes`);
      return;
    }
    for (const line of lines) {
      if (this.isEnded) return;
      if (line.length > 0) this.#takeLine(line);
    }
  }

  #takeLine(line: Buffer): void {
    const message = parseMessage(line.toString('utf8'));
    if (message === null) {
      this.#end('broken', 'it sent what is not JSON');
    } else if (typeof message.method === 'string') {
      this.onMessage?.(message);
    } else if (message.id === null && message.error) {
      // The peer could not parse our line, so the call is unknown.
      this.#endBy(this.#options.replyError(message.error));
    } else this.#calls.settle(message);
  }

  #end(end: RpcEnd, detail: string): void {
    if (!this.isEnded) this.#endBy(this.#options.endError(end, detail));
  }

  #endBy(error: Error): void {
    this.#calls.end(error);
    this.#options.socket.destroy();
    this.onEnd?.();
  }
}
