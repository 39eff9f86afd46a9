// How the daemon itself is: its life, its sources, its alerts, its adapters.

import { z } from 'zod';
import { configSchema } from '../config.ts';
import { replyHeader } from '../shapes.ts';
import { channelStatusSchema } from '../state.ts';
import { doneSchema, emptyInputSchema } from './shapes.ts';

const time = z.iso.datetime();

/** Both sides say it in `hello`. It grows when an older side could misread a newer one. */
export const PROTOCOL_VERSION = 1;

export const daemonInfoSchema = z.object({
  protocol: z.number().int(),
  version: z.string(),
  pid: z.number().int(),
  /** Names this life of the daemon; cursors and source registrations belong to it. */
  nonce: z.string(),
  started_at: time,
  socket: z.string(),
  database: z.string(),
  log_file: z.string().nullable(),
  servers: z.array(
    z.object({
      target: z.string(),
      server: z.string(),
      status: z.enum(['connected', 'absent', 'degraded', 'connecting']),
      detail: z.string().nullable(),
      panes: z.number().int(),
      taps: z.number().int(),
    }),
  ),
});
export type DaemonInfo = z.infer<typeof daemonInfoSchema>;

export const configStatusSchema = z.object({
  /** Every setting, named as in code: `engine.staleSignalMs`. */
  in_force: configSchema,
  /** Keys whose value in the file waits for the next start: `ssh.config_file`. */
  waiting: z.array(z.string()),
});
export type ConfigStatus = z.infer<typeof configStatusSchema>;

export const sourceHealthSchema = z.object({
  channel: z.string(),
  status: channelStatusSchema,
  since: time,
  last_beat_at: time.nullable(),
});
export type SourceHealthItem = z.infer<typeof sourceHealthSchema>;

export const sourceHealthListSchema = z.object({
  ...replyHeader,
  sources: z.array(sourceHealthSchema),
});

export const alertLevels = ['warn', 'degraded', 'escalate'] as const;
export const alertSchema = z.object({
  alert_id: z.string(),
  code: z.string(),
  about: z.string(),
  level: z.enum(alertLevels),
  detail: z.string().nullable(),
  opened_at: time,
  updated_at: time,
  acknowledged_at: time.nullable(),
  resolved_at: time.nullable(),
  resolved_by: z.enum(['auto', 'operator']).nullable(),
});
export type AlertItem = z.infer<typeof alertSchema>;

export const alertListSchema = z.object({
  ...replyHeader,
  alerts: z.array(alertSchema),
});

export const adapterItemSchema = z.object({
  agent: z.string(),
  title: z.string(),
  contract_version: z.string(),
  enabled: z.boolean(),
  health: z.string(),
  capabilities: z.record(z.string(), z.boolean()),
  sources: z.array(z.string()),
  rules: z.number().int(),
});

export const adapterListSchema = z.object({
  ...replyHeader,
  adapters: z.array(adapterItemSchema),
  problems: z.array(z.object({ file: z.string(), problem: z.string() })),
});
export type AdapterList = z.infer<typeof adapterListSchema>;

export const helloInputSchema = z.strictObject({
  /** The client's protocol version; the daemon's is in the reply. */
  protocol: z.number().int().optional(),
  version: z.string().max(64).optional(),
  /** What calls, for the daemon's log: `cli`, `tui`. */
  client: z.string().max(64).optional(),
});
export const helloSchema = z.object({
  protocol: z.number().int(),
  version: z.string(),
  pid: z.number().int(),
  nonce: z.string(),
});
export type Hello = z.infer<typeof helloSchema>;

const alertInput = z.strictObject({ alert_id: z.string().min(1).max(128) });

export const hudServerSchema = z.object({
  server: z.string(),
  /**
   * `unsupported`: this tmux has no floating panes (3.7 and newer have). `no_client`: nobody is
   * attached. `no_room`: the window is too small.
   */
  state: z.enum([
    ...['off', 'shown', 'unsupported', 'no_client', 'no_room'],
    ...['not_connected', 'failed'],
  ] as const),
  pane_id: z.string().nullable(),
});
export type HudServer = z.infer<typeof hudServerSchema>;

export const hudStatusSchema = z.object({
  ...replyHeader,
  on: z.boolean(),
  servers: z.array(hudServerSchema),
});
export type HudStatus = z.infer<typeof hudStatusSchema>;

export const healthSchemas = {
  hud_status: { input: emptyInputSchema, output: hudStatusSchema },
  set_hud: { input: z.strictObject({ on: z.boolean() }), output: hudStatusSchema },
  hello: { input: helloInputSchema, output: helloSchema },
  daemon_info: { input: emptyInputSchema, output: daemonInfoSchema },
  show_config: { input: emptyInputSchema, output: configStatusSchema },
  daemon_stop: {
    input: z.strictObject({ reason: z.string().max(200).optional() }),
    output: doneSchema,
  },
  list_source_health: { input: emptyInputSchema, output: sourceHealthListSchema },
  list_adapters: { input: emptyInputSchema, output: adapterListSchema },
  set_adapter_enabled: {
    input: z.strictObject({ agent: z.string().min(1).max(64), enabled: z.boolean() }),
    output: adapterListSchema,
  },
  list_alerts: {
    input: z.strictObject({ include_resolved: z.boolean().optional() }),
    output: alertListSchema,
  },
  acknowledge_alert: { input: alertInput, output: alertSchema },
  resolve_alert: { input: alertInput, output: alertSchema },
  metrics: {
    input: emptyInputSchema,
    output: z.object({ content_type: z.string(), text: z.string() }),
  },
} as const;
