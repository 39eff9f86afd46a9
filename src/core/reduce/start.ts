// Events of the world as a whole: a start, a waking, targets and channels.

import type { EventOf } from '../../schema/event.ts';
import { type ChannelName, isChannelOf, type PaneKey } from '../../schema/ids.ts';
import { type Draft, putRuntime, type RuntimeRecord, type Slot, writable } from '../world.ts';
import { forgetPane } from './panes.ts';

/** Nothing counts before it is read again (rule 8, docs/laws.md). */
export function daemonStarted(draft: Draft, event: EventOf<'daemon.started'>): void {
  draft.config = event.config;
  forgetChannels(draft);
  resume(draft, event.atMs);
}

/** What is due is judged by the new constants from now on; the events before are as they were. */
export function configChanged(draft: Draft, event: EventOf<'config.changed'>): void {
  draft.config = event.config;
}

/** Drops channels of earlier runs; a channel that still works comes back with its heartbeat. */
function forgetChannels(draft: Draft): void {
  const used = new Set<ChannelName>();
  for (const { sources } of draft.runtimes.values()) {
    for (const { channel } of sources.values()) used.add(channel);
  }
  for (const { evidence } of draft.pending.values()) used.add(evidence.channel);
  for (const channel of draft.channels.keys()) {
    if (!used.has(channel)) writable(draft, 'channels').delete(channel);
  }
}

/** After sleep the claims are as old as after a restart. */
export function hostWoke(draft: Draft, event: EventOf<'host.woke'>): void {
  resume(draft, event.atMs);
}

/** What was not stored is not known: a hook whose disk was full has left nothing behind. */
export function storeRecovered(draft: Draft, event: EventOf<'store.recovered'>): void {
  resume(draft, event.atMs);
}

function resume(draft: Draft, atMs: number): void {
  draft.resumedAtMs = atMs;
  awaitReadings(draft, atMs, () => true);
}

/** Puts runtimes on hold until their process and the level that decides are read again. */
function awaitReadings(
  draft: Draft,
  atMs: number,
  isAffected: (runtime: RuntimeRecord) => boolean,
): void {
  for (const runtime of draft.runtimes.values()) {
    if (runtime.endedAtMs !== null || !isAffected(runtime)) continue;
    putRuntime(draft, {
      ...runtime,
      slots: withLevelsUnread(runtime),
      // Where no pid is visible there is no process to look for.
      reconfirm: {
        sinceMs: atMs,
        processSeen: runtime.pid === null,
        levelRead: false,
        isOverdue: false,
      },
    });
  }
}

/** Levels are carried over and count again, with their old stamps, once they are read again. */
function withLevelsUnread(runtime: RuntimeRecord): ReadonlyMap<string, Slot> {
  const slots = new Map<string, Slot>();
  for (const [key, slot] of runtime.slots) {
    const isLevel = slot.claim?.kind === 'level';
    slots.set(key, isLevel ? { ...slot, claim: null, pending: slot.pending ?? slot.claim } : slot);
  }
  return slots;
}

export function targetChanged(draft: Draft, event: EventOf<'target.changed'>): void {
  const { target, atMs } = event;
  const before = draft.targets.get(target.targetId);
  writable(draft, 'targets').set(target.targetId, target);
  draft.changes.push({ kind: 'target', target, atMs });
  if (before?.health === target.health) return;
  // It is back: what its agents did in the meantime is not known yet.
  if (before?.health === 'down') {
    awaitReadings(draft, atMs, ({ targetId }) => targetId === target.targetId);
  }
  for (const pane of draft.panes.values()) {
    if (pane.targetId === target.targetId) draft.touched.add(pane.paneKey);
  }
}

export function targetRemoved(draft: Draft, event: EventOf<'target.removed'>): void {
  writable(draft, 'targets').delete(event.targetId);
  const panes: PaneKey[] = [];
  for (const pane of draft.panes.values()) {
    if (pane.targetId === event.targetId) panes.push(pane.paneKey);
  }
  for (const paneKey of panes) forgetPane(draft, paneKey, event.atMs);
  // Its channels are not silent: nothing reads them any more.
  for (const channel of draft.channels.keys()) {
    if (isChannelOf(channel, event.targetId)) writable(draft, 'channels').delete(channel);
  }
  draft.changes.push({ kind: 'target_removed', targetId: event.targetId });
}

/** Touches only the rows of runtimes that have evidence on the channel (law 10). */
export function channelChanged(draft: Draft, event: EventOf<'channel.changed'>): void {
  const { channel, status, atMs } = event;
  writable(draft, 'channels').set(channel, { status, sinceMs: atMs });
  draft.changes.push({ kind: 'channel', channel, status, atMs });
  for (const runtime of draft.runtimes.values()) {
    if (runtime.endedAtMs !== null) continue;
    for (const source of runtime.sources.values()) {
      if (source.channel === channel) draft.touched.add(runtime.paneKey);
    }
  }
}
