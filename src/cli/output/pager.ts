// Which program shows a long text on a terminal: PAGER, else less where it is there. It is started
// by its arguments and never by a shell. Pure but for the search of a program.

import { basename } from 'node:path';

export interface Pager {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Record<string, string | undefined>;
}

type Env = Readonly<Record<string, string | undefined>>;

/** A shell would read these; an argument list has no use for them. */
const shellCharacters = /["'`$\\;&|<>(){}*?[\]~#!]/;
/** less would run these on what it is given. */
const preprocessors: readonly string[] = ['LESSOPEN', 'LESSCLOSE'];

/** Null: the text is printed as it is. `find` gives the path of a program by its name. */
export function choosePager(env: Env, find: (name: string) => string | null): Pager | null {
  const isScreen = env['TERM'] !== undefined && env['TERM'] !== '' && env['TERM'] !== 'dumb';
  if (!isScreen) return null;
  const words = wordsOf(env['PAGER']);
  // Empty and `cat` are how a person says that they want none.
  if (words !== null && (words.length === 0 || words[0] === 'cat')) return null;
  return pagerOf(words ?? ['less'], env, find) ?? pagerOf(['less'], env, find);
}

/** Null: it is not set, or only a shell could read it. */
function wordsOf(text: string | undefined): readonly string[] | null {
  if (text === undefined || shellCharacters.test(text)) return null;
  return text.split(/\s+/).filter((word) => word !== '');
}

function pagerOf(
  [name = '', ...own]: readonly string[],
  env: Env,
  find: (name: string) => string | null,
): Pager | null {
  const command = name.startsWith('/') ? name : find(name);
  if (command === null) return null;
  const kept = Object.entries(env).filter(([key]) => !preprocessors.includes(key));
  const args = basename(command) === 'less' ? [...lessOptions(own, env), ...own] : own;
  return { command, args, env: Object.fromEntries(kept) };
}

/** Colours always; what a person has chosen for less stays. */
function lessOptions(own: readonly string[], env: Env): readonly string[] {
  return own.length > 0 || env['LESS'] ? ['-R'] : ['-FRX'];
}
