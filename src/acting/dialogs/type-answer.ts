// A text typed into an option of an open dialog: the reason of a denial, or an answer of one's own.
// Enter is pressed only after the text was seen in the dialog, with that option still marked.

import type { FieldRules } from '../../agents/screen/acting-rules.ts';
import {
  type ActionResult,
  refused,
  refusedBy,
  unanswered,
  unconfirmed,
  wouldDo,
} from '../action-result.ts';
import type { PaneControl } from '../pane-control.ts';
import { comparable } from '../typed-text.ts';
import {
  type Dialog,
  type DialogRequest,
  LOOK_EVERY_MS,
  markedAt,
  openSteady,
  readDialog,
  signatureOf,
} from './dialog.ts';
import { findOption } from './find-option.ts';
import { afterMove, moveTo } from './mark.ts';
import { pressOnDialog, proveAnswer, stillOpen } from './press-on-dialog.ts';

const TEXT_DEADLINE_MS = 2_500;
/** How often a text is pasted into a dialog that is drawn anew before it was. */
const PASTE_TRIES_MAX = 4;
/** A field shows one row, and scrolls what does not fit. */
const TEXT_LENGTH_MAX = 1_000;
export const LINE_REFUSAL = `a dialog takes one line of at most ${TEXT_LENGTH_MAX} characters`;
export const isOneLine = (text: string): boolean =>
  text.trim() !== '' && !text.includes('\n') && text.length <= TEXT_LENGTH_MAX;

export interface TypeAnswerRequest extends DialogRequest {
  /** The option that takes the text. */
  readonly role: 'deny' | 'own_answer';
  /** Clean, as `cleanText` leaves it. */
  readonly text: string;
}

export async function typeAnswer(
  pane: PaneControl,
  request: TypeAnswerRequest,
): Promise<ActionResult> {
  const { adapter, role, text } = request;
  const field = fieldOf(request);
  if (field === null) {
    return refused('E_AGENT_UNSUPPORTED', `the dialogs of ${adapter.title} take no text for this`);
  }
  if (!isOneLine(text)) return refused('E_TEXT_REFUSED', LINE_REFUSAL);
  const find = ({ options }: Dialog) => findOption(adapter, { role }, options);
  const steady = await openSteady(pane, request, (dialog) => {
    const found = find(dialog);
    return typeof found === 'number' ? null : found;
  });
  if ('result' in steady) return steady;
  const index = find(steady);
  if (typeof index !== 'number') return index;
  const label = steady.options[index]?.label ?? '';
  if (!request.commit()) return wouldDo(`would type into "${label}"`);
  const marked = await moveTo(pane, request, { from: steady, index });
  if ('result' in marked) return marked;
  const filled = await fill(pane, request, { field, marked, index });
  if ('result' in filled) return afterMove(filled, markedAt(steady) !== index);
  const press = { dialog: filled, index, keys: ['Enter'], needsMark: true };
  const refusal = await pressOnDialog(pane, request, press);
  if (refusal) return unconfirmed(`typed and not submitted: ${refusal.detail}`);
  return proveAnswer(pane, request, { before: filled, what: `typed into "${label}"` });
}

const fieldOf = ({ adapter, role }: TypeAnswerRequest): FieldRules | null =>
  adapter.screen.acting?.fields[role] ?? null;

/** Opens the field, and pastes; the dialog that shows the text. */
async function fill(
  pane: PaneControl,
  request: TypeAnswerRequest,
  at: { readonly field: FieldRules; readonly marked: Dialog; readonly index: number },
): Promise<Dialog | ActionResult> {
  const { field, index } = at;
  let open = at.marked;
  if (field.openKeys.length > 0) {
    const press = { dialog: open, index, keys: field.openKeys, needsMark: true };
    const refusal = await pressOnDialog(pane, request, press);
    if (refusal) return refusal;
    const opened = await untilOpened(pane, request, at);
    // What was pressed answers nothing.
    if ('result' in opened) return unanswered(pressedWords(at), opened.detail);
    open = opened;
  }
  const into = await paste(pane, request, { ...at, open });
  if ('result' in into) {
    const hasPressed = field.openKeys.length > 0 && into.result === 'refused';
    return hasPressed ? unanswered(pressedWords(at), into.detail) : into;
  }
  const before = countIn(into, request.text);
  return untilDialog(pane, request, {
    ...at,
    isThere: (dialog) => countIn(dialog, request.text) > before,
    why: 'the dialog does not show the text; it is not submitted',
  });
}

/** `the mark is on "No", and Tab was pressed`. */
function pressedWords({ field, marked, index }: Parameters<typeof fill>[2]): string {
  const label = marked.options[index]?.label ?? '';
  return `the mark is on "${label}", and ${field.openKeys.join(' ')} was pressed`;
}

/** Pastes into the field as it was read, and as it is now where it was drawn anew meanwhile. */
async function paste(
  pane: PaneControl,
  request: TypeAnswerRequest,
  at: { readonly open: Dialog; readonly marked: Dialog; readonly index: number },
): Promise<Dialog | ActionResult> {
  let { open } = at;
  for (let tries = 1; ; tries += 1) {
    const pasted = await pane.paste(request.text, open.look, stillOpen(open));
    if (pasted.isDone) return open;
    if (pasted.guard !== 'screen_changed' || tries === PASTE_TRIES_MAX) {
      return refusedBy(pasted.guard);
    }
    const same = await untilDialog(pane, request, {
      ...at,
      isThere: () => true,
      why: 'the dialog changed before the text was pasted',
    });
    // Nothing was typed yet.
    if ('result' in same) return refusedBy(pasted.guard);
    open = same;
  }
}

/** A field that is open may look as before; the check of the text is what counts. */
async function untilOpened(
  pane: PaneControl,
  request: TypeAnswerRequest,
  at: { readonly marked: Dialog; readonly index: number },
): Promise<Dialog | ActionResult> {
  const textOf = ({ look }: Dialog): string => look.view.lines.join('\n');
  const before = textOf(at.marked);
  return untilDialog(pane, request, {
    ...at,
    isThere: (dialog) => textOf(dialog) !== before,
    why: 'the key opened no field for the text',
  });
}

/** Looks until the same dialog, with the same option marked, shows what is waited for. */
async function untilDialog(
  pane: PaneControl,
  request: DialogRequest,
  wanted: {
    readonly marked: Dialog;
    readonly index: number;
    readonly isThere: (dialog: Dialog) => boolean;
    readonly why: string;
  },
): Promise<Dialog | ActionResult> {
  const { marked, index } = wanted;
  const signature = signatureOf(marked, index);
  const deadline = performance.now() + TEXT_DEADLINE_MS;
  for (;;) {
    await pane.pause(LOOK_EVERY_MS);
    const dialog = await readDialog(pane, request);
    if ('result' in dialog) return unconfirmed(`${dialog.detail}; nothing is submitted`);
    const isSame = signatureOf(dialog, index) === signature && markedAt(dialog) === index;
    if (isSame && wanted.isThere(dialog)) return dialog;
    if (performance.now() > deadline) return unconfirmed(wanted.why);
  }
}

/** How often a text is on the screen, however it is wrapped. */
function countIn({ look }: Dialog, text: string): number {
  const shown = comparable(look.view.lines.join(''));
  const wanted = comparable(text);
  return wanted === '' ? 0 : shown.split(wanted).length - 1;
}
