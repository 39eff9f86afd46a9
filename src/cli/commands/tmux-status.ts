// `agtmux tmux-status`: one short line of counts for a status bar that runs it every few seconds.
// It never fails, starts no daemon, and prints no name, so that tmux has nothing to interpret.

import { statusCounts } from '../../platform/text/status-counts.ts';
import type { SummaryItem } from '../../schema/api/panes.ts';
import { type Call, isSet } from '../command.ts';
import { findDaemon } from '../daemon-link.ts';
import { printJson } from '../print.ts';
import { viewOfCall } from '../view-of-call.ts';

export async function runTmuxStatus(call: Call): Promise<number> {
  const answer = await ask(call);
  if (isSet(call.flags, 'json')) printJson(call, { schema_version: 1, summary: answer });
  else call.io.writeOut(`${answer === null ? '' : line(call, answer)}\n`);
  return 0;
}

/** The counts, or null when no daemon gives them, for whatever reason. */
async function ask(call: Call): Promise<SummaryItem | null> {
  const client = await findDaemon(call).catch(() => null);
  if (client === null) return null;
  try {
    return (await client.call('list_sessions', {})).summary;
  } catch {
    return null;
  } finally {
    client.close();
  }
}

function line(call: Call, { by_state }: SummaryItem): string {
  const { unicode } = viewOfCall(call, 0);
  return statusCounts(by_state, {
    markOf: ([wide, narrow]) => (unicode ? wide : narrow),
    withColors: isSet(call.flags, 'tmux-colors'),
  });
}
