// Events of panes: they appear, change, go, and are remembered for a while so that late evidence
// cannot bind to a successor; and what a person has seen in them or put off.

import type { EventOf } from '../../schema/event.ts';
import type { PaneKey, RequestId } from '../../schema/ids.ts';
import type { PaneFacts } from '../../schema/pane.ts';
import { openNeeds } from '../state/snooze.ts';
import {
  addressOf,
  type Draft,
  liveRuntime,
  type PaneRecord,
  putPane,
  putRuntime,
  writable,
} from '../world.ts';
import { endingSeen, endRuntime } from './ending.ts';
import { forgetRuntime, newPane, notePane } from './records.ts';

/** More requests than a runtime has open at once, so that what was seen stays seen. */
const SEEN_MAX = 256;

export function paneAppeared(draft: Draft, event: EventOf<'pane.appeared'>): void {
  const { paneKey, facts, atMs } = event;
  const before = draft.panes.get(paneKey);
  const alias = before ? before.alias : aliasBeforeRespawn(draft, facts);
  putPane(draft, {
    ...(before ?? newPane(paneKey, facts.targetId, atMs)),
    facts,
    ...(alias === undefined ? {} : { alias }),
    goneAtMs: null,
  });
  writable(draft, 'addresses').set(addressOf(facts), paneKey);
  notePane(draft, paneKey, atMs);
}

/** A name belongs to the pane, not to its process: respawn-pane keeps it. */
function aliasBeforeRespawn({ panes }: Draft, facts: PaneFacts): string | undefined {
  let latest: PaneRecord | undefined;
  for (const pane of panes.values()) {
    if (pane.alias === undefined || pane.goneAtMs === null || !isSamePlace(pane, facts)) continue;
    if (latest === undefined || pane.goneAtMs > (latest.goneAtMs ?? 0)) latest = pane;
  }
  return latest?.alias;
}

const isSamePlace = ({ facts: before }: PaneRecord, facts: PaneFacts): boolean =>
  before?.paneId === facts.paneId &&
  before.targetId === facts.targetId &&
  before.server === facts.server &&
  before.generation.pid === facts.generation.pid &&
  before.generation.startedAtMs === facts.generation.startedAtMs;

export function paneChanged(draft: Draft, event: EventOf<'pane.changed'>): void {
  const pane = draft.panes.get(event.paneKey);
  if (!pane || pane.goneAtMs !== null) return;
  putPane(draft, { ...pane, facts: event.facts });
  notePane(draft, event.paneKey, event.atMs);
}

export function paneGone(draft: Draft, event: EventOf<'pane.gone'>): void {
  const pane = draft.panes.get(event.paneKey);
  if (!pane || pane.goneAtMs !== null) return;
  if (pane.runtimeId !== null) {
    endRuntime(draft, pane.runtimeId, { atMs: event.atMs, reason: 'pane_gone' });
  }
  const left = draft.panes.get(event.paneKey) ?? pane;
  // How its last agent ended, and what was put off of it, is over too.
  putPane(draft, { ...left, goneAtMs: event.atMs, ending: null, snooze: null });
  if (pane.facts) {
    const address = addressOf(pane.facts);
    if (draft.addresses.get(address) === pane.paneKey) writable(draft, 'addresses').delete(address);
  }
  notePane(draft, event.paneKey, event.atMs);
}

export function paneNamed(draft: Draft, { paneKey, alias, atMs }: EventOf<'pane.named'>): void {
  const pane = draft.panes.get(paneKey);
  if (!pane || pane.goneAtMs !== null) return;
  const { alias: _before, ...unnamed } = pane;
  putPane(draft, alias === null ? unnamed : { ...unnamed, alias });
  notePane(draft, paneKey, atMs);
}

export function paneForgotten(draft: Draft, event: EventOf<'pane.forgotten'>): void {
  forgetPane(draft, event.paneKey, event.atMs);
}

/** Removes a pane with its runtimes; nothing of it can be named any more. */
export function forgetPane(draft: Draft, paneKey: PaneKey, atMs: number): void {
  const live = draft.panes.get(paneKey)?.runtimeId ?? null;
  if (live !== null) endRuntime(draft, live, { atMs, reason: 'target_removed' });
  const pane = draft.panes.get(paneKey);
  if (!pane) return;
  for (const runtimeId of pane.pastRuntimes) forgetRuntime(draft, runtimeId);
  if (pane.facts) {
    const address = addressOf(pane.facts);
    if (draft.addresses.get(address) === paneKey) writable(draft, 'addresses').delete(address);
  }
  writable(draft, 'panes').delete(paneKey);
  draft.changes.push({ kind: 'pane_forgotten', paneKey });
}

/** What the pane needs a person for now is put off; later requests are not. */
export function attentionSnoozed(draft: Draft, event: EventOf<'attention.snoozed'>): void {
  const pane = draft.panes.get(event.paneKey);
  const needs = openNeeds(pane?.row.attention.requests ?? []);
  if (!pane || needs.length === 0) return;
  const requests = needs.map(({ requestId, detail }) => ({
    requestId,
    ...(detail === undefined ? {} : { detail }),
  }));
  putPane(draft, { ...pane, snooze: { untilMs: event.untilMs, requests } });
}

export function attentionWoken(draft: Draft, event: EventOf<'attention.woken'>): void {
  const pane = draft.panes.get(event.paneKey);
  if (pane?.snooze) putPane(draft, { ...pane, snooze: null });
}

/** Only the named requests are seen; the others keep asking. */
export function attentionSeen(draft: Draft, event: EventOf<'attention.seen'>): void {
  const pane = draft.panes.get(event.paneKey);
  if (!pane) return;
  if (pane.ending && event.requestIds.includes(pane.ending.requestId)) {
    putPane(draft, { ...pane, ending: endingSeen(pane.ending) });
  }
  const runtime = liveRuntime(draft, pane.runtimeId);
  if (!runtime) return;
  const fresh = event.requestIds.filter((id: RequestId) => !runtime.seen.includes(id));
  const seen = [...runtime.seen, ...fresh].slice(-SEEN_MAX);
  putRuntime(draft, { ...runtime, seen });
}
