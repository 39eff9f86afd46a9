// What came of an action, in the words that callers and the audit trail share.

import type { ProblemCode } from '../schema/problem.ts';
import type { GuardName } from './guarded-command.ts';

/**
 * delivered: proved. unconfirmed: something was typed, and no proof came. refused: no key
 * was pressed. queued: it waits for its moment. dry_run: it would be done.
 */
export type ActionResult =
  | {
      readonly result: 'delivered' | 'unconfirmed' | 'dry_run' | 'queued';
      readonly detail: string;
      /** Keys were pressed, and none that answers the dialog: it can be answered at once. */
      readonly isUnanswered?: true;
    }
  | Refused;

export interface Refused {
  readonly result: 'refused';
  readonly code: ProblemCode;
  readonly detail: string;
  /** The rule of a policy that says no. */
  readonly rule?: string | undefined;
}

export const delivered = (detail: string): ActionResult => ({ result: 'delivered', detail });
export const wouldDo = (detail: string): ActionResult => ({ result: 'dry_run', detail });
export const queued = (detail: string): ActionResult => ({ result: 'queued', detail });
export const unconfirmed = (detail: string): ActionResult => ({ result: 'unconfirmed', detail });
export const refused = (code: ProblemCode, detail: string): Refused => ({
  result: 'refused',
  code,
  detail,
});

const guardProblems: Readonly<Record<GuardName, readonly [ProblemCode, string]>> = {
  pane_gone: ['E_REF_NOT_FOUND', 'the pane is gone'],
  pane_replaced: ['E_RUNTIME_STALE', 'another process is in the pane'],
  program_changed: ['E_RUNTIME_STALE', 'another program is in the foreground of the pane'],
  pane_dead: ['E_RUNTIME_STALE', 'the program of the pane has ended'],
  copy_mode: ['E_PANE_MODE', 'the pane is in copy mode'],
  synchronized: ['E_PANE_SYNCHRONIZED', 'synchronize-panes is on: other panes would get the keys'],
  input_off: ['E_PANE_INPUT_OFF', 'the input of the pane is switched off'],
  screen_changed: ['E_SCREEN_CHANGED', 'the screen changed before the key'],
};

/** The refusal of a guard inside tmux. */
export const refusedBy = (guard: GuardName): Refused => refused(...guardProblems[guard]);

/** Keys such as those that move a mark were pressed, so that it is no refusal any more. */
export const unanswered = (keys: string, why: string): ActionResult => ({
  result: 'unconfirmed',
  detail: `${keys}; ${why}; nothing is submitted`,
  isUnanswered: true,
});

/** Called before the first key; from there on the action runs to its end. False: type nothing. */
export type Commit = () => boolean;
