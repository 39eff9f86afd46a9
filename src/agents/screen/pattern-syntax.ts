// Reads the source of a regular expression, which the platform's engine has accepted, into the
// parts whose cost can be counted. It refuses by name what rule files may not use: backreferences,
// lookarounds, and groups that change flags.

import {
  ANY_BUT_NEWLINE,
  type CharSet,
  charOf,
  classOf,
  complement,
  EVERYTHING,
  foldCase,
  NOTHING,
  union,
} from './char-set.ts';
import {
  boundaryPart,
  charPart,
  eitherPart,
  endPart,
  type PatternPart,
  PatternRefused,
  repeatPart,
  sequencePart,
  startPart,
} from './pattern-cost.ts';

/** Each costs the engine some tenths of a second when it compiles the pattern. */
const PROPERTIES_MAX = 4;

const escaped = String.raw`\\(?:[pP]\{[^}]*\}|u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|.)`;
const characterClass = String.raw`\[(?:\\.|[^\]\\])*\]`;
const groupStart = String.raw`\((?:\?(?:<?[=!]|<[^>]*>|.))?`;
const quantifier = String.raw`(?:[*+?]|\{\d+,?\d*\})\??`;
const tokens = new RegExp(`${escaped}|${characterClass}|${groupStart}|${quantifier}|.`, 'gsu');
const classItems = new RegExp(`${escaped}|.`, 'gsu');

export interface ReadOptions {
  readonly ignoreCase: boolean;
  /** The longest text that the pattern is tried on. */
  readonly lengthMax: number;
}

interface Reader extends ReadOptions {
  readonly tokens: readonly string[];
  /** The next token. */
  at: number;
}

/** The parts of a pattern. Throws PatternRefused for what is not allowed. */
export function readPattern(source: string, options: ReadOptions): PatternPart {
  const found = source.match(tokens) ?? [];
  const properties = source.match(/\\p/gi) ?? [];
  if (properties.length > PROPERTIES_MAX) throw new PatternRefused('too many \\p');
  return readBranches({ ...options, tokens: found, at: 0 });
}

/** Up to the end of the group or of the pattern, which is passed. */
function readBranches(reader: Reader): PatternPart {
  const branches: PatternPart[] = [];
  do {
    branches.push(readSequence(reader));
    reader.at += 1;
  } while (reader.tokens[reader.at - 1] === '|');
  return eitherPart(branches);
}

function readSequence(reader: Reader): PatternPart {
  const items: PatternPart[] = [];
  for (;;) {
    const token = reader.tokens[reader.at];
    if (token === undefined || token === '|' || token === ')') return sequencePart(items);
    reader.at += 1;
    const count = countOf(token);
    const body = count === null ? undefined : items.pop();
    if (count === null || body === undefined) items.push(readItem(reader, token));
    else items.push(repeatPart(body, { ...count, lengthMax: reader.lengthMax }));
  }
}

/** The least and the most that a quantifier asks for; null for any other token. */
function countOf(token: string): { readonly min: number; readonly max: number } | null {
  if (/^[*+?]/.test(token)) {
    return { min: token[0] === '+' ? 1 : 0, max: token[0] === '?' ? 1 : Number.POSITIVE_INFINITY };
  }
  const [, min, comma, max] = /^\{(\d+)(,?)(\d*)\}/.exec(token) ?? [];
  if (min === undefined) return null;
  if (comma === '') return { min: Number(min), max: Number(min) };
  return { min: Number(min), max: max ? Number(max) : Number.POSITIVE_INFINITY };
}

function readItem(reader: Reader, token: string): PatternPart {
  if (token === '^') return startPart;
  if (token === '$') return endPart;
  if (token === '\\b' || token === '\\B') return boundaryPart;
  if (token.startsWith('(')) {
    refuseSpecialGroup(token);
    return readBranches(reader);
  }
  const set = setOf(token);
  return charPart(reader.ignoreCase ? foldCase(set) : set);
}

function refuseSpecialGroup(start: string): void {
  if (start.startsWith('(?<=') || start.startsWith('(?<!')) throw new PatternRefused('lookbehind');
  if (start === '(?=' || start === '(?!') throw new PatternRefused('lookahead');
  const isPlain = start === '(' || start === '(?:' || start.startsWith('(?<');
  if (!isPlain) throw new PatternRefused('a group that changes flags');
}

/** The characters that one token can match. */
function setOf(token: string): CharSet {
  if (token === '.') return ANY_BUT_NEWLINE;
  if (token.startsWith('[')) return classSet(token);
  return itemSet(token);
}

/** The characters of a token that means the same within brackets. */
const itemSet = (token: string): CharSet =>
  token.startsWith('\\') ? escapedSet(token) : charOf(token.codePointAt(0) as number);

function classSet(token: string): CharSet {
  const isNegated = token.startsWith('[^');
  const items = token.slice(isNegated ? 2 : 1, -1).match(classItems) ?? [];
  // A property counts as everything, whose opposite would be nothing and hide what overlaps.
  if (isNegated && items.some((item) => /^\\p/i.test(item))) {
    throw new PatternRefused('a \\p in a negated class: write \\P{…}');
  }
  let set: CharSet = NOTHING;
  for (let index = 0; index < items.length; index += 1) {
    const low = itemSet(items[index] ?? '');
    const high = items[index + 1] === '-' ? items[index + 2] : undefined;
    if (high === undefined) {
      set = union(set, low);
    } else {
      set = union(set, [[low[0]?.[0] ?? 0, itemSet(high)[0]?.[1] ?? 0]]);
      index += 2;
    }
  }
  return isNegated ? complement(set) : set;
}

/** Within brackets `\b` is a backspace. */
const controls: Readonly<Record<string, number>> = { b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 };

function escapedSet(token: string): CharSet {
  const letter = token[1] ?? '';
  if (/[1-9k]/.test(letter)) throw new PatternRefused('a backreference');
  if (letter === 'c') throw new PatternRefused('a control letter: write \\x01');
  // A property class is not looked up: it counts as every character, which can only refuse more.
  if (letter === 'p' || letter === 'P') return EVERYTHING;
  if (token.length === 2)
    return classOf(letter) ?? charOf(controls[letter] ?? letter.charCodeAt(0));
  const code = Number.parseInt(token.replaceAll(/[^\da-fA-F]/g, ''), 16);
  // Two of them in a row are one character to the engine and two to this reader.
  if (code >= 0xd800 && code <= 0xdfff) throw new PatternRefused('half a character: write \\u{…}');
  return charOf(code);
}
