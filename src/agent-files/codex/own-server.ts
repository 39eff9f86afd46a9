// The app server that we start where none runs and the configuration wants one. It holds no thread:
// it calls each notLoaded, and a turn that runs elsewhere interrupted. So it serves one purpose:
// the names of threads that a live Codex holds by its files. Nothing it answers claims a state or
// binds a pane.

import { fieldsAt, isFields } from '../../agents/signals/fields.ts';
import type { StartGate } from '../readers/agent-files-source.ts';
import { CodexChild } from './child.ts';
import { CodexLink } from './link.ts';
import { threadOf } from './thread.ts';

/** A name is made up some seconds after the first prompt, and seldom changes. */
const ASK_MS = 10_000;
/** More than anybody has open. */
const THREADS_MAX = 256;

export interface CodexOwnServerOptions {
  readonly home: string;
  readonly nowMs: () => number;
  readonly gate: StartGate;
  readonly onProblem: (problem: string) => void;
}

export class CodexOwnServer implements Disposable {
  readonly home: string;
  readonly #options: CodexOwnServerOptions;
  readonly #child: CodexChild;
  readonly #link: CodexLink;
  readonly #names = new Map<string, string>();
  #requestedAtMs = Number.NEGATIVE_INFINITY;
  #isAsking = false;
  #isEnded = false;

  constructor(options: CodexOwnServerOptions) {
    const { home, nowMs, gate, onProblem } = options;
    this.home = home;
    this.#options = options;
    this.#child = new CodexChild({ home, gate, isWanted: () => !this.#isEnded, onProblem });
    this.#link = new CodexLink({
      endpoint: this.#child,
      nowMs,
      onOpen: async () => {
        this.#requestedAtMs = Number.NEGATIVE_INFINITY;
      },
      onNotice: () => {},
      onClose: () => {},
      onProblem,
    });
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Its process lives; until that is gone there may be no other. */
  get isRunning(): boolean {
    return this.#child.isRunning;
  }

  nameOf(threadId: string): string | null {
    return this.#names.get(threadId) ?? null;
  }

  /** Asks for the names of these threads, now and then. Called each second. */
  beat(threadIds: readonly string[]): void {
    const nowMs = this.#options.nowMs();
    if (this.#isEnded || !this.#link.isAlive() || this.#isAsking) return;
    if (nowMs - this.#requestedAtMs < ASK_MS) return;
    this.#requestedAtMs = nowMs;
    this.#isAsking = true;
    void this.#ask(threadIds.slice(0, THREADS_MAX)).finally(() => {
      this.#isAsking = false;
    });
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
    this.#link[Symbol.dispose]();
  }

  async #ask(threadIds: readonly string[]): Promise<void> {
    const known = new Set(threadIds);
    for (const threadId of this.#names.keys())
      if (!known.has(threadId)) this.#names.delete(threadId);
    for (const threadId of threadIds) {
      const name = await this.#read(threadId);
      if (name !== null) this.#names.set(threadId, name);
    }
  }

  async #read(threadId: string): Promise<string | null> {
    try {
      const reply = await this.#link.request('thread/read', { threadId });
      const fields = isFields(reply) ? fieldsAt(reply, 'thread') : undefined;
      const thread = fields === undefined ? null : threadOf(fields);
      return thread?.id === threadId ? thread.name : null;
    } catch {
      // It is not written yet, or the connection was closed, which the link reports.
      return null;
    }
  }
}
