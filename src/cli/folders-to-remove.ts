// The folders that belong to agtmux alone, and their removal. Nothing outside of them is touched: a
// folder that is a link, or somebody else's, is left, and links inside are removed, not followed.

import { lstatSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { ownFolder, type Paths } from '../platform/files/paths.ts';

export interface RemovableFolder {
  readonly path: string;
  readonly what: string;
}

export type Removal = RemovableFolder & {
  readonly outcome: 'removed' | 'would_remove' | 'absent' | 'left';
  /** Why it was left. */
  readonly why: string | null;
};

/** The folder of what hooks run: it is needed as long as there are hooks. */
export const EMITTER_FOLDER = 'script that hooks run';

/** What there may be of ours on this machine. */
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

/** Removes a folder with all that is in it, or says why not. */
export function removeFolder(
  folder: RemovableFolder,
  { isDryRun }: { isDryRun: boolean },
): Removal {
  const result = (outcome: Removal['outcome'], why: string | null = null): Removal => ({
    ...folder,
    outcome,
    why,
  });
  try {
    const found = lstatSync(folder.path, { throwIfNoEntry: false });
    if (found === undefined) return result('absent');
    if (found.isSymbolicLink()) return result('left', 'it is a link to another place');
    if (!found.isDirectory()) return result('left', 'it is not a folder');
    if (found.uid !== (process.getuid?.() ?? found.uid)) {
      return result('left', 'it belongs to another user');
    }
    if (isDryRun) return result('would_remove');
    rmSync(folder.path, { recursive: true });
    return result('removed');
  } catch (error) {
    return result('left', error instanceof Error ? error.message : String(error));
  }
}
