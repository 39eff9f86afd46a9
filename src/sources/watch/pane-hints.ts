// Panes that an event named, for a machine whose processes are read only now and then: each is kept
// until they were read after its event, and then its agent is started.

import type { AgentName } from '../../schema/ids.ts';
import type { Batches, KnownPane } from '../known-pane.ts';
import type { PresenceSource } from '../processes/presence-source.ts';
import { startOfSpeaker } from '../processes/self-declared.ts';

export interface PaneHint {
  readonly paneId: string;
  /** The agent that an event names there; null where the event may not start one. */
  readonly agent: AgentName | null;
}

export class PaneHints {
  readonly #panes = new Map<string, PaneHint>();

  get all(): readonly PaneHint[] {
    return [...this.#panes.values()];
  }

  /** A later event that names no agent does not take back the one of an earlier event. */
  note({ paneId, agent }: PaneHint): void {
    this.#panes.set(paneId, { paneId, agent: agent ?? this.#panes.get(paneId)?.agent ?? null });
  }

  /** Scans processes; a hint's agent name counts if the scan finds none. Newer hints stay. */
  *resolve(
    hints: readonly PaneHint[],
    presence: PresenceSource,
    { nowMs, paneOf }: { nowMs: number; paneOf: (paneId: string) => KnownPane | null },
  ): Batches {
    yield presence.scan(nowMs);
    for (const hint of hints) {
      const { paneId, agent } = hint;
      if (this.#panes.get(paneId) === hint) this.#panes.delete(paneId);
      const pane = paneOf(paneId);
      if (pane?.runtime !== null || agent === null) continue;
      const start = startOfSpeaker(pane, { agent }, presence, { basis: 'event', nowMs });
      if (start) yield [start.observation];
    }
  }

  clear(): void {
    this.#panes.clear();
  }
}
