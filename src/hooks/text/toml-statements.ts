// The statements of a TOML text that is known to parse, with their places in it: keys with their
// values, and the headers of tables. What stands between them is blank or a comment.

export interface TomlStatement {
  /** The name of a key of one word; null for any other key, and for a header. */
  readonly key: string | null;
  readonly isHeader: boolean;
  readonly start: number;
  /** After the value, or after the bracket of a header. */
  readonly end: number;
  /** After a comment behind it; where its line ends. */
  readonly lineEnd: number;
}

const blanks = /(?:\s|#[^\n]*)*/y;
const oneWord = /("?)([A-Za-z0-9_-]+)\1[ \t]*=/y;
const token = new RegExp(
  [
    String.raw`"""(?:\\[\s\S]|[^\\])*?"""(?:"{0,2})`,
    String.raw`'''[\s\S]*?'''(?:'{0,2})`,
    String.raw`"(?:[^"\\\n]|\\.)*"`,
    String.raw`'[^'\n]*'`,
    String.raw`#[^\r\n]*`,
    String.raw`\r?\n|[\s\S]`,
  ].join('|'),
  'y',
);

export function tomlStatements(text: string): readonly TomlStatement[] {
  const found: TomlStatement[] = [];
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  for (;;) {
    at += match(blanks, text, at)?.[0].length ?? 0;
    if (at >= text.length) return found;
    const isHeader = text[at] === '[';
    const key = isHeader ? null : (match(oneWord, text, at)?.[2] ?? null);
    const ends = endsOfStatement(text, at);
    found.push({ key, isHeader, start: at, ...ends });
    at = ends.lineEnd;
  }
}

/** The end of a line at a place; empty where none is there. */
export const lineEndAt = (text: string, at: number): string =>
  /^\r?\n/.exec(text.slice(at, at + 2))?.[0] ?? '';

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Strings and lists may take several lines. */
function endsOfStatement(text: string, start: number): Pick<TomlStatement, 'end' | 'lineEnd'> {
  let depth = 0;
  let at = start;
  let end = start;
  while (at < text.length) {
    const word = match(token, text, at)?.[0] ?? text.slice(at);
    if (word === '[' || word === '{') depth += 1;
    if (word === ']' || word === '}') depth -= 1;
    if (depth <= 0 && /^\r?\n$/.test(word)) return { end, lineEnd: at };
    at += word.length;
    if (!/^(?:\s|#)/.test(word)) end = at;
  }
  return { end, lineEnd: text.length };
}
