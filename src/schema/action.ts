// What an action is based on: a server-side snapshot of the row, and the guards a caller may add.

import { z } from 'zod';
import type { PaneKey, RuntimeId, SnapshotId, TargetId } from './ids.ts';
import { atMsSchema, branded } from './shapes.ts';
import { stateSchema } from './state.ts';

export const actionSnapshotSchema = z.object({
  snapshotId: branded<SnapshotId>(),
  targetId: branded<TargetId>(),
  paneKey: branded<PaneKey>(),
  runtimeId: branded<RuntimeId>().nullable(),
  stateVersion: z.number().int().nonnegative(),
  observedAtMs: atMsSchema,
  expiresAtMs: atMsSchema,
  nonce: z.string().min(8).max(128),
});
export type ActionSnapshot = z.infer<typeof actionSnapshotSchema>;

export const actionGuardsSchema = z.object({
  ifRuntime: branded<RuntimeId>().optional(),
  ifState: stateSchema.optional(),
  ifUpdatedWithinMs: z.number().positive().optional(),
  /** Forgives an expired snapshot and a changed version; never another runtime or a gone agent. */
  forceStale: z.boolean().default(false),
});
export type ActionGuards = z.infer<typeof actionGuardsSchema>;
