// When members whose program has ended are started again: how often in a row, and how long is
// waited before each time. Pure; daemon/teams/bundle-keeper.ts asks, and has tmux do it.

import type { RestartRule } from '../../schema/relay/team.ts';
import { MEMBER_OPTION, OWNER_OPTION } from './session-scripts.ts';

/** A member that has stayed up for so long begins anew. */
const STEADY_MS = 10 * 60_000;
/** The longest wait between two starts. */
const DELAY_MS_MAX = 10 * 60_000;

/** What is known of one member. */
export interface MemberRestarts {
  /** In a row. */
  readonly count: number;
  /** When it was started again last; null: it was not. */
  readonly startedAtMs: number | null;
  /** Its end that is being dealt with, by the pid of its program; null: it runs. */
  readonly end: { readonly pid: number; readonly atMs: number; readonly isOver: boolean } | null;
}

export const noRestarts: MemberRestarts = { count: 0, startedAtMs: null, end: null };

/** `give_up`: it was started as often as the rule says, and has ended again. */
export type RestartStep = 'nothing' | 'wait' | 'start' | 'give_up';

/** Before the start after so many in a row. */
export const restartDelayMs = ({ backoffMs }: RestartRule, count: number): number =>
  Math.min(DELAY_MS_MAX, backoffMs * 2 ** Math.min(count, 20));

/** What a look at its pane shows. `deadPid`: its program has ended; null: it runs. */
export function nextRestart(
  rule: RestartRule,
  before: MemberRestarts,
  deadPid: number | null,
  nowMs: number,
): { readonly restarts: MemberRestarts; readonly step: RestartStep } {
  if (deadPid === null) return { restarts: { ...before, end: null }, step: 'nothing' };
  const { startedAtMs } = before;
  const isNew = before.end?.pid !== deadPid;
  const wasSteady = isNew && startedAtMs !== null && nowMs - startedAtMs >= STEADY_MS;
  const count = wasSteady ? 0 : before.count;
  const end = isNew || !before.end ? { pid: deadPid, atMs: nowMs, isOver: false } : before.end;
  const restarts = { count, startedAtMs, end };
  if (rule.when === 'never' || end.isOver) return { restarts, step: 'nothing' };
  if (count >= rule.attempts) return { restarts, step: 'give_up' };
  const isDue = nowMs - end.atMs >= restartDelayMs(rule, count);
  return { restarts, step: isDue ? 'start' : 'wait' };
}

/** It was started again. */
export const restarted = ({ count }: MemberRestarts, nowMs: number): MemberRestarts => ({
  count: count + 1,
  startedAtMs: nowMs,
  end: null,
});

/** Nothing more is to be done about this end. */
export const settledEnd = (restarts: MemberRestarts): MemberRestarts => ({
  ...restarts,
  end: restarts.end && { ...restarts.end, isOver: true },
});

const RESTARTED = 'agtmux-restarted';
const KEPT = 'agtmux-kept';

/**
 * Starts the ended program of a pane again, in the environment and the folder of its first start,
 * which its session keeps. Only if it is still the one that has ended, and in a session of ours.
 */
export function restartCommand(
  { when }: RestartRule,
  pane: {
    readonly paneId: string;
    readonly pid: number;
    readonly owner: string;
    readonly member: string;
  },
): readonly string[] {
  const { paneId, pid, owner, member } = pane;
  const found = `#{pane_dead}|#{pane_pid}|#{${OWNER_OPTION}}|#{${MEMBER_OPTION}}`;
  const isSame = `#{==:${found},1|${pid}|${owner}|${member}}`;
  // Empty where a signal has ended it.
  const condition = when === 'on-failure' ? `#{&&:${isSame},#{!=:#{pane_dead_status},0}}` : isSame;
  return [
    ...['if-shell', '-F', '-t', paneId, condition],
    `respawn-pane -t ${paneId} ; display-message -p ${RESTARTED}`,
    `display-message -p ${KEPT}`,
  ];
}

/** Null: tmux has not answered. */
export function readRestarted(lines: readonly string[]): boolean | null {
  if (lines.includes(RESTARTED)) return true;
  return lines.includes(KEPT) ? false : null;
}
