// Whether the user has trusted our hooks in Codex: its config.toml keeps a hash for each trusted
// hook, under the hook's file, event and index. The hash itself is not checked.

import { dirname, join } from 'node:path';
import type { HookFile } from './agent-hooks.ts';
import type { EditedFiles } from './edited-files.ts';
import { readToml } from './text/toml-notify.ts';

/** Null where it cannot be determined. */
export async function codexTrust(
  files: EditedFiles,
  parts: readonly HookFile[],
): Promise<'trusted' | 'untrusted' | null> {
  const entries = parts.find((each) => each.kind === 'entries');
  if (entries === undefined) return null;
  const config = await files.read(join(dirname(entries.path), 'config.toml')).catch(() => null);
  const reading = readToml(config ?? '');
  if (!reading.ok) return null;
  const trusted = Object.entries(tableAt(tableAt(reading.table, 'hooks'), 'state'))
    .filter(([, value]) => typeof tableAt({ value }, 'value')['trusted_hash'] === 'string')
    .map(([key]) => key);
  const paths = [entries.path, await files.realPath(entries.path)];
  const isTrusted = entries.wanted.every(({ event }) =>
    trusted.some((key) => paths.some((path) => key.startsWith(`${path}:${snake(event)}:`))),
  );
  return isTrusted ? 'trusted' : 'untrusted';
}

type Table = Readonly<Record<string, unknown>>;

function tableAt(table: Table, key: string): Table {
  const value = table[key];
  return typeof value === 'object' && value !== null ? (value as Table) : {};
}

const snake = (event: string): string => event.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
