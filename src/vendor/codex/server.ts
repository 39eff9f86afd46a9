// One app server of Codex: the threads that it holds and how each of them is. It tells every client
// of threads that start, change and close; what was there before is read once after connecting. A
// thread that it does not hold, or one without a status, says nothing.

import {
  type Fields,
  fieldsAt,
  idAt,
  isFields,
  listAt,
  textAt,
} from '../../agents/signals/fields.ts';
import { CodexLink } from './link.ts';
import { type CodexThread, isThreadId, threadOf } from './thread.ts';
import { socketPlace } from './wire.ts';

/** More threads than anybody works with; the rest is not looked at. */
const THREADS_MAX = 256;
/** A thread that changes at every reading is taken as it was at the last of them. */
const READINGS_MAX = 8;

export interface ThreadStatus {
  /** As the server spells it; codex/app-server.ts knows what it means. */
  readonly status: unknown;
  readonly atMs: number;
}

export interface CodexServerOptions {
  readonly socketPath: string;
  readonly nowMs: () => number;
  /** The threads or their names are others. */
  readonly onThreads: () => void;
  readonly onStatus: (threadId: string, status: ThreadStatus) => void;
  readonly onProblem: (problem: string) => void;
}

export class CodexServer implements Disposable {
  readonly #options: CodexServerOptions;
  readonly #threads = new Map<string, CodexThread>();
  readonly #statuses = new Map<string, ThreadStatus>();
  readonly #reading = new Map<string, Promise<void>>();
  /** Threads of which something was told while they were read: the answer may be the older. */
  readonly #toldMeanwhile = new Set<string>();
  readonly #link: CodexLink;
  /** Half of the threads would make a pair of what are two candidates. */
  #isRead = false;
  /** Counts the connections: what one of them has begun is not finished by another. */
  #round = 0;

  constructor(options: CodexServerOptions) {
    this.#options = options;
    const { socketPath, nowMs, onProblem } = options;
    this.#link = new CodexLink({
      place: socketPlace(socketPath),
      nowMs,
      onProblem,
      onOpen: (link) => this.#readAll(link),
      onNotice: (method, params, emittedAtMs) => this.#notice(method, params, emittedAtMs),
      onClose: () => this.#forget(),
    });
  }

  /** The threads that it holds; none until all of them are known. */
  get threads(): readonly CodexThread[] {
    return this.#isRead ? [...this.#threads.values()] : [];
  }

  /** How a thread was when the server last told; null where it never did. */
  statusOf(threadId: string): ThreadStatus | null {
    return this.#statuses.get(threadId) ?? null;
  }

  isAlive(): boolean {
    return this.#link.isAlive();
  }

  [Symbol.dispose](): void {
    this.#link[Symbol.dispose]();
  }

  async #readAll(link: CodexLink): Promise<void> {
    const round = this.#round;
    const reply = await link.request('thread/loaded/list', {});
    const ids = isFields(reply) ? listAt(reply, 'data') : [];
    for (const each of ids) {
      if (round !== this.#round) return;
      if (typeof each === 'string') await this.#read(link, each);
    }
    if (round !== this.#round) return;
    this.#isRead = true;
    this.#options.onThreads();
  }

  /** Reads one thread; one that is being read is waited for. */
  #read(link: CodexLink, threadId: string): Promise<void> {
    const before = this.#reading.get(threadId);
    if (before !== undefined) return before;
    if (!isThreadId(threadId) || this.#reading.size >= THREADS_MAX) return Promise.resolve();
    const reading = this.#ask(link, threadId).finally(() => this.#reading.delete(threadId));
    this.#reading.set(threadId, reading);
    return reading;
  }

  async #ask(link: CodexLink, threadId: string): Promise<void> {
    try {
      for (let left = READINGS_MAX; left > 0; left -= 1) {
        this.#toldMeanwhile.delete(threadId);
        // It was so at some moment after the question. What the server tells later is newer.
        const askedAtMs = this.#options.nowMs();
        const reply = await link.request('thread/read', { threadId });
        if (this.#toldMeanwhile.has(threadId) && left > 1) continue;
        const fields = isFields(reply) ? fieldsAt(reply, 'thread') : undefined;
        if (fields !== undefined) this.#keep(fields, askedAtMs);
        return;
      }
    } catch {
      // It was closed in between, or the connection was, which is told elsewhere.
    } finally {
      this.#toldMeanwhile.delete(threadId);
    }
  }

  #keep(fields: Fields, atMs: number): void {
    const thread = threadOf(fields);
    if (thread === null) return;
    if (this.#threads.size >= THREADS_MAX && !this.#threads.has(thread.id)) return;
    this.#threads.set(thread.id, thread);
    this.#options.onThreads();
    this.#note(thread.id, { status: fields['status'], atMs });
  }

  #note(threadId: string, status: ThreadStatus): void {
    const known = this.#statuses.get(threadId);
    if (known !== undefined && known.atMs > status.atMs) return;
    this.#statuses.set(threadId, status);
    this.#options.onStatus(threadId, status);
  }

  #notice(method: string, params: Fields, emittedAtMs: number | null): void {
    const nowMs = this.#options.nowMs();
    const atMs = Math.min(emittedAtMs ?? nowMs, nowMs);
    const threadId = idAt(params, 'threadId') ?? '';
    if (this.#reading.has(threadId)) this.#toldMeanwhile.add(threadId);
    switch (method) {
      case 'thread/started':
        this.#keep(fieldsAt(params, 'thread') ?? {}, atMs);
        return;
      case 'thread/status/changed':
        if (this.#threads.has(threadId)) this.#note(threadId, { status: params['status'], atMs });
        else void this.#read(this.#link, threadId);
        return;
      case 'thread/name/updated':
        this.#rename(threadId, textAt(params, 'threadName') ?? null);
        return;
      case 'thread/closed':
      case 'thread/deleted':
        this.#drop(threadId);
        return;
    }
  }

  #rename(threadId: string, name: string | null): void {
    const thread = this.#threads.get(threadId);
    if (thread === undefined) return;
    this.#threads.set(threadId, { ...thread, name });
    this.#options.onThreads();
  }

  #drop(threadId: string): void {
    this.#statuses.delete(threadId);
    if (this.#threads.delete(threadId)) this.#options.onThreads();
  }

  /** A server that is gone holds nothing. What comes back is read anew. */
  #forget(): void {
    this.#round += 1;
    this.#isRead = false;
    this.#threads.clear();
    this.#statuses.clear();
    this.#options.onThreads();
  }
}
