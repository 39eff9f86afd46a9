// A subscribed client of the daemon that records each change of a pane's state with its time, and
// the current state every 50 ms.

import type { DaemonClient } from '../src/client/client.ts';
import type { PaneItem } from '../src/schema/api/panes.ts';
import type { Sample } from './score.ts';

const SAMPLE_MS = 50;

/** A change of a row as the client received it, for the latency of signals. */
export interface AnswerChange extends Sample {
  readonly source: string | null;
  readonly rule: string | null;
  /** The own time of the evidence that won. */
  readonly evidenceAtMs: number | null;
}

/** The record of one pane. */
export class PaneSamples {
  readonly samples: Sample[] = [];
  readonly changes: AnswerChange[] = [];
  answer = 'unlisted';
}

export class Sampler implements Disposable {
  readonly #client: DaemonClient;
  readonly #target: string;
  readonly #records = new Map<string, PaneSamples>();
  readonly #timer: NodeJS.Timeout;

  constructor(client: DaemonClient, target: string) {
    this.#client = client;
    this.#target = target;
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
    // It ends with the client, and a daemon that ends early shows in the samples.
    void this.#follow().catch(() => null);
  }

  samplesOf(paneId: string): PaneSamples {
    const record = this.#records.get(paneId) ?? new PaneSamples();
    this.#records.set(paneId, record);
    return record;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#client.close();
  }

  #sample(): void {
    const atMs = Date.now();
    for (const record of this.#records.values())
      record.samples.push({ atMs, answer: record.answer });
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
    const record = this.samplesOf(paneId);
    const answer = answerOf(row);
    if (record.answer === answer) return;
    record.answer = answer;
    const { source, rule, at } = row.evidence;
    const evidenceAtMs = at === null ? null : Date.parse(at);
    record.changes.push({ atMs, answer, source, rule, evidenceAtMs });
  }
}

/** `state`, `state/reason`, or `no_agent`. */
export function answerOf({ presence, state, reason_code: reason }: PaneItem): string {
  if (presence !== 'managed') return 'no_agent';
  return reason === null ? state : `${state}/${reason}`;
}
