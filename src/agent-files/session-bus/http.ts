// The HTTP server that an opencode or Kilo opens on loopback when it is started with one: short
// requests and its stream of events. Every reply has a deadline and a size limit.

import type { ClientRequest, IncomingMessage } from 'node:http';
import { EventStream } from './stream.ts';

/** An agent that begins a turn keeps its own server waiting for seconds on a busy machine. */
const ANSWER_MS = 10_000;
/** The open requests, and the state of each session that works. */
const ANSWER_BYTES_MAX = 1024 * 1024;
/** Outputs of tools are in the events; longer ones are left out. */
const EVENT_BYTES_MAX = 2 * 1024 * 1024;

export type HttpReply =
  | { readonly kind: 'json'; readonly value: unknown }
  /** It requires a password. */
  | { readonly kind: 'locked' }
  /** The server has no such path, as older versions. */
  | { readonly kind: 'unknown'; readonly problem: string; readonly status?: number }
  /** Nothing may be concluded. */
  | { readonly kind: 'failed'; readonly problem: string };

const JSON_TYPE = 'application/json';

const failed = (problem: string): HttpReply => ({ kind: 'failed', problem });

/** What the server answers. Never rejects. */
export const getJson = (port: number, path: string): Promise<HttpReply> =>
  answerTo(open(port, path, JSON_TYPE).end());

/** What it answers to an order, which is sent once. Never rejects. */
export const postJson = (port: number, path: string, body: object): Promise<HttpReply> => {
  const order = open(port, path, JSON_TYPE, 'POST').setHeader('content-type', JSON_TYPE);
  return answerTo(order.end(JSON.stringify(body)));
};

function answerTo(request: ClientRequest): Promise<HttpReply> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => request.destroy(new Error('no answer in time')), ANSWER_MS);
    const done = (answer: HttpReply): void => {
      clearTimeout(timer);
      request.destroy();
      resolve(answer);
    };
    request.on('error', (error) => done(failed(error.message)));
    request.on('response', (response) => {
      const refusal = refusalOf(response);
      if (refusal) return done(refusal);
      const parts: Uint8Array[] = [];
      let length = 0;
      response.on('data', (bytes: Uint8Array) => {
        length += bytes.length;
        if (length > ANSWER_BYTES_MAX) return done(failed('the answer is too long'));
        parts.push(bytes);
      });
      response.on('error', (error) => done(failed(error.message)));
      response.on('close', () => done(failed('it hung up')));
      response.on('end', () => done(parsed(Buffer.concat(parts).toString('utf8'))));
    });
  });
}

export interface EventsOptions {
  readonly port: number;
  readonly onEvent: (data: string) => void;
  /** Called once, unless it was closed before; null when it requires a password. */
  readonly onEnd: (problem: string | null) => void;
}

/** The stream of events, until it ends or is closed. */
export class BusEvents implements Disposable {
  readonly #options: EventsOptions;
  readonly #request: ClientRequest;
  readonly #timer: NodeJS.Timeout;
  #isEnded = false;

  constructor(options: EventsOptions) {
    this.#options = options;
    this.#request = open(options.port, '/event', 'text/event-stream').end();
    this.#timer = setTimeout(() => this.#end('no answer in time'), ANSWER_MS);
    this.#request.on('error', (error) => this.#end(error.message));
    this.#request.on('response', (response) => this.#read(response));
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    this.#request.destroy();
  }

  #read(response: IncomingMessage): void {
    clearTimeout(this.#timer);
    const refusal = refusalOf(response);
    if (refusal) {
      this.#end(refusal.kind === 'locked' ? null : refusal.problem);
      return;
    }
    const stream = new EventStream(EVENT_BYTES_MAX);
    response.on('data', (bytes: Uint8Array) => {
      for (const data of stream.push(bytes)) if (!this.#isEnded) this.#options.onEvent(data);
    });
    response.on('error', (error) => this.#end(error.message));
    response.on('close', () => this.#end('it hung up'));
  }

  #end(problem: string | null): void {
    if (this.#isEnded) return;
    this[Symbol.dispose]();
    this.#options.onEnd(problem);
  }
}

function open(port: number, path: string, accept: string, method = 'GET'): ClientRequest {
  // Loaded with the first request: it takes 30 ms of the start, and few agents have such a server.
  const { request } = process.getBuiltinModule('node:http');
  return request({ host: '127.0.0.1', port, path, method, agent: false, headers: { accept } });
}

function refusalOf({ statusCode }: IncomingMessage): Exclude<HttpReply, { kind: 'json' }> | null {
  if (statusCode === 200) return null;
  if (statusCode === 401 || statusCode === 403) return { kind: 'locked' };
  const isBroken = statusCode === undefined || statusCode >= 500;
  const problem = `it answered ${statusCode}`;
  return isBroken ? { kind: 'failed', problem } : { kind: 'unknown', problem, status: statusCode };
}

function parsed(text: string): HttpReply {
  try {
    return { kind: 'json', value: JSON.parse(text) };
  } catch {
    return { kind: 'unknown', problem: 'the answer is no JSON' };
  }
}
