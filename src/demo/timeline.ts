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
  const roundMs = scenes.reduce((sum, { seconds }) => sum + seconds * 1_000, 0);
  const round = Math.floor(elapsedMs / roundMs);
  let leftMs = elapsedMs - round * roundMs;
  const found = scenes.findIndex(({ seconds }) => {
    if (leftMs < seconds * 1_000) return true;
    leftMs -= seconds * 1_000;
    return false;
  });
  const index = Math.max(0, found);
  const scene = scenes[index];
  if (scene === undefined) throw new Error('the role has no scenes');
  const turn = Math.floor(leftMs / TURN_MS) % Math.max(1, scene.screens.length);
  return { sceneCount: round * scenes.length + index, scene, screen: scene.screens[turn] ?? null };
}
