// The binding of a pane to an agent: four states and their transitions by name (seed 002, section
// 5). A change of tier never changes presence (law 9); only a missing agent unbinds.

import type { BindingTransition } from '../../schema/change.ts';
import type { BindingState } from '../../schema/state.ts';

/** What a pane shows of its agent at one moment. */
export interface BindingInput {
  readonly managed: boolean;
  /** The agent itself told, by an event bound to the pane, which session runs there. */
  readonly hasHandshake: boolean;
  /** Some deterministic source of the runtime has a fresh channel. */
  readonly deterministicFresh: boolean;
  /** Why it is not managed any more: the process ended, or two looks found nothing. */
  readonly endedBy: 'no_agent_twice' | 'process_gone';
}

export interface BindingStep {
  readonly to: BindingState;
  /** Null when nothing moved. */
  readonly transition: BindingTransition | null;
}

/** The binding after one look, and the name of the step that led there. */
export function bindingStep(from: BindingState, input: BindingInput): BindingStep {
  const to = bindingOf(input);
  if (to === from) return { to, transition: null };
  if (to === 'unmanaged') return { to, transition: input.endedBy };
  if (to === 'managed_heuristic') {
    // The pane holds another runtime, which has not told of itself yet.
    const transition = from === 'unmanaged' ? 'heuristic_signature' : 'pane_reused';
    return { to, transition };
  }
  if (to === 'managed_deterministic_stale') return { to, transition: 'freshness_exceeded' };
  const returned = from === 'managed_deterministic_stale';
  return { to, transition: returned ? 'deterministic_return' : 'deterministic_handshake' };
}

function bindingOf(input: BindingInput): BindingState {
  if (!input.managed) return 'unmanaged';
  if (!input.hasHandshake) return 'managed_heuristic';
  return input.deterministicFresh ? 'managed_deterministic_fresh' : 'managed_deterministic_stale';
}
