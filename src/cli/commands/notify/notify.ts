// `agtmux notify`: whether and how a person is notified, what was decided, and who is muted.

import { renderNotifyLog, renderNotifyStatus } from '../../../render/notify.ts';
import { safeText } from '../../../render/safe-text.ts';
import {
  type ArgumentSpec,
  type Call,
  type CommandSpec,
  isSet,
  numberOf,
  textOf,
} from '../../command.ts';
import { withDaemon } from '../../daemon-link.ts';
import { EXIT_UNAVAILABLE } from '../../exit-codes.ts';
import { count, text } from '../../options.ts';
import { printJson, printReplyTo } from '../../output/print.ts';
import { listenCommand } from './listen.ts';

const LOG_MAX = 1_000;
/** The daemon gives its slowest channel 45 s. */
const TEST_TIMEOUT_MS = 50_000;

const channelArgument: ArgumentSpec = {
  value: text('CHANNEL', 'channels'),
  summary: 'desktop, sound, terminal, or a name of config.toml (every channel that is used)',
  optional: true,
};
const muteArgument: ArgumentSpec = {
  value: text('ID', 'mutes'),
  summary: 'an id that agtmux notify status prints (every rule that you have added)',
  optional: true,
};

export const notifyCommand: CommandSpec = {
  name: 'notify',
  summary: 'notifications: desktop, terminal, sound, command, webhook',
  commands: [
    {
      name: 'on',
      summary: 'notify you from now on, whatever config.toml says',
      notes: [
        'You are notified once of each request, and not while you look at its pane.',
        'What is open already is not notified.',
      ],
      examples: ['agtmux notify on'],
      run: (call) => switchTo(call, true),
    },
    {
      name: 'off',
      summary: 'notify nobody, whatever config.toml says',
      examples: ['agtmux notify off'],
      run: (call) => switchTo(call, false),
    },
    {
      name: 'auto',
      summary: 'do again what config.toml says',
      examples: ['agtmux notify auto'],
      run: (call) => switchTo(call, null),
    },
    {
      name: 'status',
      summary: 'whether you are notified, by which channels, and what is muted',
      examples: ['agtmux notify status'],
      run: (call) =>
        printReplyTo(call, (client) => client.call('notify_status', {}), renderNotifyStatus),
    },
    {
      name: 'test',
      summary: 'send a test to one channel, or to all that are used',
      notes: ['Exit codes: 0 all were delivered, 69 one was not.'],
      examples: ['agtmux notify test', 'agtmux notify test desktop'],
      args: [channelArgument],
      run: testChannels,
    },
    {
      name: 'log',
      summary: 'what was notified or held back, and why; newest first',
      examples: ['agtmux notify log', 'agtmux notify log --limit 500 --json'],
      options: [{ name: 'limit', value: count, summary: 'how many decisions (50)' }],
      run: printLog,
    },
    {
      name: 'mute',
      summary: 'notify nobody of an agent, a session, a target, at some hours, or for a while',
      notes: [
        'It mutes what fits all of the options. In names, * stands for any text.',
        'An approval or a question that is still open at the end is notified then.',
      ],
      examples: [
        'agtmux notify mute --for 2h',
        'agtmux notify mute --agent codex --session "scratch*"',
        'agtmux notify mute --hours 12:00-13:00',
      ],
      options: [
        { name: 'agent', value: text('NAME', 'agents'), summary: 'only this agent' },
        { name: 'session', value: text('NAME', 'sessions'), summary: 'only this tmux session' },
        { name: 'target', value: text('NAME', 'targets'), summary: 'only this machine' },
        {
          name: 'hours',
          value: text('HOURS'),
          summary: 'only at these hours, such as 22:00-07:00',
        },
        {
          name: 'for',
          value: { kind: 'duration', label: 'DURATION' },
          summary: 'only for so long (until you unmute it)',
        },
      ],
      run: mute,
    },
    {
      name: 'unmute',
      summary: 'remove a mute rule',
      notes: ['Rules of config.toml stay: edit that file.'],
      examples: ['agtmux notify unmute 3f9a1c', 'agtmux notify unmute'],
      args: [muteArgument],
      run: unmute,
    },
    listenCommand,
  ],
};

const switchTo = (call: Call, on: boolean | null): Promise<number> =>
  printReplyTo(call, (client) => client.call('notify_switch', { on }), renderNotifyStatus);

async function testChannels(call: Call): Promise<number> {
  const [channel] = call.args;
  const input = channel === undefined ? {} : { channel };
  const { results } = await withDaemon(call, (client) =>
    client.call('notify_test', input, { timeoutMs: TEST_TIMEOUT_MS }),
  );
  if (isSet(call.flags, 'json')) printJson(call, { results });
  else {
    for (const { channel: name, delivered, detail } of results) {
      const note = detail === null ? '' : ` (${detail})`;
      call.io.writeOut(`${safeText(`${name}: ${delivered ? 'delivered' : 'failed'}${note}`)}\n`);
    }
    if (results.length === 0) call.io.writeOut('No channel is used: see [notify] channels.\n');
  }
  return results.every(({ delivered }) => delivered) ? 0 : EXIT_UNAVAILABLE;
}

function printLog(call: Call): Promise<number> {
  const limit = Math.min(LOG_MAX, Math.max(1, numberOf(call.flags, 'limit') ?? 50));
  return printReplyTo(call, (client) => client.call('notify_log', { limit }), renderNotifyLog);
}

function mute(call: Call): Promise<number> {
  const { flags } = call;
  const names = ['agent', 'session', 'target', 'hours'] as const;
  const rule = Object.fromEntries(
    names.flatMap((name) => {
      const value = textOf(flags, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const forMs = numberOf(flags, 'for');
  const input = { ...rule, ...(forMs === undefined ? {} : { for_ms: Math.max(1, forMs) }) };
  return printReplyTo(call, (client) => client.call('notify_mute', input), renderNotifyStatus);
}

function unmute(call: Call): Promise<number> {
  const [id] = call.args;
  const input = id === undefined ? {} : { id };
  return printReplyTo(call, (client) => client.call('notify_unmute', input), renderNotifyStatus);
}
