// What an action is based on: a server-side snapshot of the row, and the guards a caller may add.
// Also the prompt that waits for its moment.

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

/** idle: as soon as the agent rests. time and reset: not before a time, which may be a limit's. */
export const deliveryMoments = ['idle', 'time', 'reset'] as const;
export type DeliveryMoment = (typeof deliveryMoments)[number];

/** waiting and typing are open; the others are final. */
export const deliveryStatuses = [
  'waiting',
  'typing',
  'delivered',
  'unconfirmed',
  'refused',
  'expired',
  'cancelled',
] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** A prompt that waits for its moment: for whom, until when, and what came of it. */
export interface Delivery {
  readonly deliveryId: string;
  /** Its row in the audit trail. */
  readonly actionId: string;
  /** No other runtime ever gets it. */
  readonly runtimeId: RuntimeId;
  readonly paneKey: PaneKey;
  readonly actor: string;
  /** Empty once it is settled. */
  readonly text: string;
  readonly pressesEnter: boolean;
  readonly isPasteSafe: boolean;
  readonly moment: DeliveryMoment;
  readonly queuedAtMs: number;
  readonly dueAtMs: number;
  readonly expiresAtMs: number;
  readonly status: DeliveryStatus;
  /** What it waits for, or what came of it. */
  readonly detail: string | null;
  readonly settledAtMs: number | null;
}
