// The one key of Codex's config.toml that is edited, `notify`, as a line of its own. Everything
// else in the file stays as it is, byte by byte; what does not parse is refused, and what comes out
// is parsed again and compared.

import { isDeepStrictEqual } from 'node:util';
import { parse } from 'smol-toml';

export type TomlReading =
  | { readonly ok: true; readonly table: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly line: number; readonly problem: string };

export function readToml(text: string): TomlReading {
  try {
    return { ok: true, table: parse(text.replace(/^\uFEFF/, '')) };
  } catch (error) {
    const line: unknown = error instanceof Error && 'line' in error ? error.line : null;
    const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    return { ok: false, line: typeof line === 'number' ? line : 1, problem: message };
  }
}

interface Statement {
  readonly key: string;
  readonly start: number;
  /** After the value, and a comment behind it; where its line ends. */
  readonly lineEnd: number;
}

const lineOf = (command: readonly string[]): string =>
  `notify = [${command.map((word) => JSON.stringify(word)).join(', ')}]`;

/** A file with nothing else. */
export const newNotifyFile = (command: readonly string[]): string => `${lineOf(command)}\n`;

/** The file with `notify` set to a command; null where the result would not be what is meant. */
export function withNotify(text: string, command: readonly string[]): string | null {
  const line = lineOf(command);
  const statements = topStatements(text);
  const present = statements.find(({ key }) => key === 'notify');
  const edited = present
    ? text.slice(0, present.start) + line + text.slice(present.lineEnd)
    : withLine(text, line, statements.at(-1));
  return isChangedOnly(text, edited, [...command]) ? edited : null;
}

/** The file without `notify`; null where the result would not be what is meant. */
export function withoutNotify(text: string): string | null {
  const present = topStatements(text).find(({ key }) => key === 'notify');
  if (present === undefined) return text;
  const lineEnd = lineEndAt(text, present.lineEnd);
  // Where it is the last line and has no end, the end of the line before was added with it.
  const before = /\r?\n$/.exec(text.slice(0, present.start))?.[0] ?? '';
  const edited =
    lineEnd === ''
      ? text.slice(0, present.start - before.length)
      : text.slice(0, present.start) + text.slice(present.lineEnd + lineEnd.length);
  return isChangedOnly(text, edited, undefined) ? edited : null;
}

/** A key of no table goes before the first table: after the last such key, or at the start. */
function withLine(text: string, line: string, last: Statement | undefined): string {
  const lineEnd = /\r?\n/.exec(text)?.[0] ?? '\n';
  if (last === undefined) {
    const head = text.startsWith('\uFEFF') ? 1 : 0;
    const end = text.length === head ? '' : lineEnd;
    return `${text.slice(0, head)}${line}${end}${text.slice(head)}`;
  }
  return `${text.slice(0, last.lineEnd)}${lineEnd}${line}${text.slice(last.lineEnd)}`;
}

function isChangedOnly(before: string, after: string, notify: unknown): boolean {
  const [old, now] = [readToml(before), readToml(after)];
  if (!old.ok || !now.ok) return false;
  const expected = { ...old.table, notify };
  if (notify === undefined) delete expected.notify;
  return isDeepStrictEqual(plain(expected), plain(now.table));
}

/** Without the prototypes that a parser gives to its tables. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const lineEndAt = (text: string, at: number): string =>
  /^\r?\n/.exec(text.slice(at, at + 2))?.[0] ?? '';

/** The keys before the first table, in a text that is known to parse. */
function topStatements(text: string): readonly Statement[] {
  const found: Statement[] = [];
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  for (;;) {
    at += /^(?:\s|#[^\n]*)*/.exec(text.slice(at))?.[0].length ?? 0;
    if (at >= text.length || text[at] === '[') return found;
    const lineEnd = endOfStatement(text, at);
    const key = /^("?)([A-Za-z0-9_-]+)\1[ \t]*=/.exec(text.slice(at, at + 200))?.[2] ?? '';
    found.push({ key, start: at, lineEnd });
    at = lineEnd;
  }
}

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

/** Where the line of a statement ends: strings and lists may take several lines. */
function endOfStatement(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    token.lastIndex = at;
    const word = token.exec(text)?.[0] ?? text.slice(at);
    if (word === '[' || word === '{') depth += 1;
    if (word === ']' || word === '}') depth -= 1;
    if (depth <= 0 && /^\r?\n$/.test(word)) return at;
    at += word.length;
  }
  return text.length;
}
