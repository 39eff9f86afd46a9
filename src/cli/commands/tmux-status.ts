// `agtmux tmux-status`: one short line of counts for a status bar that runs it every few seconds.
// It never fails, starts no daemon, and prints no name, so that tmux has nothing to interpret.

import type { SummaryItem } from '../../schema/api/panes.ts';
import { type Call, isSet } from '../command.ts';
import { findDaemon } from '../daemon-link.ts';
import { printJson } from '../print.ts';
import { markOf } from '../render/view.ts';
import { viewOfCall } from '../view-of-call.ts';

/** Idle and unknown agents need nobody and would only make the line longer. */
const shownStates = ['error', 'waiting_approval', 'waiting_input', 'running', 'completed'] as const;

const tmuxColors: Readonly<Record<(typeof shownStates)[number], string>> = {
  error: 'red',
  waiting_approval: 'yellow',
  waiting_input: 'magenta',
  running: 'green',
  completed: 'blue',
};

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
  const view = viewOfCall(call, 0);
  const withColors = isSet(call.flags, 'tmux-colors');
  return shownStates
    .map((state) => ({ state, count: Number(by_state[state] ?? 0) }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => {
      const text = `${count}${markOf(view, state).mark}`;
      return withColors ? `#[fg=${tmuxColors[state]}]${text}#[default]` : text;
    })
    .join(' ');
}
