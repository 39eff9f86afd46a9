// The stored evidence of a runtime in the words of a recording: the agent's own events by name and
// time, as `classify --with-signals` reads them back, and all evidence as a list for people. Of
// payloads only the kind of the event is kept: prompts, commands and messages stay out. Pure.

import type { Evidence } from '../schema/evidence.ts';
import type { SignalRecord } from '../schema/record.ts';

/** Fields whose values are short words of a fixed set; never free text. */
const detailFields = [
  'tool_name',
  'notification_type',
  'source',
  'reason',
  'kind',
  'status',
] as const;
const WORD = /^[\w.:/ -]{1,64}$/;

const eventSource = /-(?:hooks|events|extension)$/;

export interface RecordedEvidence {
  /** Seconds before the screen was taken. */
  readonly dt: number;
  readonly source: string;
  readonly type: string;
  readonly claims: readonly string[];
}

const seconds = (durationMs: number): number => Math.round(durationMs) / 1_000;

/** The signals of a recording; times count from `actionAtMs`, the last thing a person did. */
export function recordedSignals(evidence: readonly Evidence[], actionAtMs: number): SignalRecord {
  const hooks = evidence.filter(({ source }) => eventSource.test(source));
  const osc = evidence.findLast(({ source }) => source === 'osc-7501');
  const file = evidence.findLast(({ source }) => source === 'claude-session-file');
  const status = file && /^status:(\w{1,32})$/.exec(file.type)?.[1];
  return {
    ...(hooks.length === 0
      ? {}
      : {
          hook_events_seen: hooks.map(({ type, eventTimeMs, payload }) => ({
            event: type,
            dt: seconds(eventTimeMs - actionAtMs),
            ...detailsOf(payload),
          })),
        }),
    ...(osc === undefined ? {} : { osc7501_last: oscOf(osc) }),
    ...(status ? { status_file: { status } } : {}),
  };
}

/** When the turn that the screen shows was started, as far as the evidence shows. */
export function turnStartedAtMs(evidence: readonly Evidence[]): number | null {
  let startedAtMs: number | null = null;
  let isAtRest = true;
  for (const { claims, eventTimeMs } of evidence) {
    for (const { says } of claims) {
      const isRest = ['at_rest', 'began', 'completed', 'interrupted', 'error'].includes(says);
      if (!isRest && isAtRest) startedAtMs = eventTimeMs;
      isAtRest = isRest;
    }
  }
  return startedAtMs;
}

/** All evidence, as a list for people. */
export function ledgerOf(
  evidence: readonly Evidence[],
  capturedAtMs: number,
): readonly RecordedEvidence[] {
  return evidence.map(({ eventTimeMs, source, type, claims }) => ({
    dt: seconds(eventTimeMs - capturedAtMs),
    source,
    type,
    claims: claims.map(({ says, reason, rule }) =>
      [says, ...(reason ? [`because of ${reason}`] : []), ...(rule ? [`by ${rule}`] : [])].join(
        ' ',
      ),
    ),
  }));
}

function oscOf({ type, claims }: Evidence): string {
  const kinds: Record<string, string> = { waiting_approval: 'permission', error: 'auth' };
  const state = type.replace(/^osc7501:/, '');
  const kind = state === 'blocked' ? kinds[claims[0]?.says ?? ''] : undefined;
  return `state=${state}${kind === undefined ? '' : `:kind=${kind}`}`;
}

function detailsOf(payload: unknown): Record<string, unknown> {
  if (!isFields(payload)) return {};
  const own = detailFields.flatMap((name) => wordOf(name, payload[name]));
  const properties = isFields(payload['properties']) ? busDetails(payload['properties']) : {};
  return { ...Object.fromEntries(own), ...properties };
}

/** Plugins of opencode and kilo have the kind of an event one level deeper. */
function busDetails(properties: Record<string, unknown>): Record<string, unknown> {
  const { status, error, reply } = properties;
  const kept = {
    ...(isFields(status) ? { status: Object.fromEntries(wordOf('type', status['type'])) } : {}),
    ...(isFields(error) ? { error: Object.fromEntries(wordOf('name', error['name'])) } : {}),
    ...Object.fromEntries(wordOf('reply', reply)),
  };
  return Object.keys(kept).length === 0 ? {} : { properties: kept };
}

const wordOf = (name: string, value: unknown): [string, string][] =>
  typeof value === 'string' && WORD.test(value) ? [[name, value]] : [];

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
