// Panes of which an event was told, for a machine whose processes are read now and then: each is
// kept until they were read after its event. server-watch.ts asks for that reading.

import type { AgentName } from '../../schema/ids.ts';

export interface PaneHint {
  readonly paneId: string;
  /** Who says that it speaks there; null where it may not be believed. */
  readonly agent: AgentName | null;
}

export class PaneHints {
  readonly #panes = new Map<string, PaneHint>();

  get all(): readonly PaneHint[] {
    return [...this.#panes.values()];
  }

  /** A later event takes back nothing that an earlier one said. */
  note({ paneId, agent }: PaneHint): void {
    this.#panes.set(paneId, { paneId, agent: agent ?? this.#panes.get(paneId)?.agent ?? null });
  }

  /** Processes were read after it; one that was told meanwhile stays. */
  forget(told: PaneHint): void {
    if (this.#panes.get(told.paneId) === told) this.#panes.delete(told.paneId);
  }

  clear(): void {
    this.#panes.clear();
  }
}
