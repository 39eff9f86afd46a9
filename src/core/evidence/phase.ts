// Phases: the five things that can stand at the same time and that one claim can end for another.
// The three ways to be at rest are one phase; which of them it is, is decided by core/state/rest.

import type { Says, State } from '../../schema/state.ts';

export const phases = ['error', 'waiting_approval', 'waiting_input', 'running', 'rest'] as const;
export type Phase = (typeof phases)[number];

export const precedenceOfPhase = (phase: Phase): number => phases.indexOf(phase);

/** The phase that a claim puts its runtime in. */
export function phaseOf(says: Says): Phase {
  return says === 'completed' || says === 'interrupted' || says === 'at_rest' ? 'rest' : says;
}

/** The phases whose end a source sees, from the states that it declares. */
export function phasesCoveredBy(covers: readonly State[]): readonly Phase[] {
  return phases.filter((phase) =>
    phase === 'rest'
      ? covers.includes('completed') || covers.includes('idle')
      : covers.includes(phase),
  );
}

/** The phases that a claim ends: work or a question is the end of rest, whoever tells of it. */
export function phasesEndedBy(claim: {
  readonly says: Says;
  readonly covers: readonly State[];
}): readonly Phase[] {
  const own = phaseOf(claim.says);
  const covered = phasesCoveredBy(claim.covers);
  return phases.filter(
    (phase) => phase !== own && (covered.includes(phase) || (phase === 'rest' && isActive(own))),
  );
}

/** Active: the agent works or waits for a person within a turn. */
export function isActive(phase: Phase): boolean {
  return phase === 'running' || phase === 'waiting_approval' || phase === 'waiting_input';
}
