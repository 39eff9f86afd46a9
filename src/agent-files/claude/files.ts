// Where Claude Code keeps its files, and what is in its session file besides the state, as read
// from 2.1.325: none of it is documented. It is foreign text: names become paths only in the shape
// that they have.

import { isAbsolute, join } from 'node:path';
import { timeAt } from '../../agents/signals/event-time.ts';
import { idAt, numberAt, readFields, textAt } from '../../agents/signals/fields.ts';
import type { MachineFiles } from '../files/machine-files.ts';
import { readWholeText } from '../files/process-facts.ts';

/** A session file has a few hundred bytes. */
const SESSION_FILE_BYTES_MAX = 64 * 1024;
/** Names of folders with more characters end in a hash in their place. */
const FOLDER_NAME_LENGTH_MAX = 200;

export interface ClaudeSession {
  readonly pid: number;
  readonly sessionId: string;
  readonly cwd: string | null;
  /** When the process started, in the kernel's units; null where the version does not write it. */
  readonly procStart: string | null;
  readonly startedAtMs: number | null;
  readonly name: string | null;
  /** The text of the file. */
  readonly raw: string;
}

/** Nothing else becomes the name of a file. */
export const isSessionId = (text: string): boolean => /^[\w-]{1,80}$/.test(text);

/** Null when it is not a session file: broken, being written, or of another shape. */
function parseSession(raw: string): ClaudeSession | null {
  const fields = readFields(raw);
  if (typeof fields === 'string') return null;
  const pid = numberAt(fields, 'pid');
  const sessionId = idAt(fields, 'sessionId');
  if (pid === undefined || sessionId === undefined || !isSessionId(sessionId)) return null;
  return {
    pid,
    sessionId,
    cwd: textAt(fields, 'cwd') ?? null,
    procStart: textAt(fields, 'procStart') ?? null,
    startedAtMs: timeAt(fields, 'startedAt') ?? null,
    name: textAt(fields, 'name') ?? null,
    raw,
  };
}

export async function readSession(
  files: MachineFiles,
  path: string,
): Promise<ClaudeSession | null> {
  return parseSession(await readWholeText(files, path, SESSION_FILE_BYTES_MAX));
}

/** The configuration folder of a process; null when it is not an absolute path. */
export async function configFolderOf(files: MachineFiles, pid: number): Promise<string | null> {
  const env = await files.environment(pid, ['CLAUDE_CONFIG_DIR', 'HOME']);
  const folder = env?.['CLAUDE_CONFIG_DIR'] || join(env?.['HOME'] || files.home, '.claude');
  return isAbsolute(folder) ? folder : null;
}

export const sessionPath = (config: string, pid: number): string =>
  join(config, 'sessions', `${pid}.json`);

/** The transcript of a session of that working directory; null where there is none yet. */
export async function findTranscript(
  files: MachineFiles,
  { config, cwd, sessionId }: { config: string; cwd: string; sessionId: string },
): Promise<string | null> {
  const name = cwd.replace(/[^a-zA-Z0-9]/g, '-');
  const projects = join(config, 'projects');
  const file = `${sessionId}.jsonl`;
  if (name.length <= FOLDER_NAME_LENGTH_MAX) return join(projects, name, file);
  const prefix = name.slice(0, FOLDER_NAME_LENGTH_MAX);
  const folders = (await files.list(projects)) ?? [];
  for (const folder of folders.filter((each) => each.startsWith(prefix))) {
    const path = join(projects, folder, file);
    if ((await files.facts(path)) !== null) return path;
  }
  return null;
}
