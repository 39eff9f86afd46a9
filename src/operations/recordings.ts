// A recording of one pane for a bug report or the corpus. Taking and redacting it is recording/,
// behind the port.

import { resolveRef } from '../core/view/resolve-ref.ts';
import type { PaneRecord } from '../core/world.ts';
import { type Outcome, ok, refuse } from '../schema/outcome.ts';
import type { LabelRecord } from '../schema/record.ts';
import { whyOf } from './answer/ledger.ts';
import { header, paneItem } from './answer/pane-item.ts';
import { paneView } from './panes.ts';
import { type Operation, operation } from './ports/operation.ts';

/** Long enough for a turn and the one before it. */
const MINUTES = 10;

export const recordingOperations: readonly Operation[] = [
  operation('record_pane', {
    summary: 'The screen of a pane with its latest evidence, redacted, as a record of the corpus.',
    scope: 'read',
    actors: ['user'],
    deadlineMs: 15_000,
    ports: ['panes', 'recordings'],
    run: async ({ panes, recordings }, { ref, label, minutes = MINUTES }, call) => {
      const view = paneView(panes);
      const found = resolveRef(view.world, ref, 'read');
      if (!found.ok) return found;
      const pane = found.value;
      const { targetId } = pane;
      if (view.world.targets.get(targetId)?.kind !== 'local') {
        const only = 'only panes of this machine can be recorded.';
        return refuse('E_INPUT_INVALID', `${ref} is on ${targetId}; ${only}`);
      }
      const labelled: Outcome<LabelRecord['state']> = label ? ok(label) : labelOf(pane);
      if (!labelled.ok) return labelled;
      const nowMs = call.nowMs();
      const request = {
        pane: paneItem(view, pane),
        why: whyOf(pane, nowMs),
        label: labelled.value,
        isLabelGiven: label !== undefined,
        minutes,
        nowMs,
      };
      const recording = await recordings.take(request, call.signal);
      return ok({ ...header(nowMs), recording });
    },
  }),
];

function labelOf({ row }: PaneRecord): Outcome<LabelRecord['state']> {
  if (row.presence !== 'managed') return ok('no_agent');
  if (row.state !== 'unknown') return ok(row.state);
  const what = 'the state is unknown; name the true one with --label STATE.';
  return refuse('E_INPUT_INVALID', what);
}
