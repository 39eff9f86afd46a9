// One machine whose hooks are worked on: its files, its user and where that user keeps things. The
// CLI uses it for its own machine, the daemon for those that it reaches.

import { join } from 'node:path';
import { ownFolder } from '../platform/files/paths.ts';
import type { HooksAnswer, HooksInput } from '../schema/api/hooks.ts';
import { agentHooks } from './agent-hooks.ts';
import type { EditedFiles } from './edited-files.ts';
import { type EmitterCopy, emitterPath } from './emitter-file.ts';
import { workOnHooks } from './installer.ts';

export interface HookMachine {
  readonly files: EditedFiles;
  readonly home: string;
  /** What a login of the user has: PATH, XDG folders, and where agents are told to keep theirs. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface HooksJob extends Pick<HooksInput, 'action' | 'agents' | 'scope'> {
  /** The folder of the project, for the scope of that name. */
  readonly project: string;
  /** The script of this version, as the package has it. */
  readonly emitterText: string;
  readonly nowMs: number;
}

/** Names that are no agent's whose hooks we know. */
export const unknownAgents = (names: readonly string[]): readonly string[] =>
  names.filter((name) => agentHooks.every(({ agent }) => agent !== name));

/** The copy of the emitter on a machine. */
export const emitterOn = (machine: HookMachine, text: string): EmitterCopy => ({
  path: emitterPath(machine),
  text,
});

/** Does a job on a machine, and answers as the API does. */
export async function hooksOn(
  machine: HookMachine,
  job: HooksJob,
  target: string,
): Promise<HooksAnswer> {
  const { files, home, env } = machine;
  const { emitterText, project, nowMs, scope = 'user' } = job;
  const emitter = emitterOn(machine, emitterText);
  const work = await workOnHooks(job, {
    files,
    place: { home, env, project, emitter: emitter.path },
    backupFolder: join(ownFolder(machine, 'state'), 'backups'),
    emitter,
    nowMs,
  });
  const about = { generated_at: new Date(nowMs).toISOString(), target, scope };
  return { schema_version: 1, ...about, ...work };
}
