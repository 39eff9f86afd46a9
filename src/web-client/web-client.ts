// The typed client of the web service, for browsers and for Node: operations by JSON-RPC on one
// WebSocket, which is opened again when it was lost. Calls are never repeated: a call that was on
// its way is refused, and its caller decides. Streams are opened again by themselves.

import type { DaemonError } from '../client/daemon-error.ts';
import type { PushMessage } from '../client/stream.ts';
import { parseMessage, RpcCalls, type RpcMessage } from '../platform/rpc/rpc-calls.ts';
import type { OperationMap, OperationName } from '../schema/api/operations.ts';
import { readBinaryMessage, writeBinaryMessage } from './binary-message.ts';
import { ChangeStream } from './change-stream.ts';
import { lateError, notAdmitted, notConnected, replyError } from './reply-error.ts';
import type { StreamName } from './stream-messages.ts';
import { WebLink, type WebLinkState } from './web-link.ts';
import { type StreamHandlers, WebStreams } from './web-streams.ts';

export { DaemonError } from '../client/daemon-error.ts';
export type { PushMessage } from '../client/stream.ts';
export type {
  ConversationStreamMessage,
  StreamName,
  TerminalMessage,
} from './stream-messages.ts';
export type { WebLinkState } from './web-link.ts';
export type { StreamHandlers } from './web-streams.ts';

const TIMEOUT_MS = 10_000;
const PING_TIMEOUT_MS = 8_000;

export interface ConnectWebOptions {
  /** Where the service is: `http://127.0.0.1:8080`; in a page of its own, `location.origin`. */
  readonly url: string;
  /** Absent: the cookie of the page, or none where the service needs none. */
  readonly token?: string;
  /** For every call without a timeout of its own. */
  readonly timeoutMs?: number;
  readonly onState?: (state: WebLinkState) => void;
}

export interface WebCallOptions {
  readonly timeoutMs?: number;
  /** Goes beside the call as its field `data`, without base64. */
  readonly data?: Uint8Array;
}

export class WebServiceClient {
  readonly #link: WebLink;
  readonly #streams: WebStreams;
  readonly #timeoutMs: number;
  readonly #changes = new Set<ChangeStream>();
  #calls: RpcCalls;

  constructor({ url, token, timeoutMs = TIMEOUT_MS, onState }: ConnectWebOptions) {
    this.#timeoutMs = timeoutMs;
    this.#calls = this.#newCalls();
    this.#streams = new WebStreams((name, input) => this.#request(name, input, {}));
    this.#link = new WebLink({
      url: url.replace(/\/+$/, ''),
      token,
      onOpen: () => this.#streams.openAll(),
      onMessage: (data) => this.#take(data),
      onState: (state) => {
        if (state !== 'open') this.#ended(state);
        onState?.(state);
      },
      ping: () => this.#request('hello', {}, { timeoutMs: PING_TIMEOUT_MS }),
    });
    this.#link.connect();
  }

  get state(): WebLinkState {
    return this.#link.state;
  }

  /** Connects at once where it waits to try again, or was refused before it was paired. */
  reconnect(): void {
    this.#link.connect();
  }

  /** The operation's output. Rejects with a DaemonError, at once while not connected. */
  async call<Name extends OperationName>(
    name: Name,
    input: OperationMap[Name]['input'],
    options: WebCallOptions = {},
  ): Promise<OperationMap[Name]['output']> {
    return (await this.#request(name, input, options)) as OperationMap[Name]['output'];
  }

  /** Snapshot, then changes; after a lost connection it goes on at the last cursor. */
  async *subscribe(
    input: OperationMap['subscribe']['input'] = {},
  ): AsyncGenerator<PushMessage, void, undefined> {
    const stream = new ChangeStream(this, input);
    this.#changes.add(stream);
    try {
      yield* stream.messages();
    } finally {
      this.#changes.delete(stream);
      stream[Symbol.dispose]();
    }
  }

  /** Has handlers called with what a stream sends, until it is disposed of. */
  watch<Name extends StreamName>(name: Name, handlers: StreamHandlers<Name>): Disposable {
    return this.#streams.watch(name, handlers, this.#link.state === 'open');
  }

  close(): void {
    for (const stream of this.#changes) stream[Symbol.dispose]();
    this.#link[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #request(method: string, params: unknown, options: WebCallOptions): Promise<unknown> {
    if (this.#link.state !== 'open') return Promise.reject(this.#refusal());
    const { timeoutMs = this.#timeoutMs, data } = options;
    this.#data = data ?? null;
    const onTimeout = (): DaemonError => lateError(method, timeoutMs);
    return this.#calls.request({ method, params, timeoutMs, onTimeout });
  }

  /** Of the call that is being sent. */
  #data: Uint8Array | null = null;

  #newCalls(): RpcCalls {
    return new RpcCalls({
      replyError,
      cancelMethod: '$/cancelRequest',
      send: (text) => {
        const data = this.#data;
        this.#data = null;
        this.#link.send(data ? writeBinaryMessage(text, data) : text);
      },
    });
  }

  #refusal(): DaemonError {
    return this.#link.state === 'refused' ? notAdmitted(401) : notConnected();
  }

  #ended(state: WebLinkState): void {
    const before = this.#calls;
    this.#calls = this.#newCalls();
    before.end(this.#refusal());
    this.#streams.closeAll();
    if (state === 'refused') for (const stream of this.#changes) stream.fail(this.#refusal());
  }

  #take(data: string | ArrayBuffer): void {
    const message =
      typeof data === 'string' ? parseMessage(data) : readBinaryMessage(new Uint8Array(data));
    if (message) this.#takeMessage(message);
  }

  #takeMessage(message: RpcMessage): void {
    const { method, params } = message;
    if (typeof method !== 'string') this.#calls.settle(message);
    else this.#streams.take(method, params as { readonly subscription?: unknown });
  }
}

/** Connects, or rejects with a DaemonError: nobody answers, or we are not let in. */
export async function connectWeb(options: ConnectWebOptions): Promise<WebServiceClient> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const client = new WebServiceClient({
    ...options,
    onState: (state) => {
      if (state === 'open') resolve();
      else if (state === 'refused') reject(notAdmitted(401));
      options.onState?.(state);
    },
  });
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const timer = setTimeout(() => reject(notConnected()), timeoutMs);
  try {
    await promise;
    return client;
  } catch (error) {
    client.close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
