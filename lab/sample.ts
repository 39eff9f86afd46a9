// A subscribed client of the daemon that writes down what it was told of panes, and when, and what
// it believes every 50 ms.

import type { DaemonClient } from '../src/client/client.ts';
import type { PaneItem } from '../src/schema/api/panes.ts';
import type { Sample } from './score.ts';

const SAMPLE_MS = 50;

/** A change of a row as the client was told it, for the latency of signals. */
export interface ToldChange extends Sample {
  readonly source: string | null;
  readonly rule: string | null;
  /** The own time of the evidence that won. */
  readonly evidenceAtMs: number | null;
}

/** What is said of one pane. */
export class PaneRecord {
  readonly samples: Sample[] = [];
  readonly told: ToldChange[] = [];
  said = 'unlisted';
}

export class Sampler implements Disposable {
  readonly #client: DaemonClient;
  readonly #target: string;
  readonly #records = new Map<string, PaneRecord>();
  readonly #timer: NodeJS.Timeout;

  constructor(client: DaemonClient, target: string) {
    this.#client = client;
    this.#target = target;
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
    // It ends with the client, and a daemon that ends early shows in the samples.
    void this.#follow().catch(() => null);
  }

  recordOf(paneId: string): PaneRecord {
    const known = this.#records.get(paneId) ?? new PaneRecord();
    this.#records.set(paneId, known);
    return known;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#client.close();
  }

  #sample(): void {
    const atMs = Date.now();
    for (const record of this.#records.values()) record.samples.push({ atMs, said: record.said });
  }

  async #follow(): Promise<void> {
    for await (const { type, data } of this.#client.subscribe({ topics: ['state_changed'] })) {
      if (type !== 'snapshot' && type !== 'state_changed') continue;
      for (const row of data.panes) this.#take(row, Date.now());
    }
  }

  #take(row: PaneItem, atMs: number): void {
    const paneId = row.identity?.pane_id;
    if (row.target !== this.#target || paneId === undefined) return;
    const record = this.recordOf(paneId);
    const said = wordOf(row);
    if (record.said === said) return;
    record.said = said;
    const { source, rule, at } = row.evidence;
    const evidenceAtMs = at === null ? null : Date.parse(at);
    record.told.push({ atMs, said, source, rule, evidenceAtMs });
  }
}

/** `state`, `state/reason`, or `no_agent`. */
export function wordOf({ presence, state, reason_code: reason }: PaneItem): string {
  if (presence !== 'managed') return 'no_agent';
  return reason === null ? state : `${state}/${reason}`;
}
