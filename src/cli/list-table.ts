// The commands that list, as the table has them: panes, windows and sessions, each with the short
// name that it has besides.

import type { CommandSpec } from './command.ts';
import { runList } from './commands/list.ts';
import { agentOptions, choice, sessionOptions, sortOption } from './options.ts';

const listPanes: CommandSpec = {
  name: 'panes',
  summary: 'every pane, who needs you first',
  options: [
    ...sessionOptions,
    ...agentOptions,
    sortOption(['attention', 'age', 'target', 'state']),
  ],
  run: runList,
};

const listWindows: CommandSpec = {
  name: 'windows',
  summary: 'every window with its top state',
  options: [
    ...sessionOptions,
    ...agentOptions,
    { name: 'with-agent-status', summary: 'add how many agents are in each state' },
    sortOption(['attention', 'target', 'state']),
  ],
  run: runList,
};

const listSessions: CommandSpec = {
  name: 'sessions',
  summary: 'every session with its top state',
  options: [
    ...sessionOptions,
    ...agentOptions,
    { name: 'agent-summary', summary: 'add how many agents are in each state' },
    {
      name: 'group-by',
      value: choice('KEY', ['target-session', 'session-name']),
      summary: 'session-name joins sessions of one name over all targets',
    },
    sortOption(['attention', 'target', 'state']),
  ],
  run: runList,
};

const alias = (command: CommandSpec): CommandSpec => ({
  ...command,
  name: `list-${command.name}`,
  aliasOf: ['list', command.name],
});

export const list: CommandSpec = {
  name: 'list',
  summary: 'panes, windows or sessions',
  commands: [listPanes, listWindows, listSessions],
};

export const listAliases: readonly CommandSpec[] = [listPanes, listWindows, listSessions].map(
  alias,
);
