// The daemon's own engine, store and loop in a folder of the test, behind what sources see of it.

import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { World } from '../../src/core/world.ts';
import { Engine } from '../../src/daemon/engine/engine.ts';
import { knownPaneAt, knownPanesOf } from '../../src/daemon/engine/known-panes.ts';
import { Loop } from '../../src/daemon/engine/loop.ts';
import { Quarantine } from '../../src/daemon/engine/quarantine.ts';
import { eventIds } from '../../src/platform/event-ids.ts';
import { type EventId, id } from '../../src/schema/ids.ts';
import type { PaneRow } from '../../src/schema/pane.ts';
import type { Daemon, ServerAddress } from '../../src/sources/known-pane.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { makeFolder } from './fixture.ts';

export interface RealDaemon {
  readonly daemon: Daemon;
  readonly loop: Loop;
  readonly store: Store;
  readonly engine: Engine;
  readonly world: () => World;
  /** The row of a pane, or null where the world knows no such pane. */
  readonly rowOf: (address: ServerAddress, paneId: string) => PaneRow | null;
}

/** Starts one; it is closed when the test ends. */
export function realDaemon(nowMs: () => number): RealDaemon {
  const folder = makeFolder();
  const store = openStore({ path: join(folder, 'agtmux.db') });
  onTestFinished(() => store[Symbol.dispose]());
  const nextId = eventIds(nowMs);
  const engine = new Engine({ store, nextEventId: () => id<EventId>(nextId()) });
  const onFault = (error: unknown): void => {
    throw error;
  };
  const quarantine = new Quarantine(folder);
  const loop = new Loop({ engine, quarantine, nowMs, onFault });
  onTestFinished(() => loop[Symbol.dispose]());
  const daemon: Daemon = {
    nowMs,
    nextEventId: nextId,
    startedAtMs: nowMs(),
    submit: (observations) => loop.submit(observations),
    paneAt: (address, paneId) => knownPaneAt(loop.world, address, paneId),
    panesOf: (address) => knownPanesOf(loop.world, address),
  };
  const rowOf = (address: ServerAddress, paneId: string): PaneRow | null => {
    const paneKey = daemon.paneAt(address, paneId)?.paneKey;
    return paneKey === undefined ? null : (loop.world.panes.get(paneKey)?.row ?? null);
  };
  return { daemon, loop, store, engine, world: () => loop.world, rowOf };
}
