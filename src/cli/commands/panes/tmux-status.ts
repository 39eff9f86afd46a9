// `agtmux tmux-status`: one short line of counts for a status bar that runs it every few seconds.
// It never fails, starts no daemon, and prints no name, so that tmux has nothing to interpret.

import { existsSync } from 'node:fs';
import { DOUBT, statusCounts } from '../../../platform/text/status-counts.ts';
import type { SessionList } from '../../../schema/api/panes.ts';
import { shownCounts } from '../../../text/shown-counts.ts';
import { callView } from '../../call-view.ts';
import { type Call, type CommandSpec, isSet } from '../../command.ts';
import { findDaemon, socketPathOf } from '../../daemon-link.ts';
import { printJson } from '../../output/print.ts';

export const tmuxStatusCommand: CommandSpec = {
  name: 'tmux-status',
  summary: 'one short line for a status bar, such as "2! 3> 1✓"',
  notes: [
    'Counts of: ✗ error or crash, ! approval, ? question, = stuck, > running, ✓ completed.',
    'The first four are the agents that need you. Names are never printed.',
    'It prints `agtmux ?` while the daemon cannot store what happens, hangs, or was killed.',
    'After a stop of the daemon it prints an empty line. It does not start one, and exits 0.',
  ],
  examples: [
    'agtmux tmux-status --tmux-colors',
    `tmux set -g status-right '#(agtmux tmux-status --tmux-colors)'`,
  ],
  options: [{ name: 'tmux-colors', summary: "colour it with tmux's own #[...] styles" }],
  run: runTmuxStatus,
};

async function runTmuxStatus(call: Call): Promise<number> {
  const list = await fetchSessions(call).catch(() => 'doubt' as const);
  if (isSet(call.flags, 'json')) {
    const { summary = null, store_error = null } = list === 'doubt' || list === null ? {} : list;
    printJson(call, { schema_version: 1, summary, store_error });
  } else call.io.writeOut(`${statusLine(call, list)}\n`);
  return 0;
}

/** With the counts; null when no daemon runs, `doubt` where one should. Rejects when it hangs. */
async function fetchSessions(call: Call): Promise<SessionList | 'doubt' | null> {
  const client = await findDaemon(call);
  // A daemon that was stopped has removed its socket.
  if (client === null) return existsSync(socketPathOf(call)) ? 'doubt' : null;
  try {
    return await client.call('list_sessions', {});
  } finally {
    client.close();
  }
}

function statusLine(call: Call, list: SessionList | 'doubt' | null): string {
  if (list === null) return '';
  if (list === 'doubt' || list.store_error !== null) return DOUBT;
  const { summary } = list;
  const { unicode } = callView(call, 0);
  return statusCounts(shownCounts(summary.by_state, summary.needs), {
    markOf: ([wide, narrow]) => (unicode ? wide : narrow),
    withColors: isSet(call.flags, 'tmux-colors'),
  });
}
