// The id of this installation, by which it knows its own tmux sessions again: made once, and kept
// beside the database, so that it outlives one that is reset.

import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ID = /^[0-9a-f]{16}$/;

/** Throws what the disk throws, and where the file holds something else. */
export function installId(stateDir: string): string {
  const file = join(stateDir, 'install-id');
  const made = randomBytes(8).toString('hex');
  try {
    writeFileSync(file, `${made}\n`, { flag: 'wx', mode: 0o600 });
    return made;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  const found = readFileSync(file, 'utf8').trim();
  if (ID.test(found)) return found;
  throw new Error(`${file} holds no id of an installation; remove it to have a new one made`);
}
