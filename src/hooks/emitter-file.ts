// The copy of the emitter that hooks run. It is outside our package, at a path that never changes,
// so that an update or a removal of the package leaves no agent with a missing hook.

import { join } from 'node:path';
import { ownFolder } from '../platform/files/paths.ts';
import type { HooksAnswer } from '../schema/api/hooks.ts';
import type { EditedFiles } from './edited-files.ts';

export interface EmitterCopy {
  readonly path: string;
  /** The script of this version. */
  readonly text: string;
}

type EmitterAnswer = HooksAnswer['emitter'];

/** The path of the emitter for a user, whether or not it exists. */
export const emitterPath = (user: Parameters<typeof ownFolder>[0]): string =>
  join(ownFolder(user, 'data'), 'bin', 'agtmux-emit');

export async function readEmitter(
  files: EditedFiles,
  { path, text }: EmitterCopy,
): Promise<EmitterAnswer> {
  const found = await files.read(path);
  return { path, state: found === null ? 'absent' : found === text ? 'installed' : 'outdated' };
}

/** Writes the copy, or updates it; an agent that runs it now finishes with the old one. */
export async function installEmitter(
  files: EditedFiles,
  { path, text }: EmitterCopy,
): Promise<EmitterAnswer> {
  const found = await files.read(path);
  if (found !== text) {
    await files.makeFolder(join(path, '..'), 0o755);
    await files.writeAtomically(path, { text, mode: 0o755, expected: found });
  }
  return readEmitter(files, { path, text });
}

/** Updates an existing copy; makes none. */
export async function upgradeEmitter(files: EditedFiles, copy: EmitterCopy): Promise<void> {
  if ((await readEmitter(files, copy)).state === 'outdated') await installEmitter(files, copy);
}
