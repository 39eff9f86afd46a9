// `agtmux list panes|windows|sessions`: one question to the daemon, one table. Filters are the
// daemon's affair; only windows and sessions are put in order here.

import type { DaemonClient } from '../../client/client.ts';
import { renderPanes, renderSessions, renderWindows } from '../../render/listings.ts';
import { stateWords } from '../../render/state-words.ts';
import type { View } from '../../render/view.ts';
import type {
  ListFilter,
  PaneList,
  SessionItem,
  SessionList,
  SortKey,
  WindowItem,
  WindowList,
} from '../../schema/api/panes.ts';
import type { State } from '../../schema/state.ts';
import { type Call, type Flags, isSet, textOf } from '../command.ts';
import { withDaemon } from '../daemon-link.ts';
import { CliProblem, EXIT_USAGE } from '../exit-codes.ts';
import { printAnswer } from '../print.ts';

/** One listing as it was answered, with how it is drawn. */
export interface Listing {
  readonly list: PaneList | WindowList | SessionList;
  readonly draw: (view: View) => string;
}

export type Scope = 'panes' | 'windows' | 'sessions';

export async function runList(call: Call): Promise<number> {
  const scope = (call.path[1] ?? 'panes') as Scope;
  refuseContradiction(call.flags);
  const { list, draw } = await withDaemon(call, (client) => askListing(client, scope, call.flags));
  printAnswer(call, list, draw);
  return 0;
}

export function refuseContradiction(flags: Flags): void {
  if (textOf(flags, 'target') === undefined || !isSet(flags, 'all-targets')) return;
  throw new CliProblem('E_INPUT_INVALID', '--target and --all-targets contradict each other.', {
    exitCode: EXIT_USAGE,
    hint: 'Give one of them.',
  });
}

/** Asks for one listing. `watch` asks for the same. */
export async function askListing(
  client: DaemonClient,
  scope: Scope,
  flags: Flags,
): Promise<Listing> {
  const filter = filterOf(flags);
  if (scope === 'panes') {
    const sort = (textOf(flags, 'sort') ?? 'attention') as SortKey;
    const list = await client.call('list_panes', { ...filter, sort });
    return { list, draw: (view) => renderPanes(view, list) };
  }
  if (scope === 'windows') {
    const told = await client.call('list_windows', filter);
    const list = { ...told, windows: sorted(told.windows, flags) };
    const options = { counts: isSet(flags, 'with-agent-status') };
    return { list, draw: (view) => renderWindows(view, list, options) };
  }
  const groupBy = textOf(flags, 'group-by') as 'target-session' | 'session-name' | undefined;
  const grouping = groupBy === undefined ? {} : { group_by: groupBy };
  const told = await client.call('list_sessions', { ...filter, ...grouping });
  const list = { ...told, sessions: sorted(told.sessions, flags) };
  const options = { counts: isSet(flags, 'agent-summary') };
  return { list, draw: (view) => renderSessions(view, list, options) };
}

function filterOf(flags: Flags): ListFilter {
  const target = textOf(flags, 'target');
  const targetSession = textOf(flags, 'target-session');
  const session = textOf(flags, 'session');
  const state = textOf(flags, 'state') as State | undefined;
  const agent = textOf(flags, 'agent');
  return {
    ...(target === undefined ? {} : { target }),
    ...(targetSession === undefined ? {} : { target_session: targetSession }),
    ...(session === undefined ? {} : { session }),
    ...(state === undefined ? {} : { state }),
    ...(agent === undefined ? {} : { agent }),
    ...(isSet(flags, 'needs-action') ? { needs_action: true } : {}),
  };
}

/** What waits for a person first, then by state; or by place. Equal ones keep their order. */
function sorted<Item extends WindowItem | SessionItem>(
  items: readonly Item[],
  flags: Flags,
): Item[] {
  const key = textOf(flags, 'sort') ?? 'attention';
  const place = ({ identity }: Item): string => `${identity.target}\n${identity.session_name}`;
  if (key === 'target') return items.toSorted((a, b) => compareText(place(a), place(b)));
  const urgency = (item: Item): number =>
    item.agents === 0 ? stateWords.length : stateWords.indexOf(item.top_state);
  return items.toSorted((a, b) => urgency(a) - urgency(b));
}

const compareText = (a: string, b: string): number => Number(a > b) - Number(a < b);
