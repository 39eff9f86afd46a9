// The program as it is built, for suites that run it in processes of their own.

import { fileURLToPath } from 'node:url';

/** The arguments of Node; those of agtmux follow them. */
export const builtProgram: readonly string[] = [
  fileURLToPath(new URL('../bin/agtmux.js', import.meta.url)),
];
