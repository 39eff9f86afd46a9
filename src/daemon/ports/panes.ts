// The port of panes: the world of now, and what is read of a pane besides it.

import { adapterOf } from '../../agents/registry.ts';
import { takesOwnAnswer } from '../../agents/screen/acting-rules.ts';
import { liveRuntime, type PaneRecord } from '../../core/world.ts';
import type { PaneScreen, PanesPort, TargetsPort } from '../../operations/ports/ports.ts';
import { type GitCheckout, NO_CHECKOUT } from '../../platform/files/git-branch.ts';
import { problemOf } from '../../schema/problem.ts';
import { type DaemonCore, LOCAL } from '../daemon-core.ts';
import { outagesOf } from '../health/outages.ts';
import type { Watchers } from '../watching/watchers.ts';

export interface PanesPortParts {
  readonly core: Pick<
    DaemonCore,
    'adapters' | 'alerts' | 'engine' | 'loop' | 'shownWorld' | 'storeHealth'
  >;
  readonly watchers: Pick<Watchers, 'capture' | 'isAttached'>;
  readonly targets: Pick<TargetsPort, 'statusOf'>;
  /** What is checked out around a folder of this machine. */
  readonly gitCheckout: (folder: string) => GitCheckout;
  /** What an agent without a pane shows; null where it shows nothing. */
  readonly screenOf: (pane: PaneRecord, lineCount: number) => PaneScreen | null;
}

/** Menus that an agent shows before it takes any words: sign-in, trust in a folder. */
const startReasons: ReadonlySet<string> = new Set(['auth_required', 'startup_dialog']);

export function panesPort(parts: PanesPortParts): PanesPort {
  const { core, watchers } = parts;
  return {
    world: () => core.shownWorld(),
    onChange: (listener) => core.loop.onApplied(listener),
    sightings: () => core.engine.sightings,
    storeError: () => {
      const { failure } = core.storeHealth;
      if (failure === null) return null;
      const { code, message } = failure.fault;
      return { code, message: `${message} ${problemOf(code).hint}` };
    },
    outages: () => outagesOf(core.engine.world, core.alerts.standing()),
    lastSeenAtMs: (pane) => lastSeenAtMs(parts, pane),
    takesText: ({ facts, row }, request) => {
      if (facts === null || (row.reasonCode !== null && startReasons.has(row.reasonCode))) {
        return false;
      }
      const adapter = row.agent === null ? null : adapterOf(core.adapters.registry, row.agent);
      return takesOwnAnswer(adapter?.screen.acting ?? null, request);
    },
    isAttached: ({ facts }) => facts !== null && watchers.isAttached(facts),
    gitCheckout: (pane) => {
      const folder = localFolderOf(pane);
      return folder === null ? NO_CHECKOUT : parts.gitCheckout(folder);
    },
    capture: async (pane, signal, historyCount = 0) => {
      const { facts } = pane;
      if (!facts) return parts.screenOf(pane, historyCount);
      return watchers.capture(facts, facts.paneId, { signal, historyCount });
    },
  };
}

/** The folder of a pane on this machine; a path of another machine means nothing here. */
export const localFolderOf = ({ targetId, facts, seatPath }: PaneRecord): string | null =>
  targetId === LOCAL ? (facts?.path ?? seatPath ?? null) : null;

/** When a live source last confirmed the row: the latest reading of any, or its last change. */
function lastSeenAtMs({ core, targets }: PanesPortParts, pane: PaneRecord): number {
  const { world, sightings } = core.engine;
  const runtime = liveRuntime(world, pane.runtimeId);
  const { targetId, row } = pane;
  // Losing its target has changed the row too, without a reading of the pane.
  const isLost = world.targets.get(targetId)?.health === 'down';
  let lastMs = isLost ? 0 : row.updatedAtMs;
  for (const [source, { cursor }] of runtime?.sources ?? []) {
    const readAtMs = sightings.readAtMs.get(`${runtime?.runtimeId}\n${source}`) ?? 0;
    lastMs = Math.max(lastMs, readAtMs, cursor.ingestedAtMs);
  }
  return lastMs || (targets.statusOf(targetId).lastSeenAtMs ?? row.updatedAtMs);
}
