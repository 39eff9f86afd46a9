// The streams of one client over all its connections: each is opened on every connection anew, with
// the input that it has then, and its messages go to its handlers.

import { type DaemonError, isPassing } from '../client/daemon-error.ts';
import type { StreamData, StreamInput, StreamName, StreamReply } from './stream-messages.ts';

/** A stream that was not opened in time, on a connection that stands, is tried again. */
const RETRY_MS = 2_000;

export interface StreamHandlers<Name extends StreamName> {
  /** Asked before each opening: a cursor may have moved. */
  readonly input: () => StreamInput<Name>;
  readonly onMessage: (message: StreamData<Name>) => void;
  /** The stream stands, on this connection; its messages follow. */
  readonly onOpened?: (reply: StreamReply<Name>) => void;
  /** The service refuses the stream: it is not opened again. */
  readonly onRefused?: (error: DaemonError) => void;
}

interface WatchedStream {
  readonly name: StreamName;
  readonly handlers: StreamHandlers<StreamName>;
  subscription: string | null;
}

type Push = { readonly subscription?: unknown };

export class WebStreams {
  readonly #request: (name: string, input: unknown) => Promise<unknown>;
  readonly #watched = new Set<WatchedStream>();
  readonly #bySubscription = new Map<string, WatchedStream>();
  /** Messages that came while a stream was being opened: the reply is read a moment later. */
  #early: (readonly [string, Push])[] = [];
  #openingCount = 0;
  /** Grows with each connection: what belongs to an earlier one is nobody's. */
  #connection = 0;

  constructor(request: (name: string, input: unknown) => Promise<unknown>) {
    this.#request = request;
  }

  watch<Name extends StreamName>(
    name: Name,
    handlers: StreamHandlers<Name>,
    isConnected: boolean,
  ): Disposable {
    const stream: WatchedStream = {
      name,
      handlers: handlers as unknown as WatchedStream['handlers'],
      subscription: null,
    };
    this.#watched.add(stream);
    if (isConnected) void this.#open(stream);
    return { [Symbol.dispose]: () => this.#close(stream) };
  }

  /** A connection stands. */
  openAll(): void {
    for (const stream of this.#watched) void this.#open(stream);
  }

  /** The connection is gone. */
  closeAll(): void {
    this.#connection += 1;
    this.#bySubscription.clear();
    this.#early = [];
    this.#openingCount = 0;
    for (const stream of this.#watched) stream.subscription = null;
  }

  take(type: string, push: Push): void {
    const stream = this.#bySubscription.get(String(push?.subscription));
    if (stream) deliver(stream, type, push);
    else if (this.#openingCount > 0) this.#early.push([type, push]);
  }

  async #open(stream: WatchedStream): Promise<void> {
    const connection = this.#connection;
    const { name, handlers } = stream;
    this.#openingCount += 1;
    let refusal: DaemonError | null = null;
    try {
      const reply = (await this.#request(name, handlers.input())) as StreamReply<StreamName>;
      if (connection !== this.#connection) return;
      if (this.#watched.has(stream)) this.#opened(stream, reply);
      else this.#end(reply.subscription);
    } catch (error) {
      refusal = error as DaemonError;
    }
    if (connection !== this.#connection) return;
    this.#openingCount -= 1;
    if (this.#openingCount === 0) this.#early = [];
    if (refusal === null || !this.#watched.has(stream)) return;
    if (isPassing(refusal)) this.#retry(stream, connection);
    else if (this.#watched.delete(stream)) handlers.onRefused?.(refusal);
  }

  #retry(stream: WatchedStream, connection: number): void {
    setTimeout(() => {
      if (connection === this.#connection && this.#watched.has(stream)) void this.#open(stream);
    }, RETRY_MS);
  }

  #opened(stream: WatchedStream, reply: StreamReply<StreamName>): void {
    const { subscription } = reply;
    stream.subscription = subscription;
    this.#bySubscription.set(subscription, stream);
    stream.handlers.onOpened?.(reply);
    const early = this.#early;
    this.#early = early.filter(([, push]) => push.subscription !== subscription);
    for (const [type, push] of early) {
      if (push.subscription === subscription) deliver(stream, type, push);
    }
  }

  #close(stream: WatchedStream): void {
    const { subscription } = stream;
    this.#watched.delete(stream);
    if (subscription === null) return;
    stream.subscription = null;
    this.#bySubscription.delete(subscription);
    this.#end(subscription);
  }

  /** It may be gone by itself, as the connection may. */
  #end(subscription: string): void {
    this.#request('unsubscribe', { subscription }).catch(() => {});
  }
}

const deliver = ({ handlers }: WatchedStream, type: string, data: Push): void =>
  handlers.onMessage({ type, data } as unknown as StreamData<StreamName>);
