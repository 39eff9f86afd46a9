// One thing for each living agent of a source: made when the agent is first seen, told what is
// known of it from then on, and ended with it.

import type { RuntimeId } from '../schema/ids.ts';
import type { Seat, VendorContext, VendorSource } from './agent-files-source.ts';
import { keepOnly } from './keep-only.ts';

export interface SeatReader extends Disposable {
  /** What is known of the agent by now. Called when that may have changed, and each second. */
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
    const living = new Map(seats.map((seat) => [seat.runtime.runtimeId, seat]));
    keepOnly(this.#readers, living, this.#make);
    for (const [runtimeId, seat] of living) this.#readers.get(runtimeId)?.update(seat);
  }

  readers(): readonly Reader[] {
    return [...this.#readers.values()];
  }

  [Symbol.dispose](): void {
    this.keep([]);
  }
}

/** A source that is nothing but its seats: its channels live as long as somebody beats. */
export function seatSource(
  { daemon, channel }: VendorContext,
  sources: readonly string[],
  make: (seat: Seat) => SeatReader,
): VendorSource {
  const seats = new Seats(make);
  return {
    keep: (living) => seats.keep(living),
    beat: (atMs) => {
      const channels = sources.map(channel);
      daemon.submit(channels.map((each) => ({ kind: 'heartbeat', channel: each, atMs })));
      for (const reader of seats.readers()) reader.look();
    },
    [Symbol.dispose]: () => seats[Symbol.dispose](),
  };
}
