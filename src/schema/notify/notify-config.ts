// The `[notify]` section of config.toml: when somebody is notified, by which channels, and what of
// a request leaves this machine. Tables below it, one for each webhook and each command, are named
// by the user.

import { z } from 'zod';
import { HOURS_EXAMPLE, parseHours } from '../../text/hours.ts';
import { notifyKinds } from './notify-kind.ts';

/** What a notification may say besides the agent, its place and the kind of its request. */
export const includeParts = ['title', 'request', 'prompt', 'message', 'path'] as const;
export type IncludePart = (typeof includeParts)[number];

/** Channels that need no table. */
export const builtInChannels = ['desktop', 'sound', 'web-push'] as const;

export const webhookPresets = ['json', 'ntfy', 'slack', 'telegram'] as const;
export type WebhookPreset = (typeof webhookPresets)[number];

const kinds = z.array(z.enum(notifyKinds)).max(notifyKinds.length);
const include = z.array(z.enum(includeParts)).max(includeParts.length);
const word = z.string().min(1).max(1_024);
const argv = z.array(word).max(32);
const names = (description: string) =>
  z.array(z.string().min(1).max(200)).max(64).default([]).meta({ description });
const wait = (defaultMs: number, description: string) =>
  z.number().int().nonnegative().max(86_400_000).default(defaultMs).meta({ description });
/** Shown nowhere, unless it only says where the secret is. */
const secret = (description: string) =>
  z.string().max(4_096).default('').meta({ description, secret: true });

const WHERE = 'A secret, or where it is: `env:NAME` or `file:PATH`.';

const channelParts = {
  kinds: kinds
    .default([...notifyKinds])
    .meta({ description: 'The kinds of requests that it is used for.' }),
  include: include.default([]).meta({
    description: `What it is told besides agent, place and kind: ${list(includeParts)}.`,
  }),
};

const webhookSchema = z.object({
  preset: z
    .enum(webhookPresets)
    .default('json')
    .meta({ description: `Whose format the request has: ${list(webhookPresets)}.` }),
  url: secret(`Where it is sent. ${WHERE}`),
  token: secret(`The access token of ntfy, or the token of the Telegram bot. ${WHERE}`),
  chat: z
    .string()
    .max(128)
    .default('')
    .meta({ description: 'The chat of Telegram that is written to.' }),
  secret: secret(`The key of the signature that every request carries; empty: none. ${WHERE}`),
  ...channelParts,
});
export type WebhookConfig = z.infer<typeof webhookSchema>;

const commandSchema = z.object({
  run: argv.default([]).meta({
    description: 'The program and its arguments. What happened comes as variables and as JSON.',
  }),
  ...channelParts,
});
export type CommandConfig = z.infer<typeof commandSchema>;

const channelName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'must be lower-case letters, digits, - and _');

function list(words: readonly string[]): string {
  return words.map((each) => `\`${each}\``).join(', ');
}

export const notifySchema = z
  .object({
    enabled: z.boolean().default(false).meta({
      description: 'Whether somebody is notified. `agtmux notify on` and `off` go before it.',
    }),
    channels: z
      .array(channelName)
      .max(16)
      .default(['desktop'])
      .meta({
        description: `Who is told: ${list(builtInChannels)}, or names of the tables below.`,
      }),
    kinds: kinds
      .default([...notifyKinds])
      .meta({ description: `What is told: ${list(notifyKinds)}.` }),
    atOnce: kinds
      .default(['approval'])
      .meta({ description: 'Kinds that wait for neither dwell nor cooldown.' }),
    dwellMs: wait(5_000, 'How long a request must be open before it is told.'),
    cooldownMs: wait(60_000, 'How long a pane that was told is left alone.'),
    digestMs: wait(30_000, 'What follows within this time becomes one notification.'),
    localInclude: include.default(['title', 'request']).meta({
      description:
        'What `desktop`, `web-push` and `agtmux notify listen` say besides agent, place and kind.',
    }),
    quietHours: z
      .array(
        z
          .string()
          .max(64)
          .refine((text) => parseHours(text) !== null, `is no hours: write ${HOURS_EXAMPLE}`),
      )
      .max(16)
      .default([])
      .meta({ description: `Hours in which nobody is told, such as \`"22:00-07:00"\`.` }),
    muteAgents: names('Agents that are never told; `*` stands for any text.'),
    muteSessions: names('The same for tmux sessions.'),
    muteTargets: names('The same for machines.'),
    sound: z
      .string()
      .max(1_024)
      .default('')
      .meta({ description: 'The file that the channel `sound` plays.' }),
    player: argv.default([]).meta({
      description: 'The program that plays it, which gets the file as its last argument.',
    }),
    attachWith: argv.default([]).meta({
      description:
        'A terminal program, such as `["kitty", "--"]`: runs `agtmux attach` for a notification ' +
        'that is clicked while no tmux client is attached.',
    }),
    raiseWith: argv.default([]).meta({
      description: 'A program that raises the window of your terminal after that, if you have one.',
    }),
    pushContact: z
      .string()
      .max(256)
      .regex(/^(?:mailto:\S+@\S+|https:\/\/\S+)$/, 'begins with mailto: or https:')
      .default('mailto:agtmux@example.com')
      .meta({
        description: 'Whom a push service of browsers may write to: `mailto:` or `https:`.',
      }),
    webhook: z.record(channelName, webhookSchema).default({}).meta({
      description: 'Webhooks, one table each.',
    }),
    command: z.record(channelName, commandSchema).default({}).meta({
      description: 'Commands, one table each.',
    }),
  })
  .check(({ value, issues }) => {
    for (const [path, message] of [...channelProblems(value), ...tableProblems(value)]) {
      issues.push({ code: 'custom', path: [...path], message, input: value });
    }
  });
export type NotifyConfig = z.infer<typeof notifySchema>;

type KeyProblem = readonly [path: readonly string[], message: string];
type Tables = {
  readonly channels: readonly string[];
  readonly sound: string;
  readonly webhook: Readonly<Record<string, WebhookConfig>>;
  readonly command: Readonly<Record<string, CommandConfig>>;
};

function* channelProblems({ channels, sound, webhook, command }: Tables): Iterable<KeyProblem> {
  const known: string[] = [...builtInChannels];
  for (const [key, tables] of Object.entries({ webhook, command })) {
    for (const name of Object.keys(tables)) {
      if (known.includes(name)) yield [[key, name], 'another channel has this name'];
      known.push(name);
    }
  }
  for (const name of channels) {
    if (!known.includes(name)) yield [['channels'], `no channel is called "${name}"`];
  }
  if (channels.includes('sound') && sound === '') yield [['sound'], 'names no file to play'];
}

function* tableProblems({ webhook, command }: Tables): Iterable<KeyProblem> {
  for (const [name, table] of Object.entries(webhook)) {
    const needed = table.preset === 'telegram' ? (['token', 'chat'] as const) : (['url'] as const);
    for (const key of needed) {
      if (table[key] === '') yield [['webhook', name, key], 'is needed'];
    }
  }
  for (const [name, { run }] of Object.entries(command)) {
    if (run.length === 0) yield [['command', name, 'run'], 'is needed'];
  }
}
