// The scripts of a fake model: which replies belong to which token, which request of a conversation
// this is, and when each request came, began to be answered and ended.

import type { Dialect, ModelRequest, Reply } from './reply.ts';

/** One request of a scripted conversation. The times are of the wall clock. */
export type RequestRecord = {
  readonly token: string;
  /** 0 for the token's first request. */
  readonly index: number;
  readonly dialect: Dialect['name'];
  readonly model: string;
  readonly toolNames: readonly string[];
  /** What the user's side of the conversation says, oldest first. */
  readonly userTexts: readonly string[];
  /** Its last message as JSON: a prompt, or the result of a tool. */
  lastMessage?: string;
  readonly reply: Reply;
  readonly requestAtMs: number;
  firstByteAtMs?: number;
  /** The answer was sent whole. */
  finishedAtMs?: number;
  /** The agent went away before the end, as it does on Esc. */
  abortedAtMs?: number;
  /** Why the reply could not be given as the script has it. */
  problem?: string;
};

export type Moment = 'requestAtMs' | 'firstByteAtMs' | 'finishedAtMs' | 'abortedAtMs';

type Waiter = { readonly check: () => boolean };

/** One conversation's replies; the last is repeated. */
export class ScriptHandle {
  readonly token: string;
  readonly requests: RequestRecord[] = [];
  readonly #replies: readonly Reply[];
  readonly #waiters = new Set<Waiter>();

  constructor(token: string, replies: readonly Reply[]) {
    if (replies.length === 0) throw new Error(`the script of ${token} has no reply`);
    this.token = token;
    this.#replies = replies;
  }

  next(dialect: Dialect['name'], request: ModelRequest, nowMs: number): RequestRecord {
    const index = this.requests.length;
    const reply = this.#replies[Math.min(index, this.#replies.length - 1)] as Reply;
    const record: RequestRecord = {
      token: this.token,
      index,
      dialect,
      model: request.model,
      toolNames: request.tools.map(({ namespace, name }) =>
        namespace === undefined ? name : `${namespace}__${name}`,
      ),
      userTexts: request.userTexts,
      reply,
      requestAtMs: nowMs,
    };
    this.requests.push(record);
    this.changed();
    return record;
  }

  changed(): void {
    for (const waiter of [...this.#waiters]) if (waiter.check()) this.#waiters.delete(waiter);
  }

  /** The time of a moment of the request with that index, as soon as it has come. */
  reached(index: number, moment: Moment, timeoutMs: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        check: () => {
          const atMs = this.requests[index]?.[moment];
          if (atMs === undefined) return false;
          clearTimeout(timer);
          resolve(atMs);
          return true;
        },
      };
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter);
        const outcomes = this.requests.map(({ problem }) => problem ?? 'ok').join(', ');
        reject(
          new Error(
            `request ${index} of ${this.token} had no ${moment} in ${timeoutMs} ms;` +
              ` ${this.requests.length} came (${outcomes})`,
          ),
        );
      }, timeoutMs);
      if (!waiter.check()) this.#waiters.add(waiter);
    });
  }
}

/** The script whose token was written last on the user's side, if any. */
export const scriptOf = (
  scripts: ReadonlyMap<string, ScriptHandle>,
  request: ModelRequest,
): ScriptHandle | undefined => {
  for (const text of [...request.userTexts].reverse()) {
    let newest: { at: number; handle: ScriptHandle } | undefined;
    for (const handle of scripts.values()) {
      const at = text.lastIndexOf(handle.token);
      if (at >= 0 && at >= (newest?.at ?? 0)) newest = { at, handle };
    }
    if (newest !== undefined) return newest.handle;
  }
  return undefined;
};
