// The agent of a pane, with the adapter that knows its kind.

import type { Adapter } from '../agents/adapter.ts';
import { adapterOf, type Registry } from '../agents/registry.ts';
import type { KnownPane, KnownRuntime } from './known-pane.ts';

export interface PaneAgent {
  readonly runtime: KnownRuntime;
  readonly adapter: Adapter;
}

/**
 * Whether a signal out of a pane speaks for another agent than the one that runs there. A name that
 * no adapter has is what its user calls the agent; the name of another agent is that agent's.
 */
export function isOfOtherAgent(
  name: string | undefined,
  { agent, pid }: KnownRuntime,
  registry: Registry,
): boolean {
  if (name === undefined || name === agent) return false;
  const isRecognised = pid !== null && adapterOf(registry, agent) !== undefined;
  return !isRecognised || adapterOf(registry, name) !== undefined;
}

/** Whether only its own signals make a program an agent, so that it can take that back. */
export const isSelfDeclared = ({ basis }: Pick<KnownRuntime, 'basis'>): boolean =>
  basis === 'event' || basis === 'osc' || basis === 'option';

/** The agent in a pane; one without an adapter of its own has the generic one. */
export function agentIn(pane: KnownPane | null, registry: Registry): PaneAgent | null {
  const runtime = pane?.runtime ?? null;
  if (runtime === null) return null;
  const adapter = adapterOf(registry, runtime.agent) ?? adapterOf(registry, 'generic');
  return adapter ? { runtime, adapter } : null;
}
