// `agtmux sidebar`: opens the live view as a narrow pane beside the panes of a window, or closes
// it. The pane itself runs `agtmux sidebar --here`.

import { type Call, type CommandSpec, isSet, numberOf, textOf } from '../../command.ts';
import { programArgs, socketPathOf, withDaemon } from '../../daemon-link.ts';
import { type CliProblem, usageProblem } from '../../exit-codes.ts';
import { count, text } from '../../options.ts';
import { mouseOptions, showView } from './tui.ts';

const PANE_ID = /^%\d+$/;

/** Variables of this environment that the pane needs too: tmux gives it those of the session. */
const PASSED_NAMES = /^(?:XDG_\w+|AGTMUX_\w+|LANG|LC_ALL|LC_CTYPE|NO_COLOR|FORCE_COLOR|COLORFGBG)$/;

export const sidebarCommand: CommandSpec = {
  name: 'sidebar',
  summary: 'open or close a narrow live view beside the panes of this window',
  notes: [
    'The sidebar is no pane of yours: no list, count or jump of agtmux includes it.',
    'A key for it: bind-key S run-shell "agtmux sidebar --pane \'#{pane_id}\'"',
  ],
  examples: ['agtmux sidebar', 'agtmux sidebar --right --width 44', 'agtmux sidebar --pane %3'],
  options: [
    { name: 'width', value: count, summary: 'columns, instead of tui.sidebar_columns' },
    { name: 'right', summary: 'on the right side of the window' },
    { name: 'pane', value: text('ID'), summary: 'a pane of the window, instead of this one' },
    { name: 'here', summary: 'show it in this pane instead of opening one' },
    ...mouseOptions,
  ],
  run: runSidebar,
};

async function runSidebar(call: Call): Promise<number> {
  if (isSet(call.flags, 'here')) return showView(call, 'sidebar');
  const { env } = call.io;
  const paneId = textOf(call.flags, 'pane') ?? env['TMUX_PANE'] ?? null;
  if (paneId !== null && !PANE_ID.test(paneId)) throw sidebarUsage(`"${paneId}" is not a pane id.`);
  const { toggleSidebar } = await import('../../../tui/sidebar.ts');
  const result = await toggleSidebar({
    env,
    paneId,
    columns: numberOf(call.flags, 'width') ?? (await configuredColumns(call)),
    isRight: isSet(call.flags, 'right'),
    command: paneCommand(call),
  });
  if (!result.ok) throw sidebarUsage(result.problem);
  return 0;
}

const sidebarUsage = (message: string): CliProblem =>
  usageProblem(message, 'Run agtmux sidebar in a pane of tmux, or name one with --pane.');

const configuredColumns = (call: Call): Promise<number> =>
  withDaemon(call, async (client) => {
    const { in_force: config } = await client.call('show_config', {});
    return config.tui.sidebarColumns;
  });

/** The command line of the pane, which no shell reads. */
function paneCommand(call: Call): readonly string[] {
  const variables = Object.entries(call.io.env)
    .filter(([name, value]) => PASSED_NAMES.test(name) && value !== undefined)
    .map(([name, value]) => `${name}=${value}`);
  const flags = ['mouse', 'no-mouse', 'no-color', 'ascii'].filter((name) =>
    isSet(call.flags, name),
  );
  return [
    ...['env', ...variables, process.execPath, ...programArgs()],
    ...['sidebar', '--here', '--socket-path', socketPathOf(call)],
    ...flags.map((name) => `--${name}`),
  ];
}
