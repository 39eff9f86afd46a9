// What an agent's terminal prints, for who watches it: a snapshot, then bytes as they come.

import { z } from 'zod';

const HISTORY_LINES_MAX = 10_000;

const idSchema = z.string().min(1).max(200);
const agentShape = { runtime_id: idSchema };
/** The agent in a pane, or a pane whatever runs in it: one of the two. */
const agentOrPane = {
  runtime_id: idSchema.optional(),
  pane_key: z.string().min(1).max(600).optional(),
};
interface AgentOrPane {
  readonly runtime_id?: string | undefined;
  readonly pane_key?: string | undefined;
}
const isOne = ({ runtime_id: runtimeId, pane_key: paneKey }: AgentOrPane): boolean =>
  (runtimeId === undefined) !== (paneKey === undefined);
const oneOfBoth = 'name a runtime_id or a pane_key';

export const watchOutputInputSchema = z
  .strictObject({
    ...agentOrPane,
    /** How many lines of the history a snapshot brings. */
    history_lines: z.number().int().min(0).max(HISTORY_LINES_MAX).default(2_000),
  })
  .refine(isOne, oneOfBoth);
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

const sizeShape = {
  cols: z.number().int().min(2).max(10_000),
  rows: z.number().int().min(1).max(10_000),
};

export const outputSchemas = {
  watch_output: { input: watchOutputInputSchema, output: watchedOutputSchema },
  read_output: {
    input: z
      .strictObject({
        ...agentOrPane,
        history_lines: z.number().int().min(0).max(100_000).default(20_000),
      })
      .refine(isOne, oneOfBoth),
    /** The history and the screen, with colours, in lines that end with a line feed. */
    output: z.object({ text: z.string() }),
  },
  resize_window: {
    input: z.strictObject({ ...agentShape, ...sizeShape }),
    output: z.object(sizeShape),
  },
  release_window: { input: z.strictObject(agentShape), output: z.object({}) },
} as const;
