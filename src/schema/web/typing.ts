// Keys as a terminal sends them, for an agent whose screen somebody watches: typed as they are,
// without a look at what they do. What stands for a whole prompt is `send`.

import { z } from 'zod';

/** More at once is no typing: a paste of a browser is far shorter. */
const BYTES_MAX = 256 * 1024;
const PARTS_MAX = 4_096;

/** Keys that are typed by the name that tmux has for them, so that it encodes them for the pane. */
export const typedKeys = [
  ...['BTab', 'Up', 'Down', 'Right', 'Left', 'Home', 'End', 'PgUp', 'PgDn', 'IC', 'DC'],
  ...['F1', 'F2', 'F3', 'F4', 'F5', 'F6', 'F7', 'F8', 'F9', 'F10', 'F11', 'F12'],
  ...['Escape', 'BSpace'],
] as const;
export type TypedKey = (typeof typedKeys)[number];

const partSchema = z.union([
  z.strictObject({ key: z.enum(typedKeys) }),
  /** Bytes that reach the program exactly as they are, in base64. */
  z.strictObject({ bytes: z.base64().max(Math.ceil((BYTES_MAX / 3) * 4) + 4) }),
]);

export const typeKeysInputSchema = z.strictObject({
  /** The agent that is meant; keys for another one in its pane are refused. */
  runtime_id: z.string().min(1).max(200),
  parts: z.array(partSchema).min(1).max(PARTS_MAX),
});
export type TypeKeysInput = z.output<typeof typeKeysInputSchema>;
export type TypedPart = TypeKeysInput['parts'][number];

export const typingSchemas = {
  type_keys: {
    input: typeKeysInputSchema,
    output: z.object({ byte_count: z.number().int().nonnegative() }),
  },
} as const;
