// One peer of the socket: reads its lines, calls operations, writes answers as they complete, and
// holds its streams. A peer that does not read is not read from either, so nothing piles up.

import type { Socket } from 'node:net';
import type { Context } from '../operations/context.ts';
import type { Actor } from '../operations/operation.ts';
import { LineReader } from '../platform/text/line-reader.ts';
import type { Subscribed, SubscribeInput } from '../schema/api/stream.ts';
import { admit, type CallProblem, callOperation, problem } from './access.ts';
import { parseRequest, problemLine, type RequestKey, resultLine } from './json-rpc.ts';
import type { OpenStream, StreamHost } from './stream-host.ts';

export interface ConnectionLimits {
  readonly lineBytesMax: number;
  /** A line must end so long after it began. */
  readonly lineTimeoutMs: number;
  /** No new request is begun while so many run or so much waits to be read. */
  readonly runningMax: number;
  readonly outputBytesMax: number;
  readonly streamsMax: number;
}

export const connectionLimits: ConnectionLimits = {
  lineBytesMax: 1024 * 1024,
  lineTimeoutMs: 10_000,
  runningMax: 32,
  outputBytesMax: 1024 * 1024,
  streamsMax: 16,
};

export interface ConnectionParts {
  readonly socket: Socket;
  readonly context: Context;
  readonly streams: StreamHost;
  readonly actor: Actor;
  readonly limits: ConnectionLimits;
  readonly onDefect: (error: unknown, name: string) => void;
}

export class SocketConnection {
  readonly #parts: ConnectionParts;
  readonly #lines: LineReader;
  readonly #streams = new Map<string, OpenStream>();
  #waiting: Buffer[] = [];
  #runningCount = 0;
  #isEnding = false;
  #lineTimer: NodeJS.Timeout | null = null;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    this.#lines = new LineReader(parts.limits.lineBytesMax);
    const { socket } = parts;
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    socket.on('drain', () => this.#drained());
    socket.on('close', () => this.#release());
    // A peer that vanishes is no news; `close` follows.
    socket.on('error', () => socket.destroy());
  }

  /** Sends what is written, then hangs up. */
  end(): void {
    this.#isEnding = true;
    this.#release();
    this.#parts.socket.end();
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
    for (const line of lines) if (line.length > 0) this.#waiting.push(line);
    this.#pump();
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
    const { socket, limits } = this.#parts;
    while (
      this.#waiting.length > 0 &&
      this.#runningCount < limits.runningMax &&
      socket.writableLength < limits.outputBytesMax &&
      !this.#isEnding
    ) {
      const line = this.#waiting.shift();
      if (line) void this.#serve(line);
    }
    if (this.#waiting.length > 0) socket.pause();
    else if (socket.isPaused()) socket.resume();
  }

  async #serve(line: Buffer): Promise<void> {
    const request = parseRequest(line);
    if (request.kind === 'broken') {
      this.#send(problemLine(request.id, request.problem));
      return;
    }
    const { id, method, params } = request;
    if (method === 'subscribe') {
      this.#subscribe(id, params);
    } else if (method === 'unsubscribe') {
      this.#unsubscribe(id, params);
    } else {
      this.#runningCount += 1;
      const result = await callOperation({ ...this.#parts, name: method, params });
      this.#runningCount -= 1;
      this.#answer(id, result);
      this.#pump();
    }
  }

  #answer(
    id: RequestKey | undefined,
    result:
      | { readonly ok: true; readonly value: unknown }
      | { readonly ok: false; readonly problem: CallProblem },
  ): void {
    if (id === undefined) return;
    this.#send(result.ok ? resultLine(id, result.value) : problemLine(id, result.problem));
  }

  #subscribe(id: RequestKey | undefined, params: unknown): void {
    const admitted = admit(this.#parts.actor, 'subscribe', params);
    if (!admitted.ok) {
      this.#answer(id, admitted);
      return;
    }
    const { streamsMax } = this.#parts.limits;
    if (this.#streams.size >= streamsMax) {
      const message = `this connection has ${streamsMax} streams already`;
      this.#answer(id, { ok: false, problem: problem('E_INPUT_INVALID', message) });
      return;
    }
    const { socket } = this.#parts;
    const stream = this.#parts.streams.subscribe(admitted.input as SubscribeInput, {
      send: (text) => this.#send(text),
      bufferedBytes: () => socket.writableLength,
    });
    const value: Subscribed = stream.answer;
    this.#streams.set(value.subscription, stream);
    this.#answer(id, { ok: true, value });
    stream.start();
  }

  #unsubscribe(id: RequestKey | undefined, params: unknown): void {
    const admitted = admit(this.#parts.actor, 'unsubscribe', params);
    if (!admitted.ok) {
      this.#answer(id, admitted);
      return;
    }
    const { subscription } = admitted.input as { readonly subscription: string };
    const stream = this.#streams.get(subscription);
    if (!stream) {
      const message = `this connection has no stream ${subscription}`;
      this.#answer(id, { ok: false, problem: problem('E_REF_NOT_FOUND', message) });
      return;
    }
    this.#streams.delete(subscription);
    stream[Symbol.dispose]();
    this.#answer(id, { ok: true, value: { ok: true } });
  }

  #drained(): void {
    for (const stream of this.#streams.values()) stream.drained();
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
    for (const stream of this.#streams.values()) stream[Symbol.dispose]();
    this.#streams.clear();
  }
}
