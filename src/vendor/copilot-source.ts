// What Copilot CLI tells by itself: the events of the sessions that each living one has open.

import { CopilotSeat, EVENTS } from './copilot-seat.ts';
import { seatSource } from './seats.ts';
import type { VendorSourceMaker } from './vendor-source.ts';

export const copilotSource: VendorSourceMaker = (context) =>
  seatSource(context, [EVENTS], (seat) => new CopilotSeat(context, seat));
