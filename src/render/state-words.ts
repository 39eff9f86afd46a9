// The words of schema/state.ts, most urgent first, as plain data: the schema itself must not load
// on the way to a quick command. A test compares them.

import type { State } from '../schema/state.ts';

export const stateWords = [
  'error',
  'waiting_approval',
  'waiting_input',
  'running',
  'completed',
  'idle',
  'unknown',
] as const satisfies readonly State[];
