// An answer through the agent's own server, where it has one on this machine: to the request by its
// id, without a key. Until something was sent, null leaves the answer to the dialog on the screen.

import {
  type ActionResult,
  delivered,
  refused,
  unconfirmed,
  wouldDo,
} from '../../acting/action-result.ts';
import { cleanText } from '../../acting/clean-text.ts';
import { type DialogRequest, readDialog } from '../../acting/dialogs/dialog.ts';
import { byLabel } from '../../acting/dialogs/find-option.ts';
import { proveAnswer } from '../../acting/dialogs/press-on-dialog.ts';
import { isOneLine } from '../../acting/dialogs/type-answer.ts';
import type { PaneControl } from '../../acting/pane-control.ts';
import type { MachineFiles } from '../../agent-files/files/machine-files.ts';
import { type BusReply, BusRequest } from '../../agent-files/session-bus/bus-request.ts';
import { entriesAt, type Fields, fieldsAt, flagAt, textAt } from '../../agents/signals/fields.ts';
import { describeApproval } from '../../agents/signals/request.ts';
import type { ChooseInput } from '../../schema/api/acting.ts';

type Choice = ChooseInput['choice'];

export interface ServerAnswer extends DialogRequest {
  readonly files: MachineFiles;
  /** Of the agent, on this machine. */
  readonly pid: number;
  readonly requestId: string;
  readonly choice: Choice;
}

export async function answerByServer(
  pane: PaneControl,
  answer: ServerAnswer,
): Promise<ActionResult | null> {
  const { adapter, agent, choice, command, commit, files, pid, requestId } = answer;
  if (!adapter.sources.some(({ name }) => name === `${adapter.agent}-http`)) return null;
  using request = await BusRequest.find(files, pid, requestId);
  const body = request && replyTo(request, choice);
  if (request === null || body === null) return null;
  if (command !== undefined && commandIn(request.fields) !== command) return null;
  await agent.refresh();
  if (!agent.isAlive()) return null;
  const what = `${'reply' in body ? body.reply : body.answers.flat().join(', ')}, by its server`;
  const before = await readDialog(pane, answer);
  if (!commit()) return wouldDo(`would answer ${what}`);
  switch (await request.reply(body)) {
    case 'answered':
      // Its event is the proof; the screen follows, and until then the next prompt is refused.
      if (!('result' in before)) await proveAnswer(pane, answer, { before, what });
      return delivered(`answered ${what}`);
    case 'over':
      return refused('E_NO_DIALOG', 'the request is not open any more');
    case 'otherwise':
      return unconfirmed(`answered ${what}, and the agent took another answer to it`);
    case 'unproved':
      return unconfirmed(`answered ${what}, and it did not say that it took it`);
  }
}

/** Null where it is not clear what the server would make of the choice. */
function replyTo({ kind, fields }: BusRequest, choice: Choice): BusReply | null {
  return kind === 'permission' ? permissionReply(choice) : questionReply(fields, choice);
}

const replies = { approve: 'once', always: 'always', deny: 'reject' } as const;

function permissionReply(choice: Choice): BusReply | null {
  if (!('role' in choice) || choice.role === 'own_answer') return null;
  const reply = replies[choice.role];
  if (!('text' in choice)) return { reply };
  const { text: message } = cleanText(choice.text);
  return choice.as_prompt === true || !isOneLine(message) ? null : { reply, message };
}

/** One question alone: several are answered one by one, on the screen. */
function questionReply(fields: Fields, choice: Choice): BusReply | null {
  const [question, next] = entriesAt(fields, 'questions');
  if (!question || next) return null;
  const isSeveral = flagAt(question, 'multiple');
  if ('text' in choice) {
    const { text } = cleanText(choice.text);
    const takesText = choice.role === 'own_answer' && question['custom'] !== false && !isSeveral;
    return takesText && isOneLine(text) ? { answers: [[text]] } : null;
  }
  if ('role' in choice || isSeveral !== 'labels' in choice) return null;
  const labels = entriesAt(question, 'options').map((each) => textAt(each, 'label') ?? '');
  const wanted = 'labels' in choice ? choice.labels : [choice.label];
  const found = wanted.map((each) => labels.filter(byLabel(each, labels)));
  if (found.some((each) => each.length !== 1)) return null;
  const chosen = new Set(found.flat());
  return { answers: [labels.filter((each) => chosen.has(each))] };
}

const commandIn = (fields: Fields): string | undefined =>
  describeApproval(undefined, fieldsAt(fields, 'metadata') ?? fields).command;
