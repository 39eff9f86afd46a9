// What a host told about itself when the probe began. Pure.

/** How processes can be read there; see probe-script.ts. */
export type ProcessReading = 'tree' | 'scan' | 'ps' | 'none';

export interface HostFacts {
  readonly uid: number;
  readonly home: string;
  /** As `uname -srm` writes it. */
  readonly system: string;
  /** Of the user's default tmux server, whether there is one or not. */
  readonly socketPath: string;
  /** Null when there is no tmux on the host. */
  readonly tmuxPath: string | null;
  readonly tmuxVersion: string | null;
  readonly processReading: ProcessReading;
  /** Where the emitter leaves its events; null when it has no home. */
  readonly spoolFolder: string | null;
  /** Its clock, when it was asked. */
  readonly nowMs: number | null;
  readonly bootId: string | null;
  readonly bootedAtMs: number | null;
}

const VALUE_LENGTH_MAX = 1_024;

/** Reads the answer to `agtmux_facts`, or null when it cannot be one. */
export function readFacts(body: string): HostFacts | null {
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
    spoolFolder: value('spool'),
    nowMs: milliseconds(value('now')),
    bootId: value('boot_id'),
    bootedAtMs: milliseconds(value('btime')),
  };
}

function processReading(text: string | null): ProcessReading {
  return text === 'tree' || text === 'scan' || text === 'ps' ? text : 'none';
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) : null;
}

function milliseconds(text: string | null): number | null {
  const seconds = wholeNumber(text);
  return seconds === null ? null : seconds * 1_000;
}
