// OSC that were heard and are not stored yet. A report of many is one commit; but an agent that
// came or went by one of them must be known before the next of its pane is read. What cannot be
// stored now stays, because no tap says it again.

import type { Observation } from '../../core/ingest.ts';
import type { TappedOsc } from '../../tmux/taps/tap-report.ts';
import type { OscSource } from '../panes/osc-source.ts';

/** More than a few reports hold; the newest are kept. */
const WAITING_MAX = 512;

export interface OscInboxOptions {
  readonly source: Pick<OscSource, 'read'>;
  /** Stores observations; false where that cannot be done now. */
  readonly submit: (observations: readonly Observation[]) => boolean;
}

interface TimedOsc {
  readonly osc: TappedOsc;
  /** When it was heard, by the daemon's clock. */
  readonly atMs: number;
}

export class OscInbox {
  readonly #options: OscInboxOptions;
  #waiting: readonly TimedOsc[] = [];

  constructor(options: OscInboxOptions) {
    this.#options = options;
  }

  add(heard: readonly TimedOsc[]): void {
    this.#waiting = [...this.#waiting, ...heard].slice(-WAITING_MAX);
  }

  /** Stores what waits, in its order, as far as that can be done now. */
  read(): void {
    while (this.#waiting.length > 0) {
      const { observations, count } = this.#next();
      if (!this.#options.submit(observations)) return;
      this.#waiting = this.#waiting.slice(count);
    }
  }

  clear(): void {
    this.#waiting = [];
  }

  /** As many as can be read in the world as it is. */
  #next(): { readonly observations: readonly Observation[]; readonly count: number } {
    const observations: Observation[] = [];
    const moved = new Set<string>();
    let count = 0;
    for (const { osc, atMs } of this.#waiting) {
      if (moved.has(osc.paneId)) break;
      const read = this.#options.source.read(osc, atMs);
      if (read.some(({ kind }) => kind !== 'evidence')) moved.add(osc.paneId);
      observations.push(...read);
      count += 1;
    }
    return { observations, count };
  }
}
