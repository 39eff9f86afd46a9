// `agtmux emit`: hands one event to the daemon, for scripts and for agents without a hook of their
// own. Hooks themselves use the emitter, which needs no Node.

import { safeText } from '../../render/safe-text.ts';
import type { IngestEvent, IngestResult } from '../../schema/api/ingest.ts';
import { type Call, isSet, numberOf, textOf } from '../command.ts';
import { withDaemon } from '../daemon-link.ts';
import { CliProblem, EXIT_USAGE } from '../exit-codes.ts';
import { printJson } from '../print.ts';
import { readInput, STDIN_FILE } from '../read-input.ts';
import { momentOf } from '../value.ts';

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

export async function runEmit(call: Call): Promise<number> {
  const event = eventOf(call);
  const told = await withDaemon(call, (client) =>
    client.call('ingest_events', { events: [event] }),
  );
  if (isSet(call.flags, 'json')) printJson(call, told);
  else for (const result of told.results) call.io.writeOut(`${resultLine(result)}\n`);
  return Math.max(0, ...told.results.map(({ outcome }) => exitCodes[outcome]));
}

function resultLine({ outcome, event_id, code, detail }: IngestResult): string {
  const why = [code, detail].filter((each) => each !== null).join(': ');
  return safeText(`${outcome} ${event_id}${why === '' ? '' : ` (${why})`}`);
}

function eventOf({ flags, io }: Call): IngestEvent {
  const text = (name: string, field: string): Record<string, string> => {
    const value = textOf(flags, name);
    return value === undefined ? {} : { [field]: value };
  };
  const eventTimeMs = momentOf(flags, 'event-time', Date.now());
  const sourceSeq = numberOf(flags, 'source-seq');
  const payload = textOf(flags, 'payload');
  return {
    source: textOf(flags, 'source') ?? 'emit',
    type: textOf(flags, 'type') ?? '',
    ...text('agent', 'agent'),
    ...text('runtime', 'runtime'),
    ...text('dedupe', 'dedupe_key'),
    ...paneOf(flags, io.env),
    ...(sourceSeq === undefined ? {} : { source_seq: sourceSeq }),
    ...(eventTimeMs === null ? {} : { event_time_ms: eventTimeMs }),
    ...(payload === undefined ? {} : { payload: readPayload(payload) }),
  };
}

/** A pane id belongs to the server that we run in; with no pane told, our surroundings speak. */
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

const refuse = (message: string): CliProblem =>
  new CliProblem('E_INPUT_INVALID', message, {
    exitCode: EXIT_USAGE,
    hint: 'See agtmux emit --help.',
  });
