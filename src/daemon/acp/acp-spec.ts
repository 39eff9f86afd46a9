// How an ACP member is started, as the store keeps it. What cannot be read is no member any more.

import { z } from 'zod';

const acpSpecSchema = z.object({
  agent: z.string(),
  argv: z.array(z.string()).min(1),
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
  authMethod: z.string().nullable(),
  withTools: z.boolean(),
  startMs: z.number().positive(),
  turnMs: z.number().positive(),
});
export type AcpSpec = Readonly<z.infer<typeof acpSpecSchema>>;

export function readAcpSpec(value: unknown): AcpSpec | null {
  const read = acpSpecSchema.safeParse(value);
  return read.success ? read.data : null;
}
