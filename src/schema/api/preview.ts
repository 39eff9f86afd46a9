// One pane in detail: its live screen as `preview` reads it, with its colours; what names the life
// of the pane, so that a client can check it again before it goes there; and a recording of it in
// the format of the corpus (schema/record.ts), redacted.

import { z } from 'zod';
import { labelRecordSchema } from '../record.ts';
import { loginItemSchema, replyHeader } from '../shapes.ts';
import { stateSchema } from '../state.ts';
import { refSchema } from './shapes.ts';

const count = z.number().int().nonnegative();
/** As much of a history as one reply holds. */
const LINES_MAX = 5_000;

/** Where a pane is, and which life of it: enough to check it again before one goes there. */
const location = {
  ...replyHeader,
  pane_key: z.string(),
  target: z.string(),
  target_kind: z.enum(['local', 'ssh']),
  server: z.string(),
  server_pid: count,
  pane_id: z.string(),
  pane_pid: count,
  login: loginItemSchema,
} as const;

export const locatedPaneSchema = z.object(location);
export type LocatedPane = z.infer<typeof locatedPaneSchema>;

export const previewSchema = z
  .object({
    ...location,
    /** The agent in the pane. */
    runtime_id: z.string().nullable(),
    columns: count,
    rows: count,
    cursor: z.object({ x: count, y: count }),
    /** A person scrolls or selects in it: tmux's copy mode or another mode is on. */
    in_mode: z.boolean(),
    /** From the top. Of all escape sequences only SGR (colours) is left; no control is. */
    lines: z.array(z.string()),
    /** How many of the lines have scrolled off. */
    scrolled: count,
  })
  .meta({ id: 'Preview' });
export type Preview = z.infer<typeof previewSchema>;

/** What must be true of the pane, compared with a snapshot of it; without any it is not. */
const viewGuards = {
  if_runtime: z.string().min(1).max(200).optional(),
  if_state: stateSchema.optional(),
  if_updated_within_ms: z.number().positive().optional(),
  /** Forgives that the pane changes meanwhile; never another runtime. */
  force_stale: z.boolean().default(false),
} as const;
const viewGuardsSchema = z.object(viewGuards);
export type ViewGuards = z.output<typeof viewGuardsSchema>;

export const previewSchemas = {
  locate_pane: {
    input: z.strictObject({ ref: refSchema, ...viewGuards }),
    output: locatedPaneSchema,
  },
  preview: {
    input: z.strictObject({
      ref: refSchema,
      /** The last so many lines, with those that have scrolled off; absent: the screen. */
      lines: z.number().int().min(1).max(LINES_MAX).optional(),
      ...viewGuards,
    }),
    output: previewSchema,
  },
} as const;

export const recordPaneInputSchema = z.strictObject({
  ref: refSchema,
  /** The true state, where a person names it; absent: what the daemon reports. */
  label: labelRecordSchema.shape.state.optional(),
  /** How many minutes of evidence. */
  minutes: z.number().positive().max(10_000).optional(),
});

export const recordingSchemas = {
  record_pane: {
    input: recordPaneInputSchema,
    output: z.object({
      ...replyHeader,
      recording: z.record(z.string(), z.unknown()),
    }),
  },
} as const;
