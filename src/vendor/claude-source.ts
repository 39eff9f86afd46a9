// What Claude Code tells by itself: the session file and the transcript of each one that lives.

import { ClaudeSeat, TRANSCRIPT } from './claude-seat.ts';
import { SESSION_FILE } from './claude-session-file.ts';
import { Seats } from './seats.ts';
import type { Seat, VendorContext, VendorSource, VendorSourceMaker } from './vendor-source.ts';

export const claudeSource: VendorSourceMaker = (context) => new ClaudeSource(context);

class ClaudeSource implements VendorSource {
  readonly #context: VendorContext;
  readonly #seats: Seats<ClaudeSeat>;

  constructor(context: VendorContext) {
    this.#context = context;
    this.#seats = new Seats((seat) => new ClaudeSeat(context, seat));
  }

  keep(seats: readonly Seat[]): void {
    this.#seats.keep(seats);
  }

  beat(nowMs: number): void {
    const { daemon, channel } = this.#context;
    const channels = [SESSION_FILE, TRANSCRIPT].map((source) => channel(source));
    daemon.submit(channels.map((each) => ({ kind: 'heartbeat', channel: each, atMs: nowMs })));
    for (const seat of this.#seats.readers()) seat.look();
  }

  [Symbol.dispose](): void {
    this.#seats[Symbol.dispose]();
  }
}
