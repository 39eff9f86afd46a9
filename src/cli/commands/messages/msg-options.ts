// What several commands of `agtmux msg` take.

import type { ArgumentSpec, OptionSpec } from '../../command.ts';
import { text } from '../../options.ts';

export const idArgument: ArgumentSpec = {
  value: text('ID'),
  summary: 'the id of a message, as agtmux msg inbox prints it',
};

export const personOption: OptionSpec = {
  name: 'as',
  value: text('NAME'),
  summary: 'who you are of the people in tui.toml; refused for agents',
};

export const jsonNotes: readonly string[] = [
  'Run by an agent, the message is that agent’s: the daemon looks at who runs the command.',
];
