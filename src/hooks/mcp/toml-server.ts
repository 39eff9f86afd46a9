// Our server in Codex's config.toml: a table of its own at the end, and everything else as it is,
// byte by byte. What Codex has added below it (the tools that a person allowed) goes with it.

import { isDeepStrictEqual } from 'node:util';
import { EntryError } from '../entries.ts';
import { readToml } from '../text/toml-notify.ts';
import { SERVER_NAME } from './json-server.ts';
import type { McpProgram } from './mcp-agents.ts';

/**
 * Codex gives its servers few variables. These say in which pane we are and where the daemon is.
 */
const VARIABLES = ['TMUX', 'TMUX_PANE', 'XDG_RUNTIME_DIR', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'];

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
  const isSame =
    typeof present === 'object' &&
    present !== null &&
    'command' in present &&
    'args' in present &&
    present.command === program.command &&
    isDeepStrictEqual(present.args, [...program.args]);
  if (isSame) return before;
  const bare = present === undefined ? before : withoutTomlServer(before);
  const lineEnd = /\r?\n/.exec(bare)?.[0] ?? '\n';
  const block = blockLines(program).join(lineEnd);
  const isEnded = bare === '' || bare.endsWith('\n');
  const edited = isEnded ? `${bare}${block}${lineEnd}` : `${bare}${lineEnd}${block}`;
  if (tomlServerIn(edited) === undefined || withoutTomlServer(edited) !== bare) {
    throw new EntryError('the entry cannot be added to this layout');
  }
  return edited;
}

const ownHeader = new RegExp(
  `^[ \\t]*\\[mcp_servers\\.${SERVER_NAME}(?:\\.[^\\]\\n]+)?\\][ \\t]*$`,
);

/** Whether all else is as it was: a line of a text may look like ours. */
function isOnlyOursGone(before: string, after: string): boolean {
  const [old, now] = [readToml(before), readToml(after)];
  if (!old.ok || !now.ok) return false;
  const others = (table: typeof old.table): unknown => {
    const { [SERVER_NAME]: _own, ...servers } = { ...(table['mcp_servers'] as object) } as Record<
      string,
      unknown
    >;
    return JSON.parse(JSON.stringify({ ...table, mcp_servers: servers }));
  };
  return isDeepStrictEqual(others(old.table), others(now.table)) && !hasOwn(after);
}

const hasOwn = (text: string): boolean => tomlServerIn(text) !== undefined;

/** The text without our tables. Throws an EntryError where they are written in another way. */
export function withoutTomlServer(text: string): string {
  const lines = text.split('\n');
  const kept: string[] = [];
  let isOwn = false;
  let isLastOwn = false;
  for (const [index, line] of lines.entries()) {
    const bare = line.replace(/\r$/, '');
    if (/^[ \t]*\[/.test(bare)) isOwn = ownHeader.test(bare);
    // What follows the last line end is no line.
    const isRest = index === lines.length - 1 && line === '';
    if (isOwn && !isRest) isLastOwn = index === lines.length - 1;
    else kept.push(line);
  }
  // Our last line has no end: then the end of the line before it was added with it.
  const edited = isLastOwn ? kept.join('\n').replace(/\r$/, '') : kept.join('\n');
  if (!isOnlyOursGone(text, edited)) throw new EntryError('the entry is not written as ours');
  return edited;
}
