// The part of the table of commands that is about agtmux itself: a demo, its daemon, its health,
// recordings of what it sees, and its removal. Pure data, as in table.ts.

import type { CommandSpec, RunCommand } from './command.ts';
import { choice, daemonOptions, text } from './options.ts';

type Later = (
  name: 'demo' | 'doctor' | 'hooks' | 'record' | 'uninstall' | 'daemon' | 'daemonInstall',
) => RunCommand;

const labels = [
  'running',
  'waiting_input',
  'waiting_approval',
  'completed',
  'idle',
  'error',
  'no_agent',
];

const demo = (later: Later): CommandSpec => ({
  name: 'demo',
  summary: 'see it at work: made-up agents on a private tmux server',
  notes: [
    'Nothing of yours is touched: its tmux, its daemon and its files are in a folder of their own,',
    'which is removed at the end, however the demo ends.',
    'On a terminal the live view shows it until q; elsewhere the pane table is printed for 20 s.',
  ],
  options: [
    { name: 'seconds', value: { kind: 'count', label: 'N' }, summary: 'end it after so long' },
  ],
  run: later('demo'),
});

const doctor = (later: Later): CommandSpec => ({
  name: 'doctor',
  summary: 'what works, what is missing, how to fix it, and what watching costs',
  notes: [
    'Does not start a daemon, and changes nothing.',
    'Exit codes: 0 all is well, 1 something needs you.',
  ],
  run: later('doctor'),
});

const hookActions: readonly (readonly [name: string, summary: string])[] = [
  ['install', 'install them, or bring them up to date'],
  ['uninstall', 'remove them; every file is as it was before'],
  ['status', 'say which agents have them'],
  ['diff', 'show what install would change, and change nothing'],
];

const hooks = (later: Later): CommandSpec => ({
  name: 'hooks',
  summary: 'the hooks by which agents tell what they do, as exact as it gets',
  notes: [
    'Without them agents are watched all the same, by what they show and write.',
    'Your own entries, comments and layout stay; a copy of each changed file is kept.',
  ],
  commands: hookActions.map(([name, summary]) => ({
    name,
    summary,
    notes: [
      'Without an AGENT: those that are found on the machine.',
      'The scope project takes the file that is kept out of a repository, where the agent has one.',
      'Exit codes: 0 done, 1 a file had to be left, or status found an agent without them.',
    ],
    args: [{ value: text('AGENT'), summary: 'as claude or codex', optional: true, repeated: true }],
    options: [
      {
        name: 'scope',
        value: choice('SCOPE', ['user', 'project']),
        summary: 'for everything that you do, or for one project (user)',
      },
      { name: 'project', value: text('DIR'), summary: 'its folder (this one)' },
      { name: 'target', value: text('NAME'), summary: 'on that machine (this one)' },
    ],
    run: later('hooks'),
  })),
});

const record = (later: Later): CommandSpec => ({
  name: 'record',
  summary: 'a pane as it is now with its last evidence, redacted, for a bug report or the corpus',
  notes: [
    'Secrets, your home folder, your name and that of the machine are hidden; prompts and commands',
    'of hooks are left out. The screen itself is in it: look at the file before you pass it on.',
    'agtmux classify FILE replays it.',
  ],
  args: [
    {
      value: text('REF'),
      summary: 'runtime:<id>, pane:<target>/<session>/<window>/<pane>, or a pane id as %3',
    },
  ],
  options: [
    {
      name: 'minutes',
      value: { kind: 'count', label: 'N' },
      summary: 'how far back its evidence goes (10)',
    },
    { name: 'output', value: text('FILE'), summary: 'write a new file (standard output)' },
    {
      name: 'label',
      value: choice('STATE', labels),
      summary: 'the state that it truly is in (what the daemon says)',
    },
  ],
  run: later('record'),
});

const uninstall = (later: Later): CommandSpec => ({
  name: 'uninstall',
  summary: 'end the daemon and remove what agtmux keeps on this machine',
  notes: [
    'Asks first; without a terminal it refuses unless --yes is given.',
    'Exit codes: 0 done, 1 something of it had to be left.',
  ],
  options: [
    { name: 'yes', short: 'y', summary: 'do not ask' },
    { name: 'dry-run', summary: 'say what would be removed, and remove nothing' },
    { name: 'config', summary: 'remove the configuration too' },
  ],
  run: later('uninstall'),
});

export const careCommands = (later: Later): readonly CommandSpec[] => [
  demo(later),
  doctor(later),
  hooks(later),
  record(later),
  uninstall(later),
];

const daemonInstall = (later: Later): CommandSpec => ({
  name: 'install',
  summary: 'print the file by which systemd or launchd keeps it',
  options: [
    { name: 'print', summary: 'print it; nothing else is done with it' },
    {
      name: 'kind',
      value: choice('KIND', ['systemd', 'launchd']),
      summary: 'whose file (launchd on macOS, else systemd)',
    },
  ],
  run: later('daemonInstall'),
});

/** The daemon's own life. */
export const daemonCommand = (later: Later): CommandSpec => ({
  name: 'daemon',
  summary: 'the process that watches',
  commands: [
    {
      name: 'start',
      summary: 'start it, unless it runs',
      options: daemonOptions,
      run: later('daemon'),
    },
    { name: 'stop', summary: 'end it, and wait until it is gone', run: later('daemon') },
    {
      name: 'status',
      summary: 'say whether it runs',
      notes: ['Exit codes: 0 it runs, 3 it does not.'],
      run: later('daemon'),
    },
    {
      name: 'run',
      summary: 'be the daemon, in the foreground',
      options: daemonOptions,
      run: later('daemon'),
    },
    daemonInstall(later),
  ],
});
