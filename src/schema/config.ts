// Every constant that a user may change, in one place, with its default and its reason. config.toml
// has the same keys: `staleSignalMs` is `stale_signal` there and takes 30000 or "30s". The engine's
// part reaches the world in `daemon.started`, so that replay uses the same.

import { z } from 'zod';

const ms = (defaultMs: number, description: string) =>
  z.number().int().positive().default(defaultMs).meta({ description });
/** Not so often that it takes a core, and not so seldom that a channel's beat (3 s) is missed. */
const pace = (defaultMs: number, description: string) =>
  z.number().int().min(50).max(2_500).default(defaultMs).meta({ description });
const count = (defaultCount: number, description: string) =>
  z.number().int().positive().default(defaultCount).meta({ description });

export const engineConfigSchema = z.object({
  staleSignalMs: ms(
    30_000,
    'A level claim not read again for so long falls; an edge claim of a dead channel too.',
  ),
  bindWindowMs: ms(
    5_000,
    'Evidence may precede the start that we know of its runtime by so much (clocks, polling).',
  ),
  pendingBindMs: ms(30_000, 'Evidence that found no runtime waits so long before it is dropped.'),
  actionSnapshotMs: ms(
    30_000,
    'An action must start within this time of the snapshot it was asked on.',
  ),
  completedMs: ms(120_000, '`completed` is news for so long, then it is `idle`.'),
  tombstoneMs: ms(
    120_000,
    'A gone pane is remembered so long, so that late evidence cannot bind to its successor.',
  ),
  channelFreshMs: ms(3_000, 'A channel is fresh so long after a beat.'),
  channelDownMs: ms(15_000, 'A channel is down so long after its last beat.'),
  settleMs: ms(
    1_000,
    'A better level source that still says otherwise this long after a claim ends it.',
  ),
  settleWorseMs: ms(
    5_000,
    'A worse level source that still says otherwise this long after an event ends it too.',
  ),
  settleScreenMs: ms(
    15_000,
    'The same for a screen, against a source that could have told the end, while nothing moves.',
  ),
  restSilenceMs: ms(
    500,
    'How long an event source that would have told a completion is given to tell it.',
  ),
  reconfirmMs: ms(2_000, 'After a start, rows wait so long for the process and one level source.'),
  clockSkewMs: ms(10_000, 'Event times further than this from ingestion are not believed.'),
  stuckMs: ms(600_000, 'Running with no sign of work for so long asks for attention.'),
  unanchoredIdleMs: ms(4_000, 'How long a claim of rest with no anchored rule must hold.'),
  unanchoredPromoteMs: ms(8_000, 'How long a guess must hold to make a pane an agent pane.'),
  unanchoredDemoteMs: ms(45_000, 'How long a guess must be absent to unmake one.'),
  pollIntervalMs: ms(1_000, 'The pace at which guesses are looked at again.'),
});
export type EngineConfig = z.infer<typeof engineConfigSchema>;

export const defaultEngineConfig: EngineConfig = engineConfigSchema.parse({});

const tmuxSchema = z.object({
  sockets: z
    .array(z.string().min(1).max(107))
    .max(16)
    .default([])
    .meta({ description: 'Sockets of tmux servers to watch besides the one in use.' }),
  tap: z.enum(['never', 'agents']).default('agents').meta({
    description: 'Whose output is read: nobody or every agent, but for servers of over 500 panes.',
  }),
  publishOptions: z.boolean().default(false).meta({
    description: 'Set `@agtmux_state`, `_agent`, `_reason`, `_since`, `_attention` on each pane.',
  }),
  sweepMs: pace(200, 'How often panes are listed where their output is not read.'),
  tappedSweepMs: pace(1_200, 'How often they are listed where it is read.'),
  degradedSweepMs: pace(2_000, 'How often they are listed where we cannot stay attached.'),
  listingMs: ms(5_000, 'How often everything is looked at anew, whatever was told.'),
  commandTimeoutMs: ms(5_000, 'How long tmux is given to answer a command.'),
  tapsMax: count(64, 'Sessions whose output is read at most: each is a process and a pipe.'),
});

const screenSchema = z.object({
  lookMs: pace(250, 'How often the screen of a pane that changes is read.'),
  lookMaxMs: pace(1_500, 'How seldom, when very many panes change.'),
  repaintMs: pace(2_500, 'How seldom, when a pane only repaints what it showed before.'),
  confirmMs: ms(150, 'The second look at a screen that says idle or completed comes after this.'),
  restMinMs: ms(2_000, 'How soon a screen is read again although nothing changed.'),
  restMaxMs: z
    .number()
    .int()
    .min(50)
    .max(20_000)
    .default(12_000)
    .meta({ description: 'The same, once it has rested for long; a claim unread for 30 s falls.' }),
  looksMax: count(64, 'Screens that are being read at the same time.'),
});

const processSchema = z.object({
  agentMs: ms(2_000, 'How often the process of an agent is looked at.'),
  treeMs: ms(8_000, 'How often all processes of its pane are.'),
  doubtMs: ms(300, 'How soon again, when it was not found once.'),
  shellMinMs: ms(2_000, 'How soon a pane without an agent is looked at again.'),
  shellMaxMs: ms(30_000, 'The same, once it has been without one for long.'),
});

const sshSchema = z.object({
  configFile: z
    .string()
    .max(1024)
    .default('')
    .meta({ description: 'A configuration of ssh in place of your own; empty is your own.' }),
});

const retentionSchema = z.object({
  payloadDays: count(7, 'How long the words of hooks and transcripts are kept.'),
  eventDays: count(14, 'How long events, history and ended runtimes are kept.'),
});

/** From chatty to silent. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const logSchema = z.object({
  level: z.enum(logLevels).default('info').meta({
    description: 'What is written to agtmuxd.log. AGTMUX_LOG wins over it.',
  }),
  fileBytesMax: count(5_000_000, 'The log is put aside when it would grow over this.'),
  filesMax: count(3, 'So many files that were put aside are kept.'),
});

const adaptersSchema = z.object({
  disabled: z
    .array(z.string().min(1).max(64))
    .max(64)
    .default([])
    .meta({ description: 'Agents that are not looked for.' }),
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
        'Start `codex app-server` while Codex lives and no app server runs. It is only asked for ' +
        'the names of threads; it holds none, so it knows nothing of how they are.',
    }),
});

const superviseSchema = z.object({
  failuresMax: count(5, 'So many failures of one part within the window hold it down.'),
  windowMs: ms(600_000, 'The window in which failures are counted.'),
  holdDownMs: ms(300_000, 'How long a part that was held down is left alone.'),
});

const budgetsSchema = z.object({
  lagMs: ms(1_000, 'From a change to its subscribers, p95; an alert is opened above it.'),
  cpuPercent: count(25, 'Of one core, over a minute; an alert is opened above it.'),
});

const limitsSchema = z.object({
  requestBytesMax: count(1_048_576, 'A longer request is refused.'),
  openAlertsMax: count(200, 'Alerts that are open at the same time.'),
});

export const configSchema = z.object({
  engine: engineConfigSchema.prefault({}).meta({ description: 'How evidence becomes a state.' }),
  tmux: tmuxSchema.prefault({}).meta({ description: 'How tmux servers are watched.' }),
  screen: screenSchema.prefault({}).meta({ description: 'How screens are read.' }),
  process: processSchema.prefault({}).meta({ description: 'How processes are read.' }),
  ssh: sshSchema.prefault({}).meta({ description: 'How other machines are reached.' }),
  retention: retentionSchema.prefault({}).meta({ description: 'How long things are kept.' }),
  log: logSchema.prefault({}).meta({ description: "The daemon's log." }),
  adapters: adaptersSchema.prefault({}).meta({ description: 'Which agents are looked for.' }),
  codex: codexSchema.prefault({}).meta({ description: 'What Codex tells by itself.' }),
  supervise: superviseSchema.prefault({}).meta({ description: 'How often a part may fail.' }),
  budgets: budgetsSchema.prefault({}).meta({ description: 'When slowness is an alert.' }),
  limits: limitsSchema.prefault({}).meta({ description: 'Bounds on what clients may take.' }),
});
export type Config = z.infer<typeof configSchema>;

export const defaultConfig: Config = configSchema.parse({});
