// The command line run from the sources, in a process of its own.

import { programArgs } from '../src/cli/daemon-link.ts';

/** The arguments of Node; those of agtmux follow them. */
export const fromSources: readonly string[] = [
  '--disable-warning=ExperimentalWarning',
  ...programArgs(),
];
