// Options that more than one command takes, each written once. Pure data.

import { stateWords } from '../render/state-words.ts';
import type { OptionSpec, ValueSpec } from './command.ts';

export const text = (label: string): ValueSpec => ({ kind: 'text', label });
export const choice = (label: string, choices: readonly string[]): ValueSpec => ({
  kind: 'choice',
  label,
  choices,
});

export const globalOptions: readonly OptionSpec[] = [
  {
    name: 'socket-path',
    short: 's',
    value: text('PATH'),
    summary: "the daemon's socket, in the place of the usual one",
  },
  { name: 'json', summary: 'print JSON' },
  { name: 'no-color', summary: 'no colours (also NO_COLOR, and off a terminal)' },
  { name: 'ascii', summary: 'ASCII only (also where the locale is not UTF-8)' },
];

export const targetOptions: readonly OptionSpec[] = [
  { name: 'target', value: text('NAME'), summary: 'only this target' },
  { name: 'all-targets', summary: 'every target (the default)' },
];

export const sessionOptions: readonly OptionSpec[] = [
  ...targetOptions,
  {
    name: 'target-session',
    value: text('TARGET/SESSION'),
    summary: 'only this session of this target',
  },
  { name: 'session', value: text('NAME'), summary: 'only sessions of this name' },
];

export const agentOptions: readonly OptionSpec[] = [
  { name: 'state', value: choice('STATE', stateWords), summary: 'only agents in this state' },
  { name: 'agent', value: text('NAME'), summary: 'only this kind of agent, as claude' },
  { name: 'needs-action', summary: 'only agents that need a person' },
];

export const sortOption = (choices: readonly string[]): OptionSpec => ({
  name: 'sort',
  value: choice('KEY', choices),
  summary: 'what comes first',
});

/** What a daemon is started with. */
export const daemonOptions: readonly OptionSpec[] = [
  {
    name: 'tmux-socket',
    value: text('PATH'),
    repeated: true,
    summary: 'watch this tmux server; may be given more than once',
  },
  {
    name: 'poll-interval',
    value: { kind: 'duration', label: 'DURATION' },
    summary: 'how often panes are looked at where nothing tells of changes',
  },
  {
    name: 'log-level',
    value: choice('LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'silent']),
    summary: 'how much is logged (also AGTMUX_LOG)',
  },
];

export const sinceOption = (summary: string): OptionSpec => ({
  name: 'since',
  value: { kind: 'moment', label: 'TIME' },
  summary,
});
