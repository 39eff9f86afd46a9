// What the recorded signals of a screen prove, for `classify --with-signals` and the accuracy
// figure. The same normalisers as in the daemon; in the place of the engine, which needs times that
// a recording does not have, the rules of docs/laws.md applied to one moment.

import type { Claim } from '../../schema/evidence.ts';
import { TURN } from '../../schema/evidence.ts';
import type { Says } from '../../schema/state.ts';
import { everyState } from '../signals/coverage.ts';
import {
  type RecordedEvent,
  type RecordedSignals,
  readRecordedSignals,
} from './recorded-signals.ts';

export interface RecordedScreen {
  /** The agent that was identified in the pane. */
  readonly agent: string;
  /** What the screen says; null where no rule holds or the live screen is hidden. */
  readonly screen: Says | null;
  /** The screen shows that the person did something since the turn ended: a menu, a draft. */
  readonly personActed?: boolean;
}

/** The claim that outranks the screen; null: the screen decides. */
export function weighSignals(record: unknown, shown: RecordedScreen): Claim | null {
  const signals = readRecordedSignals(record, shown.agent);
  return signals && decide(signals, shown);
}

function decide({ events, file, osc }: RecordedSignals, shown: RecordedScreen): Claim | null {
  const { screen } = shown;
  const level = file?.claims[0];
  const history = historyOf(events, shown.personActed ?? false);
  if (level !== undefined) return byFile(level, history, screen);
  const announced = osc?.claims[0];
  if (announced !== undefined) return byAnnouncement(announced, history, screen);
  if (screen === null) return history.last;
  return isRest(screen) ? howItEnded(history, screen) : null;
}

/** The session file is right about work and dialogs; the events show how a turn ended. */
function byFile(level: Claim, history: History, screen: Says | null): Claim | null {
  if (level.says === 'at_rest')
    return howItEnded(history, screen) ?? restUnlessShown(level, screen);
  const isVague = level.says === 'waiting_input' && !level.covers.includes('waiting_approval');
  return isVague && isWaiting(screen) ? null : level;
}

/** `working` may mean a background terminal, so it never outranks the turn's end. */
function byAnnouncement(osc: Claim, history: History, screen: Says | null): Claim | null {
  switch (osc.says) {
    case 'running':
      if (screen !== null && !isRest(screen)) return null;
      return howItEnded(history, screen) ?? (screen === null ? osc : null);
    case 'at_rest':
      return { ...osc, says: history.active ? 'interrupted' : 'at_rest' };
    default:
      return osc;
  }
}

/** The events of a recording in sum: the claim that holds, and how the last turn ended. */
interface History {
  readonly last: Claim | null;
  /** The last sign of work or of a dialog. */
  readonly active: Claim | null;
  readonly end: Claim | null;
  /** Times count from the last action: a person acted after a turn that ended before it. */
  readonly actedSince: boolean;
  /** Whether the source reports completions. */
  readonly tellsCompletions: boolean;
}

function historyOf(events: readonly RecordedEvent[], personActed: boolean): History {
  let history: History = {
    last: null,
    active: null,
    end: null,
    actedSince: personActed,
    tellsCompletions: false,
  };
  for (const { atMs, signal } of events) {
    for (const claim of signal.claims) history = after(history, claim, atMs < 0 || personActed);
  }
  return history;
}

function after(history: History, claim: Claim, actedSince: boolean): History {
  const tellsCompletions = history.tellsCompletions || claim.covers.includes('completed');
  if (!isEnd(claim.says)) {
    return { last: claim, active: claim, end: null, actedSince, tellsCompletions };
  }
  if (claim.says === 'began') {
    return { last: claim, active: null, end: claim, actedSince, tellsCompletions };
  }
  // A turn that was trying again and stopped did not complete, whatever the last event is called.
  const isCutShort = history.active?.reason === 'retrying' && claim.says === 'completed';
  const end = isCutShort ? turnClaim(claim, 'interrupted') : claim;
  const isStronger = history.end === null || strength(end.says) > strength(history.end.says);
  return {
    ...history,
    last: end,
    end: isStronger ? end : history.end,
    actedSince,
    tellsCompletions,
  };
}

const ends: readonly Says[] = ['began', 'at_rest', 'completed', 'interrupted', 'error'];
const strength = (says: Says): number => ends.indexOf(says);
const isEnd = (says: Says): boolean => ends.includes(says);
const isRest = (says: Says): boolean => isEnd(says) && says !== 'error';
const isWaiting = (says: Says | null): boolean =>
  says === 'waiting_approval' || says === 'waiting_input';

/** How the finished turn ended; null when the screen shows as much. */
function howItEnded(history: History, screen: Says | null): Claim | null {
  const { end, active, tellsCompletions } = history;
  if (screen === 'interrupted') return null;
  if (end !== null) return endOf(end, history);
  if (active === null) return null;
  return turnClaim(active, tellsCompletions ? 'interrupted' : 'completed');
}

function endOf(end: Claim, { active, actedSince }: History): Claim {
  if (end.says === 'error' || end.says === 'interrupted') return end;
  const isCompletion = end.says === 'completed' || active !== null;
  return turnClaim(end, isCompletion && !actedSince ? 'completed' : 'at_rest');
}

const restUnlessShown = (level: Claim, screen: Says | null): Claim | null =>
  screen === null || !isEnd(screen) ? level : null;

function turnClaim({ rank, basis, rule }: Claim, says: Says): Claim {
  const claim: Claim = { about: TURN, says, covers: [...everyState], rank, basis };
  return rule === undefined ? claim : { ...claim, rule };
}
