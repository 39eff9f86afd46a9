// One thing for each living agent of a source: made when the agent is first seen, told what is
// known of it from then on, and ended with it.

import type { RuntimeId } from '../schema/ids.ts';
import type { Seat } from './vendor-source.ts';

export interface SeatReader extends Disposable {
  /** The same agent, of which more may be known by now. */
  update(seat: Seat): void;
  /** Reads what has changed. Called each second. */
  look(): void;
}

export class Seats<Reader extends SeatReader> implements Disposable {
  readonly #make: (seat: Seat) => Reader;
  readonly #readers = new Map<RuntimeId, Reader>();

  constructor(make: (seat: Seat) => Reader) {
    this.#make = make;
  }

  keep(seats: readonly Seat[]): void {
    const living = new Set(seats.map(({ runtime }) => runtime.runtimeId));
    for (const [runtimeId, reader] of this.#readers) {
      if (living.has(runtimeId)) continue;
      reader[Symbol.dispose]();
      this.#readers.delete(runtimeId);
    }
    for (const seat of seats) {
      const { runtimeId } = seat.runtime;
      const known = this.#readers.get(runtimeId);
      if (known) known.update(seat);
      else this.#readers.set(runtimeId, this.#make(seat));
    }
  }

  readers(): readonly Reader[] {
    return [...this.#readers.values()];
  }

  [Symbol.dispose](): void {
    for (const reader of this.#readers.values()) reader[Symbol.dispose]();
    this.#readers.clear();
  }
}
