// The agent of a pane, with the adapter that knows its kind.

import type { Adapter } from '../agents/adapter.ts';
import { adapterOf, type Registry } from '../agents/registry.ts';
import type { KnownPane, KnownRuntime } from './known-pane.ts';

export interface PaneAgent {
  readonly runtime: KnownRuntime;
  readonly adapter: Adapter;
}

/** The agent in a pane; one without an adapter of its own has the generic one. */
export function agentIn(pane: KnownPane | null, registry: Registry): PaneAgent | null {
  const runtime = pane?.runtime ?? null;
  if (runtime === null) return null;
  const adapter = adapterOf(registry, runtime.agent) ?? adapterOf(registry, 'generic');
  return adapter ? { runtime, adapter } : null;
}
