// The order by attention: who needs a person most comes first. Plain functions over items of panes,
// without zod, so that a client sorts as the daemon does and loads nothing for it. Pure.

import { type NeedKind, needOf } from '../../text/need.ts';
import type { PaneItem } from '../api/panes.ts';

const urgencies: Readonly<Record<NeedKind, number>> = {
  approval: 0,
  question: 0,
  error: 1,
  crash: 1,
  stuck: 2,
};

/** The order of `attention`: who needs a person most comes first, longest wait before shorter. */
function urgencyOf(item: PaneItem): number {
  if (item.presence === 'missing') return 9;
  const need = needOf(item);
  if (need !== null) return urgencies[need];
  if (item.attention.kinds.includes('completion')) return 3;
  if (item.agent === null) return 8;
  if (item.state === 'running') return 5;
  if (item.state === 'completed' || item.state === 'idle') return 6;
  // Waiting and snoozed, or failed and seen already.
  return item.state === 'unknown' ? 7 : 4;
}

export type Comparison = (a: PaneItem, b: PaneItem) => number;

export const byText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

export const byPlace: Comparison = (a, b) =>
  byText(a.target, b.target) ||
  byText(a.identity?.server ?? '', b.identity?.server ?? '') ||
  byText(a.identity?.session_name ?? '', b.identity?.session_name ?? '') ||
  (a.identity?.window_index ?? 0) - (b.identity?.window_index ?? 0) ||
  (a.identity?.pane_index ?? 0) - (b.identity?.pane_index ?? 0) ||
  byText(a.pane_key, b.pane_key);

export const byAttention: Comparison = (a, b) =>
  urgencyOf(a) - urgencyOf(b) ||
  byText(a.attention.since ?? a.since, b.attention.since ?? b.since) ||
  byPlace(a, b);
