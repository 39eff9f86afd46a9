// `agtmux msg who|inbox|read|status|cancel`: who is there, what came, and what became of it.

import {
  renderInbox,
  renderMessage,
  renderParties,
  renderSent,
} from '../../../render/acting/messages.ts';
import { type Call, type CommandSpec, isSet, numberOf, textOf } from '../../command.ts';
import { count, text } from '../../options.ts';
import { printReply } from '../../output/print.ts';
import { asOf, withIdentity } from './msg-link.ts';
import { idArgument, personOption } from './msg-options.ts';

const EXIT_NOT_ALL = 2;
const TIMEOUT_MS = 30_000;

const whoCommand: CommandSpec = {
  name: 'who',
  summary: 'whom you can write to, and what else you may do to them',
  examples: ['agtmux msg who', 'agtmux msg who --json'],
  notes: ['An agent sees those that the control "list" of its policy covers, and people.'],
  options: [personOption],
  run: async (call) => {
    const list = await withIdentity(call, (client) => client.call('list_parties', asOf(call)));
    printReply(call, list, renderParties);
    return 0;
  },
};

const inboxCommand: CommandSpec = {
  name: 'inbox',
  summary: 'messages that you got',
  examples: [
    'agtmux msg inbox --unread',
    'agtmux msg inbox --all --json',
    'agtmux msg inbox --thread 3f9a1c07be21',
  ],
  options: [
    { name: 'unread', summary: 'only those that you have not read' },
    { name: 'sent', summary: 'those that you sent instead' },
    { name: 'all', summary: 'all that you may see: a person sees those of everybody' },
    { name: 'thread', value: text('ID'), summary: 'only this thread' },
    { name: 'limit', value: count, summary: 'at most so many, the newest (50)' },
    personOption,
  ],
  run: listInbox,
};

async function listInbox(call: Call): Promise<number> {
  const thread = textOf(call.flags, 'thread');
  const box = isSet(call.flags, 'all') ? 'all' : isSet(call.flags, 'sent') ? 'sent' : 'inbox';
  const input = {
    ...({ box, unread: isSet(call.flags, 'unread'), ...asOf(call) } as const),
    limit: numberOf(call.flags, 'limit') ?? 50,
    ...(thread === undefined ? {} : { thread_id: thread }),
  };
  const inbox = await withIdentity(call, (client) => client.call('list_inbox', input));
  printReply(call, inbox, renderInbox);
  return 0;
}

const readCommand: CommandSpec = {
  name: 'read',
  summary: 'one message in full; it counts as read then',
  examples: ['agtmux msg read 3f9a1c07be21', 'agtmux msg read 3f9a1c07be21 --peek'],
  args: [idArgument],
  options: [{ name: 'peek', summary: 'leave it unread' }, personOption],
  run: async (call) => {
    const input = { message_id: call.args[0] ?? '', peek: isSet(call.flags, 'peek') };
    const read = await withIdentity(call, (client) =>
      client.call('read_message', { ...input, ...asOf(call) }),
    );
    printReply(call, read, renderMessage);
    return 0;
  },
};

const statusCommand: CommandSpec = {
  name: 'status',
  summary: 'what became of a message for each recipient',
  examples: ['agtmux msg status 3f9a1c07be21', 'agtmux msg status 3f9a1c07be21 --wait 2m'],
  notes: ['Exit codes with --wait: 0 delivered to all, 2 not to all.'],
  args: [idArgument],
  options: [
    {
      name: 'wait',
      value: { kind: 'duration', label: 'DURATION' },
      summary: 'wait until nothing is open, at most that long',
    },
    personOption,
  ],
  run: async (call) => {
    const waitMs = numberOf(call.flags, 'wait');
    const input = { message_id: call.args[0] ?? '', ...asOf(call) };
    const wait = waitMs === undefined ? {} : { wait_ms: waitMs };
    const sent = await withIdentity(call, (client) =>
      client.call(
        'message_status',
        { ...input, ...wait },
        { timeoutMs: TIMEOUT_MS + (waitMs ?? 0) },
      ),
    );
    printReply(call, sent, renderSent);
    return ['accepted', 'success'].includes(sent.status) ? 0 : EXIT_NOT_ALL;
  },
};

const cancelCommand: CommandSpec = {
  name: 'cancel',
  summary: 'take a message back from those for whom it waits',
  examples: ['agtmux msg cancel 3f9a1c07be21', 'agtmux msg cancel 3f9a1c07be21 --to coder'],
  args: [idArgument],
  options: [{ name: 'to', value: text('NAME'), summary: 'only from this recipient' }, personOption],
  run: async (call) => {
    const to = textOf(call.flags, 'to');
    const input = {
      ...{ message_id: call.args[0] ?? '', ...asOf(call) },
      ...(to === undefined ? {} : { recipient: to }),
    };
    const reply = await withIdentity(call, (client) => client.call('cancel_message', input));
    printReply(call, reply, renderMessage);
    return 0;
  },
};

export const inboxCommands: readonly CommandSpec[] = [
  whoCommand,
  inboxCommand,
  readCommand,
  statusCommand,
  cancelCommand,
];
