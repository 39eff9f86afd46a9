// What leaves a recording before anybody sees it: secrets, the home folder, the names of the user
// and of the machine. Names are replaced by words of the same length, so that boxes and columns of
// a screen stay where they are. In doubt a word is hidden. Pure.

import { HIDDEN } from '../core/evidence/secrets.ts';
import { redactText } from '../core/redact.ts';

/** Whose recording it is. */
export interface Person {
  readonly home: string;
  readonly user: string;
  readonly host: string;
  /** Words that rules may look for: a user called claude keeps that word where it stands alone. */
  readonly agents: readonly string[];
}

export type Hide = (text: string) => string;

/** Shorter names are too often common words; `root` identifies nobody. */
const NAME_LENGTH_MIN = 3;
const LENGTH_MAX = 1_000_000;

const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
const ofLength = (word: string, length: number): string =>
  word.repeat(Math.ceil(length / word.length)).slice(0, length);

/** Takes secrets and names out of one text. */
export function hiderOf(person: Person): Hide {
  const replacements = [...homeOf(person), ...namesOf(person)];
  return (text) =>
    replacements.reduce(
      (clean, [pattern, word]) => clean.replace(pattern, word),
      redactText(text, LENGTH_MAX),
    );
}

type Replacement = readonly [RegExp, (found: string) => string];

function homeOf({ home }: Person): readonly Replacement[] {
  const folder = home.replace(/\/+$/, '');
  if (folder.length < 2) return [];
  const stand = `/home/${ofLength('user', Math.max(0, folder.length - '/home/'.length))}`;
  const word = stand.slice(0, folder.length);
  return [[new RegExp(`${literal(folder)}(?![\\w.-])`, 'g'), () => word]];
}

function namesOf({ user, host, agents }: Person): readonly Replacement[] {
  const word = (name: string, stand: string): readonly Replacement[] => {
    if (name.length < NAME_LENGTH_MIN || name === 'root' || name === 'localhost') return [];
    // In a path, before or after an `@`, behind a `~`: there it is a name whatever it means.
    const inPlace = `(?<=[/~@])${literal(name)}(?![\\w-])|\\b${literal(name)}(?=@)`;
    const alone = agents.includes(name) ? [] : [`(?<![\\w-])${literal(name)}(?![\\w-])`];
    const pattern = new RegExp([inPlace, ...alone].join('|'), 'g');
    return [[pattern, (found) => ofLength(stand, found.length)]];
  };
  const [short = ''] = host.split('.');
  return [
    ...word(user, 'user'),
    ...word(host, 'host'),
    ...(short === host ? [] : word(short, 'host')),
  ];
}

export interface Screen {
  readonly lines: readonly string[];
  /** The same lines with their escape sequences. */
  readonly ansi: string;
  readonly cols: number;
}

/** The screen without what is private. A line of which something was hidden loses its colours. */
export function hideOnScreen({ lines, ansi, cols }: Screen, hide: Hide): Omit<Screen, 'cols'> {
  const clean = withoutTorn(withoutBlocks(lines, hide), cols, hide);
  const styled = ansi.split('\n');
  const isHidden = (index: number): boolean => clean[index] !== lines[index];
  return {
    lines: clean,
    ansi: clean.map((line, index) => (isHidden(index) ? line : (styled[index] ?? line))).join('\n'),
  };
}

/** An armoured key spans lines: all between the first and the last that it touches are hidden. */
function withoutBlocks(lines: readonly string[], hide: Hide): readonly string[] {
  const whole = hide(lines.join('\n')).split('\n');
  if (whole.length === lines.length) return whole;
  const same = (a: string | undefined, b: string | undefined): boolean => a === b;
  const each = lines.map((line) => hide(line));
  let head = 0;
  while (head < whole.length && same(each[head], whole[head])) head += 1;
  let tail = 0;
  while (tail < whole.length - head && same(each.at(-1 - tail), whole.at(-1 - tail))) tail += 1;
  return each.map((line, index) => (index < head || index >= each.length - tail ? line : HIDDEN));
}

/** A secret that reaches the right edge continues in the next line: both are hidden. */
function withoutTorn(lines: readonly string[], cols: number, hide: Hide): readonly string[] {
  const clean = [...lines];
  for (let index = 0; index + 1 < lines.length; index += 1) {
    const [here = '', next = ''] = [lines[index], lines[index + 1]];
    if (here.length < cols || hide(here + next) === here + next) continue;
    clean[index] = HIDDEN;
    clean[index + 1] = HIDDEN;
  }
  return clean;
}
