// The port of callers: which agent a connection acts for, what agents are granted, and which of
// them may start others.

import type { PaneKey, RuntimeId, TargetId } from '../../schema/ids.ts';
import type { Outcome } from '../../schema/outcome.ts';
import type { AgentGrants, AgentHelloInput } from '../../schema/relay/callers.ts';
import type { ProvenCaller } from '../../schema/relay/message.ts';
import type { Bundle, Member } from '../../schema/relay/team.ts';

/** What is known of who calls: of the connection, and what the call itself names. */
export interface CallerWitness {
  /** What the connection has proven. It goes before all else, unless it is that no agent calls. */
  readonly proven?: ProvenCaller | undefined;
  /** The agent that the connection acts for; null where nobody knows which. Undefined: for none. */
  readonly agent?: RuntimeId | null | undefined;
  /** The process that calls, as it says. */
  readonly callerPid?: number | undefined;
}

/** Who is to be started or ended: a bundle, one member of it, or an agent in no bundle (null). */
export type StartSubject = {
  readonly bundle: Bundle['name'];
  /** Absent: all of them. */
  readonly member?: Member['id'] | undefined;
} | null;

/** Where an agent was started: in a pane that may not be listed yet, or without one. */
export type StartedPlace =
  | {
      readonly targetId: TargetId;
      readonly server: string;
      readonly serverPid: number;
      readonly paneId: string;
    }
  | { readonly paneKey: PaneKey };

/** The names by which an agent is known again. */
export type Starter = readonly string[];

/** The agents that call. */
export interface CallersPort {
  /** The agent that started a process, and how that is known. */
  readonly find: (
    witnesses: AgentHelloInput,
  ) => { readonly runtimeId: RuntimeId; readonly by: 'session' | 'process' | 'pane' } | null;
  /** What agents may do beyond looking and typing, as of now; of this one, if it is known. */
  readonly grants: (runtimeId: RuntimeId | null) => AgentGrants;
  /** Null: whoever calls may start and end these. */
  readonly refuseStart: (witness: CallerWitness, subject: StartSubject) => Outcome<never> | null;
  /** Whoever calls, for later: its process may be gone then. Null: a person. */
  readonly starterOf: (witness: CallerWitness) => Starter | null;
  /** Remembers who has started agents. Throws a Fault where that cannot be stored. */
  readonly noteStarted: (starter: Starter | null, places: readonly StartedPlace[]) => void;
}
