// Which panes a person has seen: those that were the active pane of a client, and not of a control
// client, for two seconds.

import type { ListedClient } from '../../tmux/listing.ts';

/** Shorter is a person passing by on the way to another window. */
const SEEN_MS = 2_000;

/** Keeps since when each pane is shown. Pure: time is an argument. */
export class SeenPanes {
  readonly #since = new Map<string, number>();

  /** The panes that a person had on screen at the last listing, for however long. */
  get active(): readonly string[] {
    return [...this.#since.keys()];
  }

  /** The panes that have been shown for long enough, as of now. */
  shown(clients: readonly ListedClient[], nowMs: number): readonly string[] {
    const active = new Set(clients.filter(({ control }) => !control).map(({ paneId }) => paneId));
    for (const paneId of this.#since.keys()) if (!active.has(paneId)) this.#since.delete(paneId);
    for (const paneId of active) if (!this.#since.has(paneId)) this.#since.set(paneId, nowMs);
    return [...this.#since].filter(([, since]) => nowMs - since >= SEEN_MS).map(([id]) => id);
  }
}
