// What came of an action, in one sentence that stays until a key is pressed: delivered, not
// confirmed with what was seen, or refused with why and what to do. Pure.

import { locationText } from '../../render/typed-names.ts';
import type { ActionReport } from '../../schema/api/acting.ts';
import type { DaemonReply, Message } from '../message.ts';
import type { Model, ShownAgent } from '../model.ts';

type Acted = Extract<Message, { type: 'acted' }>;
type Resumed = Extract<Message, { type: 'resumed' }>;

/** Outcomes that stand in the footer together. */
const OUTCOMES_MAX = 3;
/** A key within this time was pressed before the notice could be read. */
const UNREAD_MS = 400;

/** Longer than the row takes to follow what was answered. */
const FOLLOW_MS = 10_000;

const LOOK = 'Look at it again, then repeat the key.';
const IN_PANE = 'Enter shows the pane.';

/** What to do after a refusal, in keys of the view; the hints of the table name commands. */
const nextSteps: Readonly<Record<string, string>> = {
  E_PRECONDITION_FAILED: LOOK,
  E_SCREEN_CHANGED: LOOK,
  E_RUNTIME_STALE: LOOK,
  E_SNAPSHOT_EXPIRED: LOOK,
  E_REF_NOT_FOUND: '',
  E_NO_DIALOG: IN_PANE,
  E_OPTION_UNKNOWN: 'Choose an option by its number: i shows them.',
  E_DIALOG_OPEN: 'Answer that first: i shows it.',
  E_DRAFT_PRESENT: 'Enter shows the pane: send or clear that text there.',
  E_INPUT_UNSEEN: IN_PANE,
  E_PANE_OPAQUE: IN_PANE,
  E_NO_AGENT: '',
  E_TEXT_REFUSED: IN_PANE,
  E_AGENT_UNSUPPORTED: IN_PANE,
  E_DAEMON_DOWN: 'Whether it was done is not known: look at the pane. r starts the daemon.',
  timeout: 'Whether it was done is not known: look at the pane.',
  protocol_desync: 'Whether it was done is not known: look at the pane.',
};

/** `claude work:0.1`: what an outcome is about. */
const agentName = ({ pane }: ShownAgent): string =>
  `${pane.agent ?? pane.current_cmd} ${locationText(pane.identity)}`;

function sentence(name: string, answer: DaemonReply<ActionReport>): string {
  if (!answer.ok) return `${name}: refused: ${refusalText(answer)}`;
  const { result, detail } = answer.value;
  const next = result === 'delivered' ? '' : ` ${IN_PANE}`;
  return `${name}: ${result ?? 'unconfirmed'}: ${asSentence(detail ?? '')}${next}`;
}

function refusalText({ problem, code, hint }: DaemonReply<never> & { ok: false }): string {
  const next = nextSteps[code ?? ''] ?? hint ?? '';
  return `${asSentence(problem)} ${next}`.trimEnd();
}

const asSentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

const pruned = (answered: Model['answered'], nowMs: number): Model['answered'] =>
  new Map([...answered].filter(([, { untilMs }]) => untilMs > nowMs));

/** The action is over: its row shows it no more, and its outcome stands in the footer. */
export function finishAction(model: Model, acted: Acted): Model {
  const { shown, order, answer } = acted;
  const { pane, request } = shown;
  const running = new Map(model.running);
  running.delete(pane.pane_key);
  const answered = new Map(model.answered);
  if (answer.ok && answer.value.result === 'delivered' && request !== null) {
    const untilMs = model.nowMs + FOLLOW_MS;
    answered.set(pane.pane_key, { request, untilMs });
  }
  const isRefusedText = order.kind === 'send' && !answer.ok;
  const draft = isRefusedText ? { paneKey: pane.pane_key, text: order.text } : model.draft;
  const next = { ...model, running, answered: pruned(answered, model.nowMs), draft };
  return withOutcome(next, agentName(shown), answer);
}

/** An ended agent was started again, or not. */
export function finishResume(model: Model, { agent, answer }: Resumed): Model {
  return withOutcome(model, `${agent.agent} in ${agent.path ?? agent.target}`, answer);
}

/** The outcome stands in the footer, below what is there: no key has been pressed since. */
function withOutcome(model: Model, name: string, answer: DaemonReply<ActionReport>): Model {
  const { notice, nowMs } = model;
  const lines = notice === null ? [] : notice.text.split('\n').slice(1 - OUTCOMES_MAX);
  const isProblem = !answer.ok || answer.value.result !== 'delivered';
  return {
    ...model,
    notice: {
      // A line end of others would look like an outcome of ours.
      text: [...lines, sentence(name, answer).replace(/\s+/g, ' ')].join('\n'),
      isProblem: isProblem || (notice?.isProblem ?? false),
      untilMs: Number.POSITIVE_INFINITY,
      unreadUntilMs: nowMs + UNREAD_MS,
    },
  };
}
