// The worst-case cost of a pattern, counted in steps of a backtracking engine. A pattern is built
// from parts; each part knows which characters it may begin with and what it costs when the text
// makes everything after it fail. What would be slow in a way that no length limit bounds is
// refused while it is built.

import { type CharSet, NOTHING, overlaps, union } from './char-set.ts';

/** A pattern that rule files may not use; the message says which part. */
export class PatternRefused extends Error {}

/** A count up to this is a few more characters, not a loop. */
const LOOP_MIN = 10;

/** What may come after a part: its first characters, and the loops that it may begin with. */
interface Next {
  readonly first: CharSet;
  readonly loops: readonly CharSet[];
}

export interface PatternPart extends Next {
  /** May match nothing. */
  readonly isNullable: boolean;
  /** Holds a quantifier whose count is not fixed. */
  readonly hasChoice: boolean;
  /** Holds branches that may begin with the same character. */
  readonly isAmbiguous: boolean;
  /** Every match begins at the start of the text. */
  readonly isAnchored: boolean;
  /** `^` or `$`: no character of the text is on the other side of it. */
  readonly isEdge: boolean;
  /** Steps from here on, when what follows costs `rest` each time it is tried. */
  cost(next: Next, rest: number): number;
}

const nothing: Next = { first: NOTHING, loops: [] };

const empty: PatternPart = {
  ...nothing,
  isNullable: true,
  hasChoice: false,
  isAmbiguous: false,
  isAnchored: false,
  isEdge: false,
  cost: (_next, rest) => rest + 1,
};

export const boundaryPart: PatternPart = empty;
export const endPart: PatternPart = { ...empty, isEdge: true };
export const startPart: PatternPart = { ...endPart, isAnchored: true };

export const charPart = (first: CharSet): PatternPart => ({ ...empty, first, isNullable: false });

export function sequencePart(items: readonly PatternPart[]): PatternPart {
  const leading = leadingItems(items);
  return {
    first: leading.map(({ first }) => first).reduce(union, NOTHING),
    loops: leading.flatMap(({ loops }) => loops),
    isNullable: items.every(({ isNullable }) => isNullable),
    hasChoice: items.some(({ hasChoice }) => hasChoice),
    isAmbiguous: items.some(({ isAmbiguous }) => isAmbiguous),
    isAnchored: items[0]?.isAnchored ?? false,
    isEdge: false,
    cost: (next, rest) => {
      let after = next;
      let cost = rest;
      for (const item of items.toReversed()) {
        cost = item.cost(after, cost);
        after = before(item, after);
      }
      return cost;
    },
  };
}

/** The items that a match may begin with: up to the first that cannot be empty. */
function leadingItems(items: readonly PatternPart[]): readonly PatternPart[] {
  const end = items.findIndex(({ isNullable }) => !isNullable);
  return end < 0 ? items : items.slice(0, end + 1);
}

function before(item: PatternPart, after: Next): Next {
  if (!item.isNullable) return item;
  if (item.isEdge) return nothing;
  return { first: union(item.first, after.first), loops: [...item.loops, ...after.loops] };
}

export function eitherPart(branches: readonly PatternPart[]): PatternPart {
  const hasOverlap = branches.some(({ first }, index) =>
    branches.slice(index + 1).some((other) => overlaps(first, other.first)),
  );
  const isNullable = branches.some((branch) => branch.isNullable);
  return {
    first: branches.map(({ first }) => first).reduce(union, NOTHING),
    loops: branches.flatMap(({ loops }) => loops),
    isNullable,
    hasChoice: branches.some(({ hasChoice }) => hasChoice),
    isAmbiguous: hasOverlap || branches.some(({ isAmbiguous }) => isAmbiguous),
    isAnchored: branches.every(({ isAnchored }) => isAnchored),
    isEdge: false,
    cost: (next, rest) => {
      const costs = branches.map((branch) => branch.cost(next, rest));
      // Branches that begin with different characters exclude each other; an empty one excludes
      // none, because what follows may begin as the others do.
      return isNullable || hasOverlap
        ? costs.reduce((sum, each) => sum + each, 0)
        : Math.max(...costs);
    },
  };
}

export interface Repetition {
  readonly min: number;
  readonly max: number;
  /** The longest text that the pattern is tried on. */
  readonly lengthMax: number;
}

export function repeatPart(body: PatternPart, { min, max, lengthMax }: Repetition): PatternPart {
  if (max > 1) refuseNesting(body);
  const isLoop = max !== min && max >= LOOP_MIN;
  const first = max === 0 ? NOTHING : body.first;
  return {
    ...body,
    first,
    loops: isLoop ? [body.first] : body.loops,
    isNullable: min === 0 || body.isNullable,
    hasChoice: min !== max || body.hasChoice,
    isAnchored: false,
    isEdge: false,
    cost: (next, rest) => {
      if (isLoop && next.loops.some((loop) => overlaps(loop, body.first))) {
        throw new PatternRefused('two quantifiers side by side that match the same characters');
      }
      // Inside, the end of one round may be followed by the next round.
      const inside = max > 1 ? { ...next, first: union(body.first, next.first) } : next;
      const scan = Math.min(max, lengthMax) * Math.max(1, body.cost(inside, 0));
      // Where the loop may end at one place only, what follows is tried once.
      const canVary = min !== max && overlaps(body.first, next.first);
      return scan + (canVary ? Math.min(max - min + 1, lengthMax) : 1) * rest;
    },
  };
}

function refuseNesting(body: PatternPart): void {
  if (body.hasChoice) throw new PatternRefused('a quantifier inside a quantifier');
  if (body.isNullable) throw new PatternRefused('a repeated part that may be empty');
  if (body.isAmbiguous) throw new PatternRefused('overlapping branches in a quantifier');
}

/** Steps of the whole pattern on the worst text of that length. */
export const totalCost = (pattern: PatternPart, lengthMax: number): number =>
  pattern.cost(nothing, 1) * (pattern.isAnchored ? 1 : lengthMax);
