// What an agent's terminal prints, for who watches it: a snapshot, then bytes as they come.

import { z } from 'zod';

const HISTORY_LINES_MAX = 10_000;

export const watchOutputInputSchema = z.strictObject({
  runtime_id: z.string().min(1).max(200),
  /** How many lines of the history a snapshot brings. */
  history_lines: z.number().int().min(0).max(HISTORY_LINES_MAX).default(2_000),
});
export type WatchOutputInput = z.output<typeof watchOutputInputSchema>;

export const watchedOutputSchema = z.object({ subscription: z.string() });
export type WatchedOutput = z.infer<typeof watchedOutputSchema>;

const common = {
  subscription: z.string(),
  /** Grows with each snapshot: bytes of another epoch do not fit it. */
  epoch: z.number().int(),
  /** Grows by one with each message of an epoch. */
  seq: z.number().int(),
};

/** The pushes of `watch_output`; over JSON-RPC `bytes` are base64. */
export const outputPushSchemas = {
  /** Bytes that make a terminal show everything, whatever it showed before. */
  output_snapshot: z.object({
    ...common,
    cols: z.number().int(),
    rows: z.number().int(),
    /** False: the output cannot be read as it comes, so the screen is captured 5 times a second. */
    live: z.boolean(),
    bytes: z.base64(),
  }),
  output_bytes: z.object({ ...common, bytes: z.base64() }),
  /** The pane is gone, or cannot be read any more. */
  output_ended: z.object({ ...common, reason: z.string() }),
} as const;

/** By the name of the push. */
export type OutputPush = {
  readonly [Name in keyof typeof outputPushSchemas]: z.infer<(typeof outputPushSchemas)[Name]>;
};

const agentShape = { runtime_id: z.string().min(1).max(200) };
const sizeShape = {
  cols: z.number().int().min(2).max(10_000),
  rows: z.number().int().min(1).max(10_000),
};

export const outputSchemas = {
  watch_output: { input: watchOutputInputSchema, output: watchedOutputSchema },
  read_output: {
    input: z.strictObject({
      runtime_id: z.string().min(1).max(200),
      history_lines: z.number().int().min(0).max(100_000).default(20_000),
    }),
    /** The history and the screen, with colours, in lines that end with a line feed. */
    output: z.object({ text: z.string() }),
  },
  resize_window: {
    input: z.strictObject({ ...agentShape, ...sizeShape }),
    output: z.object(sizeShape),
  },
  release_window: { input: z.strictObject(agentShape), output: z.object({}) },
} as const;
