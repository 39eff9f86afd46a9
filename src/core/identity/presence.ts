// Whether an agent is in a pane (rule 10, docs/laws.md). The process tree decides where it can be
// read: two looks without the agent end its runtime, a gone process ends it at once. In an opaque
// pane the tree shows only ssh or docker, and proves nothing.

import type { EventDraft, EventOf } from '../../schema/event.ts';
import type { AgentName, PaneKey, RuntimeId, SessionKey } from '../../schema/ids.ts';
import type { SignatureInputs } from '../../schema/pane.ts';
import { liveRuntime, type RuntimeRecord, type World } from '../world.ts';

/** Looks without the agent that end its runtime where the tree can be read. */
export const MISSED_LOOKS_MAX = 2;

/** The agent process that a look found: the outermost match under the pane's process. */
export interface FoundAgent {
  readonly runtimeId: RuntimeId;
  readonly agent: AgentName;
  readonly pid: number;
  readonly startedAtMs: number;
  /** Stopped by a signal (state T). */
  readonly suspended: boolean;
  readonly signature: SignatureInputs;
  readonly sessionKey?: SessionKey;
}

export interface ProcessLook {
  readonly paneKey: PaneKey;
  readonly atMs: number;
  /** Null: the tree could not be read, and says nothing. */
  readonly tree: null | {
    readonly found: FoundAgent | null;
    /** The pid of the current runtime no longer exists. */
    readonly pidGone: boolean;
    readonly exitCode: number | null;
    readonly crashed: boolean;
  };
}

/** The events that one look at a pane's processes makes. */
export function observeProcesses(world: World, look: ProcessLook): readonly EventDraft[] {
  const pane = world.panes.get(look.paneKey);
  if (!pane || pane.goneAtMs !== null || look.tree === null) return [];
  const current = liveRuntime(world, pane.runtimeId);
  const { found } = look.tree;
  if (found)
    return found.runtimeId === current?.runtimeId
      ? confirmEvents(current, found, look.atMs)
      : [...endEvents(current, look, 'replaced'), ...startEvents(look, found)];
  if (!current || (pane.facts?.opaque && current.pid === null)) return [];
  if (look.tree.pidGone) return endEvents(current, look, 'process_gone');
  const missed: EventDraft = {
    type: 'runtime.missed',
    atMs: look.atMs,
    runtimeId: current.runtimeId,
  };
  const isSecond = current.missedLooks + 1 >= MISSED_LOOKS_MAX;
  return isSecond ? [missed, ...endEvents(current, look, 'no_agent')] : [missed];
}

/** What is new of an agent that was there before. */
export function confirmEvents(
  current: RuntimeRecord,
  found: FoundAgent,
  atMs: number,
): readonly EventDraft[] {
  const { runtimeId } = current;
  const events: EventDraft[] = [];
  const doubted = current.missedLooks > 0;
  const unconfirmed = current.reconfirm !== null && !current.reconfirm.processSeen;
  if (doubted || unconfirmed) events.push({ type: 'runtime.found', atMs, runtimeId });
  if (current.suspended !== found.suspended) {
    events.push({ type: 'runtime.suspended', atMs, runtimeId, suspended: found.suspended });
  }
  return events;
}

function startEvents(look: ProcessLook, found: FoundAgent): readonly EventDraft[] {
  const { runtimeId, agent, pid, startedAtMs, signature, sessionKey, suspended } = found;
  const { atMs } = look;
  const start: EventDraft = {
    type: 'runtime.started',
    atMs,
    runtimeId,
    paneKey: look.paneKey,
    agent,
    pid,
    startedAtMs,
    basis: 'process',
    signature,
    ...(sessionKey === undefined ? {} : { sessionKey }),
  };
  return suspended ? [start, { type: 'runtime.suspended', atMs, runtimeId, suspended }] : [start];
}

function endEvents(
  current: RuntimeRecord | null,
  look: ProcessLook,
  reason: EventOf<'runtime.ended'>['reason'],
): readonly EventDraft[] {
  if (!current) return [];
  return [
    {
      type: 'runtime.ended',
      atMs: look.atMs,
      runtimeId: current.runtimeId,
      reason,
      exitCode: look.tree?.exitCode ?? null,
      crashed: look.tree?.crashed ?? false,
    },
  ];
}

/** The epoch that the next runtime of a pane gets; part of its id where no pid is visible. */
export function nextPaneEpoch(world: World, paneKey: PaneKey): number {
  return (world.panes.get(paneKey)?.paneEpoch ?? 0) + 1;
}
