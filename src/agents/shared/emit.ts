// `agtmux emit`: what a script tells of an agent in plain words, the canonical states or those of
// `@agent_state`. Whoever writes it speaks for the whole agent, so it ends what stood before.

import type { Says } from '../../schema/state.ts';
import type { Normaliser } from '../adapter.ts';
import { bindByPane, openEnvelope } from '../signals/envelope.ts';
import { type Fields, idAt, textAt } from '../signals/fields.ts';
import {
  type Claiming,
  claims,
  ended,
  type Saying,
  told,
  unknownSignal,
} from '../signals/saying.ts';

const words: Readonly<Record<string, Says>> = {
  running: 'running',
  waiting_approval: 'waiting_approval',
  waiting_input: 'waiting_input',
  awaiting_input: 'waiting_input',
  completed: 'completed',
  done: 'completed',
  idle: 'at_rest',
  interrupted: 'interrupted',
  error: 'error',
};

/** Takes `{ event: <word>, payload: { text?, tool?, request_id?, title? } }`. */
export const emitted: Normaliser = (raw, context) => {
  const envelope = openEnvelope(raw);
  if (typeof envelope === 'string') return unknownSignal(envelope);
  const { event, fields } = envelope;
  const saying = event === null ? null : sayingOf(event, fields);
  if (saying === null) return unknownSignal(`the word ${String(event).slice(0, 80)}`);
  const activity = { title: textAt(fields, 'title'), tool: textAt(fields, 'tool') };
  return told(`emit:${event}`, { ...saying, activity }, context, {
    sessionKey: idAt(fields, 'session_key'),
    bind: bindByPane(envelope),
  });
};

function sayingOf(word: string, fields: Fields): Saying | null {
  if (word === 'exited') return ended;
  const says = Object.hasOwn(words, word) ? words[word] : undefined;
  return says === undefined ? null : claims(says, detailOf(says, fields));
}

function detailOf(says: Says, fields: Fields): Omit<Claiming, 'says'> {
  if (says !== 'waiting_approval' && says !== 'waiting_input') return {};
  const text = textAt(fields, 'text', 'message');
  const kind = says === 'waiting_approval' ? 'approval' : 'question';
  return {
    about: idAt(fields, 'request_id'),
    request: { kind, ...(text === undefined ? {} : { text }) },
  };
}
