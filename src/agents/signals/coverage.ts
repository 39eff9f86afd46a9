// Coverage: which states a claim can see the end of (law 6). A source's coverage is not one list,
// because one event of it proves more than another: a submitted prompt ends an open dialog, a tool
// that finished beside the dialog does not.

import type { State } from '../../schema/state.ts';
import { states } from '../../text/state-words.ts';

/** A turn began or ended: every earlier claim is over, dialogs and errors included. */
export const everyState: readonly State[] = states.filter((state) => state !== 'unknown');

/**
 * The turn goes on, by work or by a dialog that opens, and nothing is known of other dialogs:
 * several tools run at once, so one of them says nothing about the dialog of another. Also all that
 * a source which cannot see approvals may end.
 */
export const work: readonly State[] = ['error', 'running', 'completed', 'idle'];

/** The dialog named by the claim was answered. */
export const dialogs: readonly State[] = ['waiting_approval', 'waiting_input'];

/** Nothing runs and no dialog is open. How the turn ended is not known, so an error stays. */
export const rest: readonly State[] = [
  'waiting_approval',
  'waiting_input',
  'running',
  'completed',
  'idle',
];

/** As `rest`, from a source that never reports a completion (rule 7 of docs/laws.md). */
export const restWithoutCompletion: readonly State[] = [
  'waiting_approval',
  'waiting_input',
  'running',
  'idle',
];

/** As `restUntold`, from a source that cannot see dialogs either. */
export const runningOrIdle: readonly State[] = ['running', 'idle'];
