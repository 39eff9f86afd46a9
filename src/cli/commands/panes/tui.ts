// `agtmux tui`, and `agtmux` alone on a terminal: the live view, which is src/tui/.

import type { ViewKind } from '../../../tui/model.ts';
import { callView } from '../../call-view.ts';
import { type Call, type CommandSpec, isSet, type OptionSpec } from '../../command.ts';
import { daemonReviver, openDaemon, pathsOf, programArgs } from '../../daemon-link.ts';
import { usageProblem } from '../../exit-codes.ts';
import { unwatchedServerNote } from './unwatched-server.ts';

export const mouseOptions: readonly OptionSpec[] = [
  { name: 'mouse', summary: 'use the mouse, whatever tui.mouse in config.toml says' },
  { name: 'no-mouse', summary: 'leave the mouse to the terminal' },
];

export const tuiCommand: CommandSpec = {
  name: 'tui',
  summary: 'the live view; the same as agtmux alone on a terminal',
  examples: ['agtmux tui', 'agtmux tui --no-mouse'],
  options: mouseOptions,
  run: runTuiCommand,
};

export function runTuiCommand(call: Call): Promise<number> {
  return showView(call, 'full');
}

/** Shows the live view, or the sidebar, on the terminal until the user quits. */
export async function showView(call: Call, kind: ViewKind): Promise<number> {
  if (!canShowTui(call)) {
    throw usageProblem(
      'the live view needs a terminal.',
      'Use agtmux list panes, or agtmux watch.',
    );
  }
  const { runTui } = await import('../../../tui/run.ts');
  const paths = pathsOf(call);
  const client = await openDaemon(call);
  const notice = await unwatchedServerNote(call, client);
  const { color, unicode } = callView(call, 0);
  return runTui({
    client,
    openDaemon: () => openDaemon(call),
    revive: daemonReviver(call),
    env: call.io.env,
    look: { color, unicode, isLight: isLightTerminal(call.io.env) },
    kind,
    home: call.io.env['HOME'] ?? '',
    program: [process.execPath, ...programArgs(), '--socket-path', client.socketPath],
    stateDir: paths.stateDir,
    configFile: paths.configFile,
    mouse: mouseOf(call),
    notice,
    input: process.stdin,
    output: process.stdout,
  });
}

/** Whether COLORFGBG (`0;15`: black on white) names one of the two light backgrounds. */
function isLightTerminal(env: Call['io']['env']): boolean {
  return /;(?:7|15)$/.test(env['COLORFGBG'] ?? '');
}

/** Null: as the configuration says. */
function mouseOf({ flags }: Call): boolean | null {
  if (isSet(flags, 'no-mouse')) return false;
  return isSet(flags, 'mouse') ? true : null;
}

/** Whether there are a keyboard and a screen. */
export const canShowTui = ({ io }: Call): boolean =>
  io.isTerminal && process.stdin.isTTY === true && io.env['TERM'] !== 'dumb';
