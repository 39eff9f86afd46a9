// Every constant that a user may change, in one place, with its default and its reason. config.toml
// has the same keys: `staleSignalMs` is `stale_signal` there and takes 30000 or "30s". The engine's
// part reaches the world in `daemon.started` and `config.changed`, so that replay uses the same. A
// key with `atStart` in its meta waits for the next start; every other one is live.

import { z } from 'zod';
import { defaultTuiColumns, tuiColumns } from '../text/tui-columns.ts';
import { notifySchema } from './notify/notify-config.ts';
import { publicUrlSchema } from './shapes.ts';

const ms = (defaultMs: number, description: string) =>
  z.number().int().positive().default(defaultMs).meta({ description });
/** Not so often that it takes a core, nor so rarely that a channel's heartbeat (3 s) is missed. */
const pace = (defaultMs: number, description: string) =>
  z.number().int().min(50).max(2_500).default(defaultMs).meta({ description });
const count = (defaultCount: number, description: string) =>
  z.number().int().positive().default(defaultCount).meta({ description });

export const engineConfigSchema = z.object({
  staleSignalMs: ms(
    30_000,
    'A level claim expires when it is unread this long; an edge claim, when its channel is down.',
  ),
  bindWindowMs: ms(
    5_000,
    'How much older than its runtime evidence may be, because clocks differ and polls lag.',
  ),
  pendingBindMs: ms(30_000, 'Evidence without a runtime is dropped after this time.'),
  actionSnapshotMs: ms(30_000, 'An action must start within this time of its snapshot.'),
  completedMs: ms(120_000, '`completed` becomes `idle` after this time.'),
  tombstoneMs: ms(
    120_000,
    'A gone pane is kept this long, so that late evidence cannot bind to its successor.',
  ),
  channelFreshMs: ms(3_000, 'A channel is fresh this long after a heartbeat.'),
  channelDownMs: ms(15_000, 'A channel is down this long after its last heartbeat.'),
  settleMs: ms(
    1_000,
    'A better level source that still disagrees this long after a claim ends the claim.',
  ),
  settleWorseMs: ms(
    5_000,
    'A worse level source that still disagrees this long after an event ends its claim.',
  ),
  settleScreenMs: ms(
    15_000,
    'The same for a screen, when nothing moves and the source of the event could see the end.',
  ),
  restSilenceMs: ms(
    500,
    'How long to wait for a completion from an event source once the agent is at rest.',
  ),
  reconfirmMs: ms(
    2_000,
    'After a start of the daemon, rows wait this long for their process and a level source.',
  ),
  stuckMs: ms(600_000, 'Running without a sign of work for this long raises attention.'),
  unanchoredIdleMs: ms(4_000, 'How long a guess of rest must hold before it counts.'),
  unanchoredPromoteMs: ms(
    8_000,
    'How soon after a key or output in its pane a guess of running counts.',
  ),
  unanchoredDemoteMs: ms(45_000, 'How long after a key or output no guess of rest ends running.'),
  pollIntervalMs: ms(
    1_000,
    'How often guesses are polled; a guess of rest must hold for two polls.',
  ),
});
export type EngineConfig = z.infer<typeof engineConfigSchema>;

export const defaultEngineConfig: EngineConfig = engineConfigSchema.parse({});

const tmuxSchema = z.object({
  sockets: z.array(z.string().min(1).max(107)).max(16).default([]).meta({
    description: 'Sockets of tmux servers to watch besides the usual one and the one in use.',
  }),
  tap: z
    .enum(['never', 'on-view', 'agents'])
    .default('agents')
    .meta({
      description:
        'Whose output is tapped: that of agents, on servers of up to 500 panes, and of terminals' +
        ' that somebody views (agents); of viewed terminals alone (on-view); or none (never).',
    }),
  attach: z
    .enum(['when_safe', 'always'])
    .default('when_safe')
    .meta({
      description:
        'Whether control clients are attached to tmux before 3.8, which may crash. Without' +
        ' them nothing is tapped: no OSC signal and no bell is read.',
      atStart: true,
    }),
  publishOptions: z.boolean().default(false).meta({
    description: 'Set `@agtmux_state`, `_agent`, `_reason`, `_since`, `_attention` on each pane.',
  }),
  sweepMs: pace(200, 'How often panes are listed where output is not tapped.'),
  quietSweepMs: pace(
    600,
    'The same without control clients, when no pane has printed for ten seconds.',
  ),
  tappedSweepMs: pace(900, 'How often panes are listed where output is tapped.'),
  degradedSweepMs: pace(
    2_000,
    'How often panes are listed where no control client can stay attached.',
  ),
  listingMs: ms(5_000, 'How often a full listing is taken even without a notification.'),
  commandTimeoutMs: ms(5_000, 'How long tmux may take to answer a command.'),
  tapsMax: count(64, 'Maximum number of tapped sessions; each takes a process and a pipe.'),
});

const screenSchema = z.object({
  lookMs: pace(250, 'How often a changing screen is captured.'),
  lookMaxMs: pace(1_500, 'The same, when very many panes change.'),
  repaintMs: pace(2_500, 'The same, when a pane only repaints what it showed before.'),
  confirmMs: ms(150, 'How soon a screen that shows idle or completed is captured a second time.'),
  restMinMs: ms(2_000, 'How soon an unchanged screen is captured again.'),
  restMaxMs: z
    .number()
    .int()
    .min(50)
    .max(20_000)
    .default(12_000)
    .meta({ description: 'The same, after a long rest; a claim that is unread for 30 s expires.' }),
  looksMax: count(64, 'Maximum number of captures in flight.'),
});

const processSchema = z.object({
  agentMs: ms(2_000, 'How often the process of an agent is checked.'),
  treeMs: ms(8_000, 'How often all processes of its pane are checked.'),
  doubtMs: ms(300, 'How soon a missing process is checked again.'),
  leftMs: ms(
    45_000,
    'How long ssh or a nested tmux shows no agent before its agent counts as gone.',
  ),
  shellMinMs: ms(2_000, 'How soon a pane without an agent is checked again.'),
  shellMaxMs: ms(30_000, 'The same, after a long time without one.'),
});

const sshSchema = z.object({
  configFile: z.string().max(1024).default('').meta({
    description: 'An ssh configuration file to use instead of your own; empty: your own.',
    atStart: true,
  }),
});

const retentionSchema = z.object({
  payloadDays: count(7, 'How many days the payloads of hooks are kept.'),
  eventDays: count(14, 'How many days events, history and ended runtimes are kept.'),
});

/** From verbose to silent. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const logSchema = z.object({
  level: z.enum(logLevels).default('info').meta({
    description: 'What is written to agtmuxd.log. AGTMUX_LOG overrides it.',
  }),
  fileBytesMax: count(5_000_000, 'The log is rotated before it grows larger than this.'),
  filesMax: count(3, 'How many rotated files are kept.'),
});

const adaptersSchema = z.object({
  disabled: z
    .array(z.string().min(1).max(64))
    .max(64)
    .default([])
    .meta({ description: 'Agents that are not watched.' }),
});

const codexSchema = z.object({
  appServer: z
    .string()
    .regex(/^(?:unix:\/\/\/.{1,106})?$/, 'must be unix:///path, or empty')
    .default('')
    .meta({
      description: 'An app server that you run, `unix:///path`; its threads are watched too.',
    }),
  spawnAppServer: z
    .boolean()
    .default(false)
    .meta({
      description:
        'Start `codex app-server` while Codex runs and no app server does. It only gives the ' +
        'names of threads: it holds none, so it knows no state.',
    }),
});

const superviseSchema = z.object({
  failuresMax: count(5, 'How many failures of a part within the window hold it down.'),
  windowMs: ms(600_000, 'The window in which failures count.'),
  holdDownMs: ms(300_000, 'How long a part stays held down.'),
});

const budgetsSchema = z.object({
  lagMs: ms(1_000, 'An alert opens when changes take longer to reach subscribers (p95).'),
  cpuPercent: count(25, 'An alert opens when the daemon uses more of one core over a minute.'),
});

const limitsSchema = z.object({
  requestBytesMax: count(
    4_194_304,
    'The largest request that is accepted, on connections made after the change.',
  ),
  openAlertsMax: count(200, 'Maximum number of open alerts.'),
});

const actingSchema = z.object({
  agentsMayAnswer: z
    .boolean()
    .default(false)
    .meta({
      description:
        'Whether a command that an agent runs may approve, deny, answer, start and end others, ' +
        'and force what is typed; of members, where their policy does not say it.',
    }),
  queuedSendMs: ms(
    3_600_000,
    'How long a queued prompt may wait for its agent once its time has come.',
  ),
  repeatRules: z
    .boolean()
    .default(false)
    .meta({
      description:
        'Whether `agtmux rule add` may have the exact command of a request approved again ' +
        'without you, some times and until a time.',
    }),
});

const countMax = (value: number, max: number, description: string) =>
  z.number().int().min(1).max(max).default(value).meta({ description });

const messagesSchema = z.object({
  expiryMs: ms(86_400_000, 'How long a message waits for its recipient, where it does not say.'),
  bodyBytesMax: countMax(32_768, 65_536, 'The longest body of a message, in bytes.'),
  perMinuteMax: countMax(30, 10_000, 'How many messages one agent may write in a minute.'),
  pairMax: countMax(
    60,
    100_000,
    'How many messages may pass between two agents in ten minutes, both ways together.',
  ),
  hopMax: countMax(
    16,
    10_000,
    'How many messages of agents may answer each other without one of a person.',
  ),
  waitingMax: countMax(20_000, 100_000, 'How many messages may wait, all recipients together.'),
  waitingOfRecipientMax: countMax(500, 10_000, 'How many messages may wait for one recipient.'),
  batchCountMax: countMax(8, 64, 'How many waiting messages are typed together as one prompt.'),
  batchBytesMax: countMax(12_000, 60_000, 'How long such a prompt may be, in bytes.'),
});

const tuiSchema = z.object({
  columns: z
    .array(z.enum(tuiColumns))
    .min(1)
    .max(tuiColumns.length)
    .default([...defaultTuiColumns])
    .meta({
      description:
        'The columns of the list, from left to right: ' +
        `${tuiColumns.map((column) => `\`${column}\``).join(', ')}.`,
    }),
  mouse: z.boolean().default(true).meta({
    description: 'Use the mouse. Most terminals still select text while Shift is held.',
  }),
  workers: z.array(z.string().min(1).max(200)).max(32).default([]).meta({
    description:
      'Names of the sessions and windows of workers, which `w` hides; `*` stands for any text.',
  }),
  background: z.enum(['auto', 'dark', 'light']).default('auto').meta({
    description: 'Which colours are used; `auto` reads COLORFGBG and takes dark without it.',
  }),
  sidebarColumns: z.number().int().min(16).max(120).default(36).meta({
    description: 'How wide `agtmux sidebar` opens.',
  }),
});

const webSchema = z.object({
  enabled: z.boolean().default(false).meta({
    description: 'Keep the web service open, as `agtmux web` does until Ctrl-C.',
  }),
  host: z.string().min(1).max(255).default('127.0.0.1').meta({
    description: 'The address it listens on. Beyond loopback it needs a token.',
  }),
  port: z.number().int().min(1).max(65_535).default(8_080).meta({
    description: 'The port it listens on.',
  }),
  workDir: z.string().max(4_096).default('').meta({
    description: 'Show only agents in this folder or below it; empty: all.',
  }),
  allowedOrigins: z
    .array(z.string().min(1).max(255))
    .max(64)
    .default(['localhost:*'])
    .meta({ description: 'The pages that may connect: `host` or `host:port`; `*` is any text.' }),
  noAuth: z.boolean().default(false).meta({
    description: 'Let everybody in who reaches the port, without a token; only on loopback.',
  }),
  publicUrl: publicUrlSchema.default('').meta({
    description: 'Where people reach it if not where it listens: `https://agents.example.com`.',
  }),
  tlsCert: z.string().max(4_096).default('').meta({
    description: 'The certificate, a file in PEM format; with `tls_key` it speaks TLS.',
  }),
  tlsKey: z.string().max(4_096).default('').meta({
    description: 'The key of the certificate. Both files are read anew when they change.',
  }),
});

const mcpSchema = z.object({
  installHooks: z
    .boolean()
    .default(false)
    .meta({ description: 'Whether an agent may install hooks through `agtmux mcp`.' }),
});

const hudSchema = z.object({
  enabled: z.boolean().default(false).meta({
    description: 'Show the HUD, unless `agtmux hud on` or `off` has said otherwise.',
  }),
  columns: z.number().int().min(16).max(200).default(48).meta({ description: 'How wide it is.' }),
  rows: z.number().int().min(3).max(60).default(10).meta({ description: 'How high it is.' }),
});

export const configSchema = z.object({
  engine: engineConfigSchema.prefault({}).meta({ description: 'How evidence becomes a state.' }),
  tmux: tmuxSchema.prefault({}).meta({ description: 'How tmux servers are watched.' }),
  screen: screenSchema.prefault({}).meta({ description: 'How screens are read.' }),
  process: processSchema.prefault({}).meta({ description: 'How processes are read.' }),
  ssh: sshSchema.prefault({}).meta({ description: 'How other machines are reached.' }),
  retention: retentionSchema.prefault({}).meta({ description: 'How long things are kept.' }),
  log: logSchema.prefault({}).meta({ description: "The daemon's log." }),
  adapters: adaptersSchema.prefault({}).meta({ description: 'Which agents are watched.' }),
  codex: codexSchema.prefault({}).meta({ description: 'App servers of Codex.' }),
  supervise: superviseSchema.prefault({}).meta({ description: 'How often a part may fail.' }),
  budgets: budgetsSchema.prefault({}).meta({ description: 'When slowness opens an alert.' }),
  limits: limitsSchema.prefault({}).meta({ description: 'Limits for clients.' }),
  acting: actingSchema.prefault({}).meta({ description: 'What may be done to agents.' }),
  messages: messagesSchema
    .prefault({})
    .meta({ description: 'Messages between agents and people.' }),
  tui: tuiSchema.prefault({}).meta({ description: 'The live view and the sidebar.' }),
  web: webSchema.prefault({}).meta({ description: 'The web service.' }),
  mcp: mcpSchema.prefault({}).meta({ description: 'What agents may do by `agtmux mcp`.' }),
  hud: hudSchema.prefault({}).meta({ description: 'The floating pane of tmux 3.7 and newer.' }),
  notify: notifySchema.prefault({}).meta({ description: 'Who is notified, of what and how.' }),
});
export type Config = z.infer<typeof configSchema>;

export const defaultConfig: Config = configSchema.parse({});
