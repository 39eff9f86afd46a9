// `agtmux tmux-status`: one short line of counts for a status bar that runs it every few seconds.
// It never fails, starts no daemon, and prints no name, so that tmux has nothing to interpret.

import { DOUBT, statusCounts } from '../../../platform/text/status-counts.ts';
import type { SessionList } from '../../../schema/api/panes.ts';
import { shownCounts } from '../../../text/shown-counts.ts';
import { callView } from '../../call-view.ts';
import { type Call, type CommandSpec, isSet } from '../../command.ts';
import { findDaemon } from '../../daemon-link.ts';
import { printJson } from '../../output/print.ts';

export const tmuxStatusCommand: CommandSpec = {
  name: 'tmux-status',
  summary: 'one short line for a status bar, such as "2! 3> 1✓"',
  notes: [
    'Counts of: ✗ error or crash, ! approval, ? question, = stuck, > running, ✓ completed.',
    'The first four are the agents that need you. Names are never printed.',
    'It prints `agtmux ?` while the daemon cannot store what happens.',
    'Without a daemon it prints an empty line and exits 0. It does not start one.',
  ],
  examples: [
    'agtmux tmux-status --tmux-colors',
    `tmux set -g status-right '#(agtmux tmux-status --tmux-colors)'`,
  ],
  options: [{ name: 'tmux-colors', summary: "colour it with tmux's own #[...] styles" }],
  run: runTmuxStatus,
};

async function runTmuxStatus(call: Call): Promise<number> {
  const list = await fetchSessions(call);
  const { summary = null, store_error = null } = list ?? {};
  if (isSet(call.flags, 'json')) printJson(call, { schema_version: 1, summary, store_error });
  else call.io.writeOut(`${list === null ? '' : statusLine(call, list)}\n`);
  return 0;
}

/** With the counts; null when no daemon answers, for whatever reason. */
async function fetchSessions(call: Call): Promise<SessionList | null> {
  const client = await findDaemon(call).catch(() => null);
  if (client === null) return null;
  try {
    return await client.call('list_sessions', {});
  } catch {
    return null;
  } finally {
    client.close();
  }
}

function statusLine(call: Call, { summary, store_error }: SessionList): string {
  if (store_error !== null) return DOUBT;
  const { unicode } = callView(call, 0);
  return statusCounts(shownCounts(summary.by_state, summary.needs), {
    markOf: ([wide, narrow]) => (unicode ? wide : narrow),
    withColors: isSet(call.flags, 'tmux-colors'),
  });
}
