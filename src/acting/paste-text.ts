// A text into the input box of an agent, beside what is there, and no Enter: a file that a person
// adds to the prompt that they are writing.

import type { Adapter } from '../agents/adapter.ts';
import {
  type ActionResult,
  type Commit,
  delivered,
  refused,
  refusedBy,
  wouldDo,
} from './action-result.ts';
import type { PaneControl } from './pane-control.ts';
import { type ExpectedAgent, openDialog, refuseEnded, refuseKeys } from './readiness.ts';

export interface PasteRequest {
  /** Clean, as `cleanText` leaves it. */
  readonly text: string;
  readonly agent: ExpectedAgent;
  readonly adapter: Adapter;
  readonly isOpaque: boolean;
  readonly commit: Commit;
}

export async function pasteText(pane: PaneControl, request: PasteRequest): Promise<ActionResult> {
  const { text, agent, adapter, isOpaque, commit } = request;
  if (text === '') return refused('E_INPUT_INVALID', 'the text is empty');
  if (isOpaque) return refused('E_PANE_OPAQUE', 'the process of the agent cannot be seen');
  const look = await pane.look();
  const refusal = refuseKeys(look, agent);
  if (refusal !== null || look === null) return refusal ?? refusedBy('pane_gone');
  // A letter may choose an option.
  if (openDialog(adapter, look)) return refused('E_DIALOG_OPEN', 'a dialog is open');
  // Outside of the brackets of a paste every line end is an Enter.
  const isWhole = look.takesPastes ?? adapter.screen.acting !== null;
  if (!isWhole && text.includes('\n')) {
    return refused('E_TEXT_REFUSED', 'nothing shows that the program takes lines as one text');
  }
  const ended = await refuseEnded(agent);
  if (ended !== null) return ended;
  if (!commit()) return wouldDo(`would paste ${text.length} characters`);
  const pasted = await pane.paste(text, look);
  return pasted.isDone ? delivered('the text was pasted') : refusedBy(pasted.guard);
}
