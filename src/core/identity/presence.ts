// Whether an agent is in a pane (rule 10, docs/laws.md). The process tree decides where it can be
// read: two scans without the agent end its runtime, a gone process ends it at once. In an opaque
// pane the tree shows only ssh or docker: there a screen without the agent ends it.

import type { EventDraft, EventOf } from '../../schema/event.ts';
import type { AgentName, PaneKey, RuntimeId, SessionKey } from '../../schema/ids.ts';
import type { SignatureInputs } from '../../schema/pane.ts';
import { liveRuntime, type RuntimeRecord, type World } from '../world.ts';
import { isEndByKill } from './kill.ts';
import { unfinishedTurn } from './unfinished-turn.ts';

/** Scans without the agent that end its runtime where the tree can be read. */
export const MISSED_SCANS_MAX = 2;

/** The agent process that a scan found: the outermost match under the pane's process. */
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

export interface ProcessScan {
  readonly paneKey: PaneKey;
  readonly atMs: number;
  /** Null: the tree could not be read, and says nothing. */
  readonly tree: null | {
    readonly found: FoundAgent | null;
    /** The pid of the current runtime no longer exists. */
    readonly pidGone: boolean;
    readonly exitCode: number | null;
    readonly crashed: boolean;
    /** It was found a moment ago and exits at its prompt: an unfinished turn is a crash. */
    readonly isInteractive?: boolean;
    /** The screen of an opaque pane has shown for long that no agent is there. */
    readonly leftOpaque?: boolean;
    /** A shell prompts at the live end of an opaque pane: what its agent said last is in doubt. */
    readonly isShellInFront?: boolean;
  };
}

export function observeProcesses(world: World, scan: ProcessScan): readonly EventDraft[] {
  const pane = world.panes.get(scan.paneKey);
  if (!pane || pane.goneAtMs !== null || scan.tree === null) return [];
  const current = liveRuntime(world, pane.runtimeId);
  const { found } = scan.tree;
  if (found)
    return found.runtimeId === current?.runtimeId
      ? confirmEvents(current, found, scan.atMs)
      : [...endEvents(current, scan, 'replaced'), ...startEvents(scan, found)];
  if (!current) return [];
  if (pane.facts?.opaque && current.pid === null) {
    if (scan.tree.leftOpaque) return endEvents(current, scan, 'no_agent');
    return doubtEvents(current, scan.tree.isShellInFront ?? false, scan.atMs);
  }
  if (scan.tree.pidGone) return endEvents(current, scan, 'process_gone');
  const missed: EventDraft = {
    type: 'runtime.missed',
    atMs: scan.atMs,
    runtimeId: current.runtimeId,
  };
  const isSecond = current.missedLooks + 1 >= MISSED_SCANS_MAX;
  return isSecond ? [missed, ...endEvents(current, scan, 'no_agent')] : [missed];
}

/**
 * An agent that its screen alone proved is missed while a shell is where that screen was. One that
 * declared itself may run behind the shell.
 */
function doubtEvents(
  { runtimeId, missedLooks, basis }: RuntimeRecord,
  isShellInFront: boolean,
  atMs: number,
): readonly EventDraft[] {
  const isMissed = isShellInFront && basis === 'screen';
  if (isMissed === missedLooks > 0) return [];
  return [{ type: isMissed ? 'runtime.missed' : 'runtime.found', atMs, runtimeId }];
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

function startEvents(scan: ProcessScan, found: FoundAgent): readonly EventDraft[] {
  const { runtimeId, agent, pid, startedAtMs, signature, sessionKey, suspended } = found;
  const { atMs } = scan;
  const start: EventDraft = {
    type: 'runtime.started',
    atMs,
    runtimeId,
    paneKey: scan.paneKey,
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
  scan: ProcessScan,
  reason: EventOf<'runtime.ended'>['reason'],
): readonly EventDraft[] {
  if (!current || !scan.tree) return [];
  const { exitCode, crashed, isInteractive } = scan.tree;
  const during = exitCode === null && isInteractive ? unfinishedTurn(current) : null;
  const isCrash = (crashed || during !== null) && !isEndByKill(current, scan.atMs);
  return [
    {
      type: 'runtime.ended',
      atMs: scan.atMs,
      runtimeId: current.runtimeId,
      reason,
      exitCode,
      crashed: isCrash,
      ...(during === null ? {} : { during }),
    },
  ];
}

/** The epoch that the next runtime of a pane gets; part of its id where no pid is visible. */
export function nextPaneEpoch(world: World, paneKey: PaneKey): number {
  return (world.panes.get(paneKey)?.paneEpoch ?? 0) + 1;
}
