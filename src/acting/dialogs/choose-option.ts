// One option of an open dialog, chosen by its label: move, read the marked label again together
// with the question, then Enter. Nothing is pressed once anything of the dialog has changed.

import { type ActionResult, wouldDo } from '../action-result.ts';
import type { PaneControl } from '../pane-control.ts';
import { type DialogRequest, markedAt, openSteady } from './dialog.ts';
import { type Choice, findOption } from './find-option.ts';
import { afterMove, moveTo } from './mark.ts';
import { pressOnDialog, proveAnswer } from './press-on-dialog.ts';
import { answerReasonPage } from './reason-page.ts';

export interface ChooseRequest extends DialogRequest {
  readonly choice: Choice;
  /** For the page that asks why; clean, one line. */
  readonly reason?: string;
}

export async function chooseOption(
  pane: PaneControl,
  request: ChooseRequest,
): Promise<ActionResult> {
  const { adapter, choice } = request;
  const find = (dialog: Parameters<typeof proveAnswer>[2]['before']) =>
    findOption(adapter, choice, dialog.options);
  const steady = await openSteady(pane, request, (dialog) => {
    const found = find(dialog);
    return typeof found === 'number' ? null : found;
  });
  if ('result' in steady) return steady;
  const index = find(steady);
  if (typeof index !== 'number') return index;
  const label = steady.options[index]?.label ?? '';
  if (!request.commit()) return wouldDo(`would choose "${label}"`);
  const denyKeys = denyKeysOf(request);
  const marked = denyKeys ? steady : await moveTo(pane, request, { from: steady, index });
  if ('result' in marked) return marked;
  const keys = denyKeys ?? ['Enter'];
  const press = { dialog: marked, index, keys, needsMark: denyKeys === null };
  const refusal = await pressOnDialog(pane, request, press);
  if (refusal) return denyKeys ? refusal : afterMove(refusal, markedAt(steady) !== index);
  const pattern = adapter.screen.acting?.reasonPage;
  if (pattern && adapter.screen.acting?.roles.deny?.test(label)) {
    return answerReasonPage(pane, request, { pattern, reason: request.reason ?? '', label });
  }
  return proveAnswer(pane, request, { before: marked, what: `chose "${label}"` });
}

/** The keys that refuse, for an agent whose option asks for a reason first. */
const denyKeysOf = ({ adapter, choice }: ChooseRequest): readonly string[] | null =>
  'role' in choice && choice.role === 'deny' ? (adapter.screen.acting?.denyKeys ?? null) : null;
