// `agtmux bundle`: teams of agents, declared in files. Each command has its own file.

import type { CommandSpec } from '../../command.ts';
import { initCommand } from './init.ts';
import { lifecycleCommands } from './lifecycle.ts';
import { bundleStatusCommand, listBundlesCommand } from './list-bundles.ts';
import { validateCommand } from './validate.ts';

export const bundleCommand: CommandSpec = {
  name: 'bundle',
  summary: 'teams of agents that are declared in files',
  commands: [
    ...lifecycleCommands,
    listBundlesCommand,
    bundleStatusCommand,
    initCommand,
    validateCommand,
  ],
};
