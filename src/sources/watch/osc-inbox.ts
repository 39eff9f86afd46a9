// OSC of tapped panes that are not stored yet. A report of many is one commit; but an agent that
// came or went by one of them must be known before the next of its pane is read. What cannot be
// stored now stays, because no tap reports it again.

import type { Observation } from '../../core/ingest.ts';
import type { TappedOsc } from '../../tmux/taps/osc-scanner.ts';
import type { Batches } from '../known-pane.ts';
import type { OscSource } from '../panes/osc-source.ts';

/** More than a few reports hold; the newest are kept. */
const WAITING_MAX = 512;

interface TimedOsc {
  readonly osc: TappedOsc;
  /** When it was read from the pane, by the daemon's clock. */
  readonly atMs: number;
}

export class OscInbox {
  readonly #source: Pick<OscSource, 'read'>;
  #waiting: readonly TimedOsc[] = [];

  constructor(source: Pick<OscSource, 'read'>) {
    this.#source = source;
  }

  add(osc: readonly TimedOsc[]): void {
    this.#waiting = [...this.#waiting, ...osc].slice(-WAITING_MAX);
  }

  /** Everything that waits, in its order, as far as it can be stored now. */
  *read(): Batches {
    while (this.#waiting.length > 0) {
      const { observations, count } = this.#next();
      const isStored = yield observations;
      if (!isStored) return;
      this.#waiting = this.#waiting.slice(count);
    }
  }

  clear(): void {
    this.#waiting = [];
  }

  /** The items that can be read in the current world. */
  #next(): { readonly observations: readonly Observation[]; readonly count: number } {
    const observations: Observation[] = [];
    const moved = new Set<string>();
    let count = 0;
    for (const { osc, atMs } of this.#waiting) {
      if (moved.has(osc.paneId)) break;
      const read = this.#source.read(osc, atMs);
      if (read.some(({ kind }) => kind !== 'evidence')) moved.add(osc.paneId);
      observations.push(...read);
      count += 1;
    }
    return { observations, count };
  }
}
