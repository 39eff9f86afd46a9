// The facts of a pane whose agent has just begun: its process is found before a listing shows the
// program in the foreground, and an action would be refused for that difference alone.

import type { PaneControl } from '../../acting/pane-control.ts';
import { liveRuntime, type World } from '../../core/world.ts';
import type { PaneKey } from '../../schema/ids.ts';
import type { PaneFacts } from '../../schema/pane.ts';

/** A program that began longer ago has been listed since. */
const YOUNG_MS = 10_000;
/** Without a control client a whole listing comes every two seconds. */
const LISTING_MS_MAX = 3_000;
const LOOK_EVERY_MS = 100;

interface ListingParts {
  readonly nowMs: () => number;
  readonly world: () => World;
}

/** The facts as they are, or those that come within seconds and agree with tmux. */
export async function listedFacts(
  { nowMs, world }: ListingParts,
  control: Pick<PaneControl, 'look' | 'pause'>,
  paneKey: PaneKey,
  facts: PaneFacts,
): Promise<PaneFacts> {
  const before = world().panes.get(paneKey)?.runtimeId ?? null;
  const runtime = liveRuntime(world(), before);
  if (runtime === null || nowMs() - runtime.startedAtMs > YOUNG_MS) return facts;
  const command = (await control.look())?.command;
  if (command === undefined || command === facts.command) return facts;
  const untilMs = nowMs() + LISTING_MS_MAX;
  while (nowMs() < untilMs) {
    await control.pause(LOOK_EVERY_MS);
    const pane = world().panes.get(paneKey);
    // Another agent, or none: the caller refuses it.
    if (!pane?.facts || pane.runtimeId !== before) return facts;
    if (pane.facts.command === command) return pane.facts;
  }
  return facts;
}
