// Which sessions a Copilot process has open: it holds a file named `inuse.<its pid>.hold` open in
// the folder of each. The working directory is not used: two agents in one directory have two
// sessions.

import { isAbsolute } from 'node:path';
import type { MachineFiles } from '../files/machine-files.ts';
import { childrenOf } from '../files/process-facts.ts';

export interface CopilotSession {
  readonly sessionId: string;
  /** `<home of Copilot>/session-state/<session id>`. */
  readonly folder: string;
  /** Goes away when the process leaves the session; null where none is known. */
  readonly lock: string | null;
}

const holdPath = /^(\/.{1,1000}\/session-state\/([\w-]{1,100}))\/inuse\.(\d{1,10})\.(?:hold|lock)$/;
/** Sessions that one process shows in turn; more are left out. */
const SESSIONS_MAX = 16;

/** The sessions of a process, or of the program that a wrapper has started. */
export async function openSessions(
  files: MachineFiles,
  pid: number,
): Promise<readonly CopilotSession[]> {
  const own = await sessionsOf(files, pid);
  if (own.length > 0) return own;
  for (const child of await childrenOf(files, pid)) {
    const found = await sessionsOf(files, child);
    if (found.length > 0) return found;
  }
  return [];
}

async function sessionsOf(files: MachineFiles, pid: number): Promise<readonly CopilotSession[]> {
  const found = new Map<string, CopilotSession>();
  for (const path of (await files.openFiles(pid)) ?? []) {
    const [, folder, sessionId, holder] = holdPath.exec(path) ?? [];
    if (folder === undefined || sessionId === undefined || Number(holder) !== pid) continue;
    found.set(folder, { sessionId, folder, lock: `${folder}/inuse.${pid}.lock` });
  }
  return [...found.values()].slice(-SESSIONS_MAX);
}

/** The path of a session named by a hook, for versions that hold no file open. */
export async function namedSession(
  files: MachineFiles,
  pid: number,
  sessionId: string,
): Promise<CopilotSession | null> {
  if (!/^[\w-]{1,100}$/.test(sessionId)) return null;
  const environment = await files.environment(pid, ['COPILOT_HOME', 'HOME']);
  if (environment === null) return null;
  const home = environment['COPILOT_HOME'] || `${environment['HOME'] ?? files.home}/.copilot`;
  if (!isAbsolute(home)) return null;
  return { sessionId, folder: `${home}/session-state/${sessionId}`, lock: null };
}
