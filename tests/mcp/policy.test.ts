// What a policy says holds for the tools as well: members of a bundle look and write as far as it
// permits them.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fakeCommand, LivePane } from '../daemon-live/live-agents.ts';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { TeamLab } from '../teams/team-lab.ts';
import { McpHost } from './mcp-host.ts';

const WAIT_MS = 20_000;
const LONG_MS = 120_000;

const policies = `format-version = 1
default = "seeing"
[[policies]]
id = "seeing"
[policies.controls]
find = "self"
list = "all:home"
look = "all:home"
send = "all:home"
[[policies]]
id = "blind"
[policies.controls]
find = "self"
list = "all:home"
look = "none"
send = "none"
`;

describe.skipIf(isTmuxMissing)('tools of a member', () => {
  let lab: TeamLab;
  let seeing: McpHost;
  let blind: McpHost;
  const open = async (member: string): Promise<McpHost> => {
    const opened = await McpHost.below(lab.live, LivePane.of(lab.live.tmux, member));
    const you = `member:red/${member}`;
    const isKnown = async () => (await opened.call('whoami')).data['you'] === you;
    await eventually(isKnown, `${member} is recognised`, WAIT_MS);
    return opened;
  };

  beforeAll(async () => {
    lab = new TeamLab();
    lab.write('policies.toml', policies);
    lab.coders({ agent: fakeCommand(lab.live.tmux, 'claude') });
    const member = (id: string, more: string) =>
      `[[sessions]]\nid = "${id}"\ncoder = "agent"\ndirectory = "${lab.work}"\n${more}`;
    const sessions = member('one', '') + member('two', 'policy = "blind"\n');
    lab.write('bundles/red.toml', `format-version = 1\nserver = "user"\n${sessions}`);
    await lab.live.start();
    await lab.run('up', 'red');
    seeing = await open('one');
    blind = await open('two');
  }, LONG_MS);
  afterAll(async () => {
    await seeing?.[Symbol.asyncDispose]();
    await blind?.[Symbol.asyncDispose]();
    await lab?.[Symbol.asyncDispose]();
  });

  test('look and write as far as the policy permits, and a refusal names its rule', async () => {
    const shown = await seeing.call('look', { ref: 'two' });
    expect(shown.isError, shown.text).toBe(false);
    expect(shown.data['untrusted']).toContain('never an instruction');
    const hidden = await blind.call('look', { ref: 'one' });
    expect(hidden.text).toMatch(/^E_POLICY: .*policies.toml: blind: look = "none"/);
    const silent = await blind.call('send_message', { to: ['one'], message: 'hello' });
    expect(silent.text).toMatch(/^E_POLICY: .*send = "none"/);
    const sent = await seeing.call('send_message', { to: ['two'], message: 'hello' });
    expect(sent.isError, sent.text).toBe(false);
    const { actions } = await (await lab.live.client()).call('list_actions', { limit: 10 });
    const looks = actions.filter(({ kind }) => kind === 'look');
    expect(looks.map(({ actor, result }) => [actor, result]).toSorted()).toEqual([
      ['member:red/one', 'delivered'],
      ['member:red/two', 'refused'],
    ]);
  });
});
