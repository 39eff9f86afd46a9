// The group of a pane: by session, state, target, folder or worktree. Pure.

import type { PaneItem } from '../../schema/api/panes.ts';
import { states } from '../../text/state-words.ts';
import type { Model } from '../model.ts';
import type { GroupBy } from '../preferences.ts';

export interface PaneGroup {
  /** Stays the same over restarts, so that a collapsed group is remembered. */
  readonly key: string;
  /** Foreign text. */
  readonly title: string;
  /** Groups with a smaller rank come first; equal ones are sorted as their rows say. */
  readonly rank: number;
}

export interface GroupingContext {
  readonly home: string;
  /** Targets that have more than one tmux server. */
  readonly crowded: ReadonlySet<string>;
}

/** The targets whose panes are on more than one tmux server. */
export function targetsWithServers(panes: Model['panes']): ReadonlySet<string> {
  const first = new Map<string, string>();
  const crowded = new Set<string>();
  for (const { target, identity } of panes.values()) {
    if (!identity) continue;
    const server = first.get(target);
    if (server === undefined) first.set(target, identity.server);
    else if (server !== identity.server) crowded.add(target);
  }
  return crowded;
}

type GroupPane = (pane: PaneItem, context: GroupingContext) => PaneGroup;

const group = (parts: readonly string[], title: string, rank = 0): PaneGroup => ({
  key: parts.join('\n'),
  title,
  rank,
});

const bySession: GroupPane = ({ target, identity }, { crowded }) => {
  if (identity === null) return group([target, '', ''], `${target} without a pane`);
  const { server, session_name: session } = identity;
  const socket = crowded.has(target) ? `+${server.slice(server.lastIndexOf('/') + 1)}` : '';
  return group([target, server, session], `${target}${socket}/${session}`);
};

const byState: GroupPane = ({ agent, state }) => {
  if (agent === null) return group(['-'], 'no agent', states.length);
  return group([state], state, states.indexOf(state));
};

const byTarget: GroupPane = ({ target }) => group([target], target);

/** A path as people write it; with the target where it is another machine. */
function shownPath(target: string, path: string, home: string): string {
  if (target !== 'local') return path === '' ? '' : `${target}:${path}`;
  if (home === '' || (path !== home && !path.startsWith(`${home}/`))) return path;
  return `~${path.slice(home.length)}`;
}

/** The folder of a pane. */
export const pathText = ({ target, current_path: path }: PaneItem, home: string): string =>
  shownPath(target, path, home);

const byFolder: GroupPane = (pane, { home }) =>
  group(
    [pane.target, pane.current_path],
    pathText(pane, home) || `${pane.target} without a folder`,
  );

/** The worktree with its branch; the folder where no worktree is known. */
const byWorktree: GroupPane = (pane, context) => {
  const { target, git_worktree: worktree, git_branch: branch } = pane;
  if (worktree === null) return byFolder(pane, context);
  const title = shownPath(target, worktree, context.home);
  return group([target, worktree], branch === null ? title : `${title} (${branch})`);
};

const groupings: Readonly<Record<GroupBy, GroupPane>> = {
  session: bySession,
  state: byState,
  target: byTarget,
  folder: byFolder,
  worktree: byWorktree,
};

/** The group of a pane. */
export function groupOf(pane: PaneItem, groupBy: GroupBy, context: GroupingContext): PaneGroup {
  const found = groupings[groupBy](pane, context);
  return { ...found, key: `${groupBy}\n${found.key}` };
}
