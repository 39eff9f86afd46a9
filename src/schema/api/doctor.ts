// The report of `doctor`: each dependency, whether it works, and what watching costs.

import { z } from 'zod';
import { replyHeader } from '../shapes.ts';
import type { AdapterList, AlertItem, DaemonInfo, SourceHealthItem } from './health.ts';
import type { TargetItem } from './targets.ts';

export const checkSchema = z.object({
  name: z.string(),
  /** `note`: worth knowing, and nothing is wrong. `warn` and `fail` are findings. */
  status: z.enum(['ok', 'note', 'warn', 'fail']),
  detail: z.string(),
  /** What to do; null where there is nothing to do. */
  fix: z.string().nullable(),
});
export type CheckItem = z.infer<typeof checkSchema>;

const figure = z.number().nullable();

/** The cost of watching. Null: it cannot be measured (yet, or on this system). */
export const watchCostSchema = z.object({
  /** Of one core, over the last minute. */
  daemonCpuPercent: figure,
  daemonBytes: figure,
  /** Processes of the daemon: its tmux clients, and ssh where there is one. */
  clients: figure,
  /** Of one core, since they were started. */
  clientsCpuPercent: figure,
  clientsBytes: figure,
  /** Programs that the daemon has started since its start. */
  processesStarted: figure,
  eventsPerMinute: figure,
});
export type WatchCost = z.infer<typeof watchCostSchema>;

export const checkupSchema = z.object({
  ...replyHeader,
  healthy: z.boolean(),
  checks: z.array(checkSchema),
  /** Null where no daemon answers. */
  cost: watchCostSchema.nullable(),
});
export type Checkup = z.infer<typeof checkupSchema>;

export const doctorInputSchema = z.strictObject({
  /** The caller's version of agtmux; absent: the daemon's own. */
  version: z.string().max(64).optional(),
  /** Where the caller shows things; absent: it has no terminal. */
  terminal: z.strictObject({ term: z.string().max(256), utf8: z.boolean() }).optional(),
});
export type DoctorInput = z.infer<typeof doctorInputSchema>;

/** What the daemon says of itself. */
export interface DaemonReport {
  readonly info: DaemonInfo;
  readonly sources: readonly SourceHealthItem[];
  readonly adapters: AdapterList;
  readonly alerts: readonly AlertItem[];
  readonly targets: readonly TargetItem[];
  /** Prometheus text. */
  readonly metrics: string;
}

export const doctorSchemas = {
  doctor: { input: doctorInputSchema, output: checkupSchema },
} as const;
