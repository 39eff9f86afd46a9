// `agtmux hud`: a small floating pane with all agents, on tmux 3.7 and newer. The daemon opens,
// paints and closes it; this command switches it and says where it is shown.

import { safeText } from '../../../render/safe-text.ts';
import type { HudServer, HudStatus } from '../../../schema/api/health.ts';
import type { CommandSpec, RunCommand } from '../../command.ts';
import { printReplyTo } from '../../output/print.ts';

const set =
  (on: boolean): RunCommand =>
  (call) =>
    printReplyTo(
      call,
      (client) => client.call('set_hud', { on }),
      (_view, reply) => statusText(reply),
    );

export const hudCommand: CommandSpec = {
  name: 'hud',
  summary: 'a floating pane with all agents, on tmux 3.7 and newer',
  notes: [
    'The HUD is no pane of yours: no list, count or jump of agtmux includes it. It opens in the',
    'window that your last used client shows, and is made again where it is gone.',
  ],
  defaultCommand: 'status',
  commands: [
    {
      name: 'status',
      summary: 'whether it is on, and where it is shown',
      examples: ['agtmux hud'],
      run: (call) =>
        printReplyTo(
          call,
          (client) => client.call('hud_status', {}),
          (_view, reply) => statusText(reply),
        ),
    },
    {
      name: 'on',
      summary: 'show it, now and after the next start',
      examples: ['agtmux hud on'],
      run: set(true),
    },
    {
      name: 'off',
      summary: 'close it, and keep it closed',
      examples: ['agtmux hud off'],
      run: set(false),
    },
  ],
};

const stateTexts: Readonly<Record<HudServer['state'], string>> = {
  off: 'off',
  shown: 'shown',
  unsupported: 'this tmux has no floating panes; tmux 3.7 and newer has them',
  no_client: 'opens when a terminal is attached',
  no_room: 'the window is too small',
  not_connected: 'not connected',
  failed: 'tmux refused to open it; the log of the daemon says why',
};

function statusText({ on, servers }: HudStatus): string {
  const lines = servers.map(({ server, state, pane_id: paneId }) => {
    const pane = paneId === null ? '' : ` in ${paneId}`;
    return `${safeText(server)}: ${stateTexts[state]}${pane}`;
  });
  return `${[`The HUD is ${on ? 'on' : 'off'}.`, ...(on ? lines : [])].join('\n')}\n`;
}
