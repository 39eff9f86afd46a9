// The one table of commands: what can be typed, what it means, and where its code is. Parsing,
// help, completion and the reference page are made of it. Only what runs every few seconds is
// loaded with it; the rest comes with more-commands.ts.

import { careCommands, daemonCommand } from './care-table.ts';
import { type ArgumentSpec, type CommandSpec, isSet, type RunCommand } from './command.ts';
import { runList } from './commands/list.ts';
import { runTmuxStatus } from './commands/tmux-status.ts';
import { list, listAliases } from './list-table.ts';
import type { MoreCommand } from './more-commands.ts';
import { choice, globalOptions, sinceOption, targetOptions, text } from './options.ts';

const later =
  (name: MoreCommand): RunCommand =>
  async (call) =>
    (await import('./more-commands.ts')).moreCommands[name](call);

const refArgument: ArgumentSpec = {
  value: text('REF'),
  summary: 'runtime:<id>, pane:<target>/<session>/<window>/<pane>, or a pane id as %3',
};

const watch: CommandSpec = {
  name: 'watch',
  summary: 'follow what changes',
  notes: [
    'On a terminal the table is redrawn in place; elsewhere it is printed anew at each change.',
    'jsonl prints one event a line: schema_version, type, at, identity, and what changed.',
    'When the daemon restarts, watch connects again, goes on where it was, and says so.',
    'Exit codes: 0 after --once, 130 after Ctrl-C.',
  ],
  options: [
    ...targetOptions,
    {
      name: 'scope',
      value: choice('SCOPE', ['panes', 'windows', 'sessions']),
      summary: 'what a row or an event is about (panes)',
    },
    {
      name: 'format',
      value: choice('FORMAT', ['table', 'jsonl']),
      summary: 'how it is printed (table; jsonl with --json)',
    },
    {
      name: 'interval',
      value: { kind: 'duration', label: 'DURATION' },
      summary: 'the least time between two redraws (1s)',
    },
    sinceOption('first print what happened since then'),
    { name: 'once', summary: 'print what is now, and end' },
  ],
  run: later('watch'),
};

const status: CommandSpec = {
  name: 'status',
  summary: 'the daemon, counts, source health and alerts',
  notes: [
    'Does not start a daemon.',
    'Exit codes: 0 all is well, 1 something is degraded, 3 no daemon answers.',
  ],
  run: later('status'),
};

const tmuxStatus: CommandSpec = {
  name: 'tmux-status',
  summary: 'one short line for a status bar, as "2! 3> 1✓"',
  notes: [
    'Counts of: ✗ error, ! approval, ? question, > running, ✓ completed. Names are never printed.',
    'Without a daemon it prints an empty line, exits 0 and starts none.',
  ],
  options: [{ name: 'tmux-colors', summary: "colour it with tmux's own #[fg=...]" }],
  run: runTmuxStatus,
};

const explain: CommandSpec = {
  name: 'explain',
  summary: 'why a pane is in its state: every source, its claim, who won and why',
  args: [refArgument],
  options: [
    {
      name: 'events',
      value: { kind: 'count', label: 'N' },
      summary: 'how many stored events are shown (20)',
    },
  ],
  run: later('explain'),
};

const history: CommandSpec = {
  name: 'history',
  summary: 'the states that a pane, or every pane, went through',
  args: [{ ...refArgument, optional: true }],
  options: [
    sinceOption('only what happened since then'),
    { name: 'limit', value: { kind: 'count', label: 'N' }, summary: 'at most so many (50)' },
  ],
  run: later('history'),
};

const alertArgument: ArgumentSpec = { value: text('ID'), summary: 'the id that alerts prints' };

const alerts: CommandSpec = {
  name: 'alerts',
  summary: 'what the daemon has to complain about',
  options: [{ name: 'all', summary: 'resolved ones too' }],
  run: later('alerts'),
  commands: [
    {
      name: 'ack',
      summary: 'say that you know of an alert',
      args: [alertArgument],
      run: later('alerts'),
    },
    { name: 'resolve', summary: 'close an alert', args: [alertArgument], run: later('alerts') },
  ],
};

const adapterArgument: ArgumentSpec = { value: text('NAME'), summary: 'an agent, as claude' };

const adapter: CommandSpec = {
  name: 'adapter',
  summary: 'which agents are known, and which are watched',
  commands: [
    { name: 'list', summary: 'every agent that is known', run: later('adapter') },
    { name: 'enable', summary: 'watch an agent', args: [adapterArgument], run: later('adapter') },
    {
      name: 'disable',
      summary: 'no longer believe sources of an agent',
      args: [adapterArgument],
      run: later('adapter'),
    },
  ],
};

const emit: CommandSpec = {
  name: 'emit',
  summary: 'hand one event to the daemon, from a script',
  notes: [
    'Without --pane and --runtime the pane is the one that the command runs in.',
    'Exit codes: 0 applied, 3 ignored (it says nothing of a state), 4 duplicate, 5 late,',
    '6 waits for its runtime, 65 refused.',
  ],
  options: [
    { name: 'type', required: true, value: text('TYPE'), summary: 'what happened: Stop, running' },
    { name: 'source', value: text('NAME'), summary: 'who says so (emit)' },
    { name: 'agent', value: text('NAME'), summary: 'the kind of agent, as claude' },
    { name: 'pane', value: text('PANE'), summary: 'a pane id as %3, or a pane: reference' },
    { name: 'runtime', value: text('ID'), summary: 'the runtime it is about' },
    { name: 'dedupe', value: text('KEY'), summary: 'the same key is applied once' },
    {
      name: 'source-seq',
      value: { kind: 'count', label: 'N' },
      summary: "the source's own counter",
    },
    {
      name: 'event-time',
      value: { kind: 'moment', label: 'TIME' },
      summary: 'when it happened (now)',
    },
    { name: 'payload', value: text('TEXT'), summary: 'its data; - reads stdin, @FILE a file' },
  ],
  run: later('emit'),
};

const run: CommandSpec = {
  name: 'run',
  summary: 'run any program as an agent: its start, its exit code and a crash are known',
  notes: [
    'Prints nothing of its own. Keys, signals, resizes and job control reach the program, and the',
    'command ends as the program does. An exit code other than 0, or a signal, asks for attention.',
    'Exit codes: those of the program; 126 it may not be run, 127 there is none.',
  ],
  args: [
    { value: text('CMD'), summary: 'the program and its arguments, after --', repeated: true },
  ],
  options: [
    { name: 'name', value: text('NAME'), summary: 'what to call it (the name of the program)' },
    { name: 'agent', value: text('NAME'), summary: 'the kind of agent, as claude (found out)' },
  ],
  run: async (call) => (await import('./commands/run.ts')).runProgram(call),
};

const tag: CommandSpec = {
  name: 'tag',
  summary: 'say which agent is in a pane that cannot be looked into',
  args: [{ value: text('PANE'), summary: 'a pane: reference, or a pane id as %3' }],
  options: [
    { name: 'agent', value: text('NAME'), summary: 'the agent, as claude' },
    { name: 'clear', summary: 'take the tag back' },
  ],
  run: later('tag'),
};

const targetArgument: ArgumentSpec = { value: text('NAME'), summary: 'the name of the target' };

const target: CommandSpec = {
  name: 'target',
  summary: 'the machines that are watched',
  commands: [
    {
      name: 'add',
      summary: 'watch another machine by ssh; nothing is installed on it',
      notes: ['This machine is watched always, as the target local.'],
      args: [targetArgument],
      options: [
        {
          name: 'kind',
          value: choice('KIND', ['local', 'ssh']),
          summary: 'how it is reached (ssh)',
        },
        {
          name: 'ssh-target',
          value: text('HOST'),
          summary: 'a host or alias as ssh knows it (the name itself)',
        },
      ],
      run: later('target'),
    },
    {
      name: 'connect',
      summary: 'try a target at once, and say whether it answers',
      notes: ['Exit codes: 0 it answers, 69 it does not.'],
      args: [targetArgument],
      run: later('target'),
    },
    { name: 'list', summary: 'every target and its health', run: later('target') },
    {
      name: 'remove',
      summary: 'no longer watch a target',
      args: [targetArgument],
      options: [{ name: 'yes', short: 'y', summary: 'do not ask' }],
      run: later('target'),
    },
  ],
};

const config: CommandSpec = {
  name: 'config',
  summary: 'the configuration file',
  commands: [
    {
      name: 'show',
      summary: 'every setting as it is in force, as TOML',
      options: [{ name: 'defaults', summary: 'the defaults, as a file to start from' }],
      run: later('config'),
    },
    { name: 'path', summary: 'where the file is looked for', run: later('config') },
    {
      name: 'check',
      summary: 'say what is wrong in the file, with line and key',
      notes: ['Exit codes: 0 it is right or absent, 78 it is wrong.'],
      args: [{ value: text('FILE'), summary: 'another file than the usual', optional: true }],
      run: later('config'),
    },
  ],
};

const metrics: CommandSpec = {
  name: 'metrics',
  summary: 'counters of the daemon, as Prometheus text',
  run: later('metrics'),
};

const classify: CommandSpec = {
  name: 'classify',
  summary: 'say what recorded screens show, one JSON line a file',
  args: [
    {
      value: text('FILE'),
      summary: 'records (JSON), or raw screens with --command, --title, --size',
      repeated: true,
    },
  ],
  options: [
    { name: 'agent', value: text('NAME'), summary: 'look for this agent only' },
    { name: 'with-signals', summary: 'use the recorded signals too' },
    { name: 'details', summary: 'add what is asked: question, options, input box' },
    { name: 'command', value: text('NAME'), summary: 'foreground command of a raw screen' },
    { name: 'title', value: text('TEXT'), summary: 'pane title of a raw screen' },
    {
      name: 'size',
      value: { kind: 'size', label: 'CxR' },
      summary: 'size of a raw screen, as 120x40',
    },
  ],
  run: later('classify'),
};

const completion: CommandSpec = {
  name: 'completion',
  summary: 'print the completion script of a shell',
  args: [{ value: choice('SHELL', ['bash', 'zsh', 'fish']), summary: 'the shell' }],
  run: later('completion'),
};

const tui: CommandSpec = {
  name: 'tui',
  summary: 'the live view; also agtmux alone on a terminal',
  options: [{ name: 'mouse', summary: 'select with the mouse too' }],
  run: later('tui'),
};

/** Called bare: the live view on a terminal, the pane table otherwise. */
const runBare: RunCommand = (call) =>
  call.io.isTerminal && !isSet(call.flags, 'json') ? later('tui')(call) : runList(call);

/** The program. */
export const program: CommandSpec = {
  name: 'agtmux',
  summary: 'Tells what every AI coding agent in your tmux panes is doing.',
  options: globalOptions,
  run: runBare,
  commands: [
    list,
    tui,
    watch,
    status,
    tmuxStatus,
    explain,
    history,
    alerts,
    adapter,
    emit,
    run,
    tag,
    target,
    config,
    daemonCommand(later),
    metrics,
    classify,
    ...careCommands(later),
    completion,
    ...listAliases,
  ],
};
