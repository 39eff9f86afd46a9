// What a caller may do to others: a person everything; an agent what its policy grants, and where
// that leaves it open, what config.toml does. Nobody answers for itself, nor for one that it has
// started, nor for the one that has started it.

import { type Refused, refused } from '../../acting/action-result.ts';
import type { PaneRecord } from '../../core/world.ts';
import type {
  CallerWitness,
  StartedPlace,
  Starter,
  StartSubject,
} from '../../operations/ports/callers-port.ts';
import type { MessageCaller } from '../../operations/ports/messages-port.ts';
import type { ActionOrder } from '../../operations/ports/ports.ts';
import {
  agentPolicy,
  decide,
  type PolicyInForce,
  type PolicyParty,
} from '../../relay/policy/decide.ts';
import { panePlaceOf, type RuntimeId } from '../../schema/ids.ts';
import { type Outcome, type Refusal, refuse } from '../../schema/outcome.ts';
import type { ProvenCaller } from '../../schema/relay/message.ts';
import type { StartedAgentTable } from '../../store/teams/started-agents.ts';
import type { Caller } from '../acting/action-runner.ts';
import { memberParty, type Parties, policyParty } from '../messaging/parties.ts';
import { type AgentStarts, namesOf, namesOfPane, runtimeName } from './agent-starts.ts';

export interface CallerRightsParts {
  readonly nowMs: () => number;
  readonly parties: () => Parties;
  /** Whom a process speaks for; refused where that cannot be known. */
  readonly ofProcess: (pid: number) => Outcome<ProvenCaller>;
  readonly isOfLostBundle: (pane: PaneRecord) => boolean;
  readonly isLive: (runtimeId: RuntimeId) => boolean;
  readonly starts: Pick<AgentStarts, 'isKin'>;
  readonly table: Pick<StartedAgentTable, 'add' | 'remove'>;
  readonly agentsMayAnswer: () => boolean;
}

/** An agent that calls, as far as it is known. */
interface Known extends PolicyParty {
  readonly policy: PolicyInForce;
  readonly names: readonly string[];
}

export class CallerRights {
  readonly #parts: CallerRightsParts;

  constructor(parts: CallerRightsParts) {
    this.#parts = parts;
  }

  of({ proven, agent, callerPid }: CallerWitness): Caller {
    if (proven && proven.kind !== 'person') return proven;
    if (agent !== undefined) {
      return agent === null ? { kind: 'unknown' } : { kind: 'agent', runtimeId: agent };
    }
    if (callerPid === undefined) return { kind: 'person' };
    const found = this.#parts.ofProcess(callerPid);
    return found.ok ? found.value : { kind: 'unknown' };
  }

  /** Why the caller may not do this to the pane; null where it may. */
  refusalOf(caller: Caller, order: ActionOrder, pane: PaneRecord): Refused | null {
    if (caller.kind === 'person') return null;
    const known = this.#known(caller);
    const subject = this.#subjectOf(pane);
    // What is forced goes into an open dialog too, and may answer it.
    const isForced = 'force' in order.input && order.input.force;
    if (order.kind === 'choose' || isForced) return asRefused(this.#refuseAnswer(known, pane));
    if (order.kind === 'kill') return asRefused(this.#refuse(known, 'spawn', subject));
    // It may be a member of a bundle that is not known now: what that may do nobody can say.
    if (known === null) return asRefused(notPermitted('nobody knows which agent types'));
    // What a member types without an envelope looks as if the user had.
    if (known.home === null) return null;
    const typing = decide({ capability: 'raww', requester: known, subject, policy: known.policy });
    return typing.ok ? null : asRefused(typing.refusal);
  }

  /** Whether somebody who writes messages may answer what the agent in this pane asks. */
  mayAnswer({ claim, proven }: Pick<MessageCaller, 'claim' | 'proven'>, pane: PaneRecord): boolean {
    if (proven === null) return claim === 'person';
    if (proven.kind === 'person') return true;
    return this.#refuseAnswer(this.#known(proven), pane) === null;
  }

  /** Null: whoever calls may start and end these. */
  refuseStart(witness: CallerWitness, subject: StartSubject): Outcome<never> | null {
    const caller = this.of(witness);
    if (caller.kind === 'person') return null;
    const known = this.#known(caller);
    const refusal = this.#refuse(known, 'spawn', startSubject(subject));
    if (refusal) return { ok: false, refusal };
    if (known) return null;
    return refuse('E_NOT_PERMITTED', 'nobody knows which agent starts or ends it');
  }

  starterOf(witness: CallerWitness): Starter | null {
    const caller = this.of(witness);
    return caller.kind === 'person' ? null : (this.#known(caller)?.names ?? []);
  }

  /** Throws a Fault where it cannot be stored. */
  noteStarted(starter: Starter | null, places: readonly StartedPlace[]): void {
    const { table, nowMs } = this.#parts;
    for (const place of places) {
      const name = 'paneKey' in place ? `place:${place.paneKey}` : panePlaceOf(place);
      if (starter === null) table.remove(name);
      else if (starter.length > 0) table.add(name, starter, nowMs());
    }
  }

  /** Whether an agent may answer what others ask, as far as that is not about one of them. */
  mayAnswerOthers(runtimeId: RuntimeId | null): boolean {
    const known = runtimeId === null ? null : this.#known({ kind: 'agent', runtimeId });
    const scope = known?.policy.controls.approve;
    return scope === undefined ? this.#parts.agentsMayAnswer() : scope !== 'none';
  }

  /** Null: nobody knows who it is, or under which policy. */
  #known(caller: Exclude<Caller, { kind: 'person' }>): Known | null {
    if (caller.kind === 'unknown') return null;
    const { parties, isOfLostBundle } = this.#parts;
    const found = parties().requester({ claim: 'none', proven: caller, as: undefined });
    if (found.ok) {
      const { party, policy } = found.value;
      if (party.pane && isOfLostBundle(party.pane)) return null;
      return { ...policyParty(party), policy, names: namesOf(party) };
    }
    // One that has ended may have been in a bundle; one without a pane is in none.
    if (caller.kind === 'member' || !this.#parts.isLive(caller.runtimeId)) return null;
    const names = [runtimeName(caller.runtimeId)];
    return { id: names.join(), home: null, policy: agentPolicy, names };
  }

  #subjectOf(pane: PaneRecord): PolicyParty {
    const party = this.#parts.parties().ofPane(pane);
    return party ? policyParty(party) : { id: pane.paneKey, home: null };
  }

  #refuseAnswer(known: Known | null, pane: PaneRecord): Refusal | null {
    const refusal = this.#refuse(known, 'approve', this.#subjectOf(pane));
    if (refusal) return refusal;
    if (known === null) return notPermitted('nobody knows which agent answers');
    const asking = this.#namesOf(pane);
    if (asking.some((name) => known.names.includes(name))) {
      return notPermitted('it is the request of the caller');
    }
    // Else an agent could start another one to have itself approved.
    return this.#parts.starts.isKin(known.names, asking)
      ? notPermitted('one of the two agents has started the other')
      : null;
  }

  #namesOf(pane: PaneRecord): readonly string[] {
    const party = this.#parts.parties().ofPane(pane);
    return party ? namesOf(party) : namesOfPane(pane);
  }

  /** What a policy says counts; config.toml decides where it says nothing. */
  #refuse(
    known: Known | null,
    capability: 'approve' | 'spawn',
    subject: PolicyParty,
  ): Refusal | null {
    const isOpen = known === null || known.policy.controls[capability] === undefined;
    if (isOpen && this.#parts.agentsMayAnswer()) return null;
    if (known === null || (isOpen && known.home === null)) return notPermitted(SWITCHED_OFF);
    const { policy } = known;
    const decided = decide({ capability, requester: known, subject, policy });
    return decided.ok ? null : decided.refusal;
  }
}

const SWITCHED_OFF =
  'a command that an agent runs may not answer dialogs, start or end agents or force what is ' +
  'typed; agents_may_answer in the [acting] section of config.toml allows it';

const notPermitted = (message: string): Refusal => ({ code: 'E_NOT_PERMITTED', message });

const asRefused = (refusal: Refusal | null): Refused | null =>
  refusal && { ...refused(refusal.code, refusal.message), rule: refusal.rule };

function startSubject(subject: StartSubject): PolicyParty {
  if (subject === null) return { id: 'an agent in no bundle', home: null };
  const { bundle, member } = subject;
  const id: string = member === undefined ? `bundle:${bundle}` : memberParty(bundle, member);
  return { id, home: bundle };
}
