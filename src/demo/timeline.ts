// What a role shows at a time. Pure: time is an argument.

import type { Scene } from './cast.ts';

/** How long one of several screens is shown before the next. */
const TURN_MS = 1_500;

export interface Moment {
  /** Counts every scene since the curtain rose, those of earlier rounds too. */
  readonly sceneCount: number;
  readonly scene: Scene;
  /** The screen by its name; null before the agent has drawn anything. */
  readonly screen: string | null;
}

/** The moment of a story that is played again and again. */
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
  if (scene === undefined) throw new Error('a story without scenes');
  const turn = Math.floor(leftMs / TURN_MS) % Math.max(1, scene.screens.length);
  return { sceneCount: round * scenes.length + index, scene, screen: scene.screens[turn] ?? null };
}
