// Events about claims that time or a second reading has decided. Each carries all it needs, so that
// replaying it needs no clock.

import type { EventOf } from '../../schema/event.ts';
import { TURN } from '../../schema/evidence.ts';
import { withFirstScreen } from '../evidence/first-screen.ts';
import { acceptClaim, slotKey } from '../evidence/slots.ts';
import { restOf } from '../state/rest.ts';
import { type Draft, liveRuntime, putPane, putRuntime, type Slot } from '../world.ts';
import { endingOutdated } from './ending.ts';
import { confirmClaim } from './records.ts';

export function claimConfirmed(draft: Draft, event: EventOf<'claim.confirmed'>): void {
  confirmClaim(draft, event.runtimeId, event.source, event.about);
}

/** The unchanged claim of a level source gets a new stamp, and so ends what it covers. */
export function claimSettled(draft: Draft, event: EventOf<'claim.settled'>): void {
  const runtime = liveRuntime(draft, event.runtimeId);
  const slot = runtime?.slots.get(slotKey(event.source, event.about));
  const source = runtime?.sources.get(event.source);
  if (!runtime || !source || !slot?.claim) return;
  const atMs = Math.max(slot.claim.atMs, event.assertedAtMs);
  const sources = new Map(runtime.sources).set(event.source, {
    ...source,
    lastAtMs: Math.max(source.lastAtMs, atMs),
  });
  putRuntime(draft, acceptClaim({ ...runtime, sources }, slot, { ...slot.claim, atMs }));
}

export function claimExpired(draft: Draft, event: EventOf<'claim.expired'>): void {
  const runtime = liveRuntime(draft, event.runtimeId);
  const key = slotKey(event.source, event.about);
  const slot = runtime?.slots.get(key);
  if (!runtime || !slot) return;
  const slots = new Map<string, Slot>(runtime.slots);
  if (slot.about !== TURN) slots.delete(key);
  // The empty slot says that something of this source became too old.
  const ofTurn = slotKey(event.source, TURN);
  const isEmptied = slot.about === TURN || !slots.has(ofTurn);
  const emptied = { source: event.source, about: TURN, claim: null, pending: null };
  if (isEmptied) slots.set(ofTurn, emptied);
  putRuntime(draft, { ...runtime, slots });
}

export function claimWeakened(draft: Draft, event: EventOf<'claim.weakened'>): void {
  const runtime = liveRuntime(draft, event.runtimeId);
  if (runtime) putRuntime(draft, { ...runtime, weakenedAtMs: event.claimAtMs });
}

export function restJudged(draft: Draft, event: EventOf<'rest.judged'>): void {
  const runtime = liveRuntime(draft, event.runtimeId);
  if (!runtime) return;
  const restJudgedAtMs = Math.max(runtime.restJudgedAtMs ?? 0, event.restAtMs);
  putRuntime(draft, { ...runtime, restJudgedAtMs });
}

/** Guarded by runtime and state_version: a turn that began meanwhile is not touched (law 8). */
export function stateDemoted(draft: Draft, event: EventOf<'state.demoted'>): void {
  const pane = draft.panes.get(event.paneKey);
  const { row, ending } = pane ?? {};
  if (ending?.runtimeId === event.runtimeId && row?.stateVersion === event.stateVersion) {
    if (pane) putPane(draft, { ...pane, ending: endingOutdated(ending) });
    return;
  }
  const runtime = liveRuntime(draft, event.runtimeId);
  const isSame = row?.runtimeId === event.runtimeId && row.stateVersion === event.stateVersion;
  if (!runtime || !isSame || row.state !== 'completed') return;
  const rest = restOf(withFirstScreen(runtime), draft.channels);
  if (rest.how !== 'completed') return;
  putRuntime(draft, { ...runtime, demotedAtMs: rest.mark.atMs });
}
