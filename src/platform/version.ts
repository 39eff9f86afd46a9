// The version of this package, read from its package.json.
// Sources (src/<layer>/) and bundle (dist/cli/, dist/chunks/) lie equally deep, so one relative
// path serves both; tests/package.test.ts holds the bundle to that.

// Returns the version, such as "0.1.0". Throws when package.json is missing: a broken installation.
export function packageVersion(): string {
  // Named so, node:fs comes without what an import of it would load besides: some milliseconds.
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  return version;
}
