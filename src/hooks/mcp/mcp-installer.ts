// Writes our MCP server into the configuration of agents, removes it, or says where it is. A file
// is written only if it is still as it was read, and a copy of it is kept. One file that cannot be
// edited does not stop the others.

import { dirname, join } from 'node:path';
import { ownFolder } from '../../platform/files/paths.ts';
import { keepBackup } from '../backups.ts';
import { type EditedFiles, FileEditError } from '../edited-files.ts';
import { EntryError } from '../entries.ts';
import { jsonServerIn, withJsonServer, withoutJsonServer } from './json-server.ts';
import {
  type McpAgent,
  type McpFile,
  type McpProgram,
  type McpUser,
  mcpAgents,
} from './mcp-agents.ts';
import { tomlServerIn, withoutTomlServer, withTomlServer } from './toml-server.ts';

export type McpAction = 'install' | 'uninstall' | 'status';

export interface McpInstallJob {
  readonly action: McpAction;
  /** Absent: every agent that is found on the machine. */
  readonly agents: readonly string[];
  readonly files: EditedFiles;
  readonly user: McpUser;
  readonly program: McpProgram;
  readonly nowMs: number;
}

export interface McpEntryState {
  readonly agent: string;
  readonly path: string;
  /** outdated: with another command line than that of this agtmux. */
  readonly state: 'installed' | 'outdated' | 'absent' | 'unreadable';
  readonly change: 'none' | 'created' | 'changed' | 'removed';
  readonly backup: string | null;
  readonly problem: string | null;
  readonly note: string | null;
}

export const mcpAgentNames: readonly string[] = mcpAgents.map(({ agent }) => agent);

export async function workOnMcpEntries(job: McpInstallJob): Promise<readonly McpEntryState[]> {
  const done: McpEntryState[] = [];
  for (const each of mcpAgents) {
    const isNamed = job.agents.includes(each.agent);
    const isMeant = job.agents.length > 0 ? isNamed : await isOnMachine(each, job);
    if (isMeant) done.push(await workOnAgent(each, job));
  }
  return done;
}

async function isOnMachine(each: McpAgent, { files, user }: McpInstallJob): Promise<boolean> {
  if ((await files.facts(each.folder(user)))?.kind === 'folder') return true;
  const folders = (user.env['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'));
  for (const folder of folders) {
    for (const program of each.programs) {
      const facts = await files.facts(join(folder, program)).catch(() => null);
      if (facts?.kind === 'file' && (facts.mode & 0o111) !== 0) return true;
    }
  }
  return false;
}

async function workOnAgent(each: McpAgent, job: McpInstallJob): Promise<McpEntryState> {
  const { files, user, program, action } = job;
  const file = each.file(user, program);
  const path = await pathOf(file, files);
  const base = { agent: each.agent, path, change: 'none', backup: null, note: null } as const;
  try {
    const text = await files.read(path);
    const present = text === null || text.trim() === '' ? undefined : entryIn(file, text);
    const full = withEntry(file, text);
    const state = present === undefined ? 'absent' : full === text ? 'installed' : 'outdated';
    const after = action === 'install' ? full : text === null ? null : withoutEntry(file, text);
    if (action === 'status' || after === text) return { ...base, state, problem: null };
    return { ...base, ...(await writeChange(path, { text, after }, job)), note: noteOf(each, job) };
  } catch (error) {
    if (!(error instanceof FileEditError || error instanceof EntryError)) throw error;
    return { ...base, state: 'unreadable', problem: error.message };
  }
}

const noteOf = (each: McpAgent, { action }: McpInstallJob): string | null =>
  action === 'install' ? each.note : null;

async function writeChange(
  path: string,
  { text, after }: { readonly text: string | null; readonly after: string | null },
  { files, user, nowMs, action }: McpInstallJob,
): Promise<Pick<McpEntryState, 'state' | 'change' | 'backup' | 'problem'>> {
  const folder = join(ownFolder(user, 'state'), 'backups');
  const backup = text === null ? null : await keepBackup(files, folder, { path, text, nowMs });
  if (text === null) await files.makeFolder(dirname(path), 0o755);
  const isDone =
    after === null
      ? text === null || (await files.remove(path, text))
      : await files.writeAtomically(path, { text: after, mode: 0o600, expected: text });
  if (!isDone) {
    const problem = 'another program has just changed it, so nothing is written; try again';
    return { state: 'unreadable', change: 'none', backup: null, problem };
  }
  const change = after === null ? 'removed' : text === null ? 'created' : 'changed';
  return { state: action === 'install' ? 'installed' : 'absent', change, backup, problem: null };
}

async function pathOf({ paths }: McpFile, files: EditedFiles): Promise<string> {
  for (const path of paths) if ((await files.facts(path))?.kind === 'file') return path;
  return paths[0] ?? '';
}

const entryIn = (file: McpFile, text: string): unknown =>
  file.kind === 'toml' ? tomlServerIn(text) : jsonServerIn(text, file);

const withEntry = (file: McpFile, text: string | null): string =>
  file.kind === 'toml' ? withTomlServer(text, file.program) : withJsonServer(text, file);

/** Null: a file that held nothing but our entry. */
function withoutEntry(file: McpFile, text: string): string | null {
  if (text.trim() === '') return text;
  if (file.kind === 'json') return withoutJsonServer(text, file);
  const bare = withoutTomlServer(text);
  return bare === '' && tomlServerIn(text) !== undefined ? null : bare;
}
