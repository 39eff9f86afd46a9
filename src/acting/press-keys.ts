// Keys by name, one after the other, each guarded like the Enter of a prompt. A key may open a
// dialog that the next one would answer, so the screen is read again before each of them.

import type { Adapter } from '../agents/adapter.ts';
import { findKeyTrap } from '../agents/screen/acting-rules.ts';
import { judgeScreen } from '../agents/screen/rules.ts';
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
import type { PaneControl, PaneLook } from './pane-control.ts';
import {
  type ExpectedAgent,
  openDialog,
  refuseAgent,
  refuseKeys,
  refusePrompt,
} from './readiness.ts';

/** Agents take two keys in less for one: an escape sequence, or the end of a paste. */
const BETWEEN_KEYS_MS = 150;
const LOOK_EVERY_MS = 60;
const PROOF_DEADLINE_MS = 1_500;
/** How often a screen that was drawn anew is looked at again before a key. */
const STEADY_TRIES_MAX = 8;

export interface PressRequest {
  readonly keys: readonly string[];
  readonly agent: ExpectedAgent;
  readonly adapter: Adapter;
  readonly isForced: boolean;
  /** The agent is known by its screen alone. */
  readonly isOpaque: boolean;
  readonly commit: Commit;
}

export async function pressKeys(pane: PaneControl, request: PressRequest): Promise<ActionResult> {
  const { keys, adapter, isForced } = request;
  const trap = isForced ? null : findKeyTrap(adapter.screen.acting, keys);
  if (trap !== null) return refused('E_KEY_REFUSED', `${trap.key}: ${trap.why}`);
  const first = await pane.look();
  const refusal = refuseFirst(request, first);
  if (refusal !== null || first === null) return refusal ?? refusedBy('pane_gone');
  if (!request.commit()) return wouldDo(`would press ${keys.join(' ')}`);
  await request.agent.refresh();
  return pressAll(pane, request, first);
}

async function pressAll(
  pane: PaneControl,
  request: PressRequest,
  first: PaneLook,
): Promise<ActionResult> {
  const { keys } = request;
  let last = first;
  for (const [index, key] of keys.entries()) {
    if (index > 0) await pane.pause(BETWEEN_KEYS_MS);
    const look = index === 0 ? first : await pane.look();
    const pressed = await pressOne(pane, request, { key, look });
    if (!('result' in pressed)) last = pressed;
    else if (index === 0) return pressed;
    else return unconfirmed(`pressed ${index} of ${keys.length} keys: ${pressed.detail}`);
  }
  return prove(pane, request, last);
}

/** Why not even the first key is pressed. */
function refuseFirst(request: PressRequest, look: PaneLook | null): Refused | null {
  const { adapter, agent, isForced } = request;
  const refusal = refuseKeys(look, agent) ?? refuseAgent(request, look);
  if (refusal !== null || look === null || isForced) return refusal;
  return refusePrompt(adapter, look);
}

/** Why the next key is not pressed on this screen. */
function refuseNext(request: PressRequest, look: PaneLook): Refused | null {
  const refusal = refuseKeys(look, request.agent) ?? refuseAgent(request, look);
  if (refusal !== null || request.isForced) return refusal;
  return openDialog(request.adapter, look) && refused('E_DIALOG_OPEN', 'a dialog is open');
}

/** Presses a key on the screen as it is now; the look that it was pressed on, or why it was not. */
async function pressOne(
  pane: PaneControl,
  request: PressRequest,
  { key, look: given }: { readonly key: string; readonly look: PaneLook | null },
): Promise<PaneLook | Refused> {
  let look = given;
  for (let tries = 1; look !== null; tries += 1) {
    const refusal = refuseNext(request, look);
    if (refusal !== null) return refusal;
    // Where it is forced nothing of the screen is relied on.
    const pressed = await pane.press([key], look, { rows: [], isSteady: !request.isForced });
    if (pressed.isDone) return look;
    if (pressed.guard !== 'screen_changed' || tries === STEADY_TRIES_MAX) {
      return refusedBy(pressed.guard);
    }
    look = await pane.look();
  }
  return refusedBy('pane_gone');
}

/** A screen that is drawn anew shows that the keys arrived, unless the agent draws by itself. */
async function prove(
  pane: PaneControl,
  { adapter, keys }: PressRequest,
  before: PaneLook,
): Promise<ActionResult> {
  const pressed = `pressed ${keys.join(' ')}`;
  if (judgeScreen(adapter.screen, before.view)?.says === 'running') {
    return unconfirmed(`${pressed}; the agent works, so that its screen proves nothing`);
  }
  const deadline = performance.now() + PROOF_DEADLINE_MS;
  for (;;) {
    await pane.pause(LOOK_EVERY_MS);
    const look = await pane.look();
    if (look === null) return unconfirmed(`${pressed}, and the pane is gone`);
    if (look.command !== before.command) {
      return unconfirmed(`${pressed}, and another program is in the foreground of the pane`);
    }
    if (isOtherScreen(look, before)) return delivered(`${pressed}; the screen changed`);
    if (performance.now() > deadline) return unconfirmed(`${pressed}; the screen did not change`);
  }
}

/** The same text drawn again is no change. */
const isOtherScreen = ({ screen }: PaneLook, { screen: before }: PaneLook): boolean =>
  screen.ansi !== before.ansi ||
  screen.cursor.x !== before.cursor.x ||
  screen.cursor.y !== before.cursor.y;
