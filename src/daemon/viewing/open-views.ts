// Puts together what viewers of terminals need.

import type { DaemonCore } from '../daemon-core.ts';
import type { Watchers } from '../watching/watchers.ts';
import { PaneViews } from './pane-views.ts';

export function openViews(core: DaemonCore, watchers: Watchers): PaneViews {
  return new PaneViews({
    world: () => core.engine.world,
    onChange: (listener) => core.loop.onApplied(listener),
    watchers,
    commandTimeoutMs: () => core.config.tmux.commandTimeoutMs,
  });
}
