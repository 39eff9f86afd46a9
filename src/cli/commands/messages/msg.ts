// `agtmux msg`: messages between agents and people. Agents run the same commands: the daemon finds
// out by itself who calls.

import { renderSent } from '../../../render/acting/messages.ts';
import type { SentMessage } from '../../../schema/relay/message-schemas.ts';
import { type Call, type CommandSpec, isSet, listOf, numberOf, textOf } from '../../command.ts';
import { type CliProblem, usageProblem } from '../../exit-codes.ts';
import { text } from '../../options.ts';
import { printReply } from '../../output/print.ts';
import { readInput, STDIN_FILE } from '../../read-input.ts';
import { inboxCommands } from './msg-inbox.ts';
import { asOf, withIdentity } from './msg-link.ts';
import { idArgument, jsonNotes, personOption } from './msg-options.ts';
import { rawCommand } from './msg-raw.ts';

/** What the daemon refuses by name, and no more. */
const BODY_BYTES_MAX = 1_000_000;
const MESSAGE_TIMEOUT_MS = 30_000;
const EXIT_NOT_ALL = 2;
const EMPTY = 'The message is empty: use -m TEXT or standard input.';

const contentOptions = [
  { name: 'message', short: 'm', value: text('TEXT'), summary: 'the message; else standard input' },
  {
    name: 'attach',
    value: text('PATH'),
    repeated: true,
    summary: 'name a file to the recipients by its path',
  },
  {
    name: 'expires',
    value: { kind: 'duration', label: 'DURATION' },
    summary: 'give up after this time',
  },
  {
    name: 'wait',
    value: { kind: 'duration', label: 'DURATION' },
    summary: 'wait that long for the outcome; it stays queued after it',
  },
  { name: 'request-ref', value: text('TEXT'), summary: 'the same reference twice is one message' },
  personOption,
] as const;

const subjectOption = { name: 'subject', value: text('TEXT'), summary: 'a subject' } as const;
const bundleOption = {
  name: 'bundle',
  value: text('NAME'),
  summary: 'the bundle in which names are looked for',
} as const;

const sendCommand: CommandSpec = {
  name: 'send',
  summary: 'send a message to members, agents or people',
  examples: [
    'agtmux msg send coder -m "the tests are red"',
    'agtmux msg send work:0.1 team/tester --subject Review -m "please look at the diff"',
    'agtmux msg send coder --wait 2m --expires 10m -m "stop after this task"',
    'agtmux msg send operator:ada -m "done, see the branch"',
  ],
  notes: [
    'Exit codes: 0 accepted, or delivered to all with --wait; 2 not to all; 66 unknown name;',
    '75 a limit, such as too many messages; 77 the policy says no.',
    ...jsonNotes,
  ],
  args: [
    {
      value: text('TO', 'refs'),
      repeated: true,
      summary: 'a member (coder, team/coder), an agent by any reference, or operator:NAME',
    },
  ],
  options: [
    ...contentOptions,
    subjectOption,
    { name: 'cc', value: text('TO'), repeated: true, summary: 'send a copy' },
    bundleOption,
  ],
  run: (call) =>
    printSent(call, (ask) =>
      ask('send_message', {
        ...{ to: [...call.args], cc: [...listOf(call.flags, 'cc')] },
        ...bundleOf(call),
        ...subjectOf(call),
      }),
    ),
};

const broadcastCommand: CommandSpec = {
  name: 'broadcast',
  summary: 'send a message to all members of a bundle but yourself',
  examples: ['agtmux msg broadcast --bundle team -m "main is frozen until noon"'],
  options: [
    ...contentOptions,
    subjectOption,
    bundleOption,
    { name: 'all-agents', summary: 'to every agent that runs, in a bundle or not' },
  ],
  run: (call) =>
    printSent(call, (ask) =>
      ask('broadcast_message', {
        ...{ ...bundleOf(call), ...subjectOf(call) },
        all_agents: isSet(call.flags, 'all-agents'),
      }),
    ),
};

const replyCommand: CommandSpec = {
  name: 'reply',
  summary: 'reply to a message that you got',
  examples: [
    "agtmux msg reply 3f9a1c07be21 'the tests pass now'",
    'agtmux msg reply 3f9a1c07be21 --all -m "fixed"',
  ],
  args: [
    idArgument,
    { value: text('TEXT'), summary: 'the reply; else -m or standard input', optional: true },
  ],
  options: [...contentOptions, { name: 'all', summary: 'also to its other recipients' }],
  run: (call) =>
    printSent(
      call,
      (ask) =>
        ask('reply_message', { message_id: call.args[0] ?? '', all: isSet(call.flags, 'all') }),
      call.args[1],
    ),
};

export const msgCommand: CommandSpec = {
  name: 'msg',
  summary: 'messages between agents and people',
  commands: [sendCommand, broadcastCommand, replyCommand, ...inboxCommands, rawCommand],
};

const bundleOf = (call: Call): { bundle?: string } => {
  const bundle = textOf(call.flags, 'bundle');
  return bundle === undefined ? {} : { bundle };
};
const subjectOf = (call: Call): { subject?: string } => {
  const subject = textOf(call.flags, 'subject');
  return subject === undefined ? {} : { subject };
};

/** The text of a message: an option, the second word of a reply, or standard input. */
function bodyOf(call: Call, word: string | undefined): string {
  const option = textOf(call.flags, 'message');
  if (option !== undefined && word !== undefined) throw usage('-m and TEXT are two messages.');
  const given = option ?? word;
  if (given?.trim() === '') throw usage(EMPTY);
  if (given !== undefined) return given;
  const read = readInput(STDIN_FILE, BODY_BYTES_MAX);
  if (!read.ok) throw usage(read.why);
  if (read.isCut)
    throw usage('The message is longer than 1 MB; --attach names a file by its path.');
  if (read.text.trim() === '') throw usage(EMPTY);
  return read.text;
}

const usage = (message: string): CliProblem => usageProblem(message, 'See agtmux msg --help.');

type WriteOperation = 'send_message' | 'broadcast_message' | 'reply_message';
type Ask = (name: WriteOperation, input: object) => Promise<SentMessage>;

async function printSent(
  call: Call,
  write: (ask: Ask) => Promise<SentMessage>,
  word?: string,
): Promise<number> {
  const message = bodyOf(call, word);
  const waitMs = numberOf(call.flags, 'wait');
  const expiresMs = numberOf(call.flags, 'expires');
  const requestRef = textOf(call.flags, 'request-ref');
  const content = {
    ...{ message, attachments: [...listOf(call.flags, 'attach')], ...asOf(call) },
    ...(waitMs === undefined ? {} : { wait_ms: waitMs }),
    ...(expiresMs === undefined ? {} : { expires_in_ms: expiresMs }),
    ...(requestRef === undefined ? {} : { request_ref: requestRef }),
  };
  const timeoutMs = MESSAGE_TIMEOUT_MS + (waitMs ?? 0);
  const sent = await withIdentity(call, (client) =>
    write((name, input) => client.call(name, { ...input, ...content } as never, { timeoutMs })),
  );
  printReply(call, sent, renderSent);
  return ['accepted', 'success'].includes(sent.status) ? 0 : EXIT_NOT_ALL;
}
