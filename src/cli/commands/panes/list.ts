// `agtmux list panes|windows|sessions`: one request to the daemon, one table.

import { renderRequests } from '../../../render/requests.ts';
import { safeText } from '../../../render/safe-text.ts';
import type { Call, CommandSpec } from '../../command.ts';
import { withDaemon } from '../../daemon-link.ts';
import { EXIT_DEGRADED } from '../../exit-codes.ts';
import { checkTargetOptions, fetchListing, type ListingScope } from '../../fetch-listing.ts';
import { agentOptions, choice, sessionOptions, sortOption } from '../../options.ts';
import { printReply, printReplyTo } from '../../output/print.ts';
import { unwatchedServerNote } from './unwatched-server.ts';

const exitNote =
  'Exit codes: 0 listed, 1 the daemon cannot store what happens, so that every state is unknown.';

export const listCommand: CommandSpec = {
  name: 'list',
  summary: 'panes, windows or sessions; alone it is list panes',
  defaultCommand: 'panes',
  commands: [
    {
      name: 'panes',
      summary: 'every pane; agents that need you come first',
      notes: [exitNote],
      examples: [
        'agtmux list',
        'agtmux list --needs-action',
        'agtmux list panes --state waiting_approval,waiting_input --json',
        'agtmux list panes --target local+work --sort age',
      ],
      options: [
        ...sessionOptions,
        ...agentOptions,
        sortOption(['attention', 'age', 'target', 'state']),
      ],
      run: runListPanes,
    },
    {
      name: 'windows',
      summary: 'every window with its most urgent state',
      notes: [exitNote],
      examples: ['agtmux list windows --with-agent-status'],
      options: [
        ...sessionOptions,
        ...agentOptions,
        { name: 'with-agent-status', summary: 'add the number of agents in each state' },
        sortOption(['attention', 'target', 'state']),
      ],
      run: (call) => runList(call, 'windows'),
    },
    {
      name: 'requests',
      summary: 'what agents ask, the oldest first',
      examples: ['agtmux list requests', 'agtmux list requests --json'],
      run: (call) =>
        printReplyTo(call, (client) => client.call('list_requests', {}), renderRequests),
    },
    {
      name: 'deliveries',
      summary: 'prompts that wait for their agent',
      examples: ['agtmux list deliveries --all'],
      options: [{ name: 'all', summary: 'include those that do not wait any more' }],
      // Its own file, so that the other listings start as quickly as without it.
      run: async (call) => (await import('./list-deliveries.ts')).listDeliveries(call),
    },
    {
      name: 'sessions',
      summary: 'every session with its most urgent state',
      notes: [exitNote],
      examples: ['agtmux list sessions --agent-summary --group-by session-name'],
      options: [
        ...sessionOptions,
        ...agentOptions,
        { name: 'agent-summary', summary: 'add the number of agents in each state' },
        {
          name: 'group-by',
          value: choice('KEY', ['target-session', 'session-name']),
          summary: 'session-name joins sessions of one name across targets',
        },
        sortOption(['attention', 'target', 'state']),
      ],
      run: (call) => runList(call, 'sessions'),
    },
  ],
};

export function runListPanes(call: Call): Promise<number> {
  return runList(call, 'panes');
}

async function runList(call: Call, scope: ListingScope): Promise<number> {
  checkTargetOptions(call.flags);
  const { list, draw, note } = await withDaemon(call, async (client) => ({
    ...(await fetchListing(client, scope, call.flags)),
    note: await unwatchedServerNote(call, client),
  }));
  printReply(call, list, draw);
  if (note !== null) call.io.writeErr(`${safeText(note)}\n`);
  return list.store_error === null ? 0 : EXIT_DEGRADED;
}
