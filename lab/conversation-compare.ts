// What a talk had and what a conversation holds: each expected thing once, in its order. Pure.

import type { ConversationEntry } from '../src/schema/api/conversation.ts';

export interface Expected {
  readonly what: string;
  readonly kinds: readonly ConversationEntry['kind'][];
  /** In the entry and in no other of these kinds; empty: the next one of these kinds. */
  readonly text: string;
  readonly isFit?: (entry: ConversationEntry) => boolean;
  /** Some agents do not write it down. */
  readonly isSoft?: boolean;
}

export interface Comparison {
  readonly found: number;
  readonly missing: readonly string[];
  readonly repeated: readonly string[];
  readonly misplaced: readonly string[];
}

const isLeft = (status: string) => status === 'denied' || status === 'interrupted';

/** A call that did not run because a person would not have it. */
export const openResults = (entry: ConversationEntry): boolean =>
  entry.kind === 'interruption' || (entry.kind === 'tool_result' && isLeft(entry.status));

const longTexts = ['text', 'input', 'output', 'diff'] as const;
const textOf = (entry: ConversationEntry): string =>
  longTexts.map((field) => (field in entry ? String(Reflect.get(entry, field)) : '')).join('\n');

export function compare(
  expected: readonly Expected[],
  entries: readonly ConversationEntry[],
): Comparison {
  const missing: string[] = [];
  const repeated: string[] = [];
  const misplaced: string[] = [];
  let found = 0;
  let lastSeq = -1;
  for (const each of expected) {
    const name = `${each.what} ${each.text}`.trim();
    const fit = entries.filter(
      (entry) =>
        each.kinds.includes(entry.kind) &&
        textOf(entry).includes(each.text) &&
        (each.isFit?.(entry) ?? true),
    );
    const next = fit.find(({ seq }) => seq > lastSeq);
    if (each.text !== '' && fit.length > 1) repeated.push(`twice: ${name}`);
    if (next) {
      found += 1;
      lastSeq = next.seq;
    } else if (fit.length > 0 && each.text !== '') misplaced.push(`out of order: ${name}`);
    else missing.push(`missing: ${name}`);
  }
  return { found, missing, repeated, misplaced };
}
