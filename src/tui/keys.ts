// Turns the bytes of a terminal into keys. Pure, never throws. An unknown sequence is dropped as a
// whole; an incomplete one is returned, to be read again with the next bytes.

export type Key =
  | { readonly kind: 'text'; readonly text: string }
  /** Pasted text is never read as keys. */
  | { readonly kind: 'paste'; readonly text: string }
  | { readonly kind: 'named'; readonly name: KeyName }
  | {
      readonly kind: 'click';
      readonly column: number;
      readonly row: number;
      /** The second of two clicks in the same place; terminal.ts counts them. */
      readonly isDouble: boolean;
    };

export type KeyName =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'home'
  | 'end'
  | 'page-up'
  | 'page-down'
  | 'enter'
  | 'tab'
  | 'escape'
  | 'backspace'
  | 'delete'
  | 'wheel-up'
  | 'wheel-down'
  | `ctrl-${string}`;

export interface ReadKeys {
  readonly keys: readonly Key[];
  /** The start of an incomplete sequence. */
  readonly rest: string;
}

/** No sequence of a terminal is longer. */
const REST_LENGTH_MAX = 65_536;
const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';

const finals: Readonly<Record<string, KeyName>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  '1~': 'home',
  '7~': 'home',
  '4~': 'end',
  '8~': 'end',
  '3~': 'delete',
  '5~': 'page-up',
  '6~': 'page-down',
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are control characters.
const csi = /^\x1b\[([0-9:;<=>?]*)[ -/]*([@-~])/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are control characters.
const partial = /^\x1b(?:\[[0-9:;<=>?]*[ -/]*|O)?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the text ends at a control character.
const plain = /^[^\x00-\x1f\x7f]+/;

const named = (name: KeyName): Key => ({ kind: 'named', name });

/** The keys in the typed bytes. With `isFinal` no more bytes follow: a lone escape is the key. */
export function readKeys(typed: string, isFinal = false): ReadKeys {
  const keys: Key[] = [];
  let rest = typed;
  while (rest !== '') {
    const step = nextKey(rest, isFinal);
    if (step === null) return { keys, rest: rest.length > REST_LENGTH_MAX ? '' : rest };
    if (step.key) keys.push(step.key);
    rest = rest.slice(step.length);
  }
  return { keys, rest };
}

interface Step {
  readonly key: Key | null;
  readonly length: number;
}

/** Null when more bytes are needed. */
function nextKey(typed: string, isFinal: boolean): Step | null {
  if (typed.startsWith('\x1b')) return escapeKey(typed, isFinal);
  const [text] = plain.exec(typed) ?? [];
  if (text !== undefined) return { key: { kind: 'text', text }, length: text.length };
  return { key: controlKey(typed.charCodeAt(0)), length: 1 };
}

function controlKey(code: number): Key | null {
  if (code === 13 || code === 10) return named('enter');
  if (code === 9) return named('tab');
  if (code === 8 || code === 127) return named('backspace');
  if (code >= 1 && code <= 26) return named(`ctrl-${String.fromCharCode(96 + code)}`);
  return null;
}

function escapeKey(typed: string, isFinal: boolean): Step | null {
  if (typed.startsWith(PASTE_START)) return pasteKey(typed, isFinal);
  const found = csi.exec(typed);
  if (found) return { key: csiKey(found[1] ?? '', found[2] ?? ''), length: found[0].length };
  if (partial.test(typed)) {
    if (!isFinal) return null;
    return { key: typed === '\x1b' ? named('escape') : null, length: typed.length };
  }
  return shortKey(typed);
}

/** SS3 and a letter; else the escape is a key by itself, because Alt has no meaning here. */
function shortKey(typed: string): Step {
  if (typed.startsWith('\x1bO')) {
    const name = finals[typed.charAt(2)];
    return { key: name ? named(name) : null, length: 3 };
  }
  return { key: named('escape'), length: 1 };
}

function pasteKey(typed: string, isFinal: boolean): Step | null {
  const end = typed.indexOf(PASTE_END);
  if (end < 0) return isFinal || typed.length > REST_LENGTH_MAX ? step(typed) : null;
  const text = typed.slice(PASTE_START.length, end);
  return { key: { kind: 'paste', text }, length: end + PASTE_END.length };
}

const step = (dropped: string): Step => ({ key: null, length: dropped.length });

function csiKey(parameters: string, final: string): Key | null {
  if (parameters.startsWith('<')) return mouseKey(parameters.slice(1), final);
  const [first = ''] = parameters.split(';');
  const name = finals[final === '~' ? `${first}~` : final];
  return name ? named(name) : null;
}

/** SGR mouse: `<button;column;row` and M for pressed, m for released. */
function mouseKey(parameters: string, final: string): Key | null {
  const [button, column, row] = parameters.split(';').map(Number);
  if (final !== 'M' || button === undefined || !column || !row) return null;
  if (button === 64) return named('wheel-up');
  if (button === 65) return named('wheel-down');
  if (button !== 0) return null;
  return { kind: 'click', column: column - 1, row: row - 1, isDouble: false };
}
