// What a played agent does with what is typed: it moves the mark of its dialog, shows a prompt in
// its input box, and goes on with its story after an answer and after a prompt. Pure.

import type { Scene } from './cast.ts';
import type { PlayedKey } from './played-keys.ts';
import { TYPED_MAX } from './played-keys.ts';
import { dialogOf, type Typed, UNTYPED } from './screen-bytes.ts';

export interface Turn {
  readonly typed: Typed;
  /** The dialog was answered, or a prompt was sent. */
  readonly isOver: boolean;
}

/** The turn after the keys; those that follow an answer are lost, as in a program that draws. */
export function takeKeys(screen: string, before: Typed, keys: readonly PlayedKey[]): Turn {
  let typed = before;
  const dialog = dialogOf(screen);
  for (const key of keys) {
    if (dialog === null) {
      if (key.kind === 'enter' && typed.draft.trim() !== '') return OVER;
      typed = { ...typed, draft: draftAfter(typed.draft, key) };
      continue;
    }
    if (key.kind === 'enter' || key.kind === 'escape') return OVER;
    const marked = typed.marked ?? dialog.marked;
    if (key.kind === 'down') typed = { ...typed, marked: Math.min(marked + 1, dialog.count - 1) };
    if (key.kind === 'up') typed = { ...typed, marked: Math.max(marked - 1, 0) };
  }
  return { typed, isOver: false };
}

const OVER: Turn = { typed: UNTYPED, isOver: true };

function draftAfter(draft: string, key: PlayedKey): string {
  if (key.kind === 'text') return (draft + key.text).slice(0, TYPED_MAX);
  if (key.kind === 'erase') return [...draft].slice(0, -1).join('');
  return key.kind === 'clear' ? '' : draft;
}

/** The scene in which an agent works, which follows an answer and a prompt. */
export const isWork = ({ screens }: Scene): boolean => screens[0]?.endsWith('-running') ?? false;
