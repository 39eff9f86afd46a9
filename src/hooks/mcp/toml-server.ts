// Our server in Codex's config.toml: a table of its own at the end, and everything else as it is,
// byte by byte. What Codex has added below it (the tools that a person allowed) goes with it; an
// update changes nothing but the command line.

import { isDeepStrictEqual } from 'node:util';
import { EntryError } from '../entries.ts';
import { readToml } from '../text/toml-notify.ts';
import { lineEndAt, type TomlStatement, tomlStatements } from '../text/toml-statements.ts';
import { SERVER_NAME } from './json-server.ts';
import type { McpProgram } from './mcp-agents.ts';

/**
 * Codex gives its servers few variables. These say in which pane we are and where the daemon is.
 */
const VARIABLES = ['TMUX', 'TMUX_PANE', 'XDG_RUNTIME_DIR', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'];

const NOT_AS_OURS = 'the entry is not written as ours';

const listText = (words: readonly string[]): string =>
  `[${words.map((word) => JSON.stringify(word)).join(', ')}]`;

const blockLines = ({ command, args }: McpProgram): readonly string[] => [
  `[mcp_servers.${SERVER_NAME}]`,
  `command = ${JSON.stringify(command)}`,
  `args = ${listText(args)}`,
  `env_vars = ${listText(VARIABLES)}`,
];

/** The entry as it is there; undefined where none is. Throws an EntryError. */
export const tomlServerIn = (text: string): unknown => serversOf(text)[SERVER_NAME];

function serversOf(text: string): Readonly<Record<string, unknown>> {
  const reading = readToml(text);
  if (!reading.ok) throw new EntryError(`line ${reading.line}: ${reading.problem}`);
  const servers = reading.table['mcp_servers'];
  return typeof servers === 'object' && servers !== null ? { ...servers } : {};
}

export function withTomlServer(text: string | null, program: McpProgram): string {
  const before = text ?? '';
  const present = tomlServerIn(before);
  if (isFor(present, program)) return before;
  if (present !== undefined) return updated(before, program);
  const edited = withBlock(before, program);
  if (tomlServerIn(edited) === undefined || withoutTomlServer(edited) !== before) {
    throw new EntryError('the entry cannot be added to this layout');
  }
  return edited;
}

const isFor = (present: unknown, { command, args }: McpProgram): boolean =>
  typeof present === 'object' &&
  present !== null &&
  'command' in present &&
  'args' in present &&
  present.command === command &&
  isDeepStrictEqual(present.args, [...args]);

const lineEndOf = (text: string): string => /\r?\n/.exec(text)?.[0] ?? '\n';

function withBlock(text: string, program: McpProgram): string {
  const lineEnd = lineEndOf(text);
  const block = blockLines(program).join(lineEnd);
  const isEnded = text === '' || text.endsWith('\n');
  return isEnded ? `${text}${block}${lineEnd}` : `${text}${lineEnd}${block}`;
}

/** With the command line of this agtmux; what else a person has set or written there stays. */
function updated(text: string, program: McpProgram): string {
  const edited = ownTables(text).some(({ isMain }) => isMain)
    ? withKey(withKey(text, 'command', program.command), 'args', program.args)
    : withBlock(text, program);
  const reading = readToml(edited);
  if (!reading.ok || !isFor(tomlServerIn(edited), program) || !isSameElse(text, edited)) {
    throw new EntryError(NOT_AS_OURS);
  }
  return edited;
}

function withKey(text: string, key: string, value: string | readonly string[]): string {
  const [header, ...lines] = ownTables(text).find(({ isMain }) => isMain)?.statements ?? [];
  if (header === undefined) return text;
  const words = typeof value === 'string' ? JSON.stringify(value) : listText(value);
  const line = `${key} = ${words}`;
  const present = lines.find((each) => each.key === key);
  if (present) return text.slice(0, present.start) + line + text.slice(present.end);
  return text.slice(0, header.lineEnd) + lineEndOf(text) + line + text.slice(header.lineEnd);
}

interface OwnTable {
  /** Not a table inside ours, such as Codex adds. */
  readonly isMain: boolean;
  /** Its header, then its keys. */
  readonly statements: readonly [TomlStatement, ...TomlStatement[]];
}

const ownHeader = new RegExp(`^\\[mcp_servers\\.${SERVER_NAME}(\\.[^\\]\\n]+)?\\]$`);

function ownTables(text: string): readonly OwnTable[] {
  const all = tomlStatements(text);
  return all.flatMap((header, index): readonly OwnTable[] => {
    const found = header.isHeader && ownHeader.exec(text.slice(header.start, header.end));
    if (!found) return [];
    const rest = all.slice(index + 1);
    const next = rest.findIndex(({ isHeader }) => isHeader);
    const keys = next < 0 ? rest : rest.slice(0, next);
    return [{ isMain: found[1] === undefined, statements: [header, ...keys] }];
  });
}

/** Whether all but our server is as it was. */
function isSameElse(before: string, after: string): boolean {
  const [old, now] = [readToml(before), readToml(after)];
  if (!old.ok || !now.ok) return false;
  const others = (table: typeof old.table): unknown => {
    const { [SERVER_NAME]: _own, ...servers } = { ...(table['mcp_servers'] as object) } as Record<
      string,
      unknown
    >;
    return JSON.parse(JSON.stringify({ ...table, mcp_servers: servers }));
  };
  return isDeepStrictEqual(others(old.table), others(now.table));
}

/**
 * The text without our tables; comments and blank lines below their last key are the user's.
 * Throws an EntryError where they are written in another way.
 */
export function withoutTomlServer(text: string): string {
  let edited = '';
  let from = 0;
  let isLastOwn = false;
  for (const { statements } of ownTables(text)) {
    const [header] = statements;
    const { lineEnd } = statements.at(-1) ?? header;
    const between = text.slice(from, text.lastIndexOf('\n', header.start - 1) + 1);
    // What was blank between two tables of ours was added with the second.
    if (from === 0 || between.trim() !== '') edited += between;
    from = lineEnd + lineEndAt(text, lineEnd).length;
    isLastOwn = from === lineEnd;
  }
  // Our last line has no end: then the end of the line before it was added with it.
  edited = isLastOwn ? edited.replace(/\r?\n$/, '') : edited + text.slice(from);
  if (!isSameElse(text, edited) || tomlServerIn(edited) !== undefined) {
    throw new EntryError(NOT_AS_OURS);
  }
  return edited;
}
