// Finds the signals in the output of one pane: OSC 3008 and 7501 with their text, that the title
// was set, and the bell. No I/O; any cut, each byte read once, bounded. It reads escape
// sequences as tmux does (input.c): an OSC ends at BEL or at any ESC, and a DCS that begins with
// `tmux;` wraps output for the outer terminal, with each ESC doubled.

import { decodeUtf8 } from '../../tmux-wire/bytes.ts';

/** No signal is longer; longer ones are dropped and reported as `overlong`. */
export const OSC_LENGTH_MAX = 4_096;
/** The longest number that matters has four digits. */
const NUMBER_LENGTH_MAX = 5;

const ESC = '\u001b';
const BEL = '\u0007';
// The string terminator as one byte. In UTF-8 it is also the second half of many characters.
const C1_ST = '\u009c';
const ENDINGS: readonly string[] = [ESC, BEL, C1_ST];
const PASSTHROUGH = 'tmux;';
const CHARACTER_LENGTH_MAX = 4;

// Where the next byte that matters is, in each kind of text. CAN and SUB give up a sequence.
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters.
const inGround = /[\u0007\u001b]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters.
const inOsc = /[\u0007\u0018\u001a\u001b\u009c]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters.
const inString = /[\u0018\u001a\u001b]/g;

export type Signal =
  | { readonly kind: 'osc'; readonly number: 3008 | 7501; readonly text: string }
  | { readonly kind: 'title'; readonly text: string }
  | { readonly kind: 'bell' }
  | { readonly kind: 'overlong' };

/** An OSC with the pane that printed it. */
export interface TappedOsc {
  readonly paneId: string;
  readonly number: 3008 | 7501;
  /** The text between `ESC ] <number> ;` and its end. */
  readonly text: string;
  /** When the worker read it, by the steady clock. */
  readonly atMs: number;
}

export interface OscScanner {
  /** The sequences that these bytes (a byte string) complete. Never throws. */
  feed(bytes: string): Signal[];
}

type State = 'ground' | 'escape' | 'intermediate' | 'osc' | 'string' | 'dcs' | 'dcs-escape';

// Maps, because the keys come from outside and an object also has `constructor`.
const wanted: ReadonlyMap<string, 'title' | 3008 | 7501> = new Map<string, 'title' | 3008 | 7501>([
  ['0', 'title'],
  ['2', 'title'],
  ['3008', 3008],
  ['7501', 7501],
]);

/** What `ESC` and this byte begin. */
const openings: ReadonlyMap<string, State> = new Map<string, State>([
  [']', 'osc'],
  ['P', 'dcs'],
  ['_', 'string'],
  ['^', 'string'],
  ['X', 'string'],
  ['k', 'string'],
]);

/** What one scanner keeps between two reads. */
interface Scan {
  state: State;
  osc: OscBody;
  /** The first bytes of a DCS, until they show whether it is a wrapper. */
  dcsPrefix: string;
  /** What reads the inside of a wrapper. */
  inner: OscScanner | null;
  found: Signal[];
}

/** A scanner for the output of one pane. */
export function oscScanner(): OscScanner {
  const osc = oscBody();
  const scan: Scan = { state: 'ground', osc, dcsPrefix: '', inner: null, found: [] };
  return {
    feed(bytes) {
      scan.found = [];
      for (let at = 0; at < bytes.length; ) at = readers[scan.state](scan, bytes, at);
      return scan.found;
    },
  };
}

/** For each state: reads from `at`, and returns where the next state goes on. */
const readers: Readonly<Record<State, (scan: Scan, bytes: string, at: number) => number>> = {
  ground(scan, bytes, at) {
    const next = search(inGround, bytes, at);
    if (bytes[next] === BEL) scan.found.push({ kind: 'bell' });
    if (bytes[next] === ESC) scan.state = 'escape';
    return next + 1;
  },
  escape(scan, bytes, at) {
    const byte = bytes[at] ?? '';
    const opened = openings.get(byte);
    if (byte === BEL) scan.found.push({ kind: 'bell' });
    else if (byte >= ' ' && byte <= '/') scan.state = 'intermediate';
    else if (byte !== ESC) scan.state = opened ?? 'ground';
    if (opened === 'osc') scan.osc = oscBody();
    if (opened === 'dcs') Object.assign(scan, { dcsPrefix: '', inner: null });
    return at + 1;
  },
  intermediate(scan, bytes, at) {
    const byte = bytes[at] ?? '';
    if (byte === ESC) scan.state = 'escape';
    else if (byte >= '0') scan.state = 'ground';
    return at + 1;
  },
  osc(scan, bytes, at) {
    const next = search(inOsc, bytes, at);
    scan.osc.add(bytes.slice(at, next));
    const byte = bytes[next];
    if (byte === undefined) return next;
    if (byte === C1_ST && scan.osc.isInsideCharacter()) {
      scan.osc.add(byte);
      return next + 1;
    }
    scan.state = byte === ESC ? 'escape' : 'ground';
    if (ENDINGS.includes(byte)) scan.found.push(...scan.osc.signals(byte));
    return next + 1;
  },
  string(scan, bytes, at) {
    const next = search(inString, bytes, at);
    if (next < bytes.length) scan.state = bytes[next] === ESC ? 'escape' : 'ground';
    return next + 1;
  },
  dcs(scan, bytes, at) {
    const next = bytes.indexOf(ESC, at);
    unwrap(scan, next === -1 ? bytes.slice(at) : bytes.slice(at, next));
    if (next === -1) return bytes.length;
    scan.state = 'dcs-escape';
    return next + 1;
  },
  'dcs-escape'(scan, bytes, at) {
    const byte = bytes[at] ?? '';
    scan.state = byte === '\\' ? 'ground' : 'dcs';
    if (scan.state === 'dcs') unwrap(scan, byte === ESC ? ESC : ESC + byte);
    return at + 1;
  },
};

function unwrap(scan: Scan, bytes: string): void {
  const missing = PASSTHROUGH.length - scan.dcsPrefix.length;
  if (missing > 0) {
    scan.dcsPrefix += bytes.slice(0, missing);
    if (scan.dcsPrefix === PASSTHROUGH) scan.inner = oscScanner();
  }
  const signals = scan.inner?.feed(bytes.slice(Math.max(0, missing))) ?? [];
  // A bell or a title in a wrapper is for the outer terminal and not the pane's.
  scan.found.push(...signals.filter(({ kind }) => kind === 'osc'));
}

function search(pattern: RegExp, bytes: string, at: number): number {
  pattern.lastIndex = at;
  // It matches one byte, so its end gives its index without a match object.
  return pattern.test(bytes) ? pattern.lastIndex - 1 : bytes.length;
}

interface OscBody {
  add(bytes: string): void;
  /** Whether the last bytes are the beginning of a character that the next byte goes on with. */
  isInsideCharacter(): boolean;
  signals(terminator: string): Signal[];
}

/** The inside of one OSC: kept only where its number matters, and only so far. */
function oscBody(): OscBody {
  let text = '';
  let tail = '';
  let number: string | null = null;
  let isOverlong = false;

  const keep = (bytes: string): void => {
    if (number === null) {
      text += bytes;
      const semicolon = text.indexOf(';');
      if (semicolon === -1 && text.length <= NUMBER_LENGTH_MAX) return;
      number = semicolon === -1 ? '' : text.slice(0, semicolon);
      bytes = text.slice(semicolon + 1);
      text = '';
    }
    if (!wanted.has(number) || isOverlong) return;
    text += bytes;
    isOverlong = text.length > OSC_LENGTH_MAX;
    if (isOverlong) text = '';
  };

  return {
    add(bytes) {
      tail = (tail + bytes.slice(-CHARACTER_LENGTH_MAX)).slice(-CHARACTER_LENGTH_MAX);
      keep(bytes);
    },
    isInsideCharacter: () => continuesCharacter(tail),
    signals(terminator) {
      const meaning = number === null ? undefined : wanted.get(number);
      if (meaning === undefined) return [];
      if (isOverlong) return [{ kind: 'overlong' }];
      const isEncoded = terminator === C1_ST && text.endsWith('\u00c2');
      const body = decodeUtf8(isEncoded ? text.slice(0, -1) : text);
      if (meaning === 'title') return [{ kind: 'title', text: body }];
      return [{ kind: 'osc', number: meaning, text: body }];
    },
  };
}

/** Whether 0x9c after these bytes is a part of a character of UTF-8, U+009C itself not counted. */
function continuesCharacter(tail: string): boolean {
  const [last = '', follows = ''] =
    /([\u00c2-\u00f7])([\u0080-\u00bf]*)$/.exec(tail)?.slice(1) ?? [];
  if (last === '' || (last === '\u00c2' && follows === '')) return false;
  const followCount = last >= '\u00f0' ? 3 : last >= '\u00e0' ? 2 : 1;
  return follows.length < followCount;
}
