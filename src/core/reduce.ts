// The world after events, and what changed. One table of handlers, one for each event
// type. No clock, no randomness: the same events always give the same world.

import type { Change } from '../schema/change.ts';
import type { EventOf, EventType, WorldEvent } from '../schema/event.ts';
import * as claimEvents from './reduce/claims.ts';
import * as evidenceEvents from './reduce/evidence.ts';
import * as paneEvents from './reduce/panes.ts';
import * as runtimeEvents from './reduce/runtimes.ts';
import * as worldEvents from './reduce/start.ts';
import { updateRows } from './state/answer.ts';
import { closeDraft, type Draft, openDraft, type World } from './world.ts';

type Handlers = { readonly [Type in EventType]: (draft: Draft, event: EventOf<Type>) => void };

const handlers: Handlers = {
  'daemon.started': worldEvents.daemonStarted,
  'config.changed': worldEvents.configChanged,
  'host.woke': worldEvents.hostWoke,
  'store.recovered': worldEvents.storeRecovered,
  'target.changed': worldEvents.targetChanged,
  'target.removed': worldEvents.targetRemoved,
  'channel.changed': worldEvents.channelChanged,
  'pane.appeared': paneEvents.paneAppeared,
  'pane.changed': paneEvents.paneChanged,
  'pane.gone': paneEvents.paneGone,
  'pane.named': paneEvents.paneNamed,
  'pane.forgotten': paneEvents.paneForgotten,
  'attention.seen': paneEvents.attentionSeen,
  'attention.snoozed': paneEvents.attentionSnoozed,
  'attention.woken': paneEvents.attentionWoken,
  'runtime.started': runtimeEvents.runtimeStarted,
  'runtime.missed': runtimeEvents.runtimeMissed,
  'runtime.found': runtimeEvents.runtimeFound,
  'runtime.suspended': runtimeEvents.runtimeSuspended,
  'runtime.killed': runtimeEvents.runtimeKilled,
  'runtime.ended': runtimeEvents.runtimeEnded,
  'runtime.stuck': runtimeEvents.runtimeStuck,
  'reconfirm.ended': runtimeEvents.reconfirmEnded,
  'evidence.observed': evidenceEvents.evidenceObserved,
  'evidence.dropped': evidenceEvents.evidenceDropped,
  'claim.confirmed': claimEvents.claimConfirmed,
  'claim.settled': claimEvents.claimSettled,
  'claim.expired': claimEvents.claimExpired,
  'claim.weakened': claimEvents.claimWeakened,
  'rest.judged': claimEvents.restJudged,
  'state.demoted': claimEvents.stateDemoted,
};

/** Applies one event to an open draft and computes the rows that it touched. */
export function applyEvent(draft: Draft, event: WorldEvent): void {
  const handle = handlers[event.type] as (draft: Draft, event: WorldEvent) => void;
  handle(draft, event);
  draft.latestMs = Math.max(draft.latestMs, event.atMs);
  updateRows(draft, event);
}

/** The world after a batch of events. */
export function reduceAll(
  world: World,
  events: Iterable<WorldEvent>,
): { world: World; changes: readonly Change[] } {
  const draft = openDraft(world);
  for (const event of events) applyEvent(draft, event);
  return closeDraft(draft);
}
