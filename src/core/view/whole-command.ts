// What an open approval asks for, where a repeat rule may answer it: the agent itself has reported
// the whole command, and every source of its own agrees. A screen may be drawn by anything.

import type { RequestId } from '../../schema/ids.ts';
import { HIDDEN } from '../evidence/secrets.ts';
import { liveClaims } from '../state/verdict.ts';
import { liveRuntime, type PaneRecord, type World } from '../world.ts';

/** Sources cut what is longer, some without a mark. */
const WHOLE_COMMAND_MAX = 1_000;

/** Where and for what a rule holds; compared letter by letter. */
export interface CommandSignature {
  readonly targetId: string;
  readonly agent: string;
  /** The folder that the pane is in. */
  readonly folder: string;
  readonly tool: string | null;
  readonly command: string;
}

/** Null where nothing deterministic carries the whole command of the request. */
export function wholeCommand(
  world: World,
  pane: PaneRecord,
  requestId: RequestId,
): CommandSignature | null {
  const { facts, row } = pane;
  const runtime = liveRuntime(world, pane.runtimeId);
  if (!facts || facts.opaque || runtime === null || runtime.pid === null) return null;
  if (row.state !== 'waiting_approval' || row.evidence.mode !== 'deterministic') return null;
  const open = row.attention.requests.filter(({ kind }) => kind === 'approval');
  const [request] = open;
  if (open.length !== 1 || request?.requestId !== requestId) return null;
  const reports = liveClaims(runtime).flatMap(({ claim }) => {
    const isOwn = claim.tier === 'deterministic' && claim.says === 'waiting_approval';
    return isOwn && !claim.backfill && claim.request?.command !== undefined ? [claim.request] : [];
  });
  const [first] = reports;
  if (first?.command === undefined || !reports.every((each) => each.command === first.command)) {
    return null;
  }
  if (first.file !== undefined || !isWhole(first.command)) return null;
  return {
    ...{ targetId: facts.targetId, agent: runtime.agent, folder: facts.path },
    ...{ tool: first.tool ?? null, command: first.command },
  };
}

/** Two commands of which a part is hidden or cut may be equal and ask for different things. */
const isWhole = (command: string): boolean =>
  command.trim() !== '' &&
  command.length <= WHOLE_COMMAND_MAX &&
  !command.includes(HIDDEN) &&
  !command.trimEnd().endsWith('…');

export const sameSignature = (a: CommandSignature, b: CommandSignature): boolean =>
  a.targetId === b.targetId &&
  a.agent === b.agent &&
  a.folder === b.folder &&
  a.tool === b.tool &&
  a.command === b.command;
