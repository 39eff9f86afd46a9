// `agtmux bundle`: teams of agents, declared in files. Each command has its own file.

import type { CommandSpec } from '../../command.ts';
import { validateCommand } from './validate.ts';

export const bundleCommand: CommandSpec = {
  name: 'bundle',
  summary: 'teams of agents that are declared in files',
  commands: [validateCommand],
};
