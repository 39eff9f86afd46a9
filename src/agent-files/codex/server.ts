// One app server of Codex: the threads that it holds and how each of them is. It notifies every
// client of threads that start, change and close; what was there before is read once after
// connecting. A thread that it does not hold, or one without a status, says nothing.

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
import { socketEndpoint } from './wire.ts';

/** Threads read at most. */
const THREADS_MAX = 256;

export interface ThreadStatus {
  /** As the server spells it; codex/app-server.ts knows what it means. */
  readonly status: unknown;
  readonly atMs: number;
}

/** A read of a thread, and the notices that came meanwhile: they are newer than the answer. */
interface ThreadReading {
  readonly done: Promise<void>;
  readonly updates: { status?: ThreadStatus; name?: string | null; isClosed?: true };
}

export interface CodexServerOptions {
  readonly socketPath: string;
  readonly nowMs: () => number;
  /** A time by the clock of the server's host as one by ours. */
  readonly toDaemonMs: (hostMs: number) => number;
  /** The threads or their names are others. */
  readonly onThreads: () => void;
  readonly onStatus: (threadId: string, status: ThreadStatus) => void;
  readonly onProblem: (problem: string) => void;
}

export class CodexServer implements Disposable {
  readonly #options: CodexServerOptions;
  readonly #threads = new Map<string, CodexThread>();
  readonly #statuses = new Map<string, ThreadStatus>();
  readonly #reading = new Map<string, ThreadReading>();
  readonly #link: CodexLink;
  /** Half of the threads would make a pair of what are two candidates. */
  #isRead = false;
  /** Counts the connections: what one of them has begun is not finished by another. */
  #round = 0;

  constructor(options: CodexServerOptions) {
    this.#options = options;
    const { socketPath, nowMs, onProblem } = options;
    this.#link = new CodexLink({
      endpoint: socketEndpoint(socketPath),
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

  /** The last status of a thread; null where the server never sent one. */
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
    if (before !== undefined) return before.done;
    if (!isThreadId(threadId) || this.#reading.size >= THREADS_MAX) return Promise.resolve();
    const updates: ThreadReading['updates'] = {};
    const done = this.#ask(link, threadId, updates).finally(() => this.#reading.delete(threadId));
    this.#reading.set(threadId, { done, updates });
    return done;
  }

  async #ask(link: CodexLink, threadId: string, updates: ThreadReading['updates']): Promise<void> {
    const wasKnown = this.#threads.has(threadId);
    // The answer is of some moment after the request. Later notices are newer than that.
    const requestedAtMs = this.#options.nowMs();
    try {
      const reply = await link.request('thread/read', { threadId });
      const fields = isFields(reply) ? fieldsAt(reply, 'thread') : undefined;
      // A notice may come in one piece with the answer, and is taken before it.
      const isStarted = !wasKnown && this.#threads.has(threadId);
      if (fields === undefined || updates.isClosed || isStarted) return;
      const { status = { status: fields['status'], atMs: requestedAtMs }, name = fields['name'] } =
        updates;
      this.#keep({ ...fields, name, status: status.status }, status.atMs);
    } catch {
      // The thread was closed in between, or the connection was, which the link reports.
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
    const { nowMs, toDaemonMs } = this.#options;
    const threadId = idAt(params, 'threadId') ?? '';
    const emittedMs = emittedAtMs === null ? nowMs() : Math.min(toDaemonMs(emittedAtMs), nowMs());
    // Notices come in their order, whatever the clocks say: this one is newer than what is known.
    const atMs = Math.max(emittedMs, this.#statuses.get(threadId)?.atMs ?? 0);
    const updates = this.#reading.get(threadId)?.updates ?? {};
    switch (method) {
      case 'thread/started':
        this.#keep(fieldsAt(params, 'thread') ?? {}, atMs);
        return;
      case 'thread/status/changed':
        updates.status = { status: params['status'], atMs };
        if (this.#threads.has(threadId)) this.#note(threadId, updates.status);
        else void this.#read(this.#link, threadId);
        return;
      case 'thread/name/updated':
        updates.name = textAt(params, 'threadName') ?? null;
        this.#rename(threadId, updates.name);
        return;
      case 'thread/closed':
      case 'thread/deleted':
        updates.isClosed = true;
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
