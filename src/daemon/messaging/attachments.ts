// Files that go with a message: paths, not copies. Only what the recipient can read by that path.

import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { LOCAL } from '../daemon-core.ts';
import type { Party } from './parties.ts';

/** What is wrong with them for this recipient; null where nothing is. */
export function attachmentProblem(paths: readonly string[], party: Party): string | null {
  if (paths.length === 0) return null;
  const target = party.pane?.targetId ?? party.member?.target ?? LOCAL;
  if (target !== LOCAL) return `${party.id} is on ${target}, where these files are not`;
  for (const path of paths) {
    const problem = pathProblem(path);
    if (problem) return `"${path.slice(0, 200)}" ${problem}`;
  }
  return null;
}

function pathProblem(path: string): string | null {
  if (/\p{Cc}|[\u2028\u2029]/u.test(path)) return 'holds control characters';
  if (!isAbsolute(path)) return 'is no absolute path';
  try {
    return statSync(path).isFile() ? null : 'is no file';
  } catch {
    return 'does not exist or cannot be read';
  }
}
