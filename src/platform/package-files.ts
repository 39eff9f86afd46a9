// Paths of files in this package: the program, the emitter, the plugin. Sources (src/platform/) and
// bundles (dist/cli/, dist/commands/, dist/chunks/) are equally deep, so one relative path serves
// both; code elsewhere must not use import.meta.url for this.

import { fileURLToPath } from 'node:url';

/** The path of a file by its name in the package, such as `bin/agtmux.js`. */
export const packageFile = (name: string): string =>
  fileURLToPath(new URL(`../../${name}`, import.meta.url));
