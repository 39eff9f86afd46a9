// The page that asks for a reason, which some agents open once their option that refuses was
// chosen; the request stays open until then. Enter is pressed on that page alone, and on one with a
// reason only after the whole of it was seen there.

import {
  type ActionResult,
  delivered,
  type Refused,
  refused,
  refusedBy,
  unconfirmed,
} from '../action-result.ts';
import type { PaneControl, PaneLook, StillShown } from '../pane-control.ts';
import { openDialog, refuseKeys } from '../readiness.ts';
import { comparable } from '../typed-text.ts';
import { type DialogRequest, LOOK_EVERY_MS } from './dialog.ts';

const PAGE_DEADLINE_MS = 2_500;
const PRESS_TRIES_MAX = 5;

export interface ReasonPage {
  /** Its first row. */
  readonly pattern: RegExp;
  /** Clean, one line; empty for none. */
  readonly reason: string;
  /** The option that opened it. */
  readonly label: string;
}

interface OpenPage {
  readonly look: PaneLook;
  readonly still: StillShown;
  readonly text: string;
}

/** Fills in the page that the option has opened. */
export async function answerReasonPage(
  pane: PaneControl,
  request: DialogRequest,
  page: ReasonPage,
): Promise<ActionResult> {
  const { reason, label } = page;
  const open = await untilPage(pane, request, { page, isThere: () => true });
  if ('result' in open) return stuck(page, open);
  if (reason !== '') {
    const pasted = await pane.paste(reason, open.look, open.still);
    if (!pasted.isDone) return stuck(page, refusedBy(pasted.guard));
    const wanted = comparable(reason);
    const isThere = ({ text }: OpenPage): boolean => text.includes(wanted);
    const filled = await untilPage(pane, request, { page, isThere });
    if ('result' in filled) return stuck(page, filled);
  }
  const refusal = await submit(pane, request, page);
  if (refusal) return stuck(page, refusal);
  const what = reason === '' ? `chose "${label}"` : `chose "${label}" with the reason`;
  return (await isGone(pane, request, page))
    ? delivered(what)
    : unconfirmed(`the key was pressed (${what}), and the page for the reason is still there`);
}

const stuck = ({ label }: ReasonPage, { detail }: Refused): ActionResult =>
  unconfirmed(`chose "${label}", and its page for a reason was not submitted: ${detail}`);

async function readPage(
  pane: PaneControl,
  { adapter, agent }: DialogRequest,
  { pattern }: ReasonPage,
): Promise<OpenPage | Refused> {
  const look = await pane.look();
  const refusal = refuseKeys(look, agent);
  if (refusal !== null || look === null) return refusal ?? refusedBy('pane_gone');
  const { lines } = look.view;
  const first = lines.findLastIndex((line) => pattern.test(line));
  const dialog = openDialog(adapter, look);
  if (first < 0 || dialog === null || dialog.details.options !== undefined) {
    return refused('E_NO_DIALOG', 'no page for a reason is on the screen');
  }
  const rows = Array.from({ length: lines.length - first }, (_, at) => first + at);
  const text = comparable(lines.slice(first).map(withoutFrame).join(''));
  return { look, still: { rows, isSteady: true }, text };
}

/** A reason may go on in the next row, behind the bar at the left. */
const withoutFrame = (line: string): string => line.replace(/^ *[┃│] {0,4}/, '').trimEnd();

async function untilPage(
  pane: PaneControl,
  request: DialogRequest,
  wanted: { readonly page: ReasonPage; readonly isThere: (open: OpenPage) => boolean },
): Promise<OpenPage | Refused> {
  const deadline = performance.now() + PAGE_DEADLINE_MS;
  for (;;) {
    await pane.pause(LOOK_EVERY_MS);
    const open = await readPage(pane, request, wanted.page);
    if (!('result' in open) && wanted.isThere(open)) return open;
    if ('result' in open && open.code !== 'E_NO_DIALOG') return open;
    if (performance.now() < deadline) continue;
    return 'result' in open ? open : refused('E_NO_DIALOG', 'the page does not show the reason');
  }
}

/** Presses Enter on the page as it is now; null when it was pressed. */
async function submit(
  pane: PaneControl,
  request: DialogRequest,
  page: ReasonPage,
): Promise<Refused | null> {
  const wanted = comparable(page.reason);
  for (let tries = 1; ; tries += 1) {
    const open = await readPage(pane, request, page);
    if ('result' in open) return open;
    if (!open.text.includes(wanted)) return refusedBy('screen_changed');
    const pressed = await pane.press(['Enter'], open.look, open.still);
    if (pressed.isDone) return null;
    const isLast = tries === PRESS_TRIES_MAX;
    if (pressed.guard !== 'screen_changed' || isLast) return refusedBy(pressed.guard);
  }
}

/** In two looks, since a screen is drawn in parts. */
async function isGone(
  pane: PaneControl,
  request: DialogRequest,
  page: ReasonPage,
): Promise<boolean> {
  const deadline = performance.now() + PAGE_DEADLINE_MS;
  let goneLooks = 0;
  while (performance.now() < deadline && goneLooks < 2) {
    await pane.pause(LOOK_EVERY_MS);
    const open = await readPage(pane, request, page);
    goneLooks = 'result' in open && open.code === 'E_NO_DIALOG' ? goneLooks + 1 : 0;
  }
  return goneLooks > 1;
}
