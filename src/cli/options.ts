// Options and arguments that more than one command takes, each written once. Data only.

import { states } from '../text/state-words.ts';
import type { ArgumentSpec, OptionSpec, ValueSource, ValueSpec } from './command.ts';

export const text = (label: string, source?: ValueSource): ValueSpec => ({
  kind: 'text',
  label,
  ...(source === undefined ? {} : { source }),
});
export const choice = (label: string, choices: readonly string[]): ValueSpec => ({
  kind: 'choice',
  label,
  choices,
});

export const count: ValueSpec = { kind: 'count', label: 'N' };

export const refArgument: ArgumentSpec = {
  value: text('REF', 'refs'),
  summary:
    'a pane as agtmux list prints it (work:0.1, vm1/work:0.1), %3, a session, an agent or a name',
};

export const globalOptions: readonly OptionSpec[] = [
  {
    name: 'socket-path',
    short: 's',
    value: text('PATH'),
    summary: "the daemon's socket, instead of the default one",
  },
  { name: 'json', summary: 'print JSON' },
  {
    name: 'color',
    value: choice('WHEN', ['auto', 'always', 'never']),
    summary: 'colours: auto is on a terminal, unless NO_COLOR or FORCE_COLOR says otherwise',
  },
  { name: 'no-color', summary: 'the same as --color never' },
  { name: 'ascii', summary: 'ASCII only (also when the locale is not UTF-8)' },
];

export const targetOptions: readonly OptionSpec[] = [
  { name: 'target', value: text('NAME', 'targets'), summary: 'only this target' },
  { name: 'all-targets', summary: 'every target (the default)' },
];

export const sessionOptions: readonly OptionSpec[] = [
  ...targetOptions,
  {
    name: 'target-session',
    value: text('TARGET/SESSION'),
    summary: 'only this session of this target',
  },
  { name: 'session', value: text('NAME', 'sessions'), summary: 'only sessions of this name' },
];

export const agentOptions: readonly OptionSpec[] = [
  {
    name: 'state',
    value: { kind: 'choices', label: 'STATE[,STATE]', choices: states },
    summary: `only agents in one of these states: ${states.join(', ')}`,
  },
  {
    name: 'agent',
    value: text('NAME', 'agents'),
    summary: 'only this kind of agent, such as claude',
  },
  { name: 'needs-action', summary: 'only agents that need a person' },
];

export const sortOption = (choices: readonly string[]): OptionSpec => ({
  name: 'sort',
  value: choice('KEY', choices),
  summary: 'how rows are sorted',
});

export const sinceOption = (summary: string): OptionSpec => ({
  name: 'since',
  value: { kind: 'moment', label: 'TIME' },
  summary,
});
