// `agtmux menubar`: the output of a SwiftBar or xbar plugin, and the file that runs it. It starts
// no daemon: a menu bar asks every few seconds, and a daemon that was stopped stays stopped.

import {
  type MenuBarData,
  renderMenuBar,
  renderNoDaemon,
} from '../../../render/overview/menu-bar.ts';
import { safeText } from '../../../render/safe-text.ts';
import { callView } from '../../call-view.ts';
import { type Call, type CommandSpec, numberOf, textOf } from '../../command.ts';
import { findDaemon, programArgs } from '../../daemon-link.ts';
import { usageProblem } from '../../exit-codes.ts';
import { text } from '../../options.ts';
import { printed } from '../../output/print.ts';

const EVERY_MS = 5_000;
const EVERY_MS_MAX = 3_600_000;

export const menubarCommand: CommandSpec = {
  name: 'menubar',
  summary: 'a menu for the macOS menu bar, by SwiftBar or xbar',
  notes: [
    'Prints a plugin: who needs you, sessions, windows, agents with their ages, and for each agent',
    'attach, send, view-output and kill, in a terminal. It starts no daemon.',
  ],
  defaultCommand: 'print',
  commands: [
    {
      name: 'print',
      summary: 'print the menu, as the plugin does',
      examples: ['agtmux menubar'],
      run: runMenubar,
    },
    {
      name: 'install',
      summary: 'write the plugin file into the folder of SwiftBar or xbar',
      notes: ['No file but such a plugin is replaced. To remove the plugin, delete its file.'],
      examples: ['agtmux menubar install', 'agtmux menubar install --folder ~/plugins --every 10s'],
      options: [
        { name: 'folder', value: text('PATH'), summary: 'the plugin folder, instead of theirs' },
        {
          name: 'every',
          value: { kind: 'duration', label: 'DURATION' },
          summary: 'how often the menu is read again (5s)',
        },
      ],
      run: runInstall,
    },
  ],
};

/** The words that run this agtmux again, for the same daemon. */
function programWords(call: Call): readonly string[] {
  const socket = textOf(call.flags, 'socket-path');
  return [
    ...[process.execPath, ...programArgs()],
    ...(socket === undefined ? [] : ['--socket-path', socket]),
  ];
}

async function runMenubar(call: Call): Promise<number> {
  const data = await fetchMenu(call);
  const view = callView(call, data === null ? 0 : Date.parse(data.panes.generated_at));
  const program = programWords(call);
  const menu = data === null ? renderNoDaemon(view, program) : renderMenuBar(view, data, program);
  return printed(call, { running: data !== null, menu }, menu);
}

/** Null when no daemon answers, for whatever reason: a menu bar has no place for errors. */
async function fetchMenu(call: Call): Promise<MenuBarData | null> {
  const client = await findDaemon(call).catch(() => null);
  if (client === null) return null;
  try {
    const [sessions, windows, panes] = await Promise.all([
      client.call('list_sessions', {}),
      client.call('list_windows', {}),
      client.call('list_panes', { sort: 'attention' }),
    ]);
    return { sessions, windows, panes };
  } catch {
    return null;
  } finally {
    client.close();
  }
}

async function runInstall(call: Call): Promise<number> {
  const everyMs = numberOf(call.flags, 'every') ?? EVERY_MS;
  if (everyMs < 1_000 || everyMs > EVERY_MS_MAX) {
    throw usageProblem('--every must be from 1s to 1h.', 'Type for example --every 10s.');
  }
  const plugin = await import('../../menu-bar/plugin-file.ts');
  const folder = textOf(call.flags, 'folder') ?? (await plugin.findPluginFolder(call));
  if (folder === null) {
    throw usageProblem(
      'Neither SwiftBar nor xbar is set up here.',
      'Name the plugin folder with --folder.',
    );
  }
  const name = plugin.pluginName(Math.round(everyMs / 1_000));
  const text = plugin.pluginText(programWords(call), call.io.env);
  const file = plugin.writePlugin(folder, name, text);
  return printed(call, { file }, `Wrote ${safeText(file)}.\n`);
}
