// Finds a Node on this machine that is too old for agtmux, for the tests of what happens then.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isNewEnough } from '../scripts/prepare.mjs';

// Returns the first such Node on the PATH outside any node_modules, or undefined.
export function oldNode(): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .concat('/usr/bin')
    .filter((folder) => folder !== '' && !folder.includes('node_modules'))
    .map((folder) => join(folder, 'node'))
    .filter((path) => existsSync(path))
    .find((path) => !isNewEnough(spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout));
}
