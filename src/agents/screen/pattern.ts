// Patterns of rule files: compiled once, after a check that no text can make them slow. The check
// is conservative: it refuses some harmless patterns, and a refusal says what to write instead.

import { type CharSet, foldCase, NOTHING, overlaps, union } from './char-set.ts';
import { type PatternNode, PatternRefused, readPattern } from './pattern-syntax.ts';

/** A line is cut to this before anything matches it: no UI draws a longer one. */
export const LINE_LENGTH_MAX = 500;
/** A region joined into one text keeps so many characters of its end. */
export const REGION_LENGTH_MAX = 3000;
const PATTERN_LENGTH_MAX = 1000;
/** Steps of the worst text, about a tenth of a second: one open gap over a whole text fits. */
const STEPS_MAX = 50_000_000;
/** A count up to this is a few more characters, not a loop. */
const LOOP_MIN = 10;

export type PatternScope = 'line' | 'text';

export type CompiledPattern =
  | { readonly ok: true; readonly regExp: RegExp }
  | { readonly ok: false; readonly reason: string };

/** Compiles one pattern, or says why it may not be used. `(?i)` at its start ignores case. */
export function compilePattern(source: string, scope: PatternScope): CompiledPattern {
  if (source.length > PATTERN_LENGTH_MAX) return refused('it is too long');
  const ignoreCase = source.startsWith('(?i)');
  const body = ignoreCase ? source.slice(4) : source;
  try {
    const tree = readPattern(body);
    checkCost(tree, ignoreCase, scope === 'line' ? LINE_LENGTH_MAX : REGION_LENGTH_MAX);
    return { ok: true, regExp: new RegExp(body, ignoreCase ? 'iu' : 'u') };
  } catch (error) {
    if (error instanceof PatternRefused || error instanceof SyntaxError) {
      return refused(error.message);
    }
    throw error;
  }
}

const refused = (reason: string): CompiledPattern => ({ ok: false, reason });

/** What can come after a part: its possible first characters, and the loops it may start with. */
interface Follow {
  readonly first: CharSet;
  readonly loops: readonly CharSet[];
}

interface Check {
  readonly ignoreCase: boolean;
  readonly lengthMax: number;
}

function checkCost(tree: PatternNode, ignoreCase: boolean, lengthMax: number): void {
  const check: Check = { ignoreCase, lengthMax };
  const once = costOf(check, tree, { first: NOTHING, loops: [] }, 1);
  const starts = isAnchored(tree) ? 1 : lengthMax;
  if (once * starts > STEPS_MAX) {
    throw new PatternRefused('it may backtrack too long: anchor it, or bound its gaps (.{0,40})');
  }
}

/** Steps of the worst text from here on, when what follows costs `rest` each time it is tried. */
function costOf(check: Check, node: PatternNode, follow: Follow, rest: number): number {
  switch (node.kind) {
    case 'sequence': {
      let after = follow;
      let cost = rest;
      for (const item of node.items.toReversed()) {
        cost = costOf(check, item, after, cost);
        after = before(check, item, after);
      }
      return cost;
    }
    case 'either': {
      const costs = node.items.map((item) => costOf(check, item, follow, rest));
      // Branches that begin with different characters exclude each other; an empty one excludes
      // none, because what follows may begin as the others do.
      return node.items.some(isNullable) || hasOverlappingBranches(check, node.items)
        ? costs.reduce((sum, each) => sum + each, 0)
        : Math.max(...costs);
    }
    case 'repeat':
      return costOfRepeat(check, node, follow, rest);
    default:
      return rest + 1;
  }
}

function costOfRepeat(
  check: Check,
  node: PatternNode & { kind: 'repeat' },
  follow: Follow,
  rest: number,
): number {
  const { min, max, body } = node;
  refuseNesting(check, node);
  const own = firstOf(check, body);
  if (isLoop(node) && follow.loops.some((loop) => overlaps(loop, own))) {
    throw new PatternRefused('two quantifiers side by side that match the same characters');
  }
  // Inside, the end of one round may be followed by the next round.
  const again: Follow = max > 1 ? { ...follow, first: union(own, follow.first) } : follow;
  const round = costOf(check, body, again, 0);
  const rounds = Math.min(max - min + 1, check.lengthMax);
  const scan = Math.min(max, check.lengthMax) * Math.max(1, round);
  // Where the loop may end at one place only, what follows is tried once.
  const ends = min !== max && overlaps(own, follow.first) ? rounds : 1;
  return scan + ends * rest;
}

function refuseNesting(check: Check, { max, body }: PatternNode & { kind: 'repeat' }): void {
  if (max <= 1) return;
  if (hasChoice(body)) throw new PatternRefused('a quantifier inside a quantifier');
  if (isNullable(body)) throw new PatternRefused('a repeated part that may be empty');
  if (hasOverlap(check, body)) throw new PatternRefused('overlapping branches in a quantifier');
}

function before(check: Check, item: PatternNode, after: Follow): Follow {
  const first = firstOf(check, item);
  const loops = leadingLoops(check, item);
  if (!isNullable(item)) return { first, loops };
  if (item.kind === 'end' || item.kind === 'start') return { first: NOTHING, loops: [] };
  return { first: union(first, after.first), loops: [...loops, ...after.loops] };
}

function firstOf(check: Check, node: PatternNode): CharSet {
  switch (node.kind) {
    case 'set':
      return check.ignoreCase ? foldCase(node.set) : node.set;
    case 'repeat':
      return node.max === 0 ? NOTHING : firstOf(check, node.body);
    case 'either':
      return node.items.map((item) => firstOf(check, item)).reduce(union, NOTHING);
    case 'sequence':
      return reachable(node.items)
        .map((item) => firstOf(check, item))
        .reduce(union, NOTHING);
    default:
      return NOTHING;
  }
}

/** The items that a match may begin with: up to the first that cannot be empty. */
function reachable(items: readonly PatternNode[]): readonly PatternNode[] {
  const stop = items.findIndex((item) => !isNullable(item));
  return stop < 0 ? items : items.slice(0, stop + 1);
}

function leadingLoops(check: Check, node: PatternNode): readonly CharSet[] {
  if (node.kind === 'repeat') {
    return isLoop(node) ? [firstOf(check, node.body)] : leadingLoops(check, node.body);
  }
  if (node.kind === 'either') return node.items.flatMap((item) => leadingLoops(check, item));
  if (node.kind !== 'sequence') return [];
  return reachable(node.items).flatMap((item) => leadingLoops(check, item));
}

function hasOverlappingBranches(check: Check, items: readonly PatternNode[]): boolean {
  const firsts = items.map((item) => firstOf(check, item));
  return firsts.some((one, index) =>
    firsts.some((other, place) => place !== index && overlaps(one, other)),
  );
}

function hasOverlap(check: Check, node: PatternNode): boolean {
  if (node.kind === 'either' && hasOverlappingBranches(check, node.items)) return true;
  if (node.kind === 'either' || node.kind === 'sequence') {
    return node.items.some((item) => hasOverlap(check, item));
  }
  return node.kind === 'repeat' && hasOverlap(check, node.body);
}

const isLoop = (node: PatternNode & { kind: 'repeat' }): boolean =>
  node.max !== node.min && node.max >= LOOP_MIN;

function isNullable(node: PatternNode): boolean {
  switch (node.kind) {
    case 'set':
      return false;
    case 'repeat':
      return node.min === 0 || isNullable(node.body);
    case 'sequence':
      return node.items.every(isNullable);
    case 'either':
      return node.items.some(isNullable);
    default:
      return true;
  }
}

/** Holds a quantifier whose count is not fixed. */
function hasChoice(node: PatternNode): boolean {
  if (node.kind === 'repeat') return node.min !== node.max || hasChoice(node.body);
  return (node.kind === 'sequence' || node.kind === 'either') && node.items.some(hasChoice);
}

/** Every way to match begins at the start of the text. */
function isAnchored(node: PatternNode): boolean {
  if (node.kind === 'start') return true;
  if (node.kind === 'either') return node.items.every(isAnchored);
  if (node.kind !== 'sequence') return false;
  const first = node.items[0];
  return first !== undefined && isAnchored(first);
}
