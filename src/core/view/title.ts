// The title of a pane or a session, and which pane represents a session.

import type { PaneRecord, World } from '../world.ts';
import { liveRuntime } from '../world.ts';

export type TitleLevel = 'session' | 'history' | 'pane' | 'path' | 'fallback';

/** The title of a pane and where it comes from: the agent's name for its session comes first. */
export function titleOf(world: World, pane: PaneRecord): { title: string; level: TitleLevel } {
  const runtime = liveRuntime(world, pane.runtimeId);
  const session = runtime?.activity.get('title')?.value;
  if (typeof session === 'string' && session.trim() !== '') {
    return { title: session.trim(), level: 'session' };
  }
  const bound = runtime ? pane.boundTitles.at(-1) : undefined;
  if (bound !== undefined) return { title: bound, level: 'history' };
  const live = pane.facts?.isHostTitle ? '' : pane.facts?.title.trim();
  if (live) return { title: live, level: 'pane' };
  const folder = (pane.facts?.path ?? pane.seatPath)?.split('/').filter(Boolean).at(-1);
  if (folder) return { title: folder, level: 'path' };
  return { title: runtime?.agent ?? pane.facts?.paneId ?? 'pane', level: 'fallback' };
}

/** By latest handshake, then latest activity, then first pane id. Null without a pane. */
export function representativePane(world: World, panes: readonly PaneRecord[]): PaneRecord | null {
  const ranked = panes.map((pane) => ({ pane, runtime: liveRuntime(world, pane.runtimeId) }));
  ranked.sort(
    (a, b) =>
      (b.runtime?.handshakeAtMs ?? -1) - (a.runtime?.handshakeAtMs ?? -1) ||
      (b.runtime?.lastActivityAtMs ?? -1) - (a.runtime?.lastActivityAtMs ?? -1) ||
      (paneIdOf(a.pane) < paneIdOf(b.pane) ? -1 : 1),
  );
  return ranked[0]?.pane ?? null;
}

const paneIdOf = (pane: PaneRecord): string => pane.facts?.paneId ?? pane.paneKey;
