// The words for the state of an agent, as plain data: schema/state.ts makes zod enums of them, and
// quick commands use them without loading zod. They reach disk and the wire: add to the end of a
// list, never rename.

/** Canonical states, highest precedence first. */
export const states = [
  'error',
  'waiting_approval',
  'waiting_input',
  'running',
  'completed',
  'idle',
  'unknown',
] as const;

/** What a person may say that a recorded screen shows. */
export const recordLabels = [
  'running',
  'waiting_input',
  'waiting_approval',
  'completed',
  'idle',
  'error',
  'no_agent',
] as const;
