// The signals of a recording, back in the shape that their normalisers read. Recordings keep an
// event's name, its time relative to the last action, and one detail at most; lost
// fields are left out, so that a normaliser claims only what the rest proves.

import { parseSignalRecord } from '../../schema/record.ts';
import type { NormalisedSignal, NormaliserResult } from '../adapter.ts';
import { normaliseSignal } from '../agent-sources.ts';
import { type Fields, isFields, numberAt, textAt } from '../signals/fields.ts';

/** One recorded event: when, relative to the last action or to the prompt, and what it says. */
export interface RecordedEvent {
  readonly atMs: number;
  readonly signal: NormalisedSignal;
}

export interface RecordedSignals {
  /** Oldest first. */
  readonly events: readonly RecordedEvent[];
  readonly file: NormalisedSignal | null;
  readonly osc: NormalisedSignal | null;
}

/** The source whose events a recording of the agent holds. */
const eventSources: Readonly<Record<string, string>> = {
  claude: 'claude-hooks',
  codex: 'codex-hooks',
  gemini: 'gemini-hooks',
  copilot: 'copilot-hooks',
  opencode: 'opencode-events',
  kilo: 'kilo-events',
  qwen: 'qwen-hooks',
  pi: 'pi-extension',
  auggie: 'auggie-hooks',
  cline: 'cline-hooks',
  cursor: 'cursor-hooks',
};

interface Entry {
  readonly name: string;
  /** The detail after the name: a tool, a type of notification, a status. */
  readonly detail: string | undefined;
  readonly atMs: number;
  readonly fields: Fields;
}

/** The signals of a recording, or null when the value is not a record. */
export function readRecordedSignals(record: unknown, agent: string): RecordedSignals | null {
  const signals = parseSignalRecord(record);
  if (signals === null) return null;
  const nested = signals.signals ?? {};
  const listed = signals.hook_events_seen ?? signals.signals_seen ?? nested['hooks'];
  const entries = entriesOf(Array.isArray(listed) ? listed : []);
  return {
    events: entries.flatMap((_, index) => eventOf(agent, entries, index)),
    file: claimsOf(
      normaliseSignal(agent, 'claude-session-file', signals.status_file ?? nested['status_file'], {
        nowMs: 0,
      }),
    ),
    osc: claimsOf(normaliseSignal(agent, 'osc-7501', signals.osc7501_last, { nowMs: 0 })),
  };
}

function entriesOf(listed: readonly unknown[]): readonly Entry[] {
  const entries = listed.filter(isFields).map((fields): Entry => {
    const [name = '', status] = (textAt(fields, 'event', 'ev') ?? '').split('=');
    const detail = status ?? textAt(fields, 'kind', 'notification_type', 'tool_name');
    return { name, detail, atMs: (numberAt(fields, 'dt') ?? 0) * 1_000, fields };
  });
  return entries.sort((a, b) => a.atMs - b.atMs);
}

function eventOf(
  agent: string,
  entries: readonly Entry[],
  index: number,
): readonly RecordedEvent[] {
  const source = eventSources[agent];
  const entry = entries[index];
  // Codex's notify also fires for a hidden thread, and the prompt that would show it is lost.
  if (source === undefined || entry === undefined || entry.name === 'notify') return [];
  const raw = { event: entry.name, payload: payloadOf(entries, index, entry) };
  const signal = claimsOf(normaliseSignal(agent, source, raw, { nowMs: 0 }));
  return signal === null ? [] : [{ atMs: entry.atMs, signal }];
}

function payloadOf(entries: readonly Entry[], index: number, entry: Entry): Fields {
  const { name, detail, fields } = entry;
  if (busEvent.test(name)) return busPayload(entry, entries[index + 1]);
  if (name.toLowerCase() === 'notification') {
    const tool = entries.slice(0, index).findLast((each) => each.name === 'BeforeTool')?.detail;
    return { ...fields, notification_type: detail, details: { type: tool } };
  }
  return { ...fields, ...(detail === undefined ? {} : { tool_name: detail }) };
}

const busEvent = /^(?:event:|hook:)?(?:session|permission|question|tool|chat|plugin|message)\./;

/**
 * Where session.error lost its error, it was an abort: a turn that failed shows it on the screen.
 * The answer of permission.replied is lost too: a refusal is followed by rest, an approval by work.
 */
function busPayload({ name, detail, fields }: Entry, next: Entry | undefined): Fields {
  if (name.endsWith('session.error')) {
    if (textAt(fields, 'properties.error.name') !== undefined) return fields;
    return { properties: { error: { name: 'MessageAbortedError' } } };
  }
  const reply = next?.detail === 'idle' ? 'reject' : undefined;
  return { properties: { status: { type: detail }, reply } };
}

const claimsOf = (normalised: NormaliserResult): NormalisedSignal | null =>
  normalised.kind === 'claims' ? normalised : null;
