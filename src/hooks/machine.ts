// One machine on which hooks are installed: its files and the home and environment of its user. The
// CLI uses it for its own machine, the daemon for ssh targets.

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
  /** The login environment of the user: PATH, XDG folders, and the folders of agents. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface HooksJob extends Pick<HooksInput, 'action' | 'agents' | 'scope'> {
  /** The folder of the project, for the scope of that name. */
  readonly project: string;
  /** The script of this version, as the package has it. */
  readonly emitterText: string;
  readonly nowMs: number;
}

/** The agents whose hooks agtmux knows. */
export const hookAgents: readonly string[] = agentHooks.map(({ agent }) => agent);

export const unknownAgents = (names: readonly string[]): readonly string[] =>
  names.filter((name) => !hookAgents.includes(name));

export const emitterOn = (machine: HookMachine, text: string): EmitterCopy => ({
  path: emitterPath(machine),
  text,
});

/** Runs a job on a machine; the result is the answer of the API. */
export async function runHooksJob(
  machine: HookMachine,
  job: HooksJob,
  target: string,
): Promise<HooksAnswer> {
  const { files, home, env } = machine;
  const { emitterText, project, nowMs, scope = 'user' } = job;
  const emitter = emitterOn(machine, emitterText);
  const work = await workOnHooks(job, {
    files,
    setup: { home, env, project, emitter: emitter.path },
    backupFolder: join(ownFolder(machine, 'state'), 'backups'),
    emitter,
    nowMs,
  });
  const about = { generated_at: new Date(nowMs).toISOString(), target, scope };
  return { schema_version: 1, ...about, ...work };
}
