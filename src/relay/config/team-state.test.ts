import { describe, expect, it } from 'vitest';
import { emptyTeamState, type FileText, nextTeamState, type TeamTexts } from './team-state.ts';

const coders = `format-version = 1
[[coders]]
id = "claude"
[coders.tmux]
initial-command = "claude"
resume-command = "claude --resume {coder-session-id}"
prompt-regex = '(?m)^❯ $'
prompt-inspect-lines = 90
prompt-idle-column = 2
[[coders]]
id = "opencode"
[coders.acp]
channel = "stdio"
command = "opencode acp"
[[coders.acp.environment]]
name = "A"
value = "b"
`;
const policies = `format-version = 1
default = "team"
[[policies]]
id = "team"
description = "all"
[policies.controls]
find = "self"
list = "all:home"
look = "all:home"
send = "all:all"
[policies.controls.do]
review = "self"
[[policies]]
id = "quiet"
[policies.controls]
find = "none"
list = "self"
look = "none"
send = "none"
raww = "self"
`;
const tui = `default-bundle = "review"
default-session = "user"
[[sessions]]
id = "user"
policy = "team"
`;
const review = `format-version = 1
autostart = true
groups = ["web", "web"]

[[sessions]]
id = " tester "
name = "Tester"
directory = "~/app"
coder = "claude"
coder-session-id = "8c1e-44"
policy = "quiet"

[[sessions]]
id = "author"
directory = "/src/app"
coder = "claude"
`;

const fileText = (file: string, text: string | null): FileText => ({ file, text, problem: null });

function texts(changes: Readonly<Record<string, string | null>> = {}): TeamTexts {
  const all = { coders, policies, tui, review, ...changes };
  const bundles = Object.entries(all).filter(
    ([name, text]) => !['coders', 'policies', 'tui'].includes(name) && text !== null,
  );
  return {
    coders: fileText('coders.toml', all.coders),
    policies: fileText('policies.toml', all.policies),
    operators: fileText('tui.toml', all.tui),
    bundles: new Map(bundles.map(([name, text]) => [name, fileText(`${name}.toml`, text)])),
  };
}

const problemsOf = (changes: Readonly<Record<string, string | null>>): readonly string[] =>
  nextTeamState(texts(changes), emptyTeamState).problems.map(
    ({ file, line, key, message }) => `${file}:${line}:${key}: ${message}`,
  );

describe('files of agentmux load', () => {
  const { team, problems } = nextTeamState(texts(), emptyTeamState);

  it('with no problem, members in the order of their ids and commands filled in', () => {
    expect(problems).toEqual([]);
    const bundle = team.bundles.get('review');
    expect(bundle).toMatchObject({ autostart: true, groups: ['web'], server: 'private' });
    expect(bundle?.members.map(({ id, name, policy }) => [id, name, policy])).toEqual([
      ['author', null, null],
      ['tester', 'Tester', 'quiet'],
    ]);
    const prompt = { regex: '(?m)^❯ $', inspectLines: 40, idleColumn: 2 };
    expect(bundle?.members.map(({ transport }) => transport)).toEqual([
      { kind: 'tmux', command: 'claude', prompt },
      { kind: 'tmux', command: 'claude --resume 8c1e-44', prompt },
    ]);
  });

  it('with policies and operators', () => {
    const controls = team.policies?.byId.get('team')?.controls;
    expect(controls).toMatchObject({ send: 'all:all', raww: 'none', do: { review: 'self' } });
    expect(team.operators.byId.get('user')?.policy).toBe('team');
  });

  it('but a bundle without members is left out', () => {
    const state = nextTeamState(texts({ example: 'format-version = 1\n' }), emptyTeamState);
    expect([[...state.team.bundles.keys()], state.problems]).toEqual([['review'], []]);
  });
});

it('says all that is wrong in a file, also beside an unknown key', () => {
  const broken = review
    .replace('autostart = true', 'autostart = true\ncolour = "red"')
    .replace('id = "author"', 'id = "tester"\npolicy = "nopolicy"')
    .replace('coder = "claude"\ncoder-session-id', 'coder = "nocoder"\ncoder-session-id');
  expect(problemsOf({ review: broken }).map((each) => each.replace(/^.*?: /, ''))).toEqual([
    'unknown key',
    '"tester" is there twice',
    'no coder "nocoder" is declared',
    'no policy "nopolicy" is declared',
  ]);
});

const change = (text: string, from: string, to: string): string => {
  expect(text).toContain(from);
  return text.replace(from, to);
};

const reviewWith = (line: string): string =>
  change(review, 'id = "author"', `id = "author"\n${line}`);
const codersWith = (from: string, to: string) => ({ coders: change(coders, from, to) });

describe('what is wrong is named with file, line and key', () => {
  it.each([
    [{ coders: 'x = [\n' }, 'coders.toml:2:: '],
    [codersWith('= 1', '= 2'), 'coders.toml:1:format-version: only format-version = 1 is known'],
    [
      codersWith('resume-command', 'resume-comand'),
      'coders.toml:6:coders[0].tmux.resume-comand: unknown key; did you mean "resume-command"?',
    ],
    [
      codersWith('initial-command', '#'),
      'coders.toml:4:coders[0].tmux.initial-command: is missing',
    ],
    [
      codersWith('{coder-session-id}', '{session}'),
      'coders.toml:6:coders[0].tmux.resume-command: knows no placeholder {session}',
    ],
    [codersWith('(?m)^❯ $', '('), 'coders.toml:7:coders[0].tmux.prompt-regex: is no pattern'],
    [
      codersWith('"stdio"', '"pipe"'),
      'coders.toml:13:coders[1].acp.channel: is neither "stdio" nor "http"',
    ],
    [
      codersWith('command = "opencode acp"', 'url = "u"'),
      'coders.toml:14:coders[1].acp.url: does not go with the other keys of its table',
    ],
    [
      codersWith('[coders.acp]', '[coders.acp]\nnothing = 1'),
      'coders.toml:13:coders[1].acp.nothing: unknown key',
    ],
    [
      codersWith('[coders.tmux]', '[coders.acp]\nchannel="stdio"\ncommand="x"\n[coders.tmux]'),
      'coders.toml:2:coders[0]: needs either [coders.tmux] or [coders.acp]',
    ],
    [codersWith('"opencode"', '"claude"'), 'coders.toml:11:coders[1].id: "claude" is there twice'],
    [
      { policies: change(policies, '"team"', '"other"') },
      'policies.toml:2:default: no policy "other" is declared',
    ],
    [
      { policies: change(policies, 'raww = "self"', 'raww = "all:all"') },
      'policies.toml:20:policies[1].controls.raww: is none of the scopes none, self, all:home',
    ],
    [{ policies: null }, 'policies.toml:1:: is missing; agtmux bundle init writes one'],
    [
      { tui: change(tui, '"team"', '"x"') },
      'tui.toml:5:sessions[0].policy: no policy "x" is declared',
    ],
    [
      {
        tui: change(tui, 'id = "user"', 'id = "author"\npolicy="quiet"\n#')
          .replace('default-session = "user"\n', '')
          .replace('policy = "team"', ''),
      },
      'review.toml:14:sessions[1].id: tui.toml has the same id with policy "quiet"',
    ],
    [
      { review: reviewWith('policy = "x"') },
      'review.toml:15:sessions[1].policy: no policy "x" is declared',
    ],
    [
      { review: reviewWith('coder-session-id = "a; rm -rf /"') },
      'review.toml:15:sessions[1].coder-session-id: holds what a shell would read',
    ],
    [
      { review: change(review, '/src/app', 'src/app') },
      'review.toml:15:sessions[1].directory: is no path from / or ~',
    ],
    [
      { review: change(review, '"author"', '"tester"') },
      'review.toml:14:sessions[1].id: "tester" is there twice',
    ],
    [{ review: change(review, '"author"', '"2nd"') }, 'review.toml:14:sessions[1].id: is no id'],
    [
      { review: change(review, '"author"', `"${'a'.repeat(32)}"`) },
      'review.toml:14:sessions[1].id: is longer than 31 characters',
    ],
    [
      { review: change(review, 'coder = "claude"', 'coder = "x"') },
      'review.toml:9:sessions[0].coder: no coder "x" is declared',
    ],
    [
      { review: change(review, '["web", "web"]', '["ALL"]') },
      'review.toml:3:groups[0]: every bundle is in ALL; leave it out',
    ],
    [
      { review: change(review, '["web", "web"]', '["Web"]') },
      'review.toml:3:groups[0]: "Web" is no group',
    ],
    [{ '.x': review }, '.x.toml:1:: ".x" is no name of a bundle'],
  ])('%#: %s', (changes, problem) => {
    const found = problemsOf(changes);
    expect(found.find((each) => each.startsWith(problem)) ?? found).toContain(problem);
    // Of one mistake nothing is said about other files.
    expect(new Set(found.map((each) => each.split(':')[0])).size).toBe(1);
  });

  it('a resume command that needs an id is refused where the session has none', () => {
    const changed = codersWith(
      'initial-command = "claude"',
      'initial-command = "c {coder-session-id}"',
    );
    expect(problemsOf(changed).join()).toContain('needs {coder-session-id}, which the session');
  });
});

describe('while a file is broken', () => {
  const good = nextTeamState(texts(), emptyTeamState);

  it.each(['coders', 'policies', 'tui', 'review'])('the last good %s stays in force', (name) => {
    const state = nextTeamState(texts({ [name]: 'x = [' }), good);
    expect(state.problems).toHaveLength(1);
    expect(state.team).toEqual(good.team);
  });

  it('one bundle breaks no other', () => {
    const state = nextTeamState(texts({ second: 'x = [' }), emptyTeamState);
    expect([[...state.team.bundles.keys()], state.problems.length]).toEqual([['review'], 1]);
  });

  it('a bundle whose file is gone is gone', () => {
    const state = nextTeamState(texts({ review: null }), good);
    expect([state.team.bundles.size, state.problems]).toEqual([0, []]);
  });
});
