import { expect, it } from 'vitest';
import { readAnswer } from './typed-answer.ts';

const one = { label: 'PostgreSQL', selected: true };
const two = { label: 'SQLite', selected: false };
const question = {
  kind: 'question' as const,
  takes_text: true,
  detail: { kind: 'question' as const, options: [one, two] },
};
const approval = {
  kind: 'approval' as const,
  detail: { kind: 'approval' as const, options: [one, two] },
};

it.each([
  ['2', { choice: { label: 'SQLite' } }],
  ['1, 2', { choice: { labels: ['PostgreSQL', 'SQLite'] } }],
  ['1 1', { choice: { label: 'PostgreSQL' } }],
  ['3', null],
  ['1 3', null],
  ['t Maria DB', { choice: { role: 'own_answer', text: 'Maria DB' } }],
  ['t', null],
  ['d', { deferMs: 1_800_000 }],
  ['d 2h', { deferMs: 7_200_000 }],
  ['d soon', null],
  ['n', null],
  ['yes', null],
])('%j at a question is %j', (typed, meant) => {
  expect(readAnswer(typed, question)).toEqual(meant);
});

it.each([
  ['n', { choice: { role: 'deny' } }],
  ['n not on main', { choice: { role: 'deny', text: 'not on main' } }],
])('%j at an approval is %j', (typed, meant) => {
  expect(readAnswer(typed, approval)).toEqual(meant);
});

it('one number is a list where the question takes several', () => {
  const options = [{ ...one, checked: false }, two];
  const request = { ...question, detail: { ...question.detail, options } };
  expect(readAnswer('1', request)).toEqual({ choice: { labels: ['PostgreSQL'] } });
});

it('a text is no answer to a dialog that takes none', () => {
  expect(readAnswer('t Maria DB', { ...question, takes_text: false })).toBeNull();
});
