// What Copilot CLI tells by itself: the events of the sessions that each living one has open.

import type { VendorSourceMaker } from '../agent-files-source.ts';
import { seatSource } from '../seats.ts';
import { CopilotSeat, EVENTS } from './seat.ts';

export const copilotSource: VendorSourceMaker = (context) =>
  seatSource(context, [EVENTS], (seat) => new CopilotSeat(context, seat));
