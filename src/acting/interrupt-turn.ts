// Stops the turn of an agent by its own keys, only while it is seen to work: the same keys in a box
// at rest open other views, and some of them end the agent.

import type { Adapter } from '../agents/adapter.ts';
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
import { type ExpectedAgent, openDialog, refuseKeys } from './readiness.ts';

/** Copilot takes two Esc as one key in less, and as two single ones after 300 ms. */
const BETWEEN_KEYS_MS = 150;
const LOOK_EVERY_MS = 80;
const PROOF_DEADLINE_MS = 2_500;
const TRIES_MAX = 3;
/** How often a screen that was drawn anew is looked at again before a key. */
const STEADY_TRIES_MAX = 8;
/** The same for the keys after the first: two Esc that come too far apart are no pair. */
const PAIR_TRIES_MAX = 2;
/** At rest for this long: a queued prompt would have begun the next turn. */
const REST_MS = 400;

export interface InterruptRequest {
  readonly adapter: Adapter;
  readonly agent: ExpectedAgent;
  /** Whether another source than the screen says that the agent works. */
  readonly isRunning: () => boolean;
  readonly commit: Commit;
}

export async function interruptTurn(
  pane: PaneControl,
  request: InterruptRequest,
): Promise<ActionResult> {
  const { adapter, agent, isRunning, commit } = request;
  const { acting } = adapter.screen;
  if (acting === null) {
    return refused('E_AGENT_UNSUPPORTED', `the keys that stop ${adapter.title} are not known`);
  }
  const look = await pane.look();
  const refusal = refuseKeys(look, agent);
  if (refusal !== null || look === null) return refusal ?? refusedBy('pane_gone');
  if (openDialog(adapter, look)) return refused('E_DIALOG_OPEN', 'the agent asks and waits');
  if (!isWorking(adapter, look, isRunning)) return atRest();
  if (!commit()) return wouldDo(`would press ${acting.interruptKeys.join(' ')}`);
  await agent.refresh();
  return pressUntilRest(pane, request, acting.interruptKeys, look);
}

/** Keys may be lost on a busy machine: they are pressed again while the screen still shows work. */
async function pressUntilRest(
  pane: PaneControl,
  request: InterruptRequest,
  keys: readonly string[],
  first: PaneLook,
): Promise<ActionResult> {
  let look = first;
  for (let tries = 1; ; tries += 1) {
    const stopped = await pressAll(pane, request, { keys, look });
    if (stopped !== null) return tries === 1 ? stopped : unconfirmed(stopped.detail);
    const proof = await prove(pane, request);
    const next = await pane.look();
    const stillWorks = next && judgeScreen(request.adapter.screen, next.view)?.says === 'running';
    const isOver = proof.result === 'delivered' || tries === TRIES_MAX;
    if (isOver || !stillWorks || refuseKeys(next, request.agent)) return proof;
    look = next;
  }
}

/** Presses the keys one after the other; what stopped it, or null. */
async function pressAll(
  pane: PaneControl,
  request: InterruptRequest,
  { keys, look: first }: { readonly keys: readonly string[]; readonly look: PaneLook },
): Promise<ActionResult | null> {
  for (const [index, key] of keys.entries()) {
    if (index > 0) await pane.pause(BETWEEN_KEYS_MS);
    const look = index === 0 ? first : await pane.look();
    const refusal = await pressOne(pane, request, { key, look, isFirst: index === 0 });
    if (refusal === null) continue;
    return index === 0 ? refusal : unconfirmed(refusal.detail);
  }
  return null;
}

/** Presses a key on the screen as it is now; why it was not pressed, or null. */
async function pressOne(
  pane: PaneControl,
  { adapter, agent, isRunning }: InterruptRequest,
  given: { readonly key: string; readonly look: PaneLook | null; readonly isFirst: boolean },
): Promise<Refused | null> {
  let { look } = given;
  for (let tries = 1; look !== null; tries += 1) {
    const refusal = refuseKeys(look, agent);
    if (refusal !== null) return refusal;
    if (openDialog(adapter, look)) return refused('E_DIALOG_OPEN', 'a dialog opened');
    if (given.isFirst && !isWorking(adapter, look, isRunning)) return atRest();
    // A flood of output changes the screen between any look and any key, and must be stopped too.
    const isSteady = tries < (given.isFirst ? STEADY_TRIES_MAX : PAIR_TRIES_MAX);
    const pressed = await pane.press([given.key], look, { rows: [], isSteady });
    if (pressed.isDone) return null;
    if (pressed.guard !== 'screen_changed') return refusedBy(pressed.guard);
    look = await pane.look();
  }
  return refusedBy('pane_gone');
}

const atRest = () => refused('E_PRECONDITION_FAILED', 'the agent does not work now');

/** Whether the screen shows work, or shows nothing of it and another source says so. */
function isWorking({ screen }: Adapter, { view }: PaneLook, isRunning: () => boolean): boolean {
  const says = judgeScreen(screen, view)?.says ?? null;
  return says === 'running' || (says === null && isRunning());
}

function isAtRest({ screen }: Adapter, { view }: PaneLook): boolean {
  const says = judgeScreen(screen, view)?.says ?? null;
  return says !== null && says !== 'running';
}

/** The agent rests, and goes on resting for a moment. */
async function prove(
  pane: PaneControl,
  { adapter, agent, isRunning }: InterruptRequest,
): Promise<ActionResult> {
  const deadline = performance.now() + PROOF_DEADLINE_MS;
  let restsSince: number | null = null;
  let saw = 'no proof came';
  while (performance.now() < deadline) {
    await pane.pause(LOOK_EVERY_MS);
    const look = await pane.look();
    const refusal = refuseKeys(look, agent);
    if (look === null || refusal) return unconfirmed(refusal?.detail ?? 'the pane is gone');
    const isAsking = openDialog(adapter, look) !== null;
    saw = isAsking ? 'the agent asks something, so that its turn goes on' : 'no proof came';
    restsSince = !isAsking && isAtRest(adapter, look) ? (restsSince ?? performance.now()) : null;
    if (restsSince !== null && performance.now() - restsSince >= REST_MS) {
      return delivered('the turn has stopped');
    }
  }
  return unconfirmed(
    isRunning() ? 'the agent still works: it may have begun a queued prompt' : saw,
  );
}
