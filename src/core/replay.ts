// The world as text and back, for snapshots, and the world from a snapshot plus the events after
// it. Everything in the world has passed a schema, so no foreign text can pose as a table.

import type { WorldEvent } from '../schema/event.ts';
import { id, type SessionKey } from '../schema/ids.ts';
import { reduceAll } from './reduce.ts';
import { emptyWorld, sessionAt, type World } from './world.ts';

/**
 * The shape of the records. A new shape gets a new number, and `decodeWorld` a step that turns the
 * older world into it: the events before the oldest snapshot may be gone.
 */
const WORLD_FORMAT = 2;

/** Some 30 KB: a text of MB costs buffers of its size, which the allocator then keeps. */
const PART_CHARS = 32_768;

/** The world as text, in parts that are made lazily. */
export function* encodeWorld(world: World): Generator<string> {
  let part = '';
  for (const piece of piecesOf(world)) {
    part += piece;
    if (part.length < PART_CHARS) continue;
    yield part;
    part = '';
  }
  yield part;
}

function* piecesOf(world: World): Generator<string> {
  let before = `{"format":${WORLD_FORMAT},"world":{`;
  for (const [field, value] of Object.entries(world)) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(field)}:`;
    if (value instanceof Map) yield* tablePieces(value);
    else yield jsonOf(value);
    before = ',';
  }
  yield '}}';
}

function* tablePieces(table: ReadonlyMap<unknown, unknown>): Generator<string> {
  let before = '{"$map":[';
  for (const entry of table) {
    yield before + jsonOf(entry);
    before = ',';
  }
  yield table.size === 0 ? '{"$map":[]}' : ']}';
}

function jsonOf(record: unknown): string {
  return JSON.stringify(record, (_key, value: unknown) =>
    value instanceof Map ? { $map: [...value] } : value,
  );
}

/** The world of a snapshot; null when this version cannot read its format. */
export function decodeWorld(text: string): World | null {
  const parsed = JSON.parse(text, (_key, value: unknown) => {
    const entries = (value as { $map?: unknown } | null)?.$map;
    return Array.isArray(entries) ? new Map(entries as [unknown, unknown][]) : value;
  }) as { format?: unknown; world?: World } | null;
  if (!parsed?.world) return null;
  if (parsed.format === 1) return withSessionsAtTargets(parsed.world);
  return parsed.format === WORLD_FORMAT ? parsed.world : null;
}

/** In format 1 the sessions of all machines were in one table under their own ids. */
function withSessionsAtTargets(world: World): World {
  const sessions = [...world.sessions].flatMap(([key, session]) => {
    const runtime = world.runtimes.get(session.runtimeId);
    if (!runtime) return [];
    return [[sessionAt(runtime.targetId, id<SessionKey>(key)), session] as const];
  });
  return { ...world, sessions: new Map(sessions) };
}

/** The world that events lead to, from a snapshot or from the very start. */
export function replay(events: Iterable<WorldEvent>, from: World = emptyWorld): World {
  return reduceAll(from, events).world;
}
