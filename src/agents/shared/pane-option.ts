// The pane options `@agent_state` and `@agent_name`: the latest value that a hook, a wrapper or
// another tool has set, read as a whole. An option that is unset withdraws its claim.

import { type AgentName, id } from '../../schema/ids.ts';
import type { Normaliser } from '../adapter.ts';
import { type Fields, readFields, textAt } from '../signals/fields.ts';
import { buildSignal, unknownSignal } from '../signals/signal-content.ts';
import { contentOfWord, parseAgentName } from '../signals/state-words.ts';

/** Takes the options by name, or the bare value of `@agent_state`; null and '' are "unset". */
export const paneOption: Normaliser = (raw, context) => {
  const fields = optionsOf(raw);
  if (typeof fields === 'string') return unknownSignal(fields);
  const word = textAt(fields, '@agent_state', 'state')?.trim() ?? '';
  if (word === '') return buildSignal('option:unset', {}, context);
  const content = contentOfWord(word, textAt(fields, '@agent_kind', 'kind'));
  if (content === null) return unknownSignal(`@agent_state ${word.slice(0, 80)}`);
  const agent = parseAgentName(textAt(fields, '@agent_name', 'name'));
  return buildSignal(`option:${word}`, content, context, {
    bind: agent === undefined ? undefined : { agent: id<AgentName>(agent) },
  });
};

function optionsOf(raw: unknown): Fields | string {
  if (raw === null || raw === undefined) return {};
  return typeof raw === 'string' ? { state: raw } : readFields(raw);
}
