// One recorded moment of one pane: the file format of the corpus, of `agtmux record` and of the
// lab. Labels and signals lie beside the screen in the same file, so what may be looked at is cut
// out here, in one place: visibleOf keeps what tmux shows and drops everything else.

import { z } from 'zod';
import { recordLabels } from '../text/state-words.ts';

const LINES_MAX = 2000;
const LINE_MAX = 20_000;
const text = z.string().max(2_000_000);

/** A recorded screen, with its process tree if recorded. Invalid optional fields are dropped. */
export const visibleRecordSchema = z.object({
  capture: z.array(z.string().max(LINE_MAX)).max(LINES_MAX),
  capture_ansi: text.optional().catch(undefined),
  pane_title: z.string().max(LINE_MAX).default('').catch(''),
  pane_current_command: z.string().max(LINE_MAX).default('').catch(''),
  cols: z.number().int().min(1).max(2000),
  rows: z.number().int().min(1).max(2000),
  /** "x,y" or "x,y,flag". */
  cursor: z.string().max(100).optional().catch(undefined),
  alternate_on: z.enum(['0', '1', '']).optional().catch(undefined),
  process_tree: text.nullish().catch(null),
});
export type VisibleRecord = z.infer<typeof visibleRecordSchema>;

const signalSchema = z.looseObject({ event: z.string().optional(), dt: z.number().optional() });

/** The signals of the agent beside the screen. Read only for `--with-signals`. */
export const signalRecordSchema = z.object({
  hook_events_seen: z.array(signalSchema).optional().catch(undefined),
  signals_seen: z.array(z.unknown()).optional().catch(undefined),
  signals: z.record(z.string(), z.unknown()).optional().catch(undefined),
  status_file: z.record(z.string(), z.unknown()).nullish().catch(null),
  osc7501_last: z.string().nullish().catch(null),
});
export type SignalRecord = z.infer<typeof signalRecordSchema>;

/** The label and what qualifies it. Only the scorer and the writers of recordings use it. */
export const labelRecordSchema = z.object({
  agent: z.string(),
  agent_version: z.string().optional(),
  state: z.enum(recordLabels),
  alt_state: z.string().optional(),
  notes: z.string().default(''),
  interrupted: z.boolean().optional(),
  retrying: z.boolean().optional(),
  startup: z.boolean().optional(),
  transitional: z.boolean().optional(),
  inline: z.boolean().optional(),
  captured_at: z.number().optional(),
});
export type LabelRecord = z.infer<typeof labelRecordSchema>;

export const recordSchema = z.object({
  ...visibleRecordSchema.shape,
  ...signalRecordSchema.shape,
  ...labelRecordSchema.shape,
});

/** The visible part of a record, or null when the value is not a record. */
export function parseVisibleRecord(record: unknown): VisibleRecord | null {
  const parsed = visibleRecordSchema.safeParse(record);
  return parsed.success ? parsed.data : null;
}

/** The recorded signals, or null when the value is not a record. */
export function parseSignalRecord(record: unknown): SignalRecord | null {
  const parsed = signalRecordSchema.safeParse(record);
  return parsed.success ? parsed.data : null;
}
