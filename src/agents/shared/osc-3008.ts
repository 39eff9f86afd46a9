// OSC 3008 with `state=`: the way out of a pane for agents behind ssh, where no option and no spool
// reaches us. systemd uses the number too; one without `state=` is theirs and ignored. Values are
// percent-encoded, so that no name can forge a state.

import { type AgentName, id } from '../../schema/ids.ts';
import type { Normaliser } from '../adapter.ts';
import { buildSignal, ignoredSignal, unknownSignal } from '../signals/signal-content.ts';
import { contentOfWord, parseAgentName } from '../signals/state-words.ts';

const LENGTH_MAX = 4_000;

/** Takes the text between `ESC ]` and its end, with or without the number. */
export const osc3008: Normaliser = (raw, context) => {
  if (typeof raw !== 'string') return unknownSignal('no text');
  if (raw.length > LENGTH_MAX) return unknownSignal('longer than an OSC may be');
  const fields = parseOsc3008(raw.replace(/^3008;/, ''));
  const word = fields.get('state');
  if (word === undefined) return ignoredSignal('an OSC 3008 of somebody else');
  const content = contentOfWord(word, fields.get('kind'));
  if (content === null) return unknownSignal(`state ${word.slice(0, 80)}`);
  const agent = parseAgentName(fields.get('name'));
  return buildSignal(`osc3008:${word}`, content, context, {
    bind: agent === undefined ? undefined : { agent: id<AgentName>(agent) },
    dedupeKey: fields.get('event'),
    sessionKey: fields.get('session'),
  });
};

/** The first of each key counts: what is appended later cannot overrule it. */
export function parseOsc3008(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const part of text.split(';')) {
    const at = part.indexOf('=');
    const key = at < 0 ? '' : part.slice(0, at);
    const value = at < 0 ? null : percentDecoded(part.slice(at + 1));
    if (key !== '' && value !== null && !fields.has(key)) fields.set(key, value);
  }
  return fields;
}

/** Null for a broken code or a control character: such a field was never written by our emitter. */
function percentDecoded(text: string): string | null {
  try {
    const value = decodeURIComponent(text);
    return /\p{Cc}/u.test(value) ? null : value;
  } catch {
    return null;
  }
}
