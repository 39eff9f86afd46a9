// Puts together what viewers of terminals need.

import { join } from 'node:path';
import type { DaemonCore } from '../daemon-core.ts';
import type { Watchers } from '../watching/watchers.ts';
import { PaneViews } from './pane-views.ts';

export function openViews(
  core: DaemonCore,
  watchers: Watchers,
  onDefect: (error: unknown) => void,
): PaneViews {
  return new PaneViews({
    world: () => core.engine.world,
    onChange: (listener) => core.loop.onApplied(listener),
    watchers,
    onDefect,
    nowMs: core.nowMs,
    sizesFile: join(core.place.paths.stateDir, 'window-sizes.json'),
    commandTimeoutMs: () => core.config.tmux.commandTimeoutMs,
  });
}
