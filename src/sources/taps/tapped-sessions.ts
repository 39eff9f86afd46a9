// Which sessions of a server are tapped. A tap that ends is opened again, with backoff where it
// keeps ending: each is a process, and its end asks for a listing. Pure: times come in as
// arguments.

import { type Backoff, backoff } from '../../platform/backoff.ts';

const RETRY_FIRST_MS = 500;
const RETRY_CAP_MS = 60_000;
/** A tap that lived this long resets the backoff. */
const HEALTHY_AFTER_MS = 10_000;

interface Past {
  readonly backoff: Backoff;
  openedAtMs: number;
  retryAtMs: number;
}

export class TappedSessions {
  readonly #random: () => number;
  readonly #past = new Map<string, Past>();
  #open: ReadonlySet<string> = new Set();

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  get size(): number {
    return this.#open.size;
  }

  hasAny(sessionIds: readonly string[]): boolean {
    return sessionIds.some((each) => this.#open.has(each));
  }

  /** Sessions that may be tapped and are not. */
  openable(sessionIds: readonly string[], nowMs: number): readonly string[] {
    return sessionIds.filter((each) => !this.#open.has(each) && this.#may(each, nowMs));
  }

  /**
   * The sessions to have tapped from now on, of those wanted: all but those that have to wait. Null
   * when they are as they were.
   */
  want(
    sessionIds: readonly string[],
    nowMs: number,
    waiting: readonly string[] = [],
  ): readonly string[] | null {
    for (const sessionId of this.#past.keys()) {
      if (!sessionIds.includes(sessionId)) this.#past.delete(sessionId);
    }
    const isOpen = (sessionId: string): boolean => this.#open.has(sessionId);
    const mayOpen = (each: string): boolean => !waiting.includes(each) && this.#may(each, nowMs);
    const open = sessionIds.filter((each) => isOpen(each) || mayOpen(each));
    if (open.length === this.#open.size && open.every(isOpen)) return null;
    for (const sessionId of open) {
      if (!isOpen(sessionId)) this.#pastOf(sessionId).openedAtMs = nowMs;
    }
    this.#open = new Set(open);
    return open;
  }

  /** Taps that have ended by themselves. */
  ended(sessionIds: readonly string[], nowMs: number): void {
    for (const sessionId of sessionIds) {
      if (!this.#open.has(sessionId)) continue;
      const past = this.#pastOf(sessionId);
      if (nowMs - past.openedAtMs >= HEALTHY_AFTER_MS) past.backoff.reset();
      past.retryAtMs = nowMs + past.backoff.nextDelayMs();
    }
    this.#open = new Set([...this.#open].filter((each) => !sessionIds.includes(each)));
  }

  /** All were closed on purpose. */
  clear(): void {
    this.#open = new Set();
  }

  #may(sessionId: string, nowMs: number): boolean {
    return nowMs >= (this.#past.get(sessionId)?.retryAtMs ?? 0);
  }

  #pastOf(sessionId: string): Past {
    const limits = { firstMs: RETRY_FIRST_MS, capMs: RETRY_CAP_MS, random: this.#random };
    const past = this.#past.get(sessionId) ?? {
      backoff: backoff(limits),
      openedAtMs: 0,
      retryAtMs: 0,
    };
    this.#past.set(sessionId, past);
    return past;
  }
}
