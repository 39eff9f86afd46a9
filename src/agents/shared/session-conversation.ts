// Events of the sessions of opencode and Kilo, as their database keeps them, as entries of a
// conversation. The reader puts beside each event what the message is that it belongs to, and the
// finished text of a part. An event repeats its part as it grows; ids of parts make it one entry.

import {
  type ConversationParser,
  type EntryDraft,
  questionEntries,
  type RecordDraft,
  textOfValue,
  tokensAt,
  unknownEntry,
  wholeText,
} from '../conversation/entry-draft.ts';
import { timeAt } from '../signals/event-time.ts';
import {
  type Fields,
  fieldsAt,
  flagAt,
  idAt,
  isFields,
  listAt,
  textAt,
  valueAt,
} from '../signals/fields.ts';

/** Parts that say nothing to a person, or nothing that another does not. */
const bookkeeping: ReadonlySet<string> = new Set([
  ...['step-start', 'snapshot', 'patch', 'compaction', 'agent', 'retry'],
]);
const COMPACTION = 'compaction';

interface PartPlace {
  readonly agent: string;
  /** The id of the part. */
  readonly id: string;
  /** Of the message: its author, its model, its mode. */
  readonly message: Fields;
}

function textEntries(part: Fields, { id, message }: PartPlace): readonly EntryDraft[] {
  const text = wholeText(part, 'text');
  if (text === undefined) return [];
  if (textAt(message, 'role') === 'user') {
    // What the agent writes in the name of the person.
    const isOwn = flagAt(part, 'synthetic') || flagAt(part, 'ignored');
    return [
      isOwn ? { kind: 'unknown', id, type: 'synthetic', text } : { kind: 'prompt', id, text },
    ];
  }
  return textAt(message, 'mode') === COMPACTION
    ? [{ kind: 'compaction', id, trigger: null, text }]
    : [{ kind: 'text', id, text }];
}

function statusOf(state: Fields, output: string) {
  if (textAt(state, 'status') === 'completed') return 'ok' as const;
  if (/^Tool execution (?:was )?(?:aborted|interrupted|cancelled)/i.test(output)) {
    return 'interrupted' as const;
  }
  return /user (?:has )?(?:rejected|dismissed|specified a rule)/i.test(output.slice(0, 200))
    ? ('denied' as const)
    : ('error' as const);
}

function child(state: Fields, { agent, id }: PartPlace): readonly EntryDraft[] {
  const sessionId = idAt(state, 'metadata.sessionId', 'metadata.sessionID');
  if (sessionId === undefined) return [];
  return [
    {
      kind: 'child',
      id: `${id}:child`,
      name: textAt(state, 'input.subagent_type') ?? 'subagent',
      text: wholeText(state, 'input.description', 'input.prompt') ?? '',
      conversation: `${agent}:${sessionId}`,
    },
  ];
}

const answersOf = (state: Fields): string =>
  listAt(state, 'metadata.answers')
    .map((each) => (Array.isArray(each) ? each.map(textOfValue).join(', ') : textOfValue(each)))
    .join('\n');

function ended(state: Fields, callId: string, { id }: PartPlace): readonly EntryDraft[] {
  const output = wholeText(state, 'output', 'error') ?? '';
  const status = statusOf(state, output);
  const entries: EntryDraft[] = [
    { kind: 'tool_result', id: `${id}:result`, call_id: callId, status, output },
  ];
  const diff = wholeText(state, 'metadata.diff');
  const path = textAt(state, 'input.filePath', 'metadata.filepath', 'metadata.filediff.file');
  if (diff !== undefined && path !== undefined) {
    entries.push({ kind: 'diff', id: `${id}:diff`, call_id: callId, path, diff });
  }
  return entries;
}

function tool(part: Fields, place: PartPlace): readonly EntryDraft[] {
  const { id } = place;
  const state = fieldsAt(part, 'state') ?? {};
  const status = textAt(state, 'status');
  // Its input is not whole yet.
  if (status === 'pending') return [];
  const callId = idAt(part, 'callID') ?? id;
  const name = textAt(part, 'tool') ?? 'tool';
  const input = valueAt(state, 'input') ?? {};
  const isQuestion = name === 'question';
  const questions = isQuestion ? questionEntries(callId, input) : [];
  const hasEnded = status === 'completed' || status === 'error';
  const answer = isQuestion && status === 'completed' ? answersOf(state) : '';
  return [
    { kind: 'tool_call', id: `${id}:call`, call_id: callId, tool: name, input },
    ...questions.map((each, at) => ({ ...each, id: `${id}:q${at}` })),
    ...child(state, place),
    ...(hasEnded ? ended(state, callId, place) : []),
    ...(answer === ''
      ? []
      : [{ kind: 'answer', id: `${id}:answer`, call_id: callId, text: answer } as const]),
  ];
}

function usage(part: Fields, { id, message }: PartPlace): readonly EntryDraft[] {
  const counts = fieldsAt(part, 'tokens');
  if (counts === undefined) return [];
  const read = tokensAt(counts, 'cache.read');
  const write = tokensAt(counts, 'cache.write');
  return [
    {
      kind: 'usage',
      id,
      model: textAt(message, 'model') ?? null,
      input_tokens: tokensAt(counts, 'input') + read + write,
      output_tokens: tokensAt(counts, 'output') + tokensAt(counts, 'reasoning'),
      cache_read_tokens: read,
      cache_write_tokens: write,
    },
  ];
}

function partEntries(part: Fields, place: PartPlace): readonly EntryDraft[] {
  const type = textAt(part, 'type') ?? '';
  if (type === 'text') return textEntries(part, place);
  if (type === 'tool') return tool(part, place);
  if (type === 'step-finish') return usage(part, place);
  if (type === 'reasoning') {
    const text = wholeText(part, 'text');
    return text === undefined ? [] : [{ kind: 'thinking', id: place.id, text }];
  }
  if (bookkeeping.has(type)) return [];
  const name = wholeText(part, 'filename', 'name', 'description', 'prompt');
  const entry = unknownEntry(type, part);
  return [name === undefined ? { ...entry, id: place.id } : { ...named(type, name), id: place.id }];
}

const named = (type: string, text: string): EntryDraft => ({ kind: 'unknown', type, text });

/** A message says how it ended; it is repeated with more of it. */
function messageEntries(info: Fields): readonly EntryDraft[] {
  const error = fieldsAt(info, 'error');
  const id = `${idAt(info, 'id') ?? ''}:error`;
  if (error === undefined) return [];
  const name = textAt(error, 'name') ?? null;
  const text = wholeText(error, 'data.message', 'message') ?? '';
  return name === 'MessageAbortedError'
    ? [{ kind: 'interruption', id, text }]
    : [{ kind: 'error', id, code: name, text }];
}

export const sessionConversation =
  (agent: string): ConversationParser =>
  (fields): RecordDraft | null => {
    const type = (textAt(fields, 'type') ?? '').replace(/\.\d+$/, '');
    const message = fieldsAt(fields, 'message') ?? {};
    const place = {
      atMs: timeAt(fields, 'data.time', 'data.info.time.completed', 'data.info.time.created'),
      turn: idAt(message, 'turn') ?? null,
    };
    const entries = entriesOf(agent, type, fields, message);
    if (entries.length === 0) return null;
    return { ...place, atMs: place.atMs ?? null, subagent: null, entries };
  };

function entriesOf(
  agent: string,
  type: string,
  fields: Fields,
  message: Fields,
): readonly EntryDraft[] {
  const info = fieldsAt(fields, 'data.info');
  if (type === 'message.updated') return info === undefined ? [] : messageEntries(info);
  const part = fieldsAt(fields, 'data.part');
  if (type !== 'message.part.updated' || part === undefined) return [];
  // A text has its final words from the first event on, so that it comes before what follows it.
  const finished = valueAt(fields, 'finished');
  const whole = isFields(finished) ? { ...part, ...finished } : part;
  return partEntries(whole, { agent, id: idAt(part, 'id') ?? '', message });
}
