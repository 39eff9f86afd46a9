// A file for an agent: kept on its machine and named, or pasted, into its input box.

import { z } from 'zod';

export const UPLOAD_BYTES_MAX: number = 8 * 1024 * 1024;

export const uploadInputSchema = z.strictObject({
  runtime_id: z.string().min(1).max(200),
  /** As its sender calls it; a name of ours is made of it. */
  name: z.string().max(4_096),
  mime: z.string().max(255),
  /** In base64. */
  data: z.base64().max(Math.ceil(UPLOAD_BYTES_MAX / 3) * 4),
});
export type UploadInput = z.output<typeof uploadInputSchema>;

export const uploadReplySchema = z.object({
  /** Where it was kept. */
  path: z.string(),
  /** What went into the input box: the text of the file, or where it is. */
  pasted: z.enum(['text', 'path']),
});
export type UploadReply = z.infer<typeof uploadReplySchema>;

export const uploadSchemas = {
  upload_file: { input: uploadInputSchema, output: uploadReplySchema },
} as const;
