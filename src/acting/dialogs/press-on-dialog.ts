// The key that answers a dialog: pressed only on the dialog as it was read, and proved by the
// dialog that goes away.

import {
  type ActionResult,
  delivered,
  type Refused,
  refusedBy,
  unconfirmed,
} from '../action-result.ts';
import type { PaneControl, StillShown } from '../pane-control.ts';
import {
  type Dialog,
  type DialogRequest,
  isNoDialog,
  LOOK_EVERY_MS,
  markedAt,
  readDialog,
  signatureOf,
} from './dialog.ts';
import { dialogRows } from './dialog-rows.ts';

const PROOF_DEADLINE_MS = 3_000;
/** Some agents start anew when their folder is trusted, and show the dialog until then. */
const START_PROOF_DEADLINE_MS = 15_000;
/** How often a screen that was drawn anew is read again before the key. */
const STEADY_TRIES_MAX = 5;

/** Keys act only while all of the dialog is where it was. */
export const stillOpen = ({ look, details }: Dialog): StillShown => ({
  rows: dialogRows(look.view, details),
  isSteady: true,
});

export const pressOn = (pane: PaneControl, dialog: Dialog, keys: readonly string[]) =>
  pane.press(keys, dialog.look, stillOpen(dialog));

export interface DialogPress {
  readonly dialog: Dialog;
  /** The option that is meant. */
  readonly index: number;
  readonly keys: readonly string[];
  /** Whether the keys act on whatever is marked, as Enter does. */
  readonly needsMark: boolean;
}

/** Presses the keys on the dialog as it was read; null when they were pressed. */
export async function pressOnDialog(
  pane: PaneControl,
  request: DialogRequest,
  { dialog, index, keys, needsMark }: DialogPress,
): Promise<Refused | null> {
  let read = dialog;
  await request.agent.refresh();
  if (!request.agent.isAlive()) return refusedBy('program_changed');
  for (let tries = 1; ; tries += 1) {
    const pressed = await pressOn(pane, read, keys);
    if (pressed.isDone) return null;
    if (pressed.guard !== 'screen_changed' || tries === STEADY_TRIES_MAX) {
      return refusedBy(pressed.guard);
    }
    // Something was drawn meanwhile, which need not be the dialog.
    const again = await readDialog(pane, request);
    if ('result' in again) return again;
    const isMarked = !needsMark || markedAt(again) === index;
    if (!isMarked || signatureOf(again) !== signatureOf(dialog)) {
      return refusedBy('screen_changed');
    }
    read = again;
  }
}

/**
 * The dialog is gone, or another is there; both in two looks, since a screen is drawn in parts. An
 * agent that was refused at its start ends, and its dialog with it.
 */
export async function proveAnswer(
  pane: PaneControl,
  request: DialogRequest,
  { before, what }: { readonly before: Dialog; readonly what: string },
): Promise<ActionResult> {
  const ms = before.isStart ? START_PROOF_DEADLINE_MS : PROOF_DEADLINE_MS;
  const deadline = performance.now() + ms;
  let saw = 'the dialog is still there';
  let answeredLooks = 0;
  while (performance.now() < deadline) {
    await pane.pause(LOOK_EVERY_MS);
    const dialog = await readDialog(pane, request);
    if ('result' in dialog && !isNoDialog(dialog)) {
      if (await hasLeft(request, before)) return delivered(`${what}, and the agent has ended`);
      saw = dialog.detail;
      answeredLooks = 0;
      continue;
    }
    const isAnswered = 'result' in dialog || signatureOf(dialog) !== signatureOf(before);
    saw = isAnswered ? 'the screen has just changed' : 'the dialog is still there';
    answeredLooks = isAnswered ? answeredLooks + 1 : 0;
    if (answeredLooks > 1) return delivered(what);
  }
  return unconfirmed(`the key was pressed (${what}), and ${saw}`);
}

/** Whether the agent has ended at its start, as one does that was refused there. */
async function hasLeft({ agent }: DialogRequest, { isStart }: Dialog): Promise<boolean> {
  if (isStart) await agent.refresh();
  return isStart && !agent.isAlive();
}
