// Set-up of the `live` project: brings dist/ up to date, so that suites test the present sources.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export function setup(): void {
  const build = fileURLToPath(new URL('../scripts/build.ts', import.meta.url));
  execFileSync(process.execPath, [build], { stdio: 'inherit' });
}
