// `agtmux emit`: sends one event to the daemon, for scripts and for agents without hooks. Hooks
// themselves use the emitter, which needs no Node.

import { safeText } from '../../../render/safe-text.ts';
import type { IngestEvent, IngestResult } from '../../../schema/api/ingest.ts';
import { type Call, type CommandSpec, isSet, numberOf, textOf } from '../../command.ts';
import { withDaemon } from '../../daemon-link.ts';
import { type CliProblem, usageProblem } from '../../exit-codes.ts';
import { count, text } from '../../options.ts';
import { printJson } from '../../output/print.ts';
import { readInput, STDIN_FILE } from '../../read-input.ts';
import { momentOf } from '../../value.ts';

/** As much as the emitter's spool takes. */
const PAYLOAD_BYTES_MAX = 256 * 1024;

const exitCodes: Readonly<Record<IngestResult['outcome'], number>> = {
  applied: 0,
  ignored: 3,
  duplicate: 4,
  late: 5,
  pending_bind: 6,
  refused: 65,
};

export const emitCommand: CommandSpec = {
  name: 'emit',
  summary: 'send one event to the daemon, from a script',
  notes: [
    'Without --pane and --runtime the event is about the pane that the command runs in.',
    'Types: running, waiting_approval, waiting_input, completed, idle, interrupted, error, exited;',
    'with --source, the events of that source.',
    'Exit codes: 0 applied, 3 ignored (says nothing about a state), 4 duplicate, 5 late,',
    '6 waiting for an agent in the pane, 65 refused.',
  ],
  examples: [
    'agtmux emit --type running',
    'agtmux emit --source claude-hooks --type Stop --agent claude --pane %3 --payload @event.json',
  ],
  options: [
    {
      name: 'type',
      required: true,
      value: text('TYPE'),
      summary: 'what happened, such as running',
    },
    { name: 'source', value: text('NAME'), summary: 'the name of the source (emit)' },
    { name: 'agent', value: text('NAME'), summary: 'the kind of agent, such as claude' },
    {
      name: 'pane',
      value: text('PANE', 'refs'),
      summary: 'a pane id such as %3, or a pane: reference',
    },
    { name: 'runtime', value: text('ID'), summary: 'the runtime it is about' },
    { name: 'dedupe', value: text('KEY'), summary: 'an event with the same key is applied once' },
    { name: 'source-seq', value: count, summary: "the source's own counter" },
    {
      name: 'event-time',
      value: { kind: 'moment', label: 'TIME' },
      summary: 'when it happened (now)',
    },
    { name: 'payload', value: text('TEXT'), summary: 'its data; - reads stdin, @FILE a file' },
  ],
  run: runEmit,
};

async function runEmit(call: Call): Promise<number> {
  const event = eventOf(call);
  const reply = await withDaemon(call, (client) =>
    client.call('ingest_events', { events: [event] }),
  );
  if (isSet(call.flags, 'json')) printJson(call, reply);
  else for (const result of reply.results) printResult(call, result);
  return Math.max(0, ...reply.results.map(({ outcome }) => exitCodes[outcome]));
}

/** A refusal is an error as any other; every other outcome is a line of its own. */
function printResult({ io }: Call, { outcome, event_id, code, detail }: IngestResult): void {
  const reasons = [code, detail].filter((each) => each !== null).join(': ');
  if (outcome === 'refused') io.writeErr(`${safeText(reasons)}\n`);
  else io.writeOut(`${safeText(`${outcome} ${event_id}${reasons && ` (${reasons})`}`)}\n`);
}

function eventOf({ flags, io }: Call): IngestEvent {
  const field = (name: string, key: string): Record<string, string> => {
    const value = textOf(flags, name);
    return value === undefined ? {} : { [key]: value };
  };
  const eventTimeMs = momentOf(flags, 'event-time', Date.now());
  const sourceSeq = numberOf(flags, 'source-seq');
  const payload = textOf(flags, 'payload');
  return {
    source: textOf(flags, 'source') ?? 'emit',
    type: textOf(flags, 'type') ?? '',
    ...field('agent', 'agent'),
    ...field('runtime', 'runtime'),
    ...field('dedupe', 'dedupe_key'),
    ...paneOf(flags, io.env),
    ...(sourceSeq === undefined ? {} : { source_seq: sourceSeq }),
    ...(eventTimeMs === null ? {} : { event_time_ms: eventTimeMs }),
    ...(payload === undefined ? {} : { payload: readPayload(payload) }),
  };
}

/** A pane id belongs to the tmux server that we run in; without --pane it is our own pane. */
function paneOf(
  flags: Call['flags'],
  env: Call['io']['env'],
): Pick<IngestEvent, 'pane' | 'server' | 'env'> {
  const pane = textOf(flags, 'pane');
  const { TMUX, TMUX_PANE } = env;
  const server = TMUX?.split(',')[0];
  if (pane !== undefined) {
    return { pane, ...(pane.startsWith('%') && server ? { server } : {}) };
  }
  if (textOf(flags, 'runtime') !== undefined || !TMUX || !TMUX_PANE) return {};
  return { env: { TMUX, TMUX_PANE } };
}

/** The value of JSON, else the text itself. */
function readPayload(given: string): unknown {
  const text = payloadText(given);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function payloadText(given: string): string {
  if (given !== '-' && !given.startsWith('@')) return given;
  const read = readInput(given === '-' ? STDIN_FILE : given.slice(1), PAYLOAD_BYTES_MAX);
  if (!read.ok) throw refuse(`the payload cannot be read: ${read.why}.`);
  if (read.isCut) throw refuse(`the payload is over ${PAYLOAD_BYTES_MAX} bytes.`);
  return read.text;
}

const refuse = (message: string): CliProblem => usageProblem(message, 'See agtmux emit --help.');
