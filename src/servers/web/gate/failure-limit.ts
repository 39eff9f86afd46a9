// How often one address may fail to name a token. Pure: time is an argument.

const FAILURES_MAX = 10;
const WINDOW_MS = 60_000;
const ADDRESSES_MAX = 1_000;

interface Failures {
  count: number;
  readonly endsAtMs: number;
}

export class FailureLimit {
  readonly #byAddress = new Map<string, Failures>();

  /** Milliseconds until the address may try again; 0 when it may now. */
  waitMs(address: string, nowMs: number): number {
    const failures = this.#byAddress.get(address);
    if (!failures || failures.count < FAILURES_MAX) return 0;
    return Math.max(0, failures.endsAtMs - nowMs);
  }

  failed(address: string, nowMs: number): void {
    const before = this.#byAddress.get(address);
    if (before && before.endsAtMs > nowMs) {
      before.count += 1;
      return;
    }
    this.#byAddress.delete(address);
    this.#byAddress.set(address, { count: 1, endsAtMs: nowMs + WINDOW_MS });
    const [oldest] = this.#byAddress.keys();
    if (this.#byAddress.size > ADDRESSES_MAX && oldest !== undefined) {
      this.#byAddress.delete(oldest);
    }
  }
}
