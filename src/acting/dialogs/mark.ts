// Moves the mark of a dialog step by step, and reads the dialog after each: nothing more is pressed
// once it asks something else.

import {
  type ActionResult,
  refused,
  refusedBy,
  unanswered,
  unconfirmed,
} from '../action-result.ts';
import type { PaneControl } from '../pane-control.ts';
import {
  type Dialog,
  type DialogRequest,
  isNoDialog,
  LOOK_EVERY_MS,
  markedAt,
  readDialog,
  signatureOf,
} from './dialog.ts';
import { pressOn } from './press-on-dialog.ts';

const MOVE_DEADLINE_MS = 1_500;
const MOVES_MAX = 64;
const MOVED = 'keys were pressed to move the mark';
/** For agents whose rules say nothing of it. */
const MOVE_SETTLE_MS = 100;

/** An Enter right after a move is lost in some agents: the move ends what the Enter began. */
export const settleMs = ({ adapter }: Pick<DialogRequest, 'adapter'>): number =>
  adapter.screen.acting?.settleMs ?? MOVE_SETTLE_MS;

type IsSame = (dialog: Dialog) => boolean;

/** The dialog with the mark on the option, or why it is not there. */
export async function moveTo(
  pane: PaneControl,
  request: DialogRequest,
  { from, index }: { readonly from: Dialog; readonly index: number },
): Promise<Dialog | ActionResult> {
  const signature = signatureOf(from, index);
  // The mark alone may open the field of an option, which then has another label.
  const isSame = (dialog: Dialog): boolean => signatureOf(dialog, index) === signature;
  const [back, forth] = isInRow(from) ? ['Left', 'Right'] : ['Up', 'Down'];
  let dialog = from;
  for (let moves = 0; moves <= MOVES_MAX; moves += 1) {
    const at = markedAt(dialog);
    if (at === index) {
      if (moves > 0) await pane.pause(settleMs(request));
      return dialog;
    }
    if (at < 0) return unmarked(moves);
    const key = at < index ? forth : back;
    const next = await moveOnce(pane, request, { dialog, key, isSame });
    if ('result' in next) return afterMove(next, moves > 0);
    dialog = next;
  }
  return unconfirmed('the mark does not reach the option');
}

/** A refusal after the mark was moved: keys were pressed, though none that answers. */
export function afterMove(result: ActionResult, hasMoved: boolean): ActionResult {
  if (result.result !== 'refused' || !hasMoved) return result;
  return unanswered(MOVED, result.detail);
}

/** The dialog after one move, or as it is where something was drawn before the key. */
async function moveOnce(
  pane: PaneControl,
  request: DialogRequest,
  {
    dialog,
    key,
    isSame,
  }: { readonly dialog: Dialog; readonly key: string; readonly isSame: IsSame },
): Promise<Dialog | ActionResult> {
  const pressed = await pressOn(pane, dialog, [key]);
  if (!pressed.isDone && pressed.guard !== 'screen_changed') return refusedBy(pressed.guard);
  const from = pressed.isDone ? markedAt(dialog) : null;
  const next = await untilMoved(pane, request, { from, isSame });
  if ('result' in next) return afterMove(next, pressed.isDone);
  if (isSame(next)) return next;
  const changed = refused('E_SCREEN_CHANGED', 'the dialog changed while its mark was moved');
  return afterMove(changed, pressed.isDone);
}

function unmarked(moves: number): ActionResult {
  const detail = 'not exactly one option of the dialog is marked, so none can be chosen';
  return moves === 0 ? refused('E_AGENT_UNSUPPORTED', detail) : unconfirmed(detail);
}

/** Whether the options are buttons side by side. */
function isInRow({ look, options }: Dialog): boolean {
  const [first, second] = options;
  if (!first || !second) return false;
  return look.view.lines.some((line) => {
    const start = line.indexOf(first.label);
    return start >= 0 && line.indexOf(second.label, start + first.label.length) >= 0;
  });
}

/** The dialog once its mark has left `from`; agents draw in parts, and so it may look otherwise. */
async function untilMoved(
  pane: PaneControl,
  request: DialogRequest,
  { from, isSame }: { readonly from: number | null; readonly isSame: IsSame },
): Promise<Dialog | ActionResult> {
  const deadline = performance.now() + MOVE_DEADLINE_MS;
  for (;;) {
    const dialog = await readDialog(pane, request);
    if ('result' in dialog && !isNoDialog(dialog)) return dialog;
    const at = 'result' in dialog ? -1 : markedAt(dialog);
    if (!('result' in dialog) && at >= 0 && at !== from && isSame(dialog)) return dialog;
    if (performance.now() > deadline) {
      return at === from ? unconfirmed('the mark of the dialog does not move') : dialog;
    }
    await pane.pause(LOOK_EVERY_MS);
  }
}
