// The declared teams, as far as messages need them. Implemented over the registry of bundles;
// without bundles there is nobody in it, and messages go between agents and people alone.

import type { ActionResult, Commit } from '../../acting/action-result.ts';
import type { PaneRecord } from '../../core/world.ts';
import type { PolicyInForce } from '../../relay/policy/decide.ts';
import type { PartyId } from '../../schema/ids.ts';
import type { PromptMatch } from '../../schema/relay/message.ts';

/** A member without a pane, which takes a message by a protocol of its own. */
export interface PanelessTransport {
  /** Why it takes nothing now; null where it does. */
  readonly wait: () => string | null;
  readonly hand: (
    text: string,
    call: { readonly signal: AbortSignal; readonly commit: Commit },
  ) => Promise<ActionResult>;
}

export interface RosterMember {
  readonly party: PartyId;
  readonly bundle: string;
  readonly id: string;
  /** A label for people. */
  readonly name: string | null;
  /** The machine that it runs on. */
  readonly target: string;
  readonly policy: PolicyInForce | null;
  readonly prompt: PromptMatch | null;
  /** Where it is now; null while it is not up. One without a terminal has a row of its own. */
  readonly pane: () => PaneRecord | null;
  readonly transport: PanelessTransport | null;
}

export interface RosterOperator {
  readonly id: string;
  readonly name: string | null;
  readonly policy: PolicyInForce | null;
}

export interface Roster {
  /** In the order of their ids. */
  readonly members: () => readonly RosterMember[];
  readonly operators: () => readonly RosterOperator[];
  readonly defaultOperator: () => string | null;
  readonly defaultBundle: () => string | null;
  /** Why policies are not known; nobody but people may do anything then. */
  readonly policyProblem: () => string | null;
}

export const noRoster: Roster = {
  members: () => [],
  operators: () => [],
  defaultOperator: () => null,
  defaultBundle: () => null,
  policyProblem: () => null,
};
