// The world as text and back, for snapshots, and the world from a snapshot plus the events after
// it. Everything in the world has passed a schema, so no foreign text can pose as a table.

import type { WorldEvent } from '../schema/event.ts';
import { reduceAll } from './reduce.ts';
import { emptyWorld, type World } from './world.ts';

/** Bumped when a record's shape changes: an older snapshot is then rebuilt from events. */
const WORLD_FORMAT = 1;

export function encodeWorld(world: World): string {
  return JSON.stringify({ format: WORLD_FORMAT, world }, (_key, value: unknown) =>
    value instanceof Map ? { $map: [...value] } : value,
  );
}

/** The world of a snapshot, or null when it was written in another format. */
export function decodeWorld(text: string): World | null {
  const parsed = JSON.parse(text, (_key, value: unknown) => {
    const entries = (value as { $map?: unknown } | null)?.$map;
    return Array.isArray(entries) ? new Map(entries as [unknown, unknown][]) : value;
  }) as { format?: unknown; world?: World } | null;
  return parsed?.format === WORLD_FORMAT && parsed.world ? parsed.world : null;
}

/** The world that events lead to, from a snapshot or from the very start. */
export function replay(events: Iterable<WorldEvent>, from: World = emptyWorld): World {
  return reduceAll(from, events).world;
}
