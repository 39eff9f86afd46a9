// An answer to an open dialog, handed to the flow that gives it: one option, several, or a text. A
// reason that the dialog does not take may follow a denial as a prompt, if that was asked for.

import { type ActionResult, delivered, refused, unconfirmed } from '../../acting/action-result.ts';
import { cleanText } from '../../acting/clean-text.ts';
import { chooseOption } from '../../acting/dialogs/choose-option.ts';
import { chooseSeveral } from '../../acting/dialogs/choose-several.ts';
import type { DialogRequest } from '../../acting/dialogs/dialog.ts';
import { isOneLine, LINE_REFUSAL, typeAnswer } from '../../acting/dialogs/type-answer.ts';
import type { PaneControl } from '../../acting/pane-control.ts';
import { type SendRequest, sendText } from '../../acting/send-text.ts';
import type { ChooseInput } from '../../schema/api/acting.ts';

/** A turn that was refused takes a moment to end; no prompt is typed before. */
const REST_DEADLINE_MS = 4_000;
const LOOK_EVERY_MS = 150;

export type AnswerRequest = DialogRequest &
  Pick<SendRequest, 'isOpaque' | 'hasPromptEvidence'> & { readonly choice: ChooseInput['choice'] };

export async function answerDialog(
  pane: PaneControl,
  request: AnswerRequest,
): Promise<ActionResult> {
  const { choice, adapter } = request;
  if (request.isOpaque) {
    const detail = 'the process of the agent cannot be seen: answer in the pane itself';
    return refused('E_PANE_OPAQUE', detail);
  }
  if ('labels' in choice) return chooseSeveral(pane, { ...request, labels: choice.labels });
  if (!('text' in choice)) return chooseOption(pane, { ...request, choice });
  const { role } = choice;
  const { text } = cleanText(choice.text);
  if (role === 'deny' && adapter.screen.acting?.reasonPage) {
    if (isOneLine(text)) return chooseOption(pane, { ...request, choice: { role }, reason: text });
    return refused('E_TEXT_REFUSED', LINE_REFUSAL);
  }
  const takesText = Boolean(adapter.screen.acting?.fields[role]);
  if (takesText || role === 'own_answer') return typeAnswer(pane, { ...request, role, text });
  if (choice.as_prompt !== true) {
    const detail =
      `the dialogs of ${adapter.title} take no reason; ` +
      'as_prompt (--as-prompt) denies, and sends the reason as the next prompt';
    return refused('E_AGENT_UNSUPPORTED', detail);
  }
  const denied = await chooseOption(pane, { ...request, choice: { role } });
  if (denied.result !== 'delivered') return denied;
  const sent = await sendAtRest(pane, { ...request, text });
  const detail = `${denied.detail}; the reason as a prompt: ${sent.result}, ${sent.detail}`;
  return sent.result === 'delivered' ? delivered(detail) : unconfirmed(detail);
}

/** Sends the prompt as soon as the box is there and empty. */
async function sendAtRest(
  pane: PaneControl,
  request: AnswerRequest & { readonly text: string },
): Promise<ActionResult> {
  const deadline = performance.now() + REST_DEADLINE_MS;
  for (;;) {
    const sent = await sendText(pane, {
      ...request,
      ...{ pressesEnter: true, isPasteSafe: false, isForced: false },
    });
    // A refusal typed nothing.
    if (sent.result !== 'refused' || performance.now() > deadline) return sent;
    await pane.pause(LOOK_EVERY_MS);
  }
}
