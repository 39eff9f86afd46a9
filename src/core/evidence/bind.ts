// Which runtime evidence belongs to when it does not say so itself. Fails closed:
// what fits no living runtime, or two, is not applied. Names, titles and folders identify nothing.

import type { EngineConfig } from '../../schema/config.ts';
import type { BindHint, Evidence } from '../../schema/evidence.ts';
import type { RuntimeId } from '../../schema/ids.ts';
import { addressOf, liveRuntime, type RuntimeRecord, sessionAt, type World } from '../world.ts';
import { believedTimeMs } from './ordering.ts';

/** The runtime that a piece of evidence belongs to, or null while there is none. */
export function bindingOf(world: World, evidence: Evidence): RuntimeRecord | null {
  if (evidence.runtimeId !== null) return liveRuntime(world, evidence.runtimeId);
  const hint = evidence.bind;
  if (!hint) return null;
  const ofPane = fitting(world, liveRuntime(world, runtimeAt(world, hint)), hint, evidence);
  const ofSession = fitting(world, liveRuntime(world, sessionRuntime(world, hint)), hint, evidence);
  if (!ofPane || !ofSession || ofPane === ofSession) return ofSession ?? ofPane;
  // A session that moved to another pane: only its process can prove it.
  return hint.pid !== undefined && hint.pid === ofPane.pid ? ofPane : null;
}

function sessionRuntime(world: World, hint: BindHint): RuntimeId | null {
  const { targetId, sessionKey } = hint;
  if (sessionKey === undefined) return null;
  return world.sessions.get(sessionAt(targetId, sessionKey))?.runtimeId ?? null;
}

const fitting = (
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
