// What a person types at the prompt of the inbox: numbers of options, a text, a denial with or
// without its reason, or for how long it is put off. Pure.

import type { ChooseInput, OpenRequestItem } from '../../schema/api/acting.ts';
import { readOptionNumbers } from '../../text/option-numbers.ts';
import { readDuration } from '../value.ts';

const DEFER_MS = 30 * 60_000;

export type TypedAnswer = { readonly choice: ChooseInput['choice'] } | { readonly deferMs: number };

/** Null for what is no answer to this request. */
export function readAnswer(
  typed: string,
  { kind, detail, takes_text }: Pick<OpenRequestItem, 'kind' | 'detail' | 'takes_text'>,
): TypedAnswer | null {
  const numbers = readOptionNumbers(typed);
  if (numbers !== null) return byNumbers(numbers, detail?.options ?? []);
  const [, letter, rest = ''] = /^([tnd])(?:\s+(.*))?$/s.exec(typed) ?? [];
  const text = rest.trim();
  if (letter === 'd') {
    const deferMs = text === '' ? DEFER_MS : readDuration(text);
    return deferMs === null ? null : { deferMs };
  }
  if (letter === 't' && text !== '' && takes_text === true) {
    return { choice: { role: 'own_answer', text } };
  }
  if (letter !== 'n' || kind !== 'approval') return null;
  return { choice: text === '' ? { role: 'deny' } : { role: 'deny', text } };
}

function byNumbers(
  numbers: readonly number[],
  options: NonNullable<NonNullable<OpenRequestItem['detail']>['options']>,
): TypedAnswer | null {
  const labels = numbers.flatMap((number) => options[number - 1]?.label ?? []);
  const [label] = labels;
  if (label === undefined || labels.length < numbers.length) return null;
  const isSeveral = labels.length > 1 || options.some(({ checked }) => checked !== undefined);
  return { choice: isSeveral ? { labels } : { label } };
}
