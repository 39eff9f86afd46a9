// Calls of JSON-RPC 2.0 over any way to send text: each has an id, a reply by that id, and a
// deadline. What errors mean, and what carries the text, is left to the caller.

/** A message of the peer. Foreign: nothing in it is checked yet. */
export interface RpcMessage {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly [field: string]: unknown;
}

export interface RpcRequest {
  readonly method: string;
  readonly params: unknown;
  readonly timeoutMs: number;
  /** What the call rejects with when no reply came in time. */
  readonly onTimeout: () => Error;
}

export interface RpcCallsOptions {
  readonly send: (text: string) => void;
  /** What a call rejects with when the peer replied with this error. */
  readonly replyError: (error: unknown) => Error;
  /** A notification that gives up a call which timed out, by its id; absent: the peer has none. */
  readonly cancelMethod?: string | undefined;
}

interface WaitingCall {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

export class RpcCalls {
  readonly #options: RpcCallsOptions;
  readonly #waiting = new Map<number, WaitingCall>();
  #nextId = 1;
  #endedBy: Error | null = null;

  constructor(options: RpcCallsOptions) {
    this.#options = options;
  }

  get isEnded(): boolean {
    return this.#endedBy !== null;
  }

  /** The result, or a rejection: the peer's error, the timeout, or what ended the calls. */
  request({ method, params, timeoutMs, onTimeout }: RpcRequest): Promise<unknown> {
    if (this.#endedBy) return Promise.reject(this.#endedBy);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const id = this.#nextId++;
    const timer = setTimeout(() => {
      this.#waiting.delete(id);
      const { cancelMethod, send } = this.#options;
      if (cancelMethod) send(textOf({ method: cancelMethod, params: { id } }));
      reject(onTimeout());
    }, timeoutMs);
    this.#waiting.set(id, { resolve, reject, timer });
    this.#options.send(textOf({ id, method, params }));
    return promise;
  }

  /** Settles the call that the message replies to; a late reply is dropped. */
  settle({ id, result, error }: RpcMessage): void {
    const call = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    if (!call) return;
    this.#waiting.delete(id as number);
    clearTimeout(call.timer);
    if (error === undefined || error === null) call.resolve(result);
    else call.reject(this.#options.replyError(error));
  }

  /** Rejects the calls that wait, and every later one. */
  end(error: Error): void {
    this.#endedBy ??= error;
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(error);
    }
    this.#waiting.clear();
  }
}

const textOf = (message: RpcMessage): string => JSON.stringify({ jsonrpc: '2.0', ...message });

/** The message in a text, or null when it is not a JSON object. */
export function parseMessage(text: string): RpcMessage | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as RpcMessage)
      : null;
  } catch {
    return null;
  }
}
