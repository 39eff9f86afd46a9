// The words of a command line that no shell reads: blanks part them, quotes keep them together, and
// nothing else has a meaning. Pure.

export type CommandWords =
  | { readonly ok: true; readonly words: readonly [string, ...string[]] }
  | { readonly ok: false; readonly problem: string };

const PART = /(?:[^\s'"]+|'[^']*'|"[^"]*")+|\S+/g;
const PIECE = /[^'"]+|'([^']*)'|"([^"]*)"/g;

export function commandWords(line: string): CommandWords {
  if (line.includes('\0')) return { ok: false, problem: 'holds a NUL' };
  const parts = line.match(PART) ?? [];
  const words = parts.map((part) =>
    part.replaceAll(PIECE, (piece, one?: string, two?: string) => one ?? two ?? piece),
  );
  if (parts.some((part) => part.replaceAll(/'[^']*'|"[^"]*"/g, '').match(/['"]/))) {
    return { ok: false, problem: 'has a quote that does not end' };
  }
  const [program, ...args] = words;
  if (program === undefined || program === '') return { ok: false, problem: 'names no program' };
  return { ok: true, words: [program, ...args] };
}
