// What came of an action, in words and a mood. Pure.

import type { ActionReport } from '../../schema/api/acting.ts';

export interface OutcomeWords {
  readonly mood: 'good' | 'open' | 'bad';
  /** `delivered`, `queued`, `refused`, `unconfirmed`. */
  readonly word: string;
  readonly text: string;
}

/** A refusal of the daemon, or that it did not answer. */
export interface ActionProblem {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
}

/** What to do after a refusal, on this page; the hints of the table name commands. */
const nextSteps: Readonly<Record<string, string>> = {
  E_PRECONDITION_FAILED: 'It changed meanwhile. Look again, then repeat.',
  E_SCREEN_CHANGED: 'Nothing was answered. Look again, then repeat.',
  E_RUNTIME_STALE: 'Another agent is there now. Look again.',
  E_SNAPSHOT_EXPIRED: 'Look again, then repeat.',
  E_REF_NOT_FOUND: 'The pane is gone.',
  E_NO_DIALOG: 'Look at the terminal: nothing is asked there now.',
  E_OPTION_UNKNOWN: 'Choose one of the options that are shown.',
  E_DIALOG_OPEN: 'Answer what it asks first.',
  E_DRAFT_PRESENT: 'Send or clear the text in its input box first, in the terminal.',
  E_INPUT_UNSEEN: 'Look at the terminal: something covers its input box.',
  E_PANE_MODE: 'The pane is in copy mode; leave it there.',
  E_NOT_PERMITTED: 'This browser may look and not act. Pair it again with a link that may control.',
  E_DAEMON_DOWN: 'Whether it was done is not known: look at the pane.',
  timeout: 'Whether it was done is not known: look at the pane.',
};

export function reportOutcome({ result, detail, code }: ActionReport): OutcomeWords {
  const text = detail ?? '';
  if (result === 'delivered') return { mood: 'good', word: result, text };
  if (result === 'queued') return { mood: 'good', word: result, text };
  if (result === 'refused') {
    return { mood: 'bad', word: result, text: withNext(text, nextSteps[code ?? '']) };
  }
  return { mood: 'open', word: result ?? 'unconfirmed', text };
}

export function problemOutcome({ code, message, hint }: ActionProblem): OutcomeWords {
  const isOpen = code === 'timeout' || code === 'E_DAEMON_DOWN';
  return {
    mood: isOpen ? 'open' : 'bad',
    word: isOpen ? 'unconfirmed' : 'refused',
    text: withNext(message, nextSteps[code] ?? hint ?? undefined),
  };
}

const withNext = (text: string, next: string | undefined): string =>
  [/[.!?…]$/.test(text) || text === '' ? text : `${text}.`, next ?? ''].join(' ').trim();
