// The screen of a role at a given time. Pure.

import type { Scene } from './cast.ts';

/** How long one of several screens is shown before the next. */
const TURN_MS = 1_500;

export interface Moment {
  /** The number of scenes since the start, earlier rounds included. */
  readonly sceneCount: number;
  readonly scene: Scene;
  /** The name of the screen; null before the agent has drawn anything. */
  readonly screen: string | null;
}

/** The moment of a story that is played in a loop. */
export function momentAt(scenes: readonly Scene[], elapsedMs: number): Moment {
  const { round, index, leftMs } = placeAt(scenes, elapsedMs);
  const scene = scenes[index];
  if (scene === undefined) throw new Error('the role has no scenes');
  const turn = Math.floor(leftMs / TURN_MS) % Math.max(1, scene.screens.length);
  return { sceneCount: round * scenes.length + index, scene, screen: scene.screens[turn] ?? null };
}

/** How long it is until the next scene that is wanted begins; 0 where the story has none. */
export function msUntilNext(
  scenes: readonly Scene[],
  elapsedMs: number,
  isWanted: (scene: Scene) => boolean,
): number {
  const { index, leftMs } = placeAt(scenes, elapsedMs);
  let ms = -leftMs;
  for (let count = 0; count < scenes.length; count += 1) {
    ms += (scenes[(index + count) % scenes.length]?.seconds ?? 0) * 1_000;
    const next = scenes[(index + count + 1) % scenes.length];
    if (next !== undefined && isWanted(next)) return ms;
  }
  return 0;
}

function placeAt(scenes: readonly Scene[], elapsedMs: number) {
  const roundMs = scenes.reduce((sum, { seconds }) => sum + seconds * 1_000, 0);
  const round = Math.floor(elapsedMs / roundMs);
  let leftMs = elapsedMs - round * roundMs;
  const found = scenes.findIndex(({ seconds }) => {
    if (leftMs < seconds * 1_000) return true;
    leftMs -= seconds * 1_000;
    return false;
  });
  return { round, index: Math.max(0, found), leftMs };
}
