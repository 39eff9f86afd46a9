// The copy of the emitter that hooks run. It stands outside our own package, so that an update or a
// removal of that leaves no agent with a hook that is missing, and at a path that never changes.

import { join } from 'node:path';
import { ownFolder } from '../platform/files/paths.ts';
import type { HooksAnswer } from '../schema/api/hooks.ts';
import type { EditedFiles } from './edited-files.ts';

export interface EmitterCopy {
  /** Its path. */
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

/** Puts it there, or brings it up to date; agents that run it now finish with the old one. */
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

/** Brings a copy up to date that is there; makes none. */
export async function upgradeEmitter(files: EditedFiles, copy: EmitterCopy): Promise<void> {
  if ((await readEmitter(files, copy)).state === 'outdated') await installEmitter(files, copy);
}
