import { expect, it } from 'vitest';
import { states } from '../schema/state.ts';
import { stateWords } from './state-words.ts';

it('has the words of the schema in their order', () => {
  expect(stateWords).toEqual(states);
});
