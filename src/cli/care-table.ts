// The part of the table of commands that is about agtmux itself: its health, recordings of what it
// sees, its service and its removal. Pure data, as in table.ts.

import type { CommandSpec, RunCommand } from './command.ts';
import { choice, text } from './options.ts';

type Later = (name: 'doctor' | 'record' | 'uninstall' | 'daemonInstall') => RunCommand;

const labels = [
  'running',
  'waiting_input',
  'waiting_approval',
  'completed',
  'idle',
  'error',
  'no_agent',
];

const doctor = (later: Later): CommandSpec => ({
  name: 'doctor',
  summary: 'what works, what is missing, how to fix it, and what watching costs',
  notes: [
    'Does not start a daemon, and changes nothing.',
    'Exit codes: 0 all is well, 1 something needs you.',
  ],
  run: later('doctor'),
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
  doctor(later),
  record(later),
  uninstall(later),
];

/** Stands under `daemon`. */
export const daemonInstall = (later: Later): CommandSpec => ({
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
