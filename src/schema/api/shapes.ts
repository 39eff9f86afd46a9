// Shapes that several groups of operations share.

import { z } from 'zod';

/** For an operation without input. */
export const emptyInputSchema = z.strictObject({});
/** For an operation whose success says all. */
export const doneSchema = z.object({ ok: z.literal(true) });
/** A pane or a runtime, as a caller names it. */
export const refSchema = z.string().min(1).max(8192);
