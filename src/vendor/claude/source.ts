// What Claude Code tells by itself: the session file and the transcript of each one that lives.

import { seatSource } from '../seats.ts';
import type { VendorSourceMaker } from '../vendor-source.ts';
import { ClaudeSeat, TRANSCRIPT } from './seat.ts';
import { SESSION_FILE } from './session-file.ts';

export const claudeSource: VendorSourceMaker = (context) =>
  seatSource(context, [SESSION_FILE, TRANSCRIPT], (seat) => new ClaudeSeat(context, seat));
