// The view that a call's output is drawn with, from its options, environment and terminal. Pure.

import type { View } from '../render/view.ts';
import { type Call, isSet, textOf } from './command.ts';

/** For a file or a pipe, which have no width. */
const WIDTH_OFF_TERMINAL = 200;
const WIDTH_UNKNOWN = 80;
const WIDTH_MIN = 20;

/** Whether the locale is UTF-8: the first of the three variables that is set decides. */
export function isUtf8(env: Call['io']['env']): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((each) => each);
  return /utf-?8/i.test(locale ?? '');
}

function widthOf({ isTerminal, size }: Call['io']): number {
  if (!isTerminal) return WIDTH_OFF_TERMINAL;
  return Math.max(WIDTH_MIN, size()?.columns ?? WIDTH_UNKNOWN);
}

/** By option, then FORCE_COLOR (0 and false say no), then NO_COLOR, then the terminal. */
function hasColor(flags: Call['flags'], { env, isTerminal }: Call['io']): boolean {
  if (isSet(flags, 'no-color')) return false;
  const when = textOf(flags, 'color') ?? 'auto';
  if (when !== 'auto') return when === 'always';
  const force = env['FORCE_COLOR'];
  if (force) return force !== '0' && force !== 'false';
  return isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

/** The view of a call; ages are relative to `nowMs`. */
export function callView({ flags, io }: Call, nowMs: number): View {
  return {
    width: widthOf(io),
    color: hasColor(flags, io),
    unicode: isUtf8(io.env) && !isSet(flags, 'ascii'),
    nowMs,
  };
}
