// Patterns of rule files: compiled once, after a check that no text can make them slow. The check
// is conservative: it refuses some harmless patterns, and a refusal says what to write instead.
// docs/decisions/0009-own-pattern-check.md says why a linear-time engine does not do this.

import { PatternRefused, totalCost } from './pattern-cost.ts';
import { readPattern } from './pattern-syntax.ts';

/** A line is cut to this before anything matches it: no UI draws a longer one. */
export const LINE_LENGTH_MAX = 500;
/** Characters kept, from the end, of a region joined into one text. */
export const REGION_LENGTH_MAX = 3000;
const PATTERN_LENGTH_MAX = 1000;
/** Steps of the worst text, about a tenth of a second: one open gap over a whole text fits. */
const STEPS_MAX = 50_000_000;

export type PatternScope = 'line' | 'text';

export type CompiledPattern =
  | { readonly ok: true; readonly regExp: RegExp }
  | { readonly ok: false; readonly reason: string };

/** Compiles one pattern, or says why it may not be used. `(?i)` at its start ignores case. */
export function compilePattern(source: string, scope: PatternScope): CompiledPattern {
  if (source.length > PATTERN_LENGTH_MAX) return { ok: false, reason: 'it is too long' };
  const ignoreCase = source.startsWith('(?i)');
  const body = ignoreCase ? source.slice(4) : source;
  const lengthMax = scope === 'line' ? LINE_LENGTH_MAX : REGION_LENGTH_MAX;
  try {
    const regExp = new RegExp(body, ignoreCase ? 'iu' : 'u');
    const cost = totalCost(readPattern(body, { ignoreCase, lengthMax }), lengthMax);
    if (cost <= STEPS_MAX) return { ok: true, regExp };
    const reason = 'it may backtrack too long: anchor it, or bound its gaps (.{0,40})';
    return { ok: false, reason };
  } catch (error) {
    if (error instanceof PatternRefused) return { ok: false, reason: error.message };
    if (error instanceof SyntaxError) return { ok: false, reason: syntaxProblem(error, body) };
    throw error;
  }
}

/** The engine's own words without the pattern, which the caller names. */
const syntaxProblem = ({ message }: SyntaxError, body: string): string =>
  message.slice(message.lastIndexOf(body) + body.length).replace(/^\/i?u: /, '');
