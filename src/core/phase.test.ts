// The five phases: what a claim puts a runtime in, and which phases it ends for others.

import { describe, expect, test } from 'vitest';
import { everyState } from '../../tests/scenario.ts';
import { type Says, type State, says } from '../schema/state.ts';
import { states } from '../text/state-words.ts';
import {
  coversPhase,
  endsPhase,
  isActive,
  type Phase,
  phaseOf,
  phases,
  precedenceOfPhase,
} from './phase.ts';

test('every word of a claim has its phase', () => {
  const table: Record<Says, Phase> = {
    running: 'running',
    waiting_approval: 'waiting_approval',
    waiting_input: 'waiting_input',
    error: 'error',
    completed: 'rest',
    interrupted: 'rest',
    at_rest: 'rest',
    began: 'rest',
  };
  for (const each of says) expect(phaseOf(each)).toBe(table[each]);
});

test('phases have the precedence of their states', () => {
  const named = phases.filter((phase) => phase !== 'rest');
  const inOrder = states.filter((state) => (named as readonly string[]).includes(state));
  expect(named).toEqual(inOrder);
  expect(precedenceOfPhase('rest')).toBe(phases.length - 1);
});

test('running and both kinds of waiting are active, failure and rest are not', () => {
  expect(phases.filter(isActive)).toEqual(['waiting_approval', 'waiting_input', 'running']);
});

describe('coverage', () => {
  const cases: [readonly State[], readonly Phase[]][] = [
    [[], []],
    [['completed'], ['rest']],
    [['idle'], ['rest']],
    [['unknown'], []],
    [
      ['running', 'error'],
      ['error', 'running'],
    ],
    [everyState, phases],
  ];
  test.each(cases)('of %j is of the phases %j', (covers, expected) => {
    expect(phases.filter((phase) => coversPhase(covers, phase))).toEqual(expected);
  });
});

describe('a claim ends', () => {
  const cases: [string, Says, readonly State[], readonly Phase[]][] = [
    ['all that it covers but its own phase', 'running', everyState, without('running')],
    ['rest, when it is active, even with no coverage', 'running', [], ['rest']],
    ['rest, when it waits, even with no coverage', 'waiting_approval', [], ['rest']],
    ['nothing, when it is a failure with no coverage', 'error', [], []],
    ['nothing, when it is rest with no coverage', 'at_rest', [], []],
    ['never rest, when it is another way to rest', 'interrupted', ['completed', 'idle'], []],
    ['no approval that it cannot see the end of', 'completed', ['running'], ['running']],
  ];
  test.each(cases)('%s', (_name, word, covers, expected) => {
    expect(phases.filter((phase) => endsPhase({ says: word, covers }, phase))).toEqual(expected);
  });
});

function without(phase: Phase): readonly Phase[] {
  return phases.filter((each) => each !== phase);
}
