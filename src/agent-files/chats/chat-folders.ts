// Where Gemini CLI and Qwen Code keep the chats of a folder that somebody works in: one file of
// lines for each session. Names come from other programs and become paths only in their own shape.

import { isAbsolute, join } from 'node:path';
import { isFields, readFields, textAt } from '../../agents/signals/fields.ts';
import type { MachineFiles } from '../files/machine-files.ts';
import { readWholeText } from '../files/process-facts.ts';

const SMALL_FILE_BYTES_MAX = 256 * 1024;
const PROJECTS_MAX = 200;

export interface ChatFolder {
  readonly folder: string;
  /** The session of a file's name, or a part of its id; null for another file. */
  readonly sessionOf: (name: string) => string | null;
}

export type FindChatFolder = (
  files: MachineFiles,
  agent: { readonly pid: number; readonly cwd: string },
) => Promise<ChatFolder | null>;

async function homeOf(files: MachineFiles, pid: number, names: readonly string[]) {
  const env = await files.environment(pid, [...names, 'HOME']);
  const own = names.map((name) => env?.[name]).find((value) => value !== undefined && value !== '');
  const home = own ?? env?.['HOME'] ?? files.home;
  return isAbsolute(home) ? home : null;
}

const isSafeName = (name: string): boolean => /^[\w.-]{1,200}$/.test(name) && !/^\.+$/.test(name);

/** `~/.gemini/tmp/<name of the project>/chats/session-<time>-<start of the id>.jsonl`. */
export const geminiChats: FindChatFolder = async (files, { pid, cwd }) => {
  const home = await homeOf(files, pid, ['GEMINI_CLI_HOME']);
  if (home === null) return null;
  const projects = join(home, '.gemini', 'tmp');
  const name = await geminiProject(files, { home, projects, cwd });
  if (name === null) return null;
  const sessionOf = (file: string): string | null =>
    /^session-[\dT-]{10,30}-([0-9a-f]{8})\.jsonl$/.exec(file)?.[1] ?? null;
  return { folder: join(projects, name, 'chats'), sessionOf };
};

async function geminiProject(
  files: MachineFiles,
  { home, projects, cwd }: { home: string; projects: string; cwd: string },
): Promise<string | null> {
  const registry = join(home, '.gemini', 'projects.json');
  const fields = readFields(await readWholeText(files, registry, SMALL_FILE_BYTES_MAX));
  const known =
    typeof fields !== 'string' && isFields(fields['projects']) ? fields['projects'] : {};
  const named = Object.hasOwn(known, cwd) ? textAt({ name: known[cwd] }, 'name') : undefined;
  if (named !== undefined) return isSafeName(named) ? named : null;
  for (const name of ((await files.list(projects)) ?? []).slice(0, PROJECTS_MAX)) {
    if (!isSafeName(name)) continue;
    const root = await readWholeText(files, join(projects, name, '.project_root'), 4_096);
    if (root.trim() === cwd) return name;
  }
  return null;
}

/** `~/.qwen/projects/<the folder with dashes>/chats/<session>.jsonl`. */
export const qwenChats: FindChatFolder = async (files, { pid, cwd }) => {
  const home = await homeOf(files, pid, []);
  if (home === null) return null;
  const name = cwd.replace(/[^a-zA-Z0-9]/g, '-');
  const sessionOf = (file: string): string | null =>
    /^([\w-]{8,80})\.jsonl$/.exec(file)?.[1] ?? null;
  return { folder: join(home, '.qwen', 'projects', name, 'chats'), sessionOf };
};
