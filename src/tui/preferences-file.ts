// The file of the preferences, in the state folder. Written to a new file that then takes the old
// one's name: a crash leaves the old file or the new one, never a half.

import { dirname, join } from 'node:path';
import {
  defaultPreferences,
  type Preferences,
  preferencesText,
  readPreferences,
} from './preferences.ts';

// An import of node:fs takes 3 ms and more of a start, to make a module of all that it exports.
const { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } =
  process.getBuiltinModule('node:fs');

/** Far more than the limits of the preferences allow. */
const FILE_BYTES_MAX = 1_000_000;

export const preferencesPath = (stateDir: string): string => join(stateDir, 'tui.json');

/** The remembered preferences; the defaults where there are none. Never throws. */
export function loadPreferences(path: string): Preferences {
  try {
    const stat = statSync(path);
    if (!stat.isFile() || stat.size > FILE_BYTES_MAX) return defaultPreferences;
    return readPreferences(readFileSync(path, 'utf8'));
  } catch {
    return defaultPreferences;
  }
}

/**
 * Changes some preferences in the file and leaves the others as another view wrote them. Returns
 * why it failed, or null.
 */
export function savePreferences(path: string, change: Partial<Preferences>): string | null {
  const temporary = `${path}.${process.pid}.new`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const text = preferencesText({ ...loadPreferences(path), ...change });
    writeFileSync(temporary, text, { mode: 0o600, flush: true });
    renameSync(temporary, path);
    return null;
  } catch (error) {
    rmSync(temporary, { force: true });
    return error instanceof Error ? error.message : String(error);
  }
}
