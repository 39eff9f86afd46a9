// Set-up of the `unit` project: a suite that starts a process fails, because it belongs to `live`.

import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

function refuse(): never {
  throw new Error('a suite that starts processes is listed in `liveSuites` of vitest.config.ts');
}

Object.assign(childProcess, {
  exec: refuse,
  execFile: refuse,
  execFileSync: refuse,
  execSync: refuse,
  fork: refuse,
  spawn: refuse,
  spawnSync: refuse,
});
syncBuiltinESMExports();
