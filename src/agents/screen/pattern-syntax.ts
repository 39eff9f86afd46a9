// Reads the source of a regular expression into a small tree, for the checker only. It accepts the
// part of the syntax that rule files may use and refuses the rest by name: backreferences, looking
// around, and anything it does not know. The engine that matches is still the platform's.

import {
  ANY_BUT_NEWLINE,
  type CharSet,
  charOf,
  classOf,
  complement,
  EVERYTHING,
  NOTHING,
  union,
} from './char-set.ts';

export type PatternNode =
  | { readonly kind: 'set'; readonly set: CharSet }
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'either'; readonly items: readonly PatternNode[] }
  | {
      readonly kind: 'repeat';
      readonly min: number;
      readonly max: number;
      readonly body: PatternNode;
    }
  /** `^`, `$` and `\b`: they consume nothing. */
  | { readonly kind: 'start' | 'end' | 'boundary' };

/** A pattern that rule files may not use; the message says which part. */
export class PatternRefused extends Error {}

/** A deeper pattern is nobody's rule; the limit keeps the reader's own stack bounded. */
const DEPTH_MAX = 20;
/** Each costs the engine some tenths of a second when it compiles the pattern. */
const PROPERTIES_MAX = 4;

interface Reader {
  readonly source: readonly string[];
  at: number;
  depth: number;
  properties: number;
}

/** The tree of a pattern. Throws PatternRefused for what is not allowed. */
export function readPattern(source: string): PatternNode {
  const reader: Reader = { source: [...source], at: 0, depth: 0, properties: 0 };
  const node = readEither(reader);
  if (reader.at < reader.source.length) throw new PatternRefused('an unmatched )');
  return node;
}

function readEither(reader: Reader): PatternNode {
  reader.depth += 1;
  if (reader.depth > DEPTH_MAX) throw new PatternRefused('groups nested too deep');
  const branches = [readSequence(reader)];
  while (reader.source[reader.at] === '|') {
    reader.at += 1;
    branches.push(readSequence(reader));
  }
  reader.depth -= 1;
  return branches.length === 1 && branches[0] ? branches[0] : { kind: 'either', items: branches };
}

function readSequence(reader: Reader): PatternNode {
  const items: PatternNode[] = [];
  for (;;) {
    const next = reader.source[reader.at];
    if (next === undefined || next === '|' || next === ')') return { kind: 'sequence', items };
    items.push(readRepeat(reader));
  }
}

function readRepeat(reader: Reader): PatternNode {
  const body = readAtom(reader);
  const range = readQuantifier(reader);
  if (range === null) return body;
  if (reader.source[reader.at] === '?') reader.at += 1;
  if (body.kind === 'start' || body.kind === 'end' || body.kind === 'boundary') {
    throw new PatternRefused('a repeated anchor');
  }
  return { kind: 'repeat', min: range[0], max: range[1], body };
}

function readQuantifier(reader: Reader): readonly [number, number] | null {
  const char = reader.source[reader.at];
  if (char === '*' || char === '+' || char === '?') {
    reader.at += 1;
    return [char === '+' ? 1 : 0, char === '?' ? 1 : Number.POSITIVE_INFINITY];
  }
  if (char !== '{') return null;
  const rest = reader.source.slice(reader.at, reader.at + 12).join('');
  const found = /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(rest);
  if (found === null) throw new PatternRefused('a { that is no count');
  reader.at += found[0].length;
  const min = Number(found[1]);
  if (found[2] === undefined) return [min, min];
  return [min, found[3] ? Number(found[3]) : Number.POSITIVE_INFINITY];
}

function readAtom(reader: Reader): PatternNode {
  const char = reader.source[reader.at] as string;
  reader.at += 1;
  switch (char) {
    case '^':
      return { kind: 'start' };
    case '$':
      return { kind: 'end' };
    case '.':
      return { kind: 'set', set: ANY_BUT_NEWLINE };
    case '(':
      return readGroup(reader);
    case '[':
      return { kind: 'set', set: readClass(reader) };
    case '\\':
      return readEscape(reader);
    case '*':
    case '+':
    case '?':
    case '{':
    case '}':
    case ']':
      throw new PatternRefused(`a ${char} with nothing to apply to`);
    default:
      return { kind: 'set', set: charOf(char.codePointAt(0) as number) };
  }
}

function readGroup(reader: Reader): PatternNode {
  if (reader.source[reader.at] === '?') {
    const opening = reader.source.slice(reader.at, reader.at + 3).join('');
    if (opening.startsWith('?<=') || opening.startsWith('?<!')) {
      throw new PatternRefused('lookbehind');
    }
    if (opening.startsWith('?=') || opening.startsWith('?!')) throw new PatternRefused('lookahead');
    if (opening.startsWith('?:')) reader.at += 2;
    else if (opening.startsWith('?<')) skipName(reader);
    else throw new PatternRefused('an unknown kind of group');
  }
  const body = readEither(reader);
  if (reader.source[reader.at] !== ')') throw new PatternRefused('an unclosed (');
  reader.at += 1;
  return body;
}

function skipName(reader: Reader): void {
  const end = reader.source.indexOf('>', reader.at);
  if (end < 0) throw new PatternRefused('an unclosed group name');
  reader.at = end + 1;
}

function readEscape(reader: Reader): PatternNode {
  const char = reader.source[reader.at];
  if (char === 'b' || char === 'B') {
    reader.at += 1;
    return { kind: 'boundary' };
  }
  return { kind: 'set', set: readEscapedSet(reader) };
}

const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 };

function readEscapedSet(reader: Reader): CharSet {
  const char = reader.source[reader.at];
  if (char === undefined) throw new PatternRefused('a \\ at the end');
  reader.at += 1;
  if (/[1-9]/.test(char) || char === 'k') throw new PatternRefused('a backreference');
  if (char === 'c') throw new PatternRefused('a control letter: write \\x01');
  const named = classOf(char);
  if (named !== null) return named;
  if (char === 'p' || char === 'P') return skipProperty(reader);
  if (char === 'u' || char === 'x') return charOf(readCode(reader, char));
  return charOf(CONTROLS[char] ?? (char.codePointAt(0) as number));
}

// A property class is not looked up: it counts as every character, which can only refuse more.
function skipProperty(reader: Reader): CharSet {
  const end = reader.source.indexOf('}', reader.at);
  if (reader.source[reader.at] !== '{' || end < 0) throw new PatternRefused('a broken \\p');
  reader.at = end + 1;
  reader.properties += 1;
  if (reader.properties > PROPERTIES_MAX) throw new PatternRefused('too many \\p');
  return EVERYTHING;
}

function readCode(reader: Reader, kind: 'u' | 'x'): number {
  const rest = reader.source.slice(reader.at, reader.at + 10).join('');
  const shape = kind === 'x' ? /^([0-9a-f]{2})/i : /^(?:\{([0-9a-f]{1,6})\}|([0-9a-f]{4}))/i;
  const found = shape.exec(rest);
  if (found === null) throw new PatternRefused(`a broken \\${kind}`);
  reader.at += found[0].length;
  const code = Number.parseInt(found[1] ?? found[2] ?? '', 16);
  // Two of them in a row are one character to the engine and two to this reader.
  if (code >= 0xd800 && code <= 0xdfff) throw new PatternRefused('half a character: write \\u{…}');
  return code;
}

function readClass(reader: Reader): CharSet {
  const negated = reader.source[reader.at] === '^';
  if (negated) reader.at += 1;
  let set: CharSet = NOTHING;
  for (;;) {
    const char = reader.source[reader.at];
    if (char === undefined) throw new PatternRefused('an unclosed [');
    if (char === ']') break;
    if (negated) refuseProperty(reader);
    const low = readClassItem(reader);
    const isRange =
      reader.source[reader.at] === '-' &&
      reader.source[reader.at + 1] !== ']' &&
      low.length === 1 &&
      low[0]?.[0] === low[0]?.[1];
    if (!isRange) {
      set = union(set, low);
      continue;
    }
    reader.at += 1;
    const high = readClassItem(reader);
    set = union(set, [[low[0]?.[0] ?? 0, high.at(-1)?.[1] ?? 0]]);
  }
  reader.at += 1;
  return negated ? complement(set) : set;
}

// A property counts as everything, whose opposite would be nothing and hide what overlaps.
function refuseProperty({ source, at }: Reader): void {
  if (source[at] === '\\' && /[pP]/.test(source[at + 1] ?? '')) {
    throw new PatternRefused('a \\p in a negated class: write \\P{…}');
  }
}

function readClassItem(reader: Reader): CharSet {
  const char = reader.source[reader.at];
  if (char === undefined) throw new PatternRefused('an unclosed [');
  reader.at += 1;
  if (char !== '\\') return charOf(char.codePointAt(0) as number);
  if (reader.source[reader.at] !== 'b') return readEscapedSet(reader);
  reader.at += 1;
  return charOf(8);
}
