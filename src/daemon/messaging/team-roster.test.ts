import { expect, it } from 'vitest';
import { emptyWorld } from '../../core/world.ts';
import type { TeamsPort } from '../../operations/ports/teams-port.ts';
import {
  emptyTeamState,
  type FileText,
  nextTeamState,
  type TeamState,
} from '../../relay/config/team-state.ts';
import { maySend } from './message-draft.ts';
import { memberParty, Parties } from './parties.ts';
import { teamRoster } from './team-roster.ts';

const coders = `format-version = 1
[[coders]]
id = "claude"
[coders.tmux]
initial-command = "claude"
resume-command = "claude --resume {coder-session-id}"
`;
const policies = `format-version = 1
[[policies]]
id = "quiet"
[policies.controls]
find = "self"
list = "self"
look = "self"
send = "all:home"
`;
const red = `format-version = 1
[[sessions]]
id = "named"
directory = "/src"
coder = "claude"
policy = "quiet"
[[sessions]]
id = "plain"
directory = "/src"
coder = "claude"
`;
const tui = `[[sessions]]
id = "ada"
policy = "quiet"
`;

const fileText = (file: string, text: string | null): FileText => ({ file, text, problem: null });
const next = (policiesText: string, before: TeamState): TeamState =>
  nextTeamState(
    {
      coders: fileText('coders.toml', coders),
      policies: fileText('policies.toml', policiesText),
      operators: fileText('tui.toml', tui),
      bundles: new Map([['red', fileText('red.toml', red)]]),
    },
    before,
  );

/** Who may write to the member "plain", and by which rule not. */
function rightsIn({ team }: TeamState) {
  const teams: Pick<TeamsPort, 'team' | 'paneOf'> = { team: () => team, paneOf: () => null };
  const roster = teamRoster({ teams: teams as TeamsPort, transportOf: () => null });
  const parties = new Parties({ world: () => emptyWorld, roster, userName: 'eve' });
  const plain = parties.byId(memberParty('red', 'plain'));
  const answer = (as: { readonly member: string } | { readonly person: string }): string => {
    const isMember = 'member' in as;
    const proven = isMember
      ? ({ kind: 'member', member: memberParty('red', as.member) } as const)
      : ({ kind: 'person' } as const);
    const found = parties.requester({
      claim: 'none',
      proven,
      as: isMember ? undefined : as.person,
    });
    if (!found.ok || !plain) throw new Error('nobody');
    const allowed = maySend(found.value, plain, null);
    return allowed.ok ? 'may' : (allowed.refusal.rule ?? 'no rule');
  };
  return [answer({ member: 'named' }), answer({ member: 'plain' }), answer({ person: 'ada' })];
}

it('who names a policy that is not declared any more may do nothing', () => {
  const before = next(policies, emptyTeamState);
  expect(before.problems).toEqual([]);
  expect(rightsIn(before)).toEqual(['may', 'may', 'policies.toml: quiet: send = "all:home"']);
  const renamed = next(policies.replace('"quiet"', '"calm"'), before);
  expect(renamed.problems.length).toBeGreaterThan(0);
  const gone = 'policies.toml: no policy "quiet" is declared: send = "none"';
  expect(rightsIn(renamed)).toEqual([gone, 'may', gone]);
});
