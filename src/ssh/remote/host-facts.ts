// The facts of a host, read from the probe's first reply. Pure.

/** How processes can be read there; see probe-script.ts. */
export type ProcessReading = 'tree' | 'scan' | 'ps' | 'none';

export interface HostFacts {
  readonly uid: number;
  readonly home: string;
  /** As `uname -srm` writes it. */
  readonly system: string;
  /** The socket path of the user's default tmux server, running or not. */
  readonly socketPath: string;
  /** Null when there is no tmux on the host. */
  readonly tmuxPath: string | null;
  readonly tmuxVersion: string | null;
  readonly processReading: ProcessReading;
  /** Offset from its clock to ours: 0 unless its clock is certainly wrong. */
  readonly clockShiftMs: number;
  readonly bootId: string | null;
  readonly bootedAtMs: number | null;
}

/** When the request was sent and when its reply came, by our clock. */
export interface RequestTimes {
  readonly requestedAtMs: number;
  readonly answeredAtMs: number;
}

/** What a host's clock said in a reply. */
export interface ClockReading extends RequestTimes {
  readonly now: string | null;
}

const VALUE_LENGTH_MAX = 1_024;
const SECONDS_DIGITS_MAX = 12;

/** Reads the answer to `agtmux_facts`, or null when it cannot be one. */
export function readFacts(body: string, times: RequestTimes): HostFacts | null {
  const text = Buffer.from(body, 'latin1').toString('utf8');
  const pairs = text.split('\n').flatMap((line): readonly (readonly [string, string])[] => {
    const at = line.indexOf('=');
    return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1)]];
  });
  const values = new Map(pairs);
  const value = (name: string): string | null => {
    const found = values.get(name) ?? '';
    return found === '' || found.length > VALUE_LENGTH_MAX ? null : found;
  };
  const uid = wholeNumber(value('uid'));
  const home = value('home');
  const socketPath = value('socket');
  if (uid === null || !socketPath?.startsWith('/')) return null;
  return {
    uid,
    home: home?.startsWith('/') ? home : '/',
    system: value('system') ?? 'unknown',
    socketPath,
    tmuxPath: value('tmux'),
    tmuxVersion: value('version')?.replace(/^tmux /, '') ?? null,
    processReading: processReading(value('processes')),
    clockShiftMs: clockShiftMs({ now: value('now'), ...times }),
    bootId: value('boot_id'),
    bootedAtMs: milliseconds(value('btime')),
  };
}

function processReading(text: string | null): ProcessReading {
  return text === 'tree' || text === 'scan' || text === 'ps' ? text : 'none';
}

/** The shift stays as before when the host's time, so shifted, fits between request and answer. */
export function clockShiftMs(
  { now, requestedAtMs, answeredAtMs }: ClockReading,
  beforeMs = 0,
): number {
  if (now === null || !/^\d{1,20}$/.test(now)) return beforeMs;
  // Seconds, or nanoseconds where its `date` can tell them.
  const isFine = now.length > SECONDS_DIGITS_MAX;
  const hostNowMs = isFine ? Number(now.slice(0, -6)) : Number(now) * 1_000;
  const precisionMs = isFine ? 1 : 1_000;
  const leastMs = requestedAtMs - hostNowMs - precisionMs;
  const mostMs = answeredAtMs - hostNowMs;
  const isAsBefore = leastMs <= beforeMs && mostMs >= beforeMs;
  return isAsBefore ? beforeMs : Math.round((leastMs + mostMs) / 2);
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) : null;
}

function milliseconds(text: string | null): number | null {
  const seconds = wholeNumber(text);
  return seconds === null ? null : seconds * 1_000;
}
