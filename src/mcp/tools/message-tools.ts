// Writing to other agents and to people: who may be written to, messages, replies, and what became
// of them. The daemon knows who calls, and policy decides there.

import { z } from 'zod';
import type { PartyList, SentMessage } from '../../schema/relay/message-schemas.ts';
import { sentFact } from '../message-fact.ts';
import { mutating, readOnly, type Tool, type ToolCall, tool } from '../tool.ts';
import { shortText, toolReply, withinLimit } from '../tool-result.ts';
import { messageId, REPLY_MS, WAIT_S_MAX } from './tool-inputs.ts';

const CALL_MS = 20_000;

const content = {
  message: z
    .string()
    .min(1)
    .max(64_000)
    .describe('What to say: all that is needed, in one message'),
  attachments: z
    .array(z.string().min(1).max(4_096))
    .max(16)
    .optional()
    .describe('Absolute paths of files that the recipient may open'),
  wait_s: z
    .number()
    .min(0)
    .max(WAIT_S_MAX)
    .optional()
    .describe('Wait so long until it was handed over; it stays queued after it'),
  request_id: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('The same id twice is one message: give one if you may call again'),
};
const subject = z.string().min(1).max(300).optional().describe('A subject');
const bundle = z.string().min(1).max(200).optional().describe('A team; absent: your own');

type Content = z.output<z.ZodObject<typeof content>>;
type WriteName = 'send_message' | 'broadcast_message' | 'reply_message';

async function write(
  { call, prove }: ToolCall,
  name: WriteName,
  { message, attachments, wait_s: waitS, request_id: requestRef }: Content,
  rest: object,
) {
  await prove();
  const waitMs = Math.round((waitS ?? 0) * 1_000);
  const input = {
    ...{ ...rest, message, attachments: attachments ?? [] },
    ...(waitMs > 0 ? { wait_ms: waitMs } : {}),
    ...(requestRef === undefined ? {} : { request_ref: requestRef }),
  };
  const options = { timeoutMs: waitMs + CALL_MS };
  // The three take the same content; the rest is checked by the schema of each.
  const sent: SentMessage = await call(name, input as never, options);
  return toolReply(sentFact(sent));
}

const whoami = tool({
  name: 'whoami',
  title: 'Who you are, and whom you can reach',
  description:
    'Says by which name others reach you, and lists the agents and people that you may write to, ' +
    'look at or type to. Use the names in send_message. Policy decides; you cannot change it.',
  input: z.object({}),
  annotations: readOnly,
  run: async ({ call, prove }) => {
    const identity = await prove();
    const { parties } = await call('list_parties', {});
    const head = {
      you: identity.party.id,
      name: shortText(identity.party.name, 80),
      team: identity.party.bundle,
      policy: shortText(identity.policy, 120),
      unread_count: identity.unread_count,
    };
    return toolReply(withinLimit(head, 'parties', parties.map(partyFact)));
  },
});

const partyFact = (party: PartyList['parties'][number]) => ({
  to: party.id,
  name: shortText(party.name, 80),
  kind: party.kind,
  ...(party.ref === null ? {} : { ref: party.ref }),
  ...(party.state === null ? {} : { state: party.state }),
  ...(party.is_you ? { is_you: true } : {}),
  may_send: party.may_send,
  may_look: party.may_look,
  may_write_raw: party.may_write_raw,
});

const sendMessage = tool({
  name: 'send_message',
  title: 'Send a message',
  description:
    'Sends a message to agents or people. It is typed to an agent when that one rests, with your ' +
    'name and how to reply. Send what has to be done or known: no thanks, no confirmations. ' +
    'Replies are typed to you when your turn is over; to have one in this turn call `inbox` with ' +
    'wait_s.',
  input: z.object({
    to: z
      .array(z.string().min(1).max(512))
      .min(1)
      .max(64)
      .describe('Members of your team (coder), others (team/coder), refs, or operator:NAME'),
    ...content,
    subject,
    cc: z.array(z.string().min(1).max(512)).max(64).optional().describe('Who gets a copy'),
    bundle,
  }),
  annotations: mutating,
  waits: true,
  run: (call, { to, cc, subject: about, bundle: team, ...rest }) =>
    write(call, 'send_message', rest, {
      ...{ to, cc: cc ?? [] },
      ...(about === undefined ? {} : { subject: about }),
      ...(team === undefined ? {} : { bundle: team }),
    }),
});

const broadcast = tool({
  name: 'broadcast',
  title: 'Send to the whole team',
  description:
    'Sends a message to every member of a team but yourself. Each of them spends a turn on it: ' +
    'only for what everybody has to know. For one agent use send_message.',
  input: z.object({
    ...content,
    subject,
    bundle,
    all_agents: z.boolean().optional().describe('To every agent that runs, in a team or not'),
  }),
  annotations: mutating,
  waits: true,
  run: (call, { subject: about, bundle: team, all_agents: isToAll, ...rest }) =>
    write(call, 'broadcast_message', rest, {
      all_agents: isToAll === true,
      ...(about === undefined ? {} : { subject: about }),
      ...(team === undefined ? {} : { bundle: team }),
    }),
});

const reply = tool({
  name: 'reply',
  title: 'Reply to a message',
  description:
    'Replies to a message that you got, by its Message-Id. Reply once, with the result. A ' +
    'message that asks nothing needs no reply.',
  input: z.object({
    message_id: messageId,
    ...content,
    all: z.boolean().optional().describe('Also to its other recipients'),
  }),
  annotations: mutating,
  waits: true,
  run: (call, { message_id: id, all, ...rest }) =>
    write(call, 'reply_message', rest, { message_id: id, all: all === true }),
});

const messageStatus = tool({
  name: 'message_status',
  title: 'What became of a message',
  description:
    'Says for each recipient of a message of yours whether it is queued and for what it waits, ' +
    'delivered, read, replied to, or failed. It may wait until nothing is open.',
  input: z.object({
    message_id: messageId,
    wait_s: z.number().min(0).max(WAIT_S_MAX).optional().describe('How long to wait at most'),
  }),
  annotations: readOnly,
  waits: true,
  run: async ({ call, prove }, { message_id: id, wait_s: waitS }) => {
    await prove();
    const waitMs = Math.round((waitS ?? 0) * 1_000);
    const input = { message_id: id, ...(waitMs > 0 ? { wait_ms: waitMs } : {}) };
    const sent = await call('message_status', input, { timeoutMs: waitMs + REPLY_MS });
    return toolReply(sentFact(sent));
  },
});

export const messageTools: readonly Tool[] = [whoami, sendMessage, broadcast, reply, messageStatus];
