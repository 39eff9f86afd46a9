// Which rule mutes a pane now, and when that ends. Pure: the clock on the wall is an argument.

import type { MuteRule, NotifySubject } from '../../schema/notify/episode.ts';
import { fitsPattern } from '../../text/fits-pattern.ts';
import { minutesLeft, parseHours, type WallTime } from '../../text/hours.ts';

export interface MuteMoment {
  readonly nowMs: number;
  readonly wall: WallTime;
}

export interface Muted {
  /** Null: until somebody removes the rule. */
  readonly untilMs: number | null;
}

/** The rule that lasts longest; null where none fits. */
export function muteOf(
  rules: readonly MuteRule[],
  subject: NotifySubject,
  moment: MuteMoment,
): Muted | null {
  const ends = rules.flatMap((rule) => {
    if (!isAbout(rule, subject)) return [];
    const untilMs = endOf(rule, moment);
    return untilMs === null ? [] : [untilMs];
  });
  if (ends.length === 0) return null;
  const untilMs = Math.max(...ends);
  return { untilMs: untilMs === Number.POSITIVE_INFINITY ? null : untilMs };
}

function isAbout({ agent, session, target }: MuteRule, subject: NotifySubject): boolean {
  return (
    (agent === undefined || fitsPattern(subject.agent ?? '', agent)) &&
    (target === undefined || fitsPattern(subject.target, target)) &&
    (session === undefined || subject.sessions.some((name) => fitsPattern(name, session)))
  );
}

/** When the rule ends that holds now; null where it does not hold. */
function endOf({ hours, untilMs }: MuteRule, { nowMs, wall }: MuteMoment): number | null {
  if (untilMs !== undefined && untilMs <= nowMs) return null;
  const ruleEndMs = untilMs ?? Number.POSITIVE_INFINITY;
  if (hours === undefined) return ruleEndMs;
  const read = parseHours(hours);
  const left = read && minutesLeft(read, wall);
  if (left === null) return null;
  // From the start of this minute: the wall shows whole ones.
  return Math.min(ruleEndMs, nowMs - (nowMs % 60_000) + left * 60_000);
}
