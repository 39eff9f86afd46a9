// `agtmux emit`: what a script reports about an agent in plain words, the canonical states or those
// of `@agent_state`. It speaks for the whole agent, so it ends every earlier claim.

import type { Says } from '../../schema/state.ts';
import type { Normaliser } from '../adapter.ts';
import { bindByPane, openEnvelope } from '../signals/envelope.ts';
import { unknownWord } from '../signals/event-table.ts';
import { type Fields, idAt, textAt } from '../signals/fields.ts';
import {
  buildSignal,
  type ClaimDraft,
  claim,
  type SignalContent,
  sessionEnded,
  unknownSignal,
} from '../signals/signal-content.ts';

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

const EXITED = 'exited';

/** Takes `{ event: <word>, payload: { text?, tool?, request_id?, title? } }`. */
export const emitEvents: Normaliser = (raw, context) => {
  const envelope = openEnvelope(raw);
  if (typeof envelope === 'string') return unknownSignal(envelope);
  const { event, fields } = envelope;
  const content = event === null ? null : contentOf(event, fields);
  if (content === null) {
    return unknownSignal(unknownWord(event ?? '', [...Object.keys(words), EXITED]));
  }
  const activity = { title: textAt(fields, 'title'), tool: textAt(fields, 'tool') };
  return buildSignal(`emit:${event}`, { ...content, activity }, context, {
    sessionKey: idAt(fields, 'session_key'),
    bind: bindByPane(envelope),
  });
};

function contentOf(word: string, fields: Fields): SignalContent | null {
  if (word === EXITED) return sessionEnded;
  const says = Object.hasOwn(words, word) ? words[word] : undefined;
  return says === undefined ? null : claim(says, detailOf(says, fields));
}

function detailOf(says: Says, fields: Fields): Omit<ClaimDraft, 'says'> {
  if (says !== 'waiting_approval' && says !== 'waiting_input') return {};
  const text = textAt(fields, 'text', 'message');
  const kind = says === 'waiting_approval' ? 'approval' : 'question';
  return {
    about: idAt(fields, 'request_id'),
    request: { kind, ...(text === undefined ? {} : { text }) },
  };
}
