// Who in a team may do what to whom. Pure: identities are proven and names resolved by then. A
// denial names the rule that it follows.

import { type Outcome, ok, refuse } from '../../schema/outcome.ts';

export type Capability = 'find' | 'list' | 'look' | 'send' | 'raww' | 'approve' | 'spawn';

export const policyScopes = ['none', 'self', 'all:home', 'all:all'] as const;

type Scope = (typeof policyScopes)[number];
/** What a policy may leave to the configuration of the daemon. */
type OpenCapability = 'approve' | 'spawn';

export type Controls = Readonly<
  Record<Exclude<Capability, OpenCapability>, Scope> &
    Partial<Record<OpenCapability, Scope | undefined>>
>;

/** The controls in force for somebody, and where they are written. */
export interface PolicyInForce {
  /** `policies.toml: reviewer`, or `built in`. */
  readonly origin: string;
  readonly controls: Controls;
}

/** Where somebody belongs: the bundle of a member, null for every agent outside of bundles. */
export interface PolicyParty {
  readonly id: string;
  readonly home: string | null;
}

const everything: Controls = {
  ...{ find: 'all:all', list: 'all:all', look: 'all:all', send: 'all:all' },
  ...{ raww: 'all:all', approve: 'all:all', spawn: 'all:all' },
};
/** What a person may who named no policy of tui.toml: it is their own machine. */
export const operatorPolicy: PolicyInForce = { origin: 'built in: person', controls: everything };

/** Of members whose policies are not known. */
export const nothing: Controls = {
  ...{ find: 'none', list: 'none', look: 'none', send: 'none' },
  ...{ raww: 'none', approve: 'none', spawn: 'none' },
};

const conservative: Controls = {
  ...{ find: 'self', list: 'all:home', look: 'all:home', send: 'all:home', raww: 'none' },
};
/** Of a member without a policy, where policies.toml has no default. */
export const memberPolicy: PolicyInForce = { origin: 'built in: member', controls: conservative };
/** Of an agent in no bundle: its home is every other agent in no bundle. */
export const agentPolicy: PolicyInForce = {
  origin: 'built in: agent outside of bundles',
  controls: { ...conservative, look: 'self' },
};

export interface PolicyRequest {
  readonly capability: Capability;
  readonly requester: PolicyParty;
  /** Absent: the capability by itself, as for a new member in its own bundle. */
  readonly subject?: PolicyParty;
  readonly policy: PolicyInForce;
}

export function decide({ capability, requester, subject, policy }: PolicyRequest): Outcome<null> {
  const scope = policy.controls[capability];
  if (isWithin(scope ?? 'none', requester, subject ?? requester)) return ok(null);
  const granted = scope === undefined ? 'is not set' : `= "${scope}"`;
  const rule = `${policy.origin}: ${capability} ${granted}`;
  const about =
    subject && subject.id !== requester.id ? ` ${capability} ${subject.id}` : ` ${capability}`;
  return refuse('E_POLICY', `${requester.id} may not${about}: ${rule}`, { rule });
}

function isWithin(scope: string, requester: PolicyParty, subject: PolicyParty): boolean {
  if (scope === 'all:all') return true;
  if (scope === 'all:home') return requester.home === subject.home;
  return scope === 'self' && requester.id === subject.id;
}
