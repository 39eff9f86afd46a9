// May this pane be shown? Who only looks at one has the guards of an action, on a snapshot of what
// was believed of it when it was asked for. Nothing of it is stored.

import { checkAction } from '../../core/guard.ts';
import type { PaneRecord } from '../../core/world.ts';
import type { ViewGuards } from '../../schema/api/preview.ts';
import { id, type RuntimeId } from '../../schema/ids.ts';
import type { Outcome } from '../../schema/outcome.ts';
import type { PanesPort } from '../ports/ports.ts';

export interface ViewRequest {
  readonly panes: PanesPort;
  readonly pane: PaneRecord;
  readonly guards: ViewGuards;
  readonly nowMs: () => number;
}

/** Takes the snapshot; what it returns says why the pane must not be shown now, or null. */
export function guardView({ panes, pane, guards, nowMs }: ViewRequest) {
  const { if_runtime: ifRuntime, if_state: ifState, if_updated_within_ms: within } = guards;
  const isGuarded = (ifRuntime ?? ifState ?? within) !== undefined;
  const { paneKey, row } = pane;
  const observedAtMs = nowMs();
  const snapshot = {
    ...{ paneKey, runtimeId: row.runtimeId, stateVersion: row.stateVersion, observedAtMs },
    expiresAtMs: observedAtMs + panes.world().config.actionSnapshotMs,
  };
  return (): Extract<Outcome<never>, { ok: false }> | null => {
    if (!isGuarded) return null;
    const checked = checkAction(panes.world(), {
      snapshot,
      guards: {
        ifRuntime: ifRuntime === undefined ? undefined : id<RuntimeId>(ifRuntime),
        ...{ ifState, ifUpdatedWithinMs: within, forceStale: guards.force_stale },
      },
      lastSeenAtMs: panes.lastSeenAtMs(panes.world().panes.get(paneKey) ?? pane),
      nowMs: nowMs(),
    });
    return checked.ok ? null : checked;
  };
}
