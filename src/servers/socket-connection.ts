// One peer of the socket: reads its lines, hands them to its session, and writes replies as they
// complete. A peer that does not read is not read from either, so nothing piles up.

import type { Socket } from 'node:net';
import type { Actor } from '../operations/ports/operation.ts';
import { steadyMs } from '../platform/clock.ts';
import { LineReader } from '../platform/text/line-reader.ts';
import { type CallProblem, problem } from './access.ts';
import { parseRequest, problemLine } from './json-rpc.ts';
import { RpcPeer } from './rpc-peer.ts';
import { type OperationHost, Session } from './session.ts';

/** How long a peer has to read what was written, once we hang up. */
const FLUSH_MS = 500;

export interface ConnectionLimits {
  readonly lineBytesMax: number;
  /** The longest time from the first byte of a line to its end. */
  readonly lineTimeoutMs: number;
  /** No new request starts while this many run, or while this much output is unread. */
  readonly runningMax: number;
  readonly outputBytesMax: number;
  readonly streamsMax: number;
  /** A peer that asks nothing for this long may have to leave for another. */
  readonly idleMs: number;
}

export const connectionLimits: ConnectionLimits = {
  lineBytesMax: 1024 * 1024,
  lineTimeoutMs: 10_000,
  runningMax: 32,
  outputBytesMax: 1024 * 1024,
  streamsMax: 16,
  idleMs: 1_000,
};

export interface ConnectionParts {
  readonly socket: Socket;
  readonly host: OperationHost;
  readonly actor: Actor;
  readonly limits: ConnectionLimits;
}

export class SocketConnection {
  readonly #parts: ConnectionParts;
  readonly #lines: LineReader;
  readonly #session: Session;
  readonly #rpc: RpcPeer;
  #waiting: Buffer[] = [];
  #isEnding = false;
  #lineTimer: NodeJS.Timeout | null = null;
  #activeAtMs = steadyMs();

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    this.#lines = new LineReader(parts.limits.lineBytesMax);
    const { socket, host, actor, limits } = parts;
    this.#session = new Session({
      ...host,
      actor,
      streamsMax: limits.streamsMax,
      push: (subscription, message) => this.#rpc.push(subscription, message),
      bufferedBytes: () => socket.writableLength,
    });
    this.#rpc = new RpcPeer({
      session: () => this.#session,
      send: (text) => this.#send(text),
      onReplied: () => {
        this.#activeAtMs = steadyMs();
        this.#pump();
      },
    });
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    socket.on('drain', () => this.#drained());
    socket.on('close', () => this.#release());
    // `close` follows, which ends the session.
    socket.on('error', () => socket.destroy());
  }

  /** How long it has had no call and no stream, if that is long enough to drop it; else 0. */
  get idleMs(): number {
    const idleMs = this.#session.isBusy ? 0 : steadyMs() - this.#activeAtMs;
    return idleMs >= this.#parts.limits.idleMs ? idleMs : 0;
  }

  /** Sends what is written, then hangs up, whether the peer reads it and hangs up too or not. */
  end(): void {
    const { socket } = this.#parts;
    this.#release();
    socket.destroySoon();
    const timer = setTimeout(() => socket.destroy(), FLUSH_MS).unref();
    socket.once('close', () => clearTimeout(timer));
  }

  #take(bytes: Buffer): void {
    if (this.#isEnding) return;
    const lines = this.#lines.push(bytes);
    if (lines === null) {
      const { lineBytesMax } = this.#parts.limits;
      this.#hangUp(
        problem('E_INPUT_INVALID', `a line has more than ${lineBytesMax} bytes`, -32600),
      );
      return;
    }
    this.#watchLine(lines.length > 0);
    for (const line of lines) {
      if (line.length > 0 && !this.#rpc.hasCancelled(line)) this.#waiting.push(line);
      this.#pump();
    }
  }

  /** The time counts from the first byte of a line; a peer that drips bytes gains nothing. */
  #watchLine(hasEnded: boolean): void {
    if (this.#lineTimer && (hasEnded || !this.#lines.isInside)) {
      clearTimeout(this.#lineTimer);
      this.#lineTimer = null;
    }
    if (this.#lines.isInside && !this.#lineTimer) this.#startLineTimer();
  }

  #startLineTimer(): void {
    const { limits, socket } = this.#parts;
    this.#lineTimer = setTimeout(() => {
      // While we do not read, the rest of the line cannot come.
      if (socket.isPaused()) {
        this.#startLineTimer();
        return;
      }
      const message = `a line was begun and not ended in ${limits.lineTimeoutMs} ms`;
      this.#hangUp(problem('E_INPUT_INVALID', message, -32700));
    }, limits.lineTimeoutMs);
  }

  #pump(): void {
    const { socket } = this.#parts;
    for (let [line] = this.#waiting; line && !this.#isEnding; [line] = this.#waiting) {
      const hasRoom = this.#hasRoom;
      if (!hasRoom && !this.#rpc.hasCancelled(line)) break;
      this.#waiting.shift();
      if (hasRoom) this.#serve(line);
    }
    if (this.#waiting.length > 0) socket.pause();
    else if (socket.isPaused()) socket.resume();
  }

  get #hasRoom(): boolean {
    const { socket, limits } = this.#parts;
    return (
      this.#session.runningCount < limits.runningMax &&
      socket.writableLength < limits.outputBytesMax
    );
  }

  #serve(line: Buffer): void {
    this.#activeAtMs = steadyMs();
    this.#rpc.serve(parseRequest(line));
  }

  #drained(): void {
    this.#session.drained();
    this.#pump();
  }

  #send(text: string): void {
    const { socket } = this.#parts;
    if (socket.writable) socket.write(text);
  }

  #hangUp(found: CallProblem): void {
    this.#send(problemLine(null, found));
    this.end();
  }

  #release(): void {
    this.#isEnding = true;
    if (this.#lineTimer) clearTimeout(this.#lineTimer);
    this.#lineTimer = null;
    this.#waiting = [];
    this.#session[Symbol.dispose]();
  }
}
