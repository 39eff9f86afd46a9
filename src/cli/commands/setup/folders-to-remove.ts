// The folders that belong to agtmux, and their removal. Nothing outside of them is touched: a
// folder that is a link or belongs to another user stays, and links inside are removed, not
// followed.

import { lstatSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { ownFolder, type Paths } from '../../../platform/files/paths.ts';

export interface RemovableFolder {
  readonly path: string;
  readonly what: string;
}

export type Removal = RemovableFolder & {
  readonly outcome: 'removed' | 'would_remove' | 'absent' | 'left';
  /** Why it was not removed. */
  readonly why: string | null;
};

/** The folder of the emitter: it must stay while hooks remain. */
export const EMITTER_FOLDER = 'script that hooks run';

/** The folders that agtmux may have made on this machine. */
export function foldersToRemove(
  paths: Paths,
  env: Readonly<Record<string, string | undefined>>,
): readonly RemovableFolder[] {
  const user = { env, home: homedir() };
  return [
    { path: paths.stateDir, what: 'history, log and spool' },
    { path: paths.runtimeDir, what: 'socket' },
    { path: ownFolder(user, 'cache'), what: 'cache' },
    { path: ownFolder(user, 'data'), what: EMITTER_FOLDER },
  ];
}

/** Removes a folder with its contents; the result says why when it cannot. */
export function removeFolder(
  folder: RemovableFolder,
  { isDryRun }: { isDryRun: boolean },
): Removal {
  const removal = (outcome: Removal['outcome'], why: string | null = null): Removal => ({
    ...folder,
    outcome,
    why,
  });
  try {
    const found = lstatSync(folder.path, { throwIfNoEntry: false });
    if (found === undefined) return removal('absent');
    if (found.isSymbolicLink()) return removal('left', 'it is a symbolic link');
    if (!found.isDirectory()) return removal('left', 'it is not a folder');
    if (found.uid !== (process.getuid?.() ?? found.uid)) {
      return removal('left', 'it belongs to another user');
    }
    if (isDryRun) return removal('would_remove');
    rmSync(folder.path, { recursive: true });
    return removal('removed');
  } catch (error) {
    return removal('left', error instanceof Error ? error.message : String(error));
  }
}
