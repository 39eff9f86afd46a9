// Who can write and get messages, by canonical id: members of bundles, every other agent that runs,
// and people. Names that people type are resolved here, and nowhere else.

import { nameToType } from '../../core/view/pane-names.ts';
import { resolveRef } from '../../core/view/resolve-ref.ts';
import { liveRuntime, type PaneRecord, type World } from '../../core/world.ts';
import type { MessageCaller } from '../../operations/ports/messages-port.ts';
import {
  agentPolicy,
  memberPolicy,
  nothing,
  operatorPolicy,
  type PolicyInForce,
  type PolicyParty,
} from '../../relay/policy/decide.ts';
import { id, isAcpKey, type PartyId, type RuntimeId } from '../../schema/ids.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { PartyKind, ProvenCaller } from '../../schema/relay/message.ts';
import type { PartyItem } from '../../schema/relay/message-schemas.ts';
import type { Roster, RosterMember } from './roster.ts';

/** Somebody, as far as is known now. */
export interface Party {
  readonly id: PartyId;
  readonly kind: PartyKind;
  readonly name: string;
  readonly bundle: string | null;
  readonly member: RosterMember | null;
  /** Where it is typed to; null for people, and while it is not there. */
  readonly pane: PaneRecord | null;
  readonly runtimeId: RuntimeId | null;
}

/** Who calls, and what it may do. */
export interface Requester {
  readonly party: Party;
  readonly policy: PolicyInForce;
  readonly proof: 'pane' | 'person' | 'door';
}

export interface PartiesOptions {
  readonly world: () => World;
  readonly roster: Roster;
  /** What people are called who name no operator of tui.toml. */
  readonly userName: string;
}

/** Where the name of a member is looked for when it comes without its bundle. */
export interface NameScope {
  readonly bundle: string | null;
  /** The caller has named the bundle: no session of the same name elsewhere is meant. */
  readonly isNamed?: boolean;
}

/** As a bundle declares it; any other text is a reference. */
const memberName = /^[A-Za-z][\w-]*$/;

export const memberParty = (bundle: string, member: string): PartyId =>
  id<PartyId>(`member:${bundle}/${member}`);
export const operatorParty = (name: string): PartyId => id<PartyId>(`operator:${name}`);
const runtimeParty = (runtimeId: RuntimeId): PartyId => id<PartyId>(`runtime:${runtimeId}`);

export const policyParty = ({ id: party, bundle }: Party): PolicyParty => ({
  id: party,
  home: bundle,
});

export class Parties {
  readonly #options: PartiesOptions;

  constructor(options: PartiesOptions) {
    this.#options = options;
  }

  /** Everybody that can get a message without being a person. */
  agents(): readonly Party[] {
    const { world, roster } = this.#options;
    const members = roster.members().map((member) => this.#ofMember(member));
    const taken = new Set(members.map(({ pane }) => pane?.paneKey));
    const others = [...world().panes.values()].filter(
      ({ goneAtMs, paneKey, row, facts }) =>
        goneAtMs === null &&
        (facts !== null || isAcpKey(paneKey)) &&
        row.runtimeId !== null &&
        !taken.has(paneKey),
    );
    return [...members, ...others.flatMap((pane) => this.ofPane(pane) ?? [])];
  }

  /** The people that are declared, and the one whose machine it is. */
  people(): readonly Party[] {
    const { roster, userName } = this.#options;
    const names = new Set([...roster.operators().map((each) => each.id), userName]);
    return [...names].flatMap((name) => this.#ofOperator(name) ?? []);
  }

  bundleMembers(bundle: string): readonly Party[] {
    const members = this.#options.roster.members().filter((each) => each.bundle === bundle);
    return members.map((member) => this.#ofMember(member));
  }

  /** Somebody by canonical id; null: nobody has that id now. */
  byId(party: PartyId): Party | null {
    const [, kind, rest = ''] = /^(member|runtime|operator):(.*)$/s.exec(party) ?? [];
    if (kind === 'operator') return this.#ofOperator(rest);
    if (kind === 'runtime') return this.ofRuntime(id<RuntimeId>(rest));
    const member = this.#options.roster.members().find((each) => each.party === party);
    return member ? this.#ofMember(member) : null;
  }

  /** The one that a name means: a canonical id, a member, or an agent by its reference. */
  resolve(name: string, { bundle: home, isNamed }: NameScope): Outcome<Party> {
    const known = this.byId(id<PartyId>(name));
    if (known) return ok(known);
    if (name.startsWith('operator:') || name.startsWith('member:')) return unknown(name);
    const { roster, world } = this.#options;
    const members = roster.members();
    const member =
      members.find(({ bundle, id: memberId }) => name === `${bundle}/${memberId}`) ??
      members.find(({ bundle, id: memberId }) => bundle === home && memberId === name);
    if (member) return ok(this.#ofMember(member));
    if (isNamed && memberName.test(name)) {
      return refuse('E_PARTY_UNKNOWN', `bundle "${home}" has no member "${name}"`);
    }
    const found = resolveRef(world(), name, 'act');
    if (!found.ok) return found.refusal.code === 'E_REF_NOT_FOUND' ? unknown(name) : found;
    const party = this.ofPane(found.value);
    return party ? ok(party) : refuse('E_NO_AGENT', `no agent is in "${name.slice(0, 80)}"`);
  }

  ofRuntime(runtimeId: RuntimeId): Party | null {
    const { world } = this.#options;
    const runtime = liveRuntime(world(), runtimeId);
    const pane = runtime && world().panes.get(runtime.paneKey);
    return pane ? this.ofPane(pane) : null;
  }

  /** Who calls; refused where nothing proves it. */
  requester({ claim, proven, as }: MessageCaller): Outcome<Requester> {
    if (proven === null && claim === 'person') return this.#person(as, 'door');
    if (proven === null) {
      return refuse('E_IDENTITY_UNPROVEN', 'the connection has not proven who it speaks for');
    }
    if (proven.kind === 'person') {
      if (claim !== 'agent') return this.#person(as, 'person');
      // Some agents start their servers elsewhere: such a process is no person.
      return refuse(
        'E_IDENTITY_UNPROVEN',
        'no agent has started the caller, which speaks for one',
        {
          hint: 'Let the agent start agtmux mcp: agtmux mcp install adds it to its configuration.',
        },
      );
    }
    if (as !== undefined) {
      return refuse('E_POLICY', `an agent cannot write as operator ${as}`, {
        rule: 'built in: operators are people',
      });
    }
    return this.#agent(proven);
  }

  #agent(proven: Exclude<ProvenCaller, { kind: 'person' }>): Outcome<Requester> {
    const isMember = proven.kind === 'member';
    const party = isMember ? this.byId(proven.member) : this.ofRuntime(proven.runtimeId);
    if (!party) {
      const who = isMember ? proven.member : `runtime ${proven.runtimeId}`;
      return refuse('E_IDENTITY_UNPROVEN', `${who} is not there any more`);
    }
    const policy = party.member ? this.#memberPolicy(party.member) : agentPolicy;
    return ok({ party, policy, proof: 'pane' });
  }

  /** Where policies are not known, members may do nothing. */
  #memberPolicy({ policy }: RosterMember): PolicyInForce {
    const problem = this.#options.roster.policyProblem();
    return problem === null ? (policy ?? memberPolicy) : { origin: problem, controls: nothing };
  }

  #person(as: string | undefined, proof: Requester['proof']): Outcome<Requester> {
    const { roster, userName } = this.#options;
    const name = as ?? roster.defaultOperator() ?? userName;
    const declared = roster.operators().find((each) => each.id === name);
    if (as !== undefined && !declared && as !== userName) {
      return refuse('E_PARTY_UNKNOWN', `tui.toml declares no session "${as}"`);
    }
    const party = this.#ofOperator(name);
    if (!party) return unknown(name);
    return ok({ party, policy: declared?.policy ?? operatorPolicy, proof });
  }

  /** Where the bare names of somebody are looked for. */
  homeOf({ party }: Requester): string | null {
    return party.kind === 'operator' ? this.#options.roster.defaultBundle() : party.bundle;
  }

  item({ id: party, kind, name, bundle, pane }: Party): PartyItem {
    const world = this.#options.world();
    return { id: party, kind, name, bundle, ref: pane && nameToType(world, pane) };
  }

  /** As it was called when a message was written, where it is not there any more. */
  itemOf(party: PartyId, name: string): PartyItem {
    const found = this.byId(party);
    if (found) return this.item(found);
    const kind = party.startsWith('member:') ? 'member' : 'agent';
    const bundle = kind === 'member' ? (party.slice('member:'.length).split('/')[0] ?? null) : null;
    return { id: party, kind, name, bundle, ref: null };
  }

  #ofMember(member: RosterMember): Party {
    const pane = member.pane();
    return {
      ...{ id: member.party, kind: 'member', bundle: member.bundle, member, pane },
      name: member.name ?? member.id,
      runtimeId: pane?.row.runtimeId ?? null,
    };
  }

  ofPane(pane: PaneRecord): Party | null {
    const member = this.#options.roster
      .members()
      .find((each) => each.pane()?.paneKey === pane.paneKey);
    if (member) return this.#ofMember(member);
    const { runtimeId, agent } = pane.row;
    // Of the other agents without a pane nobody knows how to reach them.
    const isReachable = pane.facts !== null || isAcpKey(pane.paneKey);
    if (runtimeId === null || !isReachable || pane.goneAtMs !== null) return null;
    const where = nameToType(this.#options.world(), pane);
    return {
      ...{ id: runtimeParty(runtimeId), kind: 'agent', bundle: null, member: null, pane },
      name: `${agent ?? 'agent'} in ${where}`,
      runtimeId,
    };
  }

  #ofOperator(name: string): Party | null {
    if (!/^[\w.@:-]{1,64}$/.test(name)) return null;
    const { roster, userName } = this.#options;
    const declared = roster.operators().find((each) => each.id === name);
    if (!declared && name !== userName) return null;
    return {
      ...{ id: operatorParty(name), kind: 'operator', name: declared?.name ?? name },
      ...{ bundle: null, member: null, pane: null, runtimeId: null },
    };
  }
}

const unknown = (name: string): Outcome<never> =>
  refuse('E_PARTY_UNKNOWN', `nobody is called "${name.slice(0, 80)}"`);
