// The port of sources: events on their way in, and the registry of third-party sources.

import type { SourcesPort } from '../../operations/ports/ports.ts';
import type { Store } from '../../store/store.ts';
import { API_CHANNEL, type IngestOptions, ingestEvents } from '../engine/ingest-events.ts';
import type { Loop } from '../engine/loop.ts';

export interface SourcesPortParts {
  readonly nowMs: () => number;
  readonly loop: Loop;
  readonly store: Store;
  readonly ingestOptions: IngestOptions;
  /** The registry has changed. */
  readonly onChange: () => void;
}

export function sourcesPort(parts: SourcesPortParts): SourcesPort {
  const { nowMs, loop, store, ingestOptions, onChange } = parts;
  return {
    ingest: async (events, channel = API_CHANNEL) => ingestEvents(events, channel, ingestOptions),
    beat: (channel) => {
      loop.submit([{ kind: 'heartbeat', channel, atMs: nowMs() }]);
    },
    registry: new Map(),
    changed: onChange,
    loadCursor: (channel) => store.sourceCursors.load(channel),
    saveCursor: (channel, { fetched, committed }) =>
      store.sourceCursors.save(channel, { fetched, committed, atMs: nowMs() }),
  };
}
