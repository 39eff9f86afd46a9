// One option of an open dialog, chosen by its label: move, read the marked label again together
// with the question, then Enter. Nothing is pressed once anything of the dialog has changed.

import type { Adapter } from '../../agents/adapter.ts';
import type { OptionRole } from '../../agents/screen/acting-rules.ts';
import type { DialogDetails } from '../../agents/screen/extract.ts';
import type { Request } from '../../schema/evidence.ts';
import {
  type ActionResult,
  type Commit,
  delivered,
  refused,
  refusedBy,
  unconfirmed,
  wouldDo,
} from '../action-result.ts';
import type { PaneControl, PaneLook } from '../pane-control.ts';
import { type ExpectedAgent, openDialog, refuseKeys } from '../readiness.ts';
import { comparable } from '../typed-text.ts';
import { dialogRows } from './dialog-rows.ts';
import { isSameRequest } from './same-request.ts';

/** Keys right after a dialog appeared are dropped by some agents. */
const STEADY_MS = 250;
const LOOK_EVERY_MS = 60;
const OPEN_DEADLINE_MS = 2_500;
const MOVE_DEADLINE_MS = 1_500;
const PROOF_DEADLINE_MS = 3_000;
const MOVES_MAX = 64;
/** How often a screen that was drawn anew is read again before the key. */
const STEADY_TRIES_MAX = 5;

/** Which option is meant. */
export type Choice =
  | { readonly role: OptionRole }
  /** As the dialog writes it; a unique start of it is enough. */
  | { readonly label: string };

export interface ChooseRequest {
  readonly adapter: Adapter;
  readonly agent: ExpectedAgent;
  readonly choice: Choice;
  /** What the caller was shown; the dialog on the screen must ask the same. */
  readonly expected: Request | null;
  readonly commit: Commit;
}

interface Dialog {
  readonly look: PaneLook;
  readonly details: DialogDetails;
  readonly options: NonNullable<DialogDetails['options']>;
}

export async function chooseOption(
  pane: PaneControl,
  request: ChooseRequest,
): Promise<ActionResult> {
  const first = await untilOpen(pane, request);
  if ('result' in first) return first;
  const { expected } = request;
  if (expected !== null && !isSameRequest(first.details, expected)) {
    return refused('E_SCREEN_CHANGED', 'the dialog on the screen asks something else');
  }
  const index = findOption(request, first.options);
  if (typeof index !== 'number') return index;
  await pane.pause(STEADY_MS);
  const steady = await readDialog(pane, request);
  if ('result' in steady) return steady;
  if (signatureOf(steady.details) !== signatureOf(first.details)) {
    return refused('E_SCREEN_CHANGED', 'the dialog changed while it was read');
  }
  if (!request.commit()) return wouldDo(`would choose "${steady.options[index]?.label}"`);
  const keys = denyKeysOf(request);
  const marked = keys ? steady : await moveTo(pane, request, steady, index);
  if ('result' in marked) return marked;
  const label = marked.options[index]?.label ?? '';
  const refusal = await pressOnce(pane, request, { dialog: marked, index, keys });
  if (refusal) return refusal;
  return prove(pane, request, marked, label);
}

/** Presses the keys on the dialog as it was read; null when they were pressed. */
async function pressOnce(
  pane: PaneControl,
  request: ChooseRequest,
  { dialog, index, keys }: { dialog: Dialog; index: number; keys: readonly string[] | null },
): Promise<ActionResult | null> {
  let read = dialog;
  await request.agent.refresh();
  if (!request.agent.isAlive()) return refusedBy('program_changed');
  for (let tries = 1; ; tries += 1) {
    const pressed = await pressOn(pane, read, keys ?? ['Enter']);
    if (pressed.isDone) return null;
    if (pressed.guard !== 'screen_changed' || tries === STEADY_TRIES_MAX) {
      return refusedBy(pressed.guard);
    }
    // Something was drawn meanwhile, which need not be the dialog.
    const again = await readDialog(pane, request);
    if ('result' in again) return again;
    const isMarked = keys !== null || markedAt(again) === index;
    if (!isMarked || signatureOf(again.details) !== signatureOf(dialog.details)) {
      return refusedBy('screen_changed');
    }
    read = again;
  }
}

/** Presses keys only while all of the dialog is where it was. */
const pressOn = (pane: PaneControl, { look, details }: Dialog, keys: readonly string[]) =>
  pane.press(keys, look, { rows: dialogRows(look.view, details), isSteady: true });

/** The keys that refuse, for an agent whose option asks for a reason first. */
const denyKeysOf = ({ adapter, choice }: ChooseRequest): readonly string[] | null =>
  'role' in choice && choice.role === 'deny' ? (adapter.screen.acting?.denyKeys ?? null) : null;

/** Some agents hold a dialog back for a second after the last key that somebody typed. */
async function untilOpen(
  pane: PaneControl,
  request: ChooseRequest,
): Promise<Dialog | ActionResult> {
  const deadline = performance.now() + OPEN_DEADLINE_MS;
  for (;;) {
    const dialog = await readDialog(pane, request);
    const isMissing = 'result' in dialog && 'code' in dialog && dialog.code === 'E_NO_DIALOG';
    if (!isMissing || performance.now() > deadline) return dialog;
    await pane.pause(LOOK_EVERY_MS);
  }
}

async function readDialog(
  pane: PaneControl,
  { adapter, agent }: ChooseRequest,
): Promise<Dialog | ActionResult> {
  const look = await pane.look();
  const refusal = refuseKeys(look, agent);
  if (refusal !== null || look === null) return refusal ?? refusedBy('pane_gone');
  const details = openDialog(adapter, look)?.details;
  if (details?.options === undefined) {
    return refused('E_NO_DIALOG', 'no dialog with options is on the screen');
  }
  return { look, details, options: details.options };
}

/** Which option is meant; exactly one must fit. */
function findOption(
  { adapter, choice }: ChooseRequest,
  options: Dialog['options'],
): number | ActionResult {
  const labels = options.map(({ label }) => label);
  const fits = 'role' in choice ? byRole(adapter, choice.role) : byLabel(choice.label, labels);
  if (fits === null) {
    return refused('E_AGENT_UNSUPPORTED', `no labels of ${adapter.title} are known for this`);
  }
  const found = labels.flatMap((label, index) => (fits(label) ? [index] : []));
  const [index] = found;
  if (index !== undefined && found.length === 1) return index;
  const listed = labels.map((label) => `"${label}"`).join(', ');
  return refused('E_OPTION_UNKNOWN', `${found.length} of the options fit: ${listed}`);
}

function byRole({ screen }: Adapter, role: OptionRole): ((label: string) => boolean) | null {
  const pattern = screen.acting?.roles[role];
  return pattern ? (label) => pattern.test(label) : null;
}

function byLabel(wanted: string, labels: readonly string[]): (label: string) => boolean {
  const text = comparable(wanted);
  const isExact = labels.some((label) => comparable(label) === text);
  return (label) =>
    text !== '' && (isExact ? comparable(label) === text : comparable(label).startsWith(text));
}

/** Moves the mark step by step, and reads the dialog after each. */
async function moveTo(
  pane: PaneControl,
  request: ChooseRequest,
  start: Dialog,
  index: number,
): Promise<Dialog | ActionResult> {
  const signature = signatureOf(start.details);
  const [back, forth] = isInRow(start) ? ['Left', 'Right'] : ['Up', 'Down'];
  let dialog = start;
  for (let moves = 0; moves <= MOVES_MAX; moves += 1) {
    const at = markedAt(dialog);
    if (at === index) return dialog;
    if (at < 0) return unmarked(moves);
    const key = at < index ? forth : back;
    const next = await moveOnce(pane, request, { dialog, key });
    if ('result' in next) return next;
    if (signatureOf(next.details) !== signature) {
      return refused('E_SCREEN_CHANGED', 'the dialog changed while its mark was moved');
    }
    dialog = next;
  }
  return unconfirmed('the mark does not reach the option');
}

/** The dialog after one move, or as it is where something was drawn before the key. */
async function moveOnce(
  pane: PaneControl,
  request: ChooseRequest,
  { dialog, key }: { readonly dialog: Dialog; readonly key: string },
): Promise<Dialog | ActionResult> {
  const pressed = await pressOn(pane, dialog, [key]);
  if (pressed.isDone) return untilMoved(pane, request, markedAt(dialog));
  return pressed.guard === 'screen_changed' ? readDialog(pane, request) : refusedBy(pressed.guard);
}

/** Which option is marked; -1 unless it is exactly one: a file that is shown may draw another. */
function markedAt({ options }: Dialog): number {
  const at = options.findIndex(({ selected }) => selected);
  return at === options.findLastIndex(({ selected }) => selected) ? at : -1;
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

async function untilMoved(
  pane: PaneControl,
  request: ChooseRequest,
  from: number,
): Promise<Dialog | ActionResult> {
  const deadline = performance.now() + MOVE_DEADLINE_MS;
  for (;;) {
    const dialog = await readDialog(pane, request);
    if ('result' in dialog) return dialog;
    if (markedAt(dialog) !== from) return dialog;
    if (performance.now() > deadline) return unconfirmed('the mark of the dialog does not move');
    await pane.pause(LOOK_EVERY_MS);
  }
}

/** The dialog is gone, or another is there; both in two looks, since a screen is drawn in parts. */
async function prove(
  pane: PaneControl,
  request: ChooseRequest,
  before: Dialog,
  label: string,
): Promise<ActionResult> {
  const deadline = performance.now() + PROOF_DEADLINE_MS;
  let saw = 'the dialog is still there';
  let answeredLooks = 0;
  while (performance.now() < deadline) {
    await pane.pause(LOOK_EVERY_MS);
    const dialog = await readDialog(pane, request);
    const isMissing = 'result' in dialog && 'code' in dialog && dialog.code === 'E_NO_DIALOG';
    if ('result' in dialog && !isMissing) {
      saw = dialog.detail;
      answeredLooks = 0;
      continue;
    }
    const isAnswered =
      'result' in dialog || signatureOf(dialog.details) !== signatureOf(before.details);
    saw = isAnswered ? 'the screen has just changed' : 'the dialog is still there';
    answeredLooks = isAnswered ? answeredLooks + 1 : 0;
    if (answeredLooks > 1) return delivered(`chose "${label}"`);
  }
  return unconfirmed(`the key for "${label}" was pressed, and ${saw}`);
}

/** All that a dialog says, but not which option is marked. */
function signatureOf({ text, tool, command, file, options }: DialogDetails): string {
  return JSON.stringify([text, tool, command, file, options?.map(({ label }) => label)]);
}
