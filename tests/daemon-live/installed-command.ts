// An `agtmux` on PATH that is the built program, in a folder whose name needs quoting.

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtProgram } from '../built-program.ts';

/** Makes the command and returns its folder. */
export function installCommand(folder: string): string {
  const bin = join(folder, "bin o'f agtmux");
  mkdirSync(bin, { recursive: true });
  const words = [process.execPath, ...builtProgram].map((word) => `'${word}'`).join(' ');
  writeFileSync(join(bin, 'agtmux'), `#!/bin/sh\nexec ${words} "$@"\n`);
  chmodSync(join(bin, 'agtmux'), 0o755);
  return bin;
}
