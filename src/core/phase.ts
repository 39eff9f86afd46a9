// Phases: what a claim puts its runtime in. Claims of different phases can be live at the same
// time, and one can end another. All ways to be at rest are one phase; core/state/rest tells them
// apart.

import type { Says, State } from '../schema/state.ts';

export const phases = ['error', 'waiting_approval', 'waiting_input', 'running', 'rest'] as const;
export type Phase = (typeof phases)[number];

export const precedenceOfPhase = (phase: Phase): number => phases.indexOf(phase);

/** The phase that a claim puts its runtime in. */
export function phaseOf(says: Says): Phase {
  return says === 'error' || says === 'running' || isAsking(says) ? says : 'rest';
}

const isAsking = (says: Says): says is 'waiting_approval' | 'waiting_input' =>
  says === 'waiting_approval' || says === 'waiting_input';

/** Whether a source that declares these states sees the end of a phase. */
export function coversPhase(covers: readonly State[], phase: Phase): boolean {
  return phase === 'rest'
    ? covers.includes('completed') || covers.includes('idle')
    : covers.includes(phase);
}

/** Whether a claim ends a phase: work or a question from any source ends rest. */
export function endsPhase(
  claim: { readonly says: Says; readonly covers: readonly State[] },
  phase: Phase,
): boolean {
  const own = phaseOf(claim.says);
  if (phase === own) return false;
  return (phase === 'rest' && isActive(own)) || coversPhase(claim.covers, phase);
}

/** Active: the agent works or waits for a person within a turn. */
export function isActive(phase: Phase): boolean {
  return phase === 'running' || phase === 'waiting_approval' || phase === 'waiting_input';
}
