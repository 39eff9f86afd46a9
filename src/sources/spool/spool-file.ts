// One file of the emitter's spool, read without I/O: a first line, header lines, a blank line and
// the agent's own payload. Foreign bytes: nothing here throws, and what does not fit is refused.
// What the event means, and in which pane the emitter ran, the adapter reads from the environment.

import { type IngestEvent, ingestEventSchema } from '../../schema/api/ingest.ts';

/** An event of the spool always has its own id, which is also what makes repeats of it one. */
export type SpoolEvent = IngestEvent & { readonly event_id: string; readonly dedupe_key: string };

const FIRST_LINE = 'agtmux-event 1';
/** Ten lines or so, of 1,000 characters at most each. */
const HEADER_BYTES_MAX = 16_384;
const HEADER_LINES_MAX = 64;
/** What the event's schema allows: a value that is longer is left out, not the whole event. */
const NAME_LENGTH_MAX = 128;
const KEY_LENGTH_MAX = 256;
/** More than any payload has. Some thousand levels overflow the stack of who writes it again. */
const PAYLOAD_DEPTH_MAX = 500;

/** What the emitter calls a finished file: its event id, which begins with its sequence. */
const finishedName = /^(\d{16}-\d{1,10})\.event$/;
const headerLine = /^([A-Za-z][A-Za-z0-9_]{0,63}): (.*)$/;
const environmentName = /^[A-Z]/;

export const isEventName = (name: string): boolean => finishedName.test(name);

/** The name of the content file of an event whose own file is empty. Null for other names. */
export function contentNameOf(name: string): string | null {
  const [, eventId] = finishedName.exec(name) ?? [];
  return eventId === undefined ? null : `.${eventId}.tmp`;
}

const contentName = /^\.(\d{16}-\d{1,10})\.tmp$/;

/** The finished event whose content has this name, whether it is there or not; null for others. */
export function eventNameOf(name: string): string | null {
  const [, eventId] = contentName.exec(name) ?? [];
  return eventId === undefined ? null : `${eventId}.event`;
}

/** The event of one file, or why it is refused. The payload is parsed if it is JSON, else text. */
export function readSpoolFile(name: string, bytes: Uint8Array): SpoolEvent | string {
  const [, eventId] = finishedName.exec(name) ?? [];
  if (eventId === undefined) return 'its name is not one of the emitter';
  const headEnd = endOfHeaders(bytes);
  if (headEnd < 0) return 'it has no headers that end';
  const headers = readHeaders(textOf(bytes.subarray(0, headEnd)));
  if (typeof headers === 'string') return headers;
  if (headers.get('id') !== eventId) return 'its id is not its name';
  const payload = payloadOf(bytes.subarray(headEnd + 2));
  if (isTooDeep(payload)) return `its payload has more than ${PAYLOAD_DEPTH_MAX} levels`;
  const fields = eventFields(headers, payload);
  const checked = ingestEventSchema.safeParse(fields);
  if (checked.success) return { ...checked.data, event_id: eventId, dedupe_key: eventId };
  const { path, message } = checked.error.issues[0] ?? { path: [], message: 'invalid' };
  return `its ${path.join('.')} does not fit: ${message}`;
}

const LINE_FEED = 10;

/** Where the blank line begins, or -1. */
function endOfHeaders(bytes: Uint8Array): number {
  const last = Math.min(bytes.length - 1, HEADER_BYTES_MAX);
  for (let at = 0; at < last; at += 1) {
    if (bytes[at] === LINE_FEED && bytes[at + 1] === LINE_FEED) return at;
  }
  return -1;
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

type Headers = ReadonlyMap<string, string>;

/** The headers by name, or what is wrong with them. */
function readHeaders(text: string): Headers | string {
  const [first, ...lines] = text.split('\n');
  if (first !== FIRST_LINE) return `its first line is not "${FIRST_LINE}"`;
  if (lines.length > HEADER_LINES_MAX) return 'it has too many headers';
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, key, value] = headerLine.exec(line) ?? [];
    if (key === undefined || value === undefined || /\p{Cc}/u.test(value)) {
      return 'a header cannot be read';
    }
    if (headers.has(key)) return `its header ${key} is there twice`;
    headers.set(key, value);
  }
  return headers;
}

function eventFields(headers: Headers, payload: unknown): Record<string, unknown> {
  const env = Object.fromEntries([...headers].filter(([key]) => environmentName.test(key)));
  const timeMicros = numberIn(headers.get('time'));
  const session = headers.get('session');
  return withoutAbsent({
    source: headers.get('source'),
    type: headers.get('event') ?? nameIn(payload) ?? headers.get('state') ?? 'unnamed',
    agent: headers.get('agent'),
    session_key: session !== undefined && isKey(session) ? session : undefined,
    source_seq: numberIn(headers.get('seq')),
    event_time_ms: timeMicros === undefined ? undefined : Math.floor(timeMicros / 1_000),
    env: Object.keys(env).length === 0 ? undefined : env,
    payload,
  });
}

const isKey = (text: string): boolean => text !== '' && text.length <= KEY_LENGTH_MAX;

const withoutAbsent = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** A whole positive number that is written as one, and nothing that only looks like it. */
function numberIn(text: string | undefined): number | undefined {
  const number = /^[1-9]\d*$/.test(text ?? '') ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

/** The name of an event in the payload of agents that put it there. */
function nameIn(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined;
  const fields = payload as Readonly<Record<string, unknown>>;
  const named = [fields['hook_event_name'], fields['type']];
  const name = named.find((each): each is string => typeof each === 'string' && each !== '');
  return name?.slice(0, NAME_LENGTH_MAX);
}

function payloadOf(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  const text = textOf(bytes);
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : text;
  } catch {
    return text;
  }
}

/** Level by level: a function that calls itself for each would overflow on what it looks for. */
function isTooDeep(payload: unknown): boolean {
  let level = valuesIn(payload);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > PAYLOAD_DEPTH_MAX) return true;
    level = level.flatMap(valuesIn);
  }
  return false;
}

const valuesIn = (value: unknown): readonly unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : [];
