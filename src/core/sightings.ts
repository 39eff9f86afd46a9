// Sightings: observations that change nothing: a level value read again, a heartbeat, a sign of
// work. They are kept in memory, are no events and change no row; core/due uses them to decide what
// silence means, and that decision is an event.

import type { Change } from '../schema/change.ts';
import type { ChannelName, RuntimeId, SourceName } from '../schema/ids.ts';

export interface Sightings {
  /** When a level source was last read, by runtime and source. */
  readonly readAtMs: Map<string, number>;
  readonly beatAtMs: Map<ChannelName, number>;
  /** Last time that anything moved in a runtime, a spinner too. */
  readonly motionAtMs: Map<RuntimeId, number>;
  /** Last output that was no repaint, or processor time, seen of a runtime. */
  readonly workAtMs: Map<RuntimeId, number>;
}

export function noSightings(): Sightings {
  return {
    readAtMs: new Map(),
    beatAtMs: new Map(),
    motionAtMs: new Map(),
    workAtMs: new Map(),
  };
}

export const readingKey = (runtimeId: RuntimeId, source: SourceName): string =>
  `${runtimeId}\n${source}`;

/** Keeps the later of two moments: observations may be delivered out of order. */
export function keepLatest<Key>(table: Map<Key, number>, key: Key, atMs: number): void {
  const before = table.get(key);
  if (before === undefined || atMs > before) table.set(key, atMs);
}

/** Removes the sightings of ended runtimes, so that memory stays bounded. */
export function forgetEnded(sightings: Sightings, changes: readonly Change[]): void {
  for (const change of changes) {
    if (change.kind !== 'runtime' || change.runtime.endedAtMs === null) continue;
    const { runtimeId } = change.runtime;
    sightings.motionAtMs.delete(runtimeId);
    sightings.workAtMs.delete(runtimeId);
    for (const key of sightings.readAtMs.keys()) {
      if (key.startsWith(`${runtimeId}\n`)) sightings.readAtMs.delete(key);
    }
  }
}
