// The one key of Codex's config.toml that is edited, `notify`, as a line of its own. Everything
// else in the file stays as it is, byte by byte; what does not parse is refused, and what comes out
// is parsed again and compared.

import { isDeepStrictEqual } from 'node:util';
import { parse } from 'smol-toml';
import { lineEndAt, type TomlStatement, tomlStatements } from './toml-statements.ts';

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
function withLine(text: string, line: string, last: TomlStatement | undefined): string {
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

/** The keys before the first table. */
function topStatements(text: string): readonly TomlStatement[] {
  const all = tomlStatements(text);
  const first = all.findIndex(({ isHeader }) => isHeader);
  return first < 0 ? all : all.slice(0, first);
}
