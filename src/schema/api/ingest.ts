// Events that programs hand to the daemon: hooks through the emitter's spool, scripts through
// `agtmux emit`, third-party sources by push or pull. One shape for all; the adapter of the agent
// says what an event means.

import { z } from 'zod';

const name = z.string().min(1).max(128);

/** One event as a program sends it. What is not known is absent, never guessed. */
export const ingestEventSchema = z.strictObject({
  /** Unique for ever, best sortable by time; made by the daemon where absent. */
  event_id: name.optional(),
  /** The source's name in the agent's adapter: `claude-hooks`. */
  source: name,
  /** The event's own name: `Stop`. For the source `emit`, a state word. */
  type: name,
  agent: name.optional(),
  /** `%3` with a server, or a pane reference. */
  pane: z.string().max(8192).optional(),
  /** The tmux server's socket path, as in $TMUX. */
  server: z.string().max(512).optional(),
  runtime: name.optional(),
  /** The agent's process, where the sender knows it. */
  pid: z.number().int().positive().optional(),
  /** An empty one is none. */
  session_key: z.string().max(256).optional(),
  dedupe_key: z.string().min(1).max(256).optional(),
  source_seq: z.number().int().nonnegative().optional(),
  event_time_ms: z.number().nonnegative().optional(),
  payload: z.unknown().optional(),
  /** The environment that binds a hook to its pane: TMUX, TMUX_PANE, CLAUDE_PID. */
  env: z.record(z.string().max(64), z.string().max(1024)).optional(),
});
export type IngestEvent = z.infer<typeof ingestEventSchema>;

export const ingestResultSchema = z.object({
  event_id: z.string(),
  /** `ignored`: understood, and says nothing about a state. */
  outcome: z.enum(['applied', 'late', 'duplicate', 'pending_bind', 'ignored', 'refused']),
  code: z.string().nullable(),
  detail: z.string().nullable(),
});
export type IngestResult = z.infer<typeof ingestResultSchema>;
