// The binding of a pane to an agent: four states and their transitions by name. A change of
// tier never changes presence (law 9); only a missing agent unbinds.

import type { BindingTransition } from '../../schema/change.ts';
import type { BindingState } from '../../schema/state.ts';

/** What decides the binding of a pane. */
export interface BindingStateInput {
  readonly managed: boolean;
  /** An event of the agent, bound to the pane, has named the session that runs there. */
  readonly hasHandshake: boolean;
  /** Some deterministic source of the runtime has a fresh channel. */
  readonly deterministicFresh: boolean;
}

/** The binding that a pane has now. */
export function bindingState(input: BindingStateInput): BindingState {
  if (!input.managed) return 'unmanaged';
  if (!input.hasHandshake) return 'managed_heuristic';
  return input.deterministicFresh ? 'managed_deterministic_fresh' : 'managed_deterministic_stale';
}

/** The name of the step between two bindings; null when nothing moved. */
export function transitionOf(
  from: BindingState,
  to: BindingState,
  endedBy: 'no_agent_twice' | 'process_gone',
): BindingTransition | null {
  if (to === from) return null;
  switch (to) {
    case 'unmanaged':
      return endedBy;
    case 'managed_heuristic':
      // Otherwise the pane holds another runtime, without a handshake yet.
      return from === 'unmanaged' ? 'heuristic_signature' : 'pane_reused';
    case 'managed_deterministic_stale':
      return 'freshness_exceeded';
    case 'managed_deterministic_fresh':
      return from === 'managed_deterministic_stale'
        ? 'deterministic_return'
        : 'deterministic_handshake';
  }
}
