// What Copilot CLI tells by itself: the events of the sessions that each living one has open.

import { CopilotSeat, EVENTS } from './copilot-seat.ts';
import { Seats } from './seats.ts';
import type { VendorSourceMaker } from './vendor-source.ts';

export const copilotSource: VendorSourceMaker = (context) => {
  const seats = new Seats((seat) => new CopilotSeat(context, seat));
  const channel = context.channel(EVENTS);
  return {
    keep: (living) => seats.keep(living),
    beat: (nowMs) => {
      context.daemon.submit([{ kind: 'heartbeat', channel, atMs: nowMs }]);
      for (const reader of seats.readers()) reader.look();
    },
    [Symbol.dispose]: () => seats[Symbol.dispose](),
  };
};
