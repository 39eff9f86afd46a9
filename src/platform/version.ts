// The version of this package, read from its package.json.
// Sources (src/<layer>/) and bundle (dist/cli/, dist/chunks/) lie equally deep, so one relative
// path serves both; tests/package.test.ts holds the bundle to that.

import { readFileSync } from 'node:fs';

// Returns the version, such as "0.1.0". Throws when package.json is missing: a broken installation.
export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  return version;
}
