// What is wrong with an input is said in words that name the field and what it must be.

import { expect, it } from 'vitest';
import { z } from 'zod';
import { describeInput } from './input-problem.ts';

const schema = z.strictObject({
  limit: z.number().int().min(1).max(10_000).optional(),
  state: z.enum(['running', 'idle']).optional(),
  ref: z.string().max(5).optional(),
  events: z
    .array(z.object({ type: z.string() }))
    .max(1)
    .optional(),
});

const problem = (input: unknown): string => {
  const { error } = schema.safeParse(input, { reportInput: true });
  return error ? describeInput(error) : 'none';
};

it.each([
  [{ limit: 0 }, 'limit must be at least 1'],
  [{ limit: 10_001 }, 'limit must be at most 10000'],
  [{ limit: 1.5 }, 'limit must be a whole number'],
  [{ limit: 'many' }, 'limit must be a number'],
  [{ state: 'runing' }, 'state must be one of running, idle; did you mean running?'],
  [{ ref: 'too long' }, 'ref must have at most 5 characters'],
  [{ events: [{}] }, 'events.0.type is missing'],
  [{ events: [{ type: 'a' }, { type: 'b' }] }, 'events must have at most 1 entry'],
  [{ limt: 1 }, '"limt" is not a field here'],
  [7, 'the input must be an object'],
])('%j: %s', (input, sentence) => {
  expect(problem(input)).toContain(sentence);
});
