// Fetches a listing of panes, windows or sessions by the options of a command line. `list`, `watch`
// and `demo` print it. The daemon filters; windows and sessions are sorted here.

import type { DaemonClient } from '../client/client.ts';
import { renderPanes, renderSessions, renderWindows } from '../render/listings.ts';
import type { View } from '../render/view.ts';
import type {
  ListFilter,
  PaneList,
  SessionItem,
  SessionList,
  SortKey,
  WindowItem,
  WindowList,
} from '../schema/api/panes.ts';
import type { State } from '../schema/state.ts';
import { states } from '../text/state-words.ts';
import { type Flags, isSet, textOf } from './command.ts';
import { usageProblem } from './exit-codes.ts';
import { splitWords } from './value.ts';

/** A listing as the daemon sent it, with how it is drawn. */
export interface Listing {
  readonly list: PaneList | WindowList | SessionList;
  readonly draw: (view: View) => string;
}

export type ListingScope = 'panes' | 'windows' | 'sessions';

/** Refuses --target beside --all-targets. */
export function checkTargetOptions(flags: Flags): void {
  if (textOf(flags, 'target') === undefined || !isSet(flags, 'all-targets')) return;
  throw usageProblem('--target and --all-targets contradict each other.', 'Give one of them.');
}

export async function fetchListing(
  client: DaemonClient,
  scope: ListingScope,
  flags: Flags,
): Promise<Listing> {
  const filter = filterOf(flags);
  if (scope === 'panes') {
    const sort = (textOf(flags, 'sort') ?? 'attention') as SortKey;
    const list = await client.call('list_panes', { ...filter, sort });
    const isWhole = Object.keys(filter).length === 0 || isSet(flags, 'json');
    const { panes } = isWhole ? list : await client.call('list_panes', {});
    return { list, draw: (view) => renderPanes(view, list, panes) };
  }
  if (scope === 'windows') {
    const reply = await client.call('list_windows', filter);
    const list = { ...reply, windows: sorted(reply.windows, flags) };
    const options = { counts: isSet(flags, 'with-agent-status') };
    return { list, draw: (view) => renderWindows(view, list, options) };
  }
  const groupBy = textOf(flags, 'group-by') as 'target-session' | 'session-name' | undefined;
  const grouping = groupBy === undefined ? {} : { group_by: groupBy };
  const reply = await client.call('list_sessions', { ...filter, ...grouping });
  const list = { ...reply, sessions: sorted(reply.sessions, flags) };
  const options = { counts: isSet(flags, 'agent-summary') };
  return { list, draw: (view) => renderSessions(view, list, options) };
}

/** What the options of a command line ask for. */
export function filterOf(flags: Flags): ListFilter {
  const target = textOf(flags, 'target');
  const targetSession = textOf(flags, 'target-session');
  const session = textOf(flags, 'session');
  const state = textOf(flags, 'state');
  const agent = textOf(flags, 'agent');
  return {
    ...(target === undefined ? {} : { target }),
    ...(targetSession === undefined ? {} : { target_session: targetSession }),
    ...(session === undefined ? {} : { session }),
    ...(state === undefined ? {} : { state: statesOf(state) }),
    ...(agent === undefined ? {} : { agent }),
    ...(isSet(flags, 'needs-action') ? { needs_action: true } : {}),
  };
}

/** One state as a word, several as a list: daemons of older versions take the word alone. */
function statesOf(text: string): State | State[] {
  const words = splitWords(text) as State[];
  const [only, ...others] = words;
  return only !== undefined && others.length === 0 ? only : words;
}

/** By state, most urgent first and rows without agents last; or by target and session. */
function sorted<Item extends WindowItem | SessionItem>(
  items: readonly Item[],
  flags: Flags,
): Item[] {
  const key = textOf(flags, 'sort') ?? 'attention';
  const place = ({ identity }: Item): string => `${identity.target}\n${identity.session_name}`;
  if (key === 'target') return items.toSorted((a, b) => compareText(place(a), place(b)));
  const urgency = (item: Item): number =>
    item.agents === 0 ? states.length : states.indexOf(item.top_state);
  return items.toSorted((a, b) => urgency(a) - urgency(b));
}

const compareText = (a: string, b: string): number => Number(a > b) - Number(a < b);
