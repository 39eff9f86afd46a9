// The roster over the declared teams: members with their panes, policies and prompt rules, as they
// are in force at each call. A broken file keeps its last good content, so policies stay known.

import type { TeamsPort } from '../../operations/ports/teams-port.ts';
import { promptPattern } from '../../relay/config/prompt-pattern.ts';
import { memberPolicy, nothing, type PolicyInForce } from '../../relay/policy/decide.ts';
import type { PromptMatch } from '../../schema/relay/message.ts';
import type { Policies, PromptRule } from '../../schema/relay/team.ts';
import { memberParty } from './parties.ts';
import type { PanelessTransport, Roster, RosterMember } from './roster.ts';

export interface TeamRosterOptions {
  readonly teams: TeamsPort;
  /** Members without a pane that are up. */
  readonly transportOf: (bundle: string, member: string) => PanelessTransport | null;
}

export function teamRoster({ teams, transportOf }: TeamRosterOptions): Roster {
  const membersNow = (): readonly RosterMember[] => {
    const { bundles, policies } = teams.team();
    return [...bundles.values()].flatMap((bundle) =>
      bundle.members.map((member): RosterMember => {
        const { transport } = member;
        const isTyped = transport.kind === 'tmux';
        return {
          party: memberParty(bundle.name, member.id),
          ...{ bundle: bundle.name, id: member.id, name: member.name, target: bundle.target },
          policy: policyOf(policies, member.policy),
          prompt: isTyped ? promptMatch(transport.prompt) : null,
          pane: () => teams.paneOf(bundle, member.id),
          transport: isTyped ? null : (transportOf(bundle.name, member.id) ?? absent),
        };
      }),
    );
  };
  return {
    members: membersNow,
    operators: () => {
      const { operators, policies } = teams.team();
      return [...operators.byId.values()].map(({ id, name, policy }) => ({
        ...{ id, name },
        policy: policyOf(policies, policy),
      }));
    },
    defaultOperator: () => teams.team().operators.defaultSession,
    defaultBundle: () => teams.team().operators.defaultBundle,
    policyProblem: () =>
      teams.team().policies === null ? 'policies.toml is missing or was never valid' : null,
  };
}

const absent: PanelessTransport = {
  wait: () => 'it is not up',
  hand: async () => ({ result: 'refused', code: 'E_NO_AGENT', detail: 'it is not up' }),
};

/**
 * The declared policy, else the default of the file, else what members may by themselves. One that
 * is named and not declared any more grants nothing: what it held back is not known.
 */
function policyOf(policies: Policies | null, named: string | null): PolicyInForce | null {
  if (policies === null) return null;
  const id = named ?? policies.default;
  if (id === null) return memberPolicy;
  const policy = policies.byId.get(id);
  if (policy) return { origin: `policies.toml: ${id}`, controls: policy.controls };
  return { origin: `policies.toml: no policy "${id}" is declared`, controls: nothing };
}

const compiled = new WeakMap<PromptRule, PromptMatch>();

function promptMatch(rule: PromptRule | null): PromptMatch | null {
  if (rule === null) return null;
  const known = compiled.get(rule);
  if (known) return known;
  const pattern = promptPattern(rule.regex);
  const match: PromptMatch = {
    matches: (lastLines) => pattern.matches(lastLines),
    lineCount: rule.inspectLines,
    idleColumn: rule.idleColumn,
  };
  compiled.set(rule, match);
  return match;
}
