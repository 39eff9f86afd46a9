// Pulls events from sources that listen: one loop for each, over its own socket. Events are
// committed before they are acknowledged, and read again from the last commit when anything fails.
// The rules are operations/ports/source-registry.ts; replies are foreign and checked first.

import type { SourcesPort } from '../../operations/ports/ports.ts';
import {
  ACK_ATTEMPTS_MAX,
  ACK_TIMEOUT_MS,
  acknowledge,
  noteAckLost,
  noteCommitted,
  noteContact,
  noteDelivery,
  noteFetched,
  noteTrouble,
  type RegisteredSource,
  rewind,
  undoFetch,
} from '../../operations/ports/source-registry.ts';
import { deliver } from '../../operations/sources.ts';
import { Fault } from '../../platform/fault.ts';
import { EVENTS_PER_DELIVERY_MAX, pullAnswerSchema } from '../../schema/api/sources.ts';
import { openSourceLink, SourceError, type SourceLink } from './source-link.ts';

const PULL_INTERVAL_MS = 250;
/** Spreads the pulls of many sources. */
const JITTER = 0.2;
/** Backoff of a source that fails: the longest wait. */
const FAILED_WAIT_MAX_MS = 5_000;

export interface SourcePullOptions {
  readonly sources: SourcesPort;
  readonly nowMs: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Called once for each failure of a source. */
  readonly onTrouble?: (sourceId: string, code: string, detail: string) => void;
  /** Called for our own bugs: the loop of that source is over, and the process should end. */
  readonly onDefect: (error: unknown) => void;
  /** For tests: how long to wait for an acknowledgement. */
  readonly ackTimeoutMs?: number;
}

interface Loop {
  readonly registeredAtMs: number;
  readonly socketPath: string;
  link: SourceLink | null;
  timer: NodeJS.Timeout | null;
  failureCount: number;
  isOver: boolean;
}

export class SourcePull {
  readonly #options: SourcePullOptions;
  readonly #loops = new Map<string, Loop>();

  constructor(options: SourcePullOptions) {
    this.#options = options;
  }

  [Symbol.dispose](): void {
    for (const sourceId of this.#loops.keys()) this.#end(sourceId);
  }

  /** Begins and ends loops: sources have registered, moved to another socket or were revoked. */
  follow(): void {
    const { registry } = this.#options.sources;
    for (const [sourceId, loop] of this.#loops) {
      const record = registry.get(sourceId);
      const isSame =
        record?.socketPath === loop.socketPath && record.registeredAtMs === loop.registeredAtMs;
      if (!isSame || record.isRevoked) this.#end(sourceId);
    }
    for (const { sourceId, mode, socketPath, isRevoked, registeredAtMs } of registry.values()) {
      if (mode !== 'pull' || isRevoked || socketPath === null) continue;
      if (this.#loops.has(sourceId)) continue;
      const loop = {
        registeredAtMs,
        socketPath,
        link: null,
        timer: null,
        failureCount: 0,
        isOver: false,
      };
      this.#loops.set(sourceId, loop);
      void this.#turn(sourceId, loop);
    }
  }

  #end(sourceId: string): void {
    const loop = this.#loops.get(sourceId);
    if (!loop) return;
    loop.isOver = true;
    if (loop.timer) clearTimeout(loop.timer);
    loop.link?.[Symbol.dispose]();
    this.#loops.delete(sourceId);
  }

  async #turn(sourceId: string, loop: Loop): Promise<void> {
    let waitMs = PULL_INTERVAL_MS;
    try {
      const isMore = await this.#pull(sourceId, loop);
      loop.failureCount = 0;
      if (isMore) waitMs = 0;
    } catch (error) {
      loop.link?.[Symbol.dispose]();
      loop.link = null;
      if (!isTrouble(error)) return this.#options.onDefect(error);
      loop.failureCount += 1;
      waitMs = Math.min(PULL_INTERVAL_MS * 2 ** loop.failureCount, FAILED_WAIT_MAX_MS);
      if (!loop.isOver) this.#trouble(sourceId, error);
    }
    if (loop.isOver) return;
    const jittered = waitMs * (1 + JITTER * (this.#options.random() * 2 - 1));
    loop.timer = setTimeout(() => void this.#turn(sourceId, loop), jittered).unref();
  }

  #trouble(sourceId: string, { code, message }: SourceError | Fault): void {
    this.#update(sourceId, (record) => noteTrouble(undoFetch(record), `${code}: ${message}`));
    this.#options.onTrouble?.(sourceId, code, message);
  }

  /** One pull, committed and acknowledged. True when the source has more. */
  async #pull(sourceId: string, loop: Loop): Promise<boolean> {
    const { sources, nowMs } = this.#options;
    const record = sources.registry.get(sourceId);
    if (!record) return false;
    const link = await this.#linkOf(loop);
    if (link === null) return false;
    const reply = await link
      .call('source.pull_events', { cursor: record.fetched, limit: EVENTS_PER_DELIVERY_MAX })
      .catch((error: unknown) => this.#rewind(sourceId, error));
    // An error without an id ends the connection: the next pull needs another one.
    if (reply === null && link.isEnded) loop.link = null;
    if (reply === null || loop.isOver) return false;
    const answer = pullAnswerSchema.safeParse(reply);
    if (!answer.success) {
      const reason = answer.error.issues[0]?.message ?? 'it does not fit its schema';
      throw new SourceError('invalid_source_event', `the answer to source.pull_events: ${reason}`);
    }
    const { events, next_cursor: cursor, delivery_token: token } = answer.data;
    const current = this.#update(sourceId, (each) => noteContact(each, nowMs()));
    if (current) sources.beat(current.channel);
    if (events.length > 0 || cursor !== record.committed) {
      await this.#commit(sourceId, { events, cursor });
    }
    if (token !== undefined) await this.#acknowledge(sourceId, loop, token);
    return events.length === EVENTS_PER_DELIVERY_MAX;
  }

  /** Null when the loop has ended meanwhile; the connection is closed here. */
  async #linkOf(loop: Loop): Promise<SourceLink | null> {
    const link = loop.link ?? (await openSourceLink(loop.socketPath));
    if (loop.isOver) {
      link[Symbol.dispose]();
      return null;
    }
    loop.link = link;
    return link;
  }

  async #commit(
    sourceId: string,
    { events, cursor }: { events: Parameters<typeof deliver>[2]; cursor: string },
  ): Promise<void> {
    const { sources, nowMs } = this.#options;
    const record = this.#update(sourceId, (each) => noteFetched(each, cursor));
    if (!record) return;
    await deliver(sources, record, events);
    const delivery = { events: events.length, nowMs: nowMs() };
    const done = this.#update(sourceId, (each) => noteCommitted(each, cursor, delivery));
    if (done) sources.saveCursor(done.channel, done);
  }

  /** Lets the source forget the delivery; a source that cannot be reached is stale. */
  async #acknowledge(sourceId: string, loop: Loop, token: string): Promise<void> {
    const { ackTimeoutMs = ACK_TIMEOUT_MS } = this.#options;
    const record = this.#update(sourceId, (each) => noteDelivery(each, token));
    const params = { delivery_token: token, committed_cursor: record?.committed ?? null };
    for (let attempt = 1; attempt <= ACK_ATTEMPTS_MAX && !loop.isOver; attempt += 1) {
      try {
        await loop.link?.call('source.ack', params, ackTimeoutMs);
        this.#update(sourceId, (each) => acknowledge(each, token) ?? each);
        return;
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        // After a hang-up it is pulled again over a new connection, from the last commit.
        if (error.code !== 'ack_timeout') throw error;
        this.#options.onTrouble?.(sourceId, error.code, `attempt ${attempt}: ${error.message}`);
      }
    }
    if (!loop.isOver) this.#update(sourceId, noteAckLost);
  }

  /** Null after a cursor that the source does not know: the next pull starts further back. */
  #rewind(sourceId: string, error: unknown): null {
    if (!(error instanceof SourceError) || error.code !== 'invalid_cursor') throw error;
    const { sources, nowMs } = this.#options;
    const record = this.#update(sourceId, (each) => rewind(each, nowMs()).record);
    if (record) sources.saveCursor(record.channel, record);
    this.#options.onTrouble?.(sourceId, 'invalid_cursor', 'the source does not know our cursor');
    return null;
  }

  #update(
    sourceId: string,
    change: (record: RegisteredSource) => RegisteredSource,
  ): RegisteredSource | null {
    const { registry } = this.#options.sources;
    const before = registry.get(sourceId);
    if (!before) return null;
    const record = change(before);
    registry.set(sourceId, record);
    return record;
  }
}

/** Failures of a source or of the store, which are no bugs of ours. */
const isTrouble = (error: unknown): error is SourceError | Fault =>
  error instanceof SourceError || error instanceof Fault;
