// The requests that repeat rules are answering: nobody is needed for them, unless one stays open
// although it was answered. Time is an argument.

/** By then the row of a pane says that its request was answered. */
const SETTLE_MS = 10_000;

const keyOf = (paneKey: string, requestId: string): string => `${paneKey} ${requestId}`;

export class RuleAnswers {
  /** Until when each is left alone; one that is under way has no end. */
  readonly #untilMs = new Map<string, number>();

  begin(paneKey: string, requestId: string): void {
    this.#untilMs.set(keyOf(paneKey, requestId), Number.POSITIVE_INFINITY);
  }

  end(paneKey: string, requestId: string, outcome: { isDelivered: boolean; nowMs: number }): void {
    const { isDelivered, nowMs } = outcome;
    this.#untilMs.set(keyOf(paneKey, requestId), isDelivered ? nowMs + SETTLE_MS : nowMs);
  }

  has(paneKey: string, requestId: string): boolean {
    return this.#untilMs.has(keyOf(paneKey, requestId));
  }

  /** Forgets those whose time is over; whether there were any. */
  expire(nowMs: number): boolean {
    const over = [...this.#untilMs].filter(([, untilMs]) => untilMs <= nowMs);
    for (const [key] of over) this.#untilMs.delete(key);
    return over.length > 0;
  }

  /** When the next one is over; null where none is. */
  get dueMs(): number | null {
    const dueMs = Math.min(...this.#untilMs.values());
    return Number.isFinite(dueMs) ? dueMs : null;
  }
}
