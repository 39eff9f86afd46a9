// Which runtime evidence belongs to when it does not say so itself (seed 000, 7.4). Fails closed:
// what fits no living runtime, or two, is not applied. Names, titles and folders identify nothing.

import type { EngineConfig } from '../../schema/config.ts';
import type { BindHint, Evidence } from '../../schema/evidence.ts';
import type { RuntimeId } from '../../schema/ids.ts';
import { addressOf, liveRuntime, type RuntimeRecord, type World } from '../world.ts';
import { believedTimeMs } from './ordering.ts';

/** The runtime that a piece of evidence belongs to, or null while there is none. */
export function bindingOf(world: World, evidence: Evidence): RuntimeRecord | null {
  if (evidence.runtimeId !== null) return liveRuntime(world, evidence.runtimeId);
  const hint = evidence.bind;
  if (!hint) return null;
  const candidate = candidateOf(world, hint);
  return candidate && fits(candidate, hint, evidence, world.config) ? candidate : null;
}

/** A session that is bound already is the surest hint; then the pane instance; then its address. */
function candidateOf(world: World, hint: BindHint): RuntimeRecord | null {
  if (hint.sessionKey !== undefined) {
    const bound = liveRuntime(world, world.sessions.get(hint.sessionKey)?.runtimeId ?? null);
    if (bound) return bound;
  }
  return liveRuntime(world, runtimeAt(world, hint));
}

function runtimeAt(world: World, hint: BindHint): RuntimeId | null {
  if (hint.paneKey !== undefined) return world.panes.get(hint.paneKey)?.runtimeId ?? null;
  if (hint.paneId === undefined || hint.server === undefined) return null;
  const { targetId, server, paneId } = hint;
  const paneKey = world.addresses.get(addressOf({ targetId, server, paneId }));
  return paneKey === undefined ? null : (world.panes.get(paneKey)?.runtimeId ?? null);
}

/**
 * Whether a hint that points at a runtime may be believed. A process id decides where there is one.
 * Without it, evidence from before the runtime's start belongs to whoever was there before.
 */
function fits(
  runtime: RuntimeRecord,
  hint: BindHint,
  evidence: Evidence,
  config: EngineConfig,
): boolean {
  if (hint.targetId !== runtime.targetId) return false;
  if (hint.agent !== undefined && hint.agent !== runtime.agent) return false;
  if (hint.pid !== undefined && runtime.pid !== null) {
    const sameStart =
      hint.processStartedAtMs === undefined || hint.processStartedAtMs === runtime.startedAtMs;
    return hint.pid === runtime.pid && sameStart;
  }
  const atMs = believedTimeMs(evidence, config.clockSkewMs);
  return atMs >= runtime.startedAtMs - config.bindWindowMs;
}
