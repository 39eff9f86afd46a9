// Messages between agents and people, and the identity under which a connection writes them. The
// rules are behind the port: who may do it is decided there, for every door alike.

import { ok } from '../../schema/outcome.ts';
import { dated, header } from '../answer/pane-item.ts';
import type { MessageCaller } from '../ports/messages-port.ts';
import { type Operation, type OperationCall, operation } from '../ports/operation.ts';

/** The longest wait of a caller, and some. */
const WAITING_MS = 620_000;
/** Types and looks as other actions do. */
const ACTION_MS = 60_000;

/** All peers of the Unix socket are this user, agents among them. */
const SOCKET = 'socket';

const callerOf = ({ actor }: OperationCall, as?: string): MessageCaller => ({
  claim: actor.kind === 'agent' ? 'agent' : actor.id === SOCKET ? 'none' : 'person',
  proven: actor.proven ?? null,
  as,
});

const writing = {
  scope: 'control',
  actors: ['user', 'agent'],
  deadlineMs: WAITING_MS,
  ports: ['messages'],
} as const;
const reading = { scope: 'read', actors: ['user', 'agent'], ports: ['messages'] } as const;

export const messageOperations: readonly Operation[] = [
  operation('begin_proof', {
    ...reading,
    summary: 'Names a file that the caller holds open to prove in which pane it runs.',
    run: ({ messages }, _input, { actor, actAs, nowMs }) => {
      const proof = messages.beginProof(actor.challenge ?? null);
      if (proof) actAs({ ...actor, challenge: proof.challenge });
      return ok({ ...header(nowMs()), path: proof?.path ?? null });
    },
  }),
  operation('prove_identity', {
    ...reading,
    summary: 'Proves who calls on this connection: an agent by its process, else a person.',
    run: ({ messages }, { pid }, call) => {
      const { actor, actAs } = call;
      const { challenge = null, ...rest } = actor;
      // A challenge is for one try.
      actAs(rest);
      const proven = messages.prove(challenge, pid);
      if (!proven.ok) return proven;
      actAs({ ...rest, proven: proven.value });
      const caller = { ...callerOf(call), proven: proven.value };
      return dated(messages.identity(caller), call);
    },
  }),
  operation('whoami', {
    ...reading,
    summary: 'Who the caller is for other agents and people, and under which policy.',
    run: ({ messages }, { as }, call) => dated(messages.identity(callerOf(call, as)), call),
  }),
  operation('list_parties', {
    ...reading,
    summary: 'Whom the caller may list: members, other agents and people, and what it may do.',
    run: ({ messages }, { as }, call) => dated(messages.parties(callerOf(call, as)), call),
  }),
  operation('send_message', {
    ...writing,
    summary: 'Queues a message for members of bundles, other agents and people.',
    run: async ({ messages }, input, call) =>
      dated(await messages.send(callerOf(call, input.as), input, call), call),
  }),
  operation('broadcast_message', {
    ...writing,
    summary: 'Queues a message for all members of a bundle but the sender.',
    run: async ({ messages }, input, call) =>
      dated(await messages.broadcast(callerOf(call, input.as), input, call), call),
  }),
  operation('reply_message', {
    ...writing,
    summary: 'Replies to a message that the caller got, in its thread.',
    run: async ({ messages }, input, call) =>
      dated(await messages.reply(callerOf(call, input.as), input, call), call),
  }),
  operation('list_inbox', {
    ...reading,
    deadlineMs: WAITING_MS,
    summary: 'The messages that the caller got, sent or may see; the newest first. It may wait.',
    run: async ({ messages }, input, call) =>
      dated(await messages.inbox(callerOf(call, input.as), input, call), call),
  }),
  operation('read_message', {
    ...writing,
    summary: 'One message in full; its recipient has read it then.',
    run: ({ messages }, input, call) => {
      const found = messages.read(callerOf(call, input.as), input);
      return found.ok ? ok({ ...header(call.nowMs()), message: found.value }) : found;
    },
  }),
  operation('cancel_message', {
    ...writing,
    summary: 'Takes a message back from those for whom it still waits.',
    run: ({ messages }, { message_id, recipient, as }, call) => {
      const found = messages.cancel(callerOf(call, as), message_id, recipient);
      return found.ok ? ok({ ...header(call.nowMs()), message: found.value }) : found;
    },
  }),
  operation('message_status', {
    ...reading,
    deadlineMs: WAITING_MS,
    summary: 'What became of a message for each of its recipients.',
    run: async ({ messages }, { message_id, wait_ms, as }, call) =>
      dated(await messages.status(callerOf(call, as), message_id, wait_ms, call), call),
  }),
  operation('look', {
    ...reading,
    deadlineMs: ACTION_MS,
    summary: 'The last lines of the pane of a member or an agent, as far as policy permits it.',
    run: async ({ messages }, { as, ...input }, call) =>
      dated(await messages.look(callerOf(call, as), input, call), call),
  }),
  operation('write_raw', {
    ...writing,
    deadlineMs: ACTION_MS,
    summary: 'Types a text as it is, without envelope, queue or a look at what the agent does.',
    run: ({ messages }, { as, ...input }, call) =>
      messages.writeRaw(callerOf(call, as), input, call),
  }),
];
