// A subscribed client that stamps each state it receives: the end of every measured lag.

import type { DaemonClient } from '../../src/client/client.ts';
import type { PaneItem } from '../../src/schema/api/panes.ts';
import { monoMs } from './clock.ts';

export interface TimedState {
  readonly state: string;
  readonly atMs: number;
}

interface Waiting {
  readonly paneId: string;
  readonly expected: readonly string[];
  readonly resolve: (atMs: number | null) => void;
}

/** Recent states kept per pane. */
const HISTORY_MAX = 256;

export class RowWatch implements Disposable {
  readonly #client: DaemonClient;
  readonly #target: string | null;
  readonly #states = new Map<string, TimedState[]>();
  readonly #waiting = new Set<Waiting>();
  pushCount = 0;

  /** Without a target it watches all of them; their pane ids must then differ. */
  constructor(client: DaemonClient, target: string | null = null) {
    this.#client = client;
    this.#target = target;
    void this.#follow();
  }

  /** The last states of a pane, the newest at the end. */
  statesOf(paneId: string): readonly TimedState[] {
    return this.#states.get(paneId) ?? [];
  }

  stateOf(paneId: string): string | null {
    return this.statesOf(paneId).at(-1)?.state ?? null;
  }

  /** When the next push has the pane in one of the states; null after the timeout. */
  next(paneId: string, expected: readonly string[], timeoutMs: number): Promise<number | null> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting);
        resolve(null);
      }, timeoutMs);
      const waiting: Waiting = {
        paneId,
        expected,
        resolve: (atMs) => {
          clearTimeout(timer);
          resolve(atMs);
        },
      };
      this.#waiting.add(waiting);
    });
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }

  async #follow(): Promise<void> {
    for await (const { type, data } of this.#client.subscribe({ topics: ['state_changed'] })) {
      const atMs = monoMs();
      this.pushCount += 1;
      if (type === 'snapshot' || type === 'state_changed') {
        for (const row of data.panes) this.#take(row, atMs);
      }
    }
  }

  #take({ identity, presence, state, target }: PaneItem, atMs: number): void {
    if (this.#target !== null && target !== this.#target) return;
    if (identity === null || presence !== 'managed') return;
    const { pane_id: paneId } = identity;
    const known = this.#states.get(paneId) ?? [];
    this.#states.set(paneId, known);
    if (known.at(-1)?.state !== state) known.push({ state, atMs });
    if (known.length > HISTORY_MAX) known.shift();
    for (const waiting of this.#waiting) {
      if (waiting.paneId !== paneId || !waiting.expected.includes(state)) continue;
      this.#waiting.delete(waiting);
      waiting.resolve(atMs);
    }
  }
}
