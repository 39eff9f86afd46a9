// Which runtime evidence belongs to when it does not name one. Fails closed: what fits no live
// runtime, or two, is not applied. Names, titles and folders identify nothing.

import type { EngineConfig } from '../../schema/config.ts';
import type { BindHint, Evidence } from '../../schema/evidence.ts';
import type { RuntimeId } from '../../schema/ids.ts';
import { addressOf, liveRuntime, type RuntimeRecord, sessionAt, type World } from '../world.ts';
import { effectiveTimeMs } from './ordering.ts';

/** The runtime that a piece of evidence belongs to, or null while there is none. */
export function findRuntime(world: World, evidence: Evidence): RuntimeRecord | null {
  if (evidence.runtimeId !== null) return liveRuntime(world, evidence.runtimeId);
  const hint = evidence.bind;
  if (!hint) return null;
  const ofProcess = processRuntime(world, hint, evidence);
  if (ofProcess) return ofProcess;
  const ofPane = ifFits(world, liveRuntime(world, runtimeAt(world, hint)), hint, evidence);
  const ofSession = ifFits(world, liveRuntime(world, sessionRuntime(world, hint)), hint, evidence);
  if (!ofPane || !ofSession || ofPane === ofSession) return ofSession ?? ofPane;
  // A session that moved to another pane: only its process can prove it.
  return hint.pid !== undefined && hint.pid === ofPane.pid ? ofPane : null;
}

/** The runtime whose process ran the hook, whatever pane its environment names. */
function processRuntime(world: World, hint: BindHint, evidence: Evidence): RuntimeRecord | null {
  if (hint.pids === undefined) return null;
  let nearest: RuntimeRecord | null = null;
  let place = hint.pids.length;
  for (const { runtimeId } of world.panes.values()) {
    const runtime = liveRuntime(world, runtimeId);
    const at = hint.pids.indexOf(runtime?.pid ?? 0);
    if (at < 0 || at >= place || !ifFits(world, runtime, hint, evidence)) continue;
    nearest = runtime;
    place = at;
  }
  return nearest;
}

function sessionRuntime(world: World, hint: BindHint): RuntimeId | null {
  const { targetId, sessionKey } = hint;
  if (sessionKey === undefined) return null;
  return world.sessions.get(sessionAt(targetId, sessionKey))?.runtimeId ?? null;
}

const ifFits = (
  world: World,
  runtime: RuntimeRecord | null,
  hint: BindHint,
  evidence: Evidence,
): RuntimeRecord | null =>
  runtime && fits(runtime, hint, evidence, world.config) ? runtime : null;

function runtimeAt(world: World, hint: BindHint): RuntimeId | null {
  if (hint.paneKey !== undefined) return world.panes.get(hint.paneKey)?.runtimeId ?? null;
  if (hint.paneId === undefined || hint.server === undefined) return null;
  const { targetId, server, paneId } = hint;
  const paneKey = world.addresses.get(addressOf({ targetId, server, paneId }));
  return paneKey === undefined ? null : (world.panes.get(paneKey)?.runtimeId ?? null);
}

/**
 * Whether a hint that points at a runtime fits it. Where the lineage of the hook is known, it must
 * contain the runtime of the pane; otherwise a process id decides, where there is one. Without one,
 * and for a lineage too because pids are reused, evidence from before the start of the runtime
 * belongs to the runtime before it.
 */
function fits(
  runtime: RuntimeRecord,
  hint: BindHint,
  evidence: Evidence,
  config: EngineConfig,
): boolean {
  if (hint.targetId !== runtime.targetId) return false;
  if (hint.agent !== undefined && hint.agent !== runtime.agent) return false;
  if (runtime.pid !== null && !hint.pids?.includes(runtime.pid)) {
    const isOfPane = hint.paneId !== undefined || hint.paneKey !== undefined;
    if (hint.pids !== undefined && isOfPane) return false;
    if (hint.pid !== undefined) return isProcess(hint, runtime);
  }
  const { startedAtMs, foundAtMs = startedAtMs, pid } = runtime;
  // A start that is later than its finding is by a clock that was set since: the process decides.
  const isDescendant = pid !== null && hint.pids?.includes(pid) === true;
  if (startedAtMs > foundAtMs && isDescendant) return true;
  return effectiveTimeMs(evidence) >= Math.min(startedAtMs, foundAtMs) - config.bindWindowMs;
}

const isProcess = ({ pid, processStartedAtMs }: BindHint, runtime: RuntimeRecord): boolean =>
  pid === runtime.pid &&
  (processStartedAtMs === undefined || processStartedAtMs === runtime.startedAtMs);
