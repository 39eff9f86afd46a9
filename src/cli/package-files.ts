// Where the files of this package are that others run: the program, the emitter, the plugin.
// Sources (src/cli/) and bundle (dist/cli/, dist/chunks/) lie equally deep, so one relative path
// serves both.

import { fileURLToPath } from 'node:url';

/** The path of a file by its name in the package, as `bin/agtmux.js`. */
export const packageFile = (name: string): string =>
  fileURLToPath(new URL(`../../${name}`, import.meta.url));
