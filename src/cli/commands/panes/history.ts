// `agtmux history [REF]`: past states of one pane or of every pane, what was done to them, or how
// long they lasted.

import type { DaemonClient } from '../../../client/client.ts';
import { renderHistory } from '../../../render/ledger.ts';
import { renderTimeSpent, timeSpentCsv } from '../../../render/overview/time-spent.ts';
import { renderActions } from '../../../render/requests.ts';
import type { ActionList, ActionReport } from '../../../schema/api/acting.ts';
import type { PaneItem } from '../../../schema/api/panes.ts';
import { type Call, type CommandSpec, isSet, numberOf, textOf } from '../../command.ts';
import { withDaemon } from '../../daemon-link.ts';
import { type CliProblem, usageProblem } from '../../exit-codes.ts';
import { choice, count, refArgument, sinceOption } from '../../options.ts';
import { printReplyTo } from '../../output/print.ts';
import { momentOf } from '../../value.ts';

const LIMIT = 50;
const WAITS_MAX = 100;
const summaryGroups = ['agent', 'session', 'day'] as const;

export const historyCommand: CommandSpec = {
  name: 'history',
  summary: 'past states of one pane or of every pane, and how long they lasted',
  notes: [
    'With --summary: how long agents waited for you and were in each state, in the last seven days',
    'or since --since. Time counts while an agent is there and the daemon runs. A dialog that you',
    'opened yourself is no waiting. --limit is the number of longest waits (5).',
  ],
  examples: [
    'agtmux history --since 1h',
    'agtmux history work:0.1 --limit 10',
    'agtmux history --actions',
    'agtmux history --summary',
    'agtmux history --summary --by day --since 14d',
    'agtmux history --summary --by session --csv',
  ],
  args: [{ ...refArgument, optional: true }],
  options: [
    sinceOption('only what happened since then'),
    { name: 'actions', summary: 'what was typed, answered and stopped, by whom' },
    { name: 'summary', summary: 'how long agents were in each state and waited for you' },
    {
      name: 'by',
      value: choice('KEY', summaryGroups),
      summary: 'with --summary: sums for each agent (the default), session or day',
    },
    { name: 'csv', summary: 'with --summary: print CSV, in milliseconds' },
    { name: 'limit', value: count, summary: `at most this many entries (${LIMIT})` },
  ],
  run: runHistory,
};

function runHistory(call: Call): Promise<number> {
  const [ref] = call.args;
  const sinceMs = momentOf(call.flags, 'since', Date.now());
  const place = ref === undefined ? {} : { ref };
  const limit = numberOf(call.flags, 'limit') ?? LIMIT;
  if (isSet(call.flags, 'actions')) {
    const query = { ...place, limit };
    const isRecent = ({ asked_at }: ActionReport): boolean =>
      sinceMs === null || Date.parse(asked_at) >= sinceMs;
    const list = async (client: DaemonClient): Promise<ActionList> => {
      const { actions, ...header } = await client.call('list_actions', query);
      return { ...header, actions: actions.filter(isRecent) };
    };
    // Their names, which only the table shows.
    let panes: readonly PaneItem[] = [];
    const listNamed = async (client: DaemonClient): Promise<ActionList> => {
      if (!isSet(call.flags, 'json')) ({ panes } = await client.call('list_panes', {}));
      return list(client);
    };
    return printReplyTo(call, listNamed, (view, found) => renderActions(view, found, panes));
  }
  const since = sinceMs === null ? {} : { since_ms: Math.max(0, sinceMs) };
  if (isSet(call.flags, 'summary')) return printSummary(call, { ...place, ...since });
  if (isSet(call.flags, 'csv') || textOf(call.flags, 'by') !== undefined) throw withoutSummary();
  const input = { ...place, ...since, limit };
  return printReplyTo(call, (client) => client.call('history', input), renderHistory);
}

async function printSummary(
  call: Call,
  query: { readonly ref?: string; readonly since_ms?: number },
): Promise<number> {
  const by = summaryGroups.find((group) => group === textOf(call.flags, 'by')) ?? 'agent';
  const waits = Math.min(numberOf(call.flags, 'limit') ?? 5, WAITS_MAX);
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const input = { ...query, by, waits, time_zone: timeZone };
  if (!isSet(call.flags, 'csv')) {
    return printReplyTo(call, (client) => client.call('history_summary', input), renderTimeSpent);
  }
  const summary = await withDaemon(call, (client) => client.call('history_summary', input));
  call.io.writeOut(timeSpentCsv(summary));
  return 0;
}

const withoutSummary = (): CliProblem =>
  usageProblem('--by and --csv belong to --summary.', 'Type agtmux history --summary.');
