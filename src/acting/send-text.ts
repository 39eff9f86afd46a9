// A prompt, typed the way that is safe on every agent: look, paste, look, Enter, look. A dialog may
// open at any moment, and an Enter in it would approve what it asks, so Enter is pressed only after
// the input box was seen to hold the text, and again only while it still does.

import type { Adapter } from '../agents/adapter.ts';
import { findTrap } from '../agents/screen/acting-rules.ts';
import { judgeScreen, readDraft } from '../agents/screen/rules.ts';
import {
  type ActionResult,
  type Commit,
  delivered,
  type Refused,
  refused,
  refusedBy,
  unconfirmed,
  wouldDo,
} from './action-result.ts';
import type { GuardName } from './guarded-command.ts';
import type { PaneControl, PaneLook } from './pane-control.ts';
import {
  draftRows,
  type ExpectedAgent,
  openDialog,
  refuseAgent,
  refuseDialog,
  refuseEnded,
  refuseKeys,
  refusePrompt,
} from './readiness.ts';
import { countShown, holdsText, isMarkAlone } from './typed-text.ts';

/** How often and for how long the screen is looked at for what a step should have done. */
const LOOK_EVERY_MS = 60;
const PASTE_SETTLE_MS = 100;
const PASTE_DEADLINE_MS = 3_000;
const PROOF_DEADLINE_MS = 3_000;
/** Agents draw a long prompt late: 20,000 characters have 5 s more. */
const PROOF_MS_PER_CHARACTER = 0.25;
const PROOF_DEADLINE_MAX_MS = 10_000;
/** Agents draw in parts: a box that is not there is looked for again. */
const BOX_DEADLINE_MS = 1_000;
/**
 * An Enter that came too early is a new line, and some agents drop one while they end a turn: it is
 * pressed again after these times, while the text is in the box.
 */
const ENTER_AGAIN_MS = [200, 1_000];
/** Whoever pressed a key in this time may be about to press the next. */
const TYPING_MS = 3_000;
/** How often a screen that was drawn anew is looked at again before an Enter. */
const STEADY_TRIES_MAX = 8;

export interface SendRequest {
  /** Clean, as `cleanText` leaves it. */
  readonly text: string;
  readonly pressesEnter: boolean;
  /** The caller knows that the program takes pastes in brackets. */
  readonly isPasteSafe: boolean;
  readonly agent: ExpectedAgent;
  readonly adapter: Adapter;
  /** Types although nothing proves that the agent takes it; never a way around a guard of tmux. */
  readonly isForced: boolean;
  /** Types nothing into an open dialog, forced or not. */
  readonly sparesDialogs?: boolean | undefined;
  /** The agent is known by its screen alone: nothing proves that it is the one that types. */
  readonly isOpaque: boolean;
  /** Types nothing while the agent works, or while a person types in the pane. */
  readonly needsRest?: boolean;
  /** Pastes nothing: submits the text if it is in the input box already. */
  readonly isPasted?: boolean;
  /** How long ago that was. */
  readonly pastedForMs?: number | undefined;
  /** Nobody was at the keys since then, so that the mark of a paste in the box is ours. */
  readonly isUntouched?: boolean;
  /** Of a program without rules of its own: whether its input box is there and empty. */
  readonly isBoxEmpty?: ((look: PaneLook) => boolean) | undefined;
  readonly commit: Commit;
  /** Whether a source other than the screen has seen the prompt since then. */
  readonly hasPromptEvidence: () => boolean;
}

export async function sendText(pane: PaneControl, request: SendRequest): Promise<ActionResult> {
  const result = await typeText(pane, request);
  if (!request.isOpaque || result.result !== 'delivered') return result;
  return unconfirmed(`${result.detail}, as far as the screen shows`);
}

async function typeText(pane: PaneControl, request: SendRequest): Promise<ActionResult> {
  const checked = checkText(request);
  if (typeof checked !== 'string') return checked;
  if (request.isPasted) return submitPasted(pane, { ...request, text: checked });
  const look = await untilFree(pane, request);
  if ('result' in look) return look;
  const split = refuseLines(request, look);
  if (split !== null) return split;
  const busy = request.needsRest ? await refuseUnrest(pane, request, look) : null;
  if (busy !== null) return busy;
  const ended = await refuseEnded(request.agent);
  if (ended !== null) return ended;
  if (!request.commit()) return wouldDo(`would type ${checked.length} characters`);
  const typed = { ...request, text: checked };
  const unpasted = await paste(pane, typed, look);
  if (unpasted !== null) return unpasted;
  await pane.pause(typed.adapter.screen.acting?.settleMs ?? PASTE_SETTLE_MS);
  const taken = await untilTaken(pane, typed, PASTE_DEADLINE_MS);
  if (!taken.isTaken) return unconfirmed(`pasted and not submitted: ${taken.why}`);
  if (!request.pressesEnter) return delivered('the text is in the input box');
  return submit(pane, typed, taken.look);
}

/** Enter for a text that was pasted earlier, by whoever it was. */
async function submitPasted(pane: PaneControl, request: SendRequest): Promise<ActionResult> {
  const look = await pane.look();
  const refusal = refuseKeys(look, request.agent);
  if (refusal !== null || look === null) return refusal ?? refusedBy('pane_gone');
  if (request.adapter.screen.acting === null) return refusePasted(request, look);
  const { pastedForMs = Number.POSITIVE_INFINITY } = request;
  const pasted = { ...request, isUntouched: !(await pane.isServerUsed(pastedForMs)) };
  if (!isInBox(pasted, look)) return refused('E_INPUT_UNSEEN', NOT_IN_BOX);
  const busy = await refuseUnrest(pane, pasted, look);
  if (busy !== null) return busy;
  return pasted.commit() ? submit(pane, pasted, look) : wouldDo('would submit the text');
}

const NOT_IN_BOX = 'the text is not in the input box';

/** Nobody knows what stands in a box that no rules of the agent describe: nothing submits it. */
const refusePasted = ({ isBoxEmpty }: SendRequest, look: PaneLook): Refused =>
  isBoxEmpty?.(look)
    ? refused('E_INPUT_UNSEEN', NOT_IN_BOX)
    : refused('E_DRAFT_PRESENT', 'the text may be in the input box');

/** The text as this agent takes it, or why it does not. */
export function checkText({
  text,
  adapter,
  isForced,
  pressesEnter,
}: Pick<SendRequest, 'text' | 'adapter' | 'isForced' | 'pressesEnter'>): string | Refused {
  const { acting } = adapter.screen;
  if (text.trim() === '') return refused('E_INPUT_INVALID', 'the text is empty');
  if (acting === null || isForced) return text;
  if (Buffer.byteLength(text) > acting.textBytesMax) {
    const detail = `${adapter.title} takes at most ${acting.textBytesMax} bytes as they are`;
    return refused('E_TEXT_REFUSED', detail);
  }
  const trap = pressesEnter ? findTrap(acting, text) : null;
  if (trap === null) return text;
  return trap.cure === 'blank' ? `${text} ` : refused('E_TEXT_REFUSED', trap.why);
}

/** Why nobody types here uninvited: the agent works, or a person is at the keys. */
async function refuseUnrest(pane: PaneControl, request: SendRequest, look: PaneLook) {
  if (isRunning(request, look)) return refused('E_PRECONDITION_FAILED', 'the agent works');
  const { isTyping, keyTable } = await pane.peopleAtKeys(TYPING_MS);
  if (keyTable !== null) {
    const detail = `somebody who is attached has tmux wait for a key of the table "${keyTable}"`;
    return refused('E_PANE_MODE', detail);
  }
  return isTyping ? refused('E_DRAFT_PRESENT', 'somebody is typing in the pane') : null;
}

function refuseText(request: SendRequest, look: PaneLook | null) {
  const refusal = refuseAgent(request, look);
  if (refusal !== null || look === null) return refusal;
  const { adapter } = request;
  if (!request.isForced) return refusePrompt(adapter, look);
  return request.sparesDialogs ? refuseDialog(adapter, look) : null;
}

/** The pane with a box that takes the text, or why nothing is typed. */
async function untilFree(pane: PaneControl, request: SendRequest): Promise<PaneLook | Refused> {
  const deadline = performance.now() + BOX_DEADLINE_MS;
  for (;;) {
    const look = await pane.look();
    const refusal = refuseKeys(look, request.agent) ?? refuseText(request, look);
    if (refusal === null && look !== null) return look;
    const mayCome = refusal?.code === 'E_INPUT_UNSEEN' && performance.now() < deadline;
    if (!mayCome) return refusal ?? refusedBy('pane_gone');
    await pane.pause(LOOK_EVERY_MS);
  }
}

/** Outside of the brackets of a paste every line end is an Enter. */
function refuseLines({ adapter, text, isPasteSafe }: SendRequest, { takesPastes }: PaneLook) {
  const isWhole = takesPastes ?? (isPasteSafe || adapter.screen.acting !== null);
  if (isWhole || !text.includes('\n')) return null;
  const detail =
    takesPastes === null
      ? 'nothing shows that the program takes several lines as one text; --paste vouches for it'
      : 'the program takes every line of the text for itself';
  return refused('E_TEXT_REFUSED', detail);
}

/** Pastes into the box as it was read; why it did not, or null. */
async function paste(pane: PaneControl, request: SendRequest, first: PaneLook) {
  let look = first;
  for (let tries = 1; ; tries += 1) {
    const rows = draftRows(request.adapter, look);
    const pasted = await pane.paste(request.text, look, { rows, isSteady: false });
    if (pasted.isDone) return null;
    if (pasted.guard !== 'screen_changed' || tries === STEADY_TRIES_MAX) {
      return refusedBy(pasted.guard);
    }
    const next = await untilFree(pane, request);
    if ('result' in next) return next;
    look = next;
  }
}

type Taken =
  | { readonly isTaken: true; readonly look: PaneLook }
  | { readonly isTaken: false; readonly why: string };

/** Waits until the box holds the text. */
async function untilTaken(pane: PaneControl, request: SendRequest, ms: number): Promise<Taken> {
  const { adapter } = request;
  const deadline = performance.now() + ms;
  for (;;) {
    const look = await pane.look();
    const refusal = refuseKeys(look, request.agent);
    if (look === null || refusal) return { isTaken: false, why: refusal?.detail ?? 'no pane' };
    if (isInBox(request, look)) return { isTaken: true, look };
    if (openDialog(adapter, look)) return { isTaken: false, why: 'a dialog opened' };
    if (performance.now() > deadline) {
      return { isTaken: false, why: 'the input box does not show the text' };
    }
    await pane.pause(LOOK_EVERY_MS);
  }
}

/** What the screen showed before Enter: nothing of that is proof afterwards. */
interface Before {
  readonly isRunning: boolean;
  readonly shownCount: number;
}

async function submit(
  pane: PaneControl,
  request: SendRequest,
  taken: PaneLook,
): Promise<ActionResult> {
  const before = { isRunning: isRunning(request, taken), shownCount: countAbove(request, taken) };
  await request.agent.refresh();
  const { length } = request.text;
  const proofMs = PROOF_DEADLINE_MS + length * PROOF_MS_PER_CHARACTER;
  let look: PaneLook | null = taken;
  for (const [at, ms] of [...ENTER_AGAIN_MS, proofMs].entries()) {
    const guard = look && isReady(request, look) ? await pressEnter(pane, request, look) : null;
    // After the first Enter a changed screen is what is hoped for.
    if (at === 0 && guard !== null) {
      return unconfirmed(`pasted and not submitted: ${refusedBy(guard).detail}`);
    }
    if (request.adapter.screen.acting === null) return untilEmpty(pane, request, taken);
    const seen = await untilProof(pane, request, { before, ms });
    if (seen.proof) return seen.proof;
    look = seen.look;
  }
  // One that has just been started, or that is short of time, takes its prompt late.
  const ms = look && isReady(request, look) ? PROOF_DEADLINE_MAX_MS - proofMs : 0;
  const late = await untilProof(pane, request, { before, ms });
  return late.proof ?? unconfirmed(unprovedDetail(request, late.look));
}

/** All that a program without rules shows of an Enter: a box that is empty again. */
async function untilEmpty(
  pane: PaneControl,
  { isBoxEmpty, agent }: SendRequest,
  taken: PaneLook,
): Promise<ActionResult> {
  const deadline = performance.now() + PROOF_DEADLINE_MS;
  // A rule that fits a box with a text in it proves nothing.
  while (isBoxEmpty && !isBoxEmpty(taken) && performance.now() < deadline) {
    await pane.pause(LOOK_EVERY_MS);
    const look = await pane.look();
    if (look === null || refuseKeys(look, agent)) break;
    if (isBoxEmpty(look)) return delivered('the text left the input box');
  }
  return unconfirmed('Enter was pressed; nothing proves what it did');
}

function unprovedDetail(request: SendRequest, look: PaneLook | null): string {
  const refusal = refuseKeys(look, request.agent);
  if (refusal) return `Enter was pressed, and then ${refusal.detail}`;
  return isInBox(request, look)
    ? 'the text is still in the input box'
    : 'the input box no longer shows the text, and nothing shows that a turn began';
}

/** Presses Enter on the text in the box; null when it was pressed, else what stood against it. */
async function pressEnter(
  pane: PaneControl,
  request: SendRequest,
  first: PaneLook,
): Promise<GuardName | null> {
  let look: PaneLook | null = first;
  for (let tries = 0; tries < STEADY_TRIES_MAX && look && isReady(request, look); tries += 1) {
    const rows = draftRows(request.adapter, look);
    const pressed = await pane.press(['Enter'], look, { rows, isSteady: rows.length === 0 });
    if (pressed.isDone) return null;
    if (pressed.guard !== 'screen_changed') return pressed.guard;
    // Something was drawn meanwhile; the text may be where it was, or be drawn anew there.
    const again = await untilTaken(pane, request, BOX_DEADLINE_MS);
    look = again.isTaken ? again.look : null;
  }
  return 'screen_changed';
}

/** Whether Enter would submit the text, to this agent. */
const isReady = (request: SendRequest, look: PaneLook): boolean =>
  refuseKeys(look, request.agent) === null && isInBox(request, look);

/** Whether the box holds the text. Without one that can be read, no dialog must be open. */
function isInBox(
  { adapter, text, isOpaque, isBoxEmpty, isPasted, isUntouched }: SendRequest,
  look: PaneLook | null,
): boolean {
  const { acting } = adapter.screen;
  if (look === null) return false;
  const draft = readDraft(adapter.screen, look.view);
  if (acting !== null) {
    if (draft === null) return false;
    if (!isPasted) return holdsText(draft, text, acting);
    // Of an earlier paste a mark proves nothing by itself: it may stand for one of a person.
    const isOurMark = isUntouched === true && isMarkAlone(draft, text, acting);
    return isOurMark || holdsText(draft, text, { pasteMark: null });
  }
  if (openDialog(adapter, look) !== null || (draft === null && isOpaque)) return false;
  return !isBoxEmpty?.(look) || countShown(look.view.lines, text) > 0;
}

const isRunning = ({ adapter }: SendRequest, look: PaneLook): boolean =>
  judgeScreen(adapter.screen, look.view)?.says === 'running';

/** How often the text is above the input box. */
function countAbove({ adapter, text }: SendRequest, { view }: PaneLook): number {
  const boxRows = readDraft(adapter.screen, view)?.toBottom.length ?? 0;
  return countShown(view.lines.slice(0, view.lines.length - boxRows), text);
}

/** Looks until something proves that the prompt was taken, or the time is over. */
async function untilProof(
  pane: PaneControl,
  request: SendRequest,
  { before, ms }: { readonly before: Before; readonly ms: number },
) {
  const deadline = performance.now() + ms;
  for (;;) {
    await pane.pause(LOOK_EVERY_MS);
    const look = await pane.look();
    const proof = look && proofOf(request, look, before);
    if (look === null || proof || performance.now() > deadline) return { look, proof };
  }
}

/** What shows that the agent took the prompt; null as long as nothing does. */
function proofOf(request: SendRequest, look: PaneLook, before: Before): ActionResult | null {
  const { adapter, agent, hasPromptEvidence } = request;
  if (isInBox(request, look)) return null;
  if (hasPromptEvidence()) return delivered('the agent reports the prompt');
  if (refuseKeys(look, agent)) return null;
  const isBoxShown = readDraft(adapter.screen, look.view) !== null;
  // A dialog takes the place of the box as soon as the prompt asks for something.
  if (!isBoxShown && openDialog(adapter, look) === null) return null;
  if (isBoxShown && !before.isRunning && isRunning(request, look)) {
    return delivered('the text left the input box and the agent works');
  }
  if (countAbove(request, look) <= before.shownCount) return null;
  const isMidTurn = before.isRunning && isRunning(request, look);
  return delivered(
    isMidTurn
      ? 'the agent works, and shows the text above its input box: taken or queued'
      : 'the text left the input box and is above it',
  );
}
