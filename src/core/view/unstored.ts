// The world as it is shown while nothing can be stored. What happens meanwhile does not reach the
// world, so that no row may be shown as current: each is `unknown/store_failed`.

import type { PaneKey } from '../../schema/ids.ts';
import type { Attention, PaneRow } from '../../schema/pane.ts';
import type { AttentionKind } from '../../schema/state.ts';
import { noAttention } from '../state/attention.ts';
import { unknownFor } from '../state/verdict.ts';
import type { PaneRecord, World } from '../world.ts';

/** `sinceMs`: when storing began to fail. Panes that are gone stay as they are. */
export function unstoredWorld(world: World, sinceMs: number): World {
  const panes = new Map<PaneKey, PaneRecord>();
  for (const [paneKey, pane] of world.panes) {
    const isGone = pane.goneAtMs !== null;
    panes.set(paneKey, isGone ? pane : { ...pane, row: unstoredRow(pane.row, sinceMs) });
  }
  return { ...world, panes };
}

const unstoredRow = (row: PaneRow, sinceMs: number): PaneRow => ({
  ...row,
  ...unknownFor('store_failed'),
  attention: lastingAttention(row.attention),
  sinceMs,
  updatedAtMs: Math.max(row.updatedAtMs, sinceMs),
});

/** As for every unknown row: whether a dialog or a failure is still on screen is not known. */
const passing: ReadonlySet<AttentionKind> = new Set<AttentionKind>([
  'approval',
  'question',
  'error',
]);

function lastingAttention(attention: Attention): Attention {
  const requests = attention.requests.filter(({ kind }) => !passing.has(kind));
  if (requests.length === attention.requests.length) return attention;
  const open = requests.filter(({ seen }) => !seen);
  if (requests.length === 0) return noAttention;
  return {
    kinds: attention.kinds.filter((kind) => !passing.has(kind)),
    sinceMs: open.length > 0 ? Math.min(...open.map((each) => each.sinceMs)) : null,
    requests,
  };
}
