// Which panes the list shows: filters by text, attention and agents, and workers that are hidden.
// Pure.

import { questionText } from '../../render/pane-notes.ts';
import { locationText } from '../../render/typed-names.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import { fitsPattern } from '../../text/fits-pattern.ts';
import type { RowFilter } from '../preferences.ts';

/** The words of a filter, in lower case. */
export const filterWords = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');

/** Whether a pane passes the filter; `words` are its words. */
export function matchesFilter(
  pane: PaneItem,
  { attentionOnly, agentsOnly }: RowFilter,
  words: readonly string[],
): boolean {
  if (agentsOnly && pane.agent === null) return false;
  if (attentionOnly && pane.attention.kinds.length === 0) return false;
  if (words.length === 0) return true;
  const { identity } = pane;
  const text = [
    pane.agent === null ? 'no agent' : pane.state,
    ...[pane.reason_code, pane.agent, pane.alias, pane.title, pane.git_branch, pane.current_path],
    ...[pane.target, pane.current_cmd, pane.activity.prompt, ...pane.attention.kinds],
    ...(identity ? [identity.window_name, identity.pane_id] : []),
    ...[`${pane.target}/${locationText(identity)}`, questionText(pane)],
  ].join('\n');
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

/** Whether the pane belongs to a worker of an orchestrator: by the name of session or window. */
export function isWorker({ identity }: PaneItem, patterns: readonly string[]): boolean {
  if (identity === null) return false;
  const names = [identity.session_name, identity.window_name];
  return patterns.some((pattern) => names.some((name) => fitsPattern(name, pattern)));
}
