// What Claude Code tells by itself: the session file and the transcript of each one that lives.

import type { VendorSourceMaker } from '../agent-files-source.ts';
import { seatSource } from '../seats.ts';
import { ClaudeSeat, TRANSCRIPT } from './seat.ts';
import { SESSION_FILE } from './session-file.ts';

export const claudeSource: VendorSourceMaker = (context) =>
  seatSource(context, [SESSION_FILE, TRANSCRIPT], (seat) => new ClaudeSeat(context, seat));
