// What is wrong with the input of an operation, in plain sentences: the field first, then what it
// must be. Pure.

import type { z } from 'zod';
import { nearest } from '../text/nearest-word.ts';

type Issue = z.core.$ZodIssue;

/** The first problems say enough; the rest may follow from them. */
const PROBLEMS_MAX = 3;
const LENGTH_MAX = 500;

/** `limit must be at least 1`; several problems are separated by semicolons. */
export function describeInput(error: z.ZodError): string {
  return error.issues.slice(0, PROBLEMS_MAX).map(describe).join('; ').slice(0, LENGTH_MAX);
}

function describe(issue: Issue): string {
  const field = fieldOf(issue);
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? `${field} is missing`
        : `${field} must be ${article(issue.expected)}`;
    case 'too_small':
      return bound(issue, `at least ${issue.minimum}`);
    case 'too_big':
      return bound(issue, `at most ${issue.maximum}`);
    case 'invalid_value':
      return `${field} must be one of ${issue.values.map(String).join(', ')}${slip(issue)}`;
    case 'unrecognized_keys':
      return `${issue.keys.map((key) => `"${key.slice(0, 80)}"`).join(', ')} is not a field here`;
    default:
      return `${field} is not valid: ${issue.message.toLowerCase()}`;
  }
}

const fieldOf = ({ path }: Issue): string => (path.length === 0 ? 'the input' : path.join('.'));

const article = (kind: string): string =>
  kind === 'int' ? 'a whole number' : `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;

/** The noun of a limit: `1 character`, `2 characters`. */
const nounOf = (
  issue: Extract<Issue, { code: 'too_small' | 'too_big' }>,
  one: string,
  several: string,
): string =>
  Number(issue.code === 'too_small' ? issue.minimum : issue.maximum) === 1 ? one : several;

function bound(issue: Extract<Issue, { code: 'too_small' | 'too_big' }>, limit: string): string {
  const field = fieldOf(issue);
  if (issue.origin === 'string')
    return `${field} must have ${limit} ${nounOf(issue, 'character', 'characters')}`;
  return issue.origin === 'array'
    ? `${field} must have ${limit} ${nounOf(issue, 'entry', 'entries')}`
    : `${field} must be ${limit}`;
}

function slip({ input, values }: Extract<Issue, { code: 'invalid_value' }>): string {
  const near = typeof input === 'string' ? nearest(input, values.map(String)) : undefined;
  return near === undefined ? '' : `; did you mean ${near}?`;
}
