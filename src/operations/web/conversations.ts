// What agents said and did. Which transcript is read is the port's; here a ref becomes a pane.

import { resolveRef } from '../../core/view/resolve-ref.ts';
import { ok } from '../../schema/outcome.ts';
import { dated, header } from '../answer/pane-item.ts';
import { type Operation, operation, streamOperation } from '../ports/operation.ts';

export const conversationOperations: readonly Operation[] = [
  operation('list_conversations', {
    summary: 'The conversations that agents have now, as far as their transcripts are known.',
    scope: 'read',
    actors: ['user'],
    ports: ['conversations'],
    run: ({ conversations }, _input, call) =>
      ok({ ...header(call.nowMs()), conversations: [...conversations.list()] }),
  }),
  operation('read_conversation', {
    summary: 'A page of what an agent said and did, from its own transcript.',
    scope: 'read',
    actors: ['user'],
    ports: ['panes', 'conversations'],
    run: async ({ panes, conversations }, input, call) => {
      const pane = resolveRef(panes.world(), input.ref, 'read');
      if (!pane.ok) return pane;
      return dated(await conversations.read(pane.value, input), call);
    },
  }),
  operation('read_conversation_text', {
    summary: 'A long text of an entry of a conversation, in pieces.',
    scope: 'read',
    actors: ['user'],
    ports: ['panes', 'conversations'],
    run: async ({ panes, conversations }, input, call) => {
      const pane = resolveRef(panes.world(), input.ref, 'read');
      if (!pane.ok) return pane;
      return dated(await conversations.readText(pane.value, input), call);
    },
  }),
  streamOperation('watch_conversation', {
    summary: 'Opens a stream of what an agent says and does, resumable by cursor.',
    scope: 'read',
    actors: ['user'],
    ports: ['panes', 'conversations'],
    open: ({ panes, conversations }, input, sink) => {
      const pane = resolveRef(panes.world(), input.ref, 'read');
      return pane.ok ? ok(conversations.open(pane.value, input, sink)) : pane;
    },
  }),
];
