// Several options of a question that takes more than one: the mark goes over all of them, each is
// switched to what is wanted and read again, and only then the question is submitted.

import type { SeveralRules } from '../../agents/screen/acting-rules.ts';
import {
  type ActionResult,
  delivered,
  type Refused,
  refused,
  refusedBy,
  unconfirmed,
  wouldDo,
} from '../action-result.ts';
import type { PaneControl, PaneLook, StillShown } from '../pane-control.ts';
import { openDialog, refuseKeys } from '../readiness.ts';
import { comparable } from '../typed-text.ts';
import {
  type Dialog,
  type DialogRequest,
  isNoDialog,
  LOOK_EVERY_MS,
  markedAt,
  openSteady,
  readDialog,
} from './dialog.ts';
import { byLabel } from './find-option.ts';
import { afterMove, settleMs } from './mark.ts';
import { pressOn, pressOnDialog } from './press-on-dialog.ts';

const STEP_DEADLINE_MS = 1_000;
const PROOF_DEADLINE_MS = 3_000;
const STEPS_MAX = 64;
/** How often a dialog that was drawn anew is read again before a key that moves its mark. */
const MOVE_TRIES_MAX = 5;

export interface SeveralRequest extends DialogRequest {
  readonly labels: readonly string[];
}

export async function chooseSeveral(
  pane: PaneControl,
  request: SeveralRequest,
): Promise<ActionResult> {
  const { adapter, labels } = request;
  const rules = adapter.screen.acting?.several ?? null;
  const several = (dialog: Dialog): Refused | null =>
    rules !== null && dialog.options.some(({ checked }) => checked !== undefined)
      ? null
      : refused('E_OPTION_UNKNOWN', 'the dialog takes one option, not several');
  const steady = await openSteady(pane, request, several);
  if ('result' in steady || rules === null) return 'result' in steady ? steady : wouldDo('');
  // Those that the dialog scrolls away are found on the way.
  const refusal = refuseUnknown(labels, labelsOf(steady), isScrolled(steady, rules));
  if (refusal) return refusal;
  const what = `chose ${labels.map((label) => `"${label}"`).join(', ')}`;
  if (!request.commit()) return wouldDo(`would have ${what}`);
  const walk = new Walk(pane, request, rules);
  const walked = await walk.run(steady);
  if ('result' in walked) return walked;
  return submit(pane, request, { rules, dialog: walked, what, chosen: walk.chosen });
}

const labelsOf = ({ options }: Dialog): readonly string[] => options.map(({ label }) => label);

/** Whether options may be hidden above or below those that are drawn. */
const isScrolled = ({ look }: Dialog, { scrolled }: SeveralRules): boolean =>
  scrolled !== null && look.view.lines.some((line) => scrolled.test(line));

function refuseUnknown(
  wanted: readonly string[],
  labels: readonly string[],
  mayBeHidden: boolean,
): Refused | null {
  for (const each of wanted) {
    const count = labels.filter(byLabel(each, labels)).length;
    if (count === 1 || (count === 0 && mayBeHidden)) continue;
    const listed = labels.map((label) => `"${label}"`).join(', ');
    return refused('E_OPTION_UNKNOWN', `${count} of the options fit "${each}": ${listed}`);
  }
  return null;
}

/** One way over the options: up to the first, then down, switching what has to be switched. */
class Walk {
  readonly #pane: PaneControl;
  readonly #request: SeveralRequest;
  readonly #rules: SeveralRules;
  /** The labels that were passed, and whether each was left switched on. */
  readonly #seen = new Map<string, boolean | undefined>();
  #hasMoved = false;
  #hasSwitched = false;

  constructor(pane: PaneControl, request: SeveralRequest, rules: SeveralRules) {
    this.#pane = pane;
    this.#request = request;
    this.#rules = rules;
  }

  /** The labels that are wanted, as the dialog writes them. */
  get chosen(): readonly string[] {
    const all = [...this.#seen.keys()];
    return all.filter((label) => this.#request.labels.some((each) => byLabel(each, all)(label)));
  }

  /** The dialog with everything switched as wanted, or why that could not be done. */
  async run(start: Dialog): Promise<Dialog | ActionResult> {
    const walked = await this.#walk(start);
    if (!('result' in walked) || walked.result !== 'refused') return walked;
    // What was switched is part of an answer; only a mark that has moved is none.
    if (!this.#hasSwitched) return afterMove(walked, this.#hasMoved);
    return unconfirmed(`options were switched; ${walked.detail}; nothing is submitted`);
  }

  async #walk(start: Dialog): Promise<Dialog | ActionResult> {
    const top = await this.#toFirst(start);
    if ('result' in top) return top;
    let dialog = top;
    for (let steps = 0; steps < STEPS_MAX; steps += 1) {
      if (this.#isEnd(dialog)) break;
      const switched = await this.#switchMarked(dialog);
      if ('result' in switched) return switched;
      dialog = switched;
      if (this.#isSettled(dialog)) break;
      const next = await this.#move('Down', switched);
      if (next === null) break;
      if ('result' in next) return next;
      dialog = next;
    }
    const all = [...new Set([...this.#seen.keys(), ...labelsOf(dialog)])];
    return refuseUnknown(this.#request.labels, all, false) ?? this.#refuseOthers(dialog) ?? dialog;
  }

  /** A start of a label may have fitted one option until the one was seen that is called so. */
  #refuseOthers(dialog: Dialog): Refused | null {
    for (const [label, checked] of this.#seen) {
      if (checked === undefined || checked === this.#isWanted(label, dialog)) continue;
      const detail = `"${label}" was taken for what is wanted before another option was seen`;
      return refused('E_OPTION_UNKNOWN', detail);
    }
    return null;
  }

  /** Below the last option, on the one that submits, or around to the first. Notes the option. */
  #isEnd(dialog: Dialog): boolean {
    const { label, checked } = dialog.options[markedAt(dialog)] ?? {};
    if (label === undefined || this.#seen.has(label)) return true;
    this.#seen.set(label, checked);
    return this.#rules.submitOption?.test(label) ?? false;
  }

  async #toFirst(start: Dialog): Promise<Dialog | ActionResult> {
    let dialog = start;
    for (let steps = 0; steps < STEPS_MAX && markedAt(dialog) > 0; steps += 1) {
      const next = await this.#move('Up', dialog);
      if (next === null) return dialog;
      if ('result' in next) return next;
      dialog = next;
    }
    return dialog;
  }

  async #switchMarked(dialog: Dialog): Promise<Dialog | ActionResult> {
    const index = markedAt(dialog);
    const { label, checked } = dialog.options[index] ?? { label: '' };
    if (checked === undefined) return dialog;
    const isWanted = this.#isWanted(label, dialog);
    if (isWanted === checked) return dialog;
    // Enter switches in some agents: in another dialog it would answer.
    const press = { dialog, index, keys: this.#rules.toggleKeys, needsMark: true };
    const refusal = await pressOnDialog(this.#pane, this.#request, press);
    if (refusal) return refusal;
    this.#hasSwitched = true;
    this.#seen.set(label, isWanted);
    const isSwitched = (next: Dialog): boolean => {
      const now = next.options[markedAt(next)];
      return now?.label === label && now.checked === isWanted;
    };
    const next = await this.#until(dialog, isSwitched);
    return next ?? unconfirmed(`"${label}" cannot be switched; nothing is submitted`);
  }

  /** Whether all is as wanted here and now; what scrolls must be walked to its end. */
  #isSettled(dialog: Dialog): boolean {
    if (this.#rules.submitOption !== null || isScrolled(dialog, this.#rules)) return false;
    return dialog.options.every(
      ({ label, checked }) => checked === undefined || checked === this.#isWanted(label, dialog),
    );
  }

  #isWanted(label: string, dialog: Dialog): boolean {
    const all = [...new Set([...this.#seen.keys(), ...labelsOf(dialog)])];
    return this.#request.labels.some((each) => byLabel(each, all)(label));
  }

  /** The dialog after a key that moves; null where the mark stays. */
  async #move(key: 'Up' | 'Down', dialog: Dialog): Promise<Dialog | ActionResult | null> {
    let from = dialog;
    for (let tries = 1; ; tries += 1) {
      const pressed = await pressOn(this.#pane, from, [key]);
      if (pressed.isDone) break;
      if (pressed.guard !== 'screen_changed' || tries === MOVE_TRIES_MAX) {
        return refusedBy(pressed.guard);
      }
      // It was drawn anew before the key: the list has scrolled, or it blinks.
      const again = await this.#until(from, isMarkedAs(from));
      if (again === null) return refusedBy('screen_changed');
      if ('result' in again) return again;
      from = again;
    }
    this.#hasMoved = true;
    const moved = await this.#until(from, isMovedFrom(from, this.#rules));
    await this.#pane.pause(settleMs(this.#request));
    return moved;
  }

  /**
   * The same question once it is as wanted; null where it stays as it is. A look may come while it
   * is drawn, and show another or none: what counts is what is there in the end.
   */
  async #until(
    before: Dialog,
    isDone: (next: Dialog) => boolean,
  ): Promise<Dialog | ActionResult | null> {
    const deadline = performance.now() + STEP_DEADLINE_MS;
    for (;;) {
      await this.#pane.pause(LOOK_EVERY_MS);
      const next = sameQuestion(await readDialog(this.#pane, this.#request), before);
      const isRefused = 'result' in next;
      if (isRefused ? next !== otherQuestion && !isNoDialog(next) : isDone(next)) return next;
      if (performance.now() > deadline) return isRefused ? next : null;
    }
  }
}

const otherQuestion = refused(
  'E_SCREEN_CHANGED',
  'the dialog changed while its options were switched',
);

const sameQuestion = <Other extends ActionResult>(read: Dialog | Other, before: Dialog) =>
  'result' in read || read.details.text === before.details.text ? read : otherQuestion;

const markedLabel = (dialog: Dialog): string | undefined => dialog.options[markedAt(dialog)]?.label;

const isMarkedAs =
  (before: Dialog) =>
  (next: Dialog): boolean =>
    markedLabel(next) === markedLabel(before);

/** No mark is drawn below the last option, unless one of them submits: then it is being drawn. */
const isMovedFrom =
  (before: Dialog, { submitOption }: SeveralRules) =>
  (next: Dialog): boolean => {
    if (markedAt(next) < 0) return submitOption === null;
    return markedLabel(next) !== markedLabel(before);
  };

interface Submission {
  readonly rules: SeveralRules;
  readonly dialog: Dialog;
  readonly what: string;
  readonly chosen: readonly string[];
}

/** Submits, and accepts the page that shows the answers again, where there is one. */
async function submit(
  pane: PaneControl,
  request: SeveralRequest,
  { rules, dialog, what, chosen }: Submission,
): Promise<ActionResult> {
  const index = markedAt(dialog);
  if (rules.submitOption?.test(dialog.options[index]?.label ?? '') === false) {
    return unconfirmed('the option that submits is not marked; nothing is submitted');
  }
  const press = { dialog, index, keys: rules.submitKeys, needsMark: true };
  const refusal = await pressOnDialog(pane, request, press);
  if (refusal) return unconfirmed(`${what}, and not submitted: ${refusal.detail}`);
  const page = await untilLeft(pane, request, dialog);
  if (page === null) return unconfirmed(`${what}; the question is still there`);
  if ('result' in page || !isReview(page, rules, chosen)) return done(page, what);
  const accepted = await pane.press(rules.confirmKeys, page, wholeScreen(page));
  if (!accepted.isDone) {
    return unconfirmed(`${what}, and not accepted: ${refusedBy(accepted.guard).detail}`);
  }
  const after = await untilReviewed(pane, request, rules);
  return after ?? delivered(what);
}

const done = (page: PaneLook | ActionResult, what: string): ActionResult =>
  'result' in page ? page : delivered(what);

/** All rows: what is accepted is what the page shows. */
const wholeScreen = ({ view }: PaneLook): StillShown => ({
  rows: view.lines.map((_, index) => index),
  isSteady: true,
});

/** The page that shows what was chosen, and nothing else of it. */
function isReview(look: PaneLook, { review }: SeveralRules, chosen: readonly string[]): boolean {
  const shown = comparable(look.view.lines.join(''));
  return (
    review !== null &&
    look.view.lines.some((line) => review.test(line)) &&
    chosen.every((label) => shown.includes(comparable(label)))
  );
}

/** What the pane shows once the question is left; null where it stays. */
async function untilLeft(
  pane: PaneControl,
  { adapter, agent }: SeveralRequest,
  before: Dialog,
): Promise<PaneLook | ActionResult | null> {
  const deadline = performance.now() + PROOF_DEADLINE_MS;
  for (let leftLooks = 0; performance.now() < deadline; ) {
    await pane.pause(LOOK_EVERY_MS);
    const look = await pane.look();
    const refusal = refuseKeys(look, agent);
    if (refusal !== null || look === null) return unconfirmed(refusal?.detail ?? 'no pane');
    const details = openDialog(adapter, look)?.details;
    const isLeft = details?.text !== before.details.text || details?.options === undefined;
    leftLooks = isLeft ? leftLooks + 1 : 0;
    if (leftLooks > 1) return look;
  }
  return null;
}

/** Null once the review is gone. */
async function untilReviewed(
  pane: PaneControl,
  { agent }: SeveralRequest,
  { review }: SeveralRules,
): Promise<ActionResult | null> {
  const deadline = performance.now() + PROOF_DEADLINE_MS;
  while (performance.now() < deadline) {
    await pane.pause(LOOK_EVERY_MS);
    const look = await pane.look();
    const refusal = refuseKeys(look, agent);
    if (refusal !== null) return unconfirmed(refusal.detail);
    if (!look?.view.lines.some((line) => review?.test(line))) return null;
  }
  return unconfirmed('the answers were accepted, and their page is still there');
}
