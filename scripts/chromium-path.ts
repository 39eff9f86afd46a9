// Where the Chromium of this machine is: the one that system-packages.mjs looks for.

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Null where there is none on the PATH. */
export function chromiumPath(): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((each) => each !== '');
  return folders.map((each) => join(each, 'chromium')).find(existsSync) ?? null;
}
