// Bundles over the socket: what is listed, what is planned, and what is refused. How a plan is
// carried out on a real tmux is tests/teams/lifecycle.test.ts.

import { describe, expect, it } from 'vitest';
import {
  emptyTeamState,
  nextTeamState,
  type TeamState,
} from '../../src/relay/config/team-state.ts';
import { FAILURES_KEPT_MAX } from '../../src/store/teams/bundles.ts';
import { paneFacts } from '../scenario.ts';
import { Inside } from './fixture.ts';

const coders = `format-version = 1
[[coders]]
id = "claude"
[coders.tmux]
initial-command = "claude"
resume-command = "claude --resume {coder-session-id}"
`;
const policies = `format-version = 1
default = "team"
[[policies]]
id = "team"
controls = { find = "self", list = "all:home", look = "all:home", send = "all:home" }
`;
const session = paneFacts(0).locations[0]?.sessionName ?? '';
const sessionOf = (id: string): string =>
  `[[sessions]]\nid = "${id}"\ndirectory = "/src"\ncoder = "claude"\n`;

const fileOf = (file: string, text: string | null) => ({ file, text, problem: null });

/** A bundle whose first member is the session of the first agent. */
function team(head = 'server = "user"'): TeamState {
  const text = `format-version = 1\n${head}\n${sessionOf(session)}${sessionOf('zoe')}`;
  return nextTeamState(
    {
      coders: fileOf('/c/coders.toml', coders),
      policies: fileOf('/c/policies.toml', policies),
      operators: fileOf('/c/tui.toml', null),
      bundles: new Map([['review', fileOf('/c/bundles/review.toml', text)]]),
    },
    emptyTeamState,
  );
}

async function open(state: TeamState = team()) {
  const inside = await new Inside().serve();
  inside.team = state;
  return { inside, client: await inside.connect() };
}

describe('a bundle', () => {
  it('is listed with the state of the agents in the sessions of its members', async () => {
    const { inside, client } = await open();
    inside.says(0, 'running');
    const { bundles } = await client.call('list_bundles', { bundle: 'review' });
    expect(bundles).toMatchObject([
      {
        ...{ id: 'review', state: 'up', startup_health: 'degraded', ready_session_count: 1 },
        sessions: [
          { id: session, presence: 'live', state: 'running', transport: 'tmux' },
          { id: 'zoe', presence: 'absent', state: null, pane_id: null },
        ],
      },
    ]);
  });

  it('is planned with its owner, its commands and the agents that may be disturbed', async () => {
    const { inside, client } = await open();
    inside.says(0, 'running');
    const plan = await client.call('plan_bundle', { bundle: 'review', action: 'up' });
    expect(plan.bundles).toMatchObject([
      {
        ...{ bundle: 'review', target_kind: 'local', is_private: false },
        owner: '00000000000000aa/review',
        members: [
          { id: session, command: 'claude', directory: '/src' },
          { id: 'zoe', command: 'claude', directory: '/src' },
        ],
      },
    ]);
    expect(plan.bundles[0]?.agents).toContainEqual(
      expect.objectContaining({ session, state: 'running' }),
    );
    expect(inside.watched).toEqual([`${paneFacts(0).server} true`]);
  });

  it('has a private server beside the others unless its file says otherwise', async () => {
    const { client } = await open(team(''));
    const plan = await client.call('plan_bundle', { bundle: 'review', action: 'down' });
    expect(plan.bundles).toMatchObject([{ server: '/tmp/agtmux-review', is_private: true }]);
  });

  it('is started by no command that an agent runs', async () => {
    const { inside, client } = await open();
    inside.callingAgent = inside.engine.world.panes.values().next().value?.runtimeId ?? null;
    const input = { bundle: 'review', action: 'up', caller_pid: 77 } as const;
    await expect(client.call('plan_bundle', input)).rejects.toMatchObject({
      code: 'E_NOT_PERMITTED',
    });
  });

  it.each([
    [{ bundle: 'reviwe' }, 'E_BUNDLE_UNKNOWN'],
    [{ group: 'x' }, 'E_BUNDLE_UNKNOWN'],
    [{ bundle: 'review', group: 'x' }, 'E_INPUT_INVALID'],
    [{}, 'E_INPUT_INVALID'],
  ])('%j is refused with %s', async (selection, code) => {
    const { client } = await open();
    const planned = client.call('plan_bundle', { ...selection, action: 'up' });
    await expect(planned).rejects.toMatchObject({ code });
  });

  it('with an unknown machine, or a file that is wrong, is not planned', async () => {
    const elsewhere = await open(team('target = "vm9"'));
    const up = { bundle: 'review', action: 'up' } as const;
    const unknown = elsewhere.client.call('plan_bundle', up);
    await expect(unknown).rejects.toMatchObject({ code: 'E_TARGET_UNKNOWN' });
    const wrong = await open(team('groups = ["Web"]'));
    await expect(wrong.client.call('plan_bundle', up)).rejects.toMatchObject({
      code: 'E_BUNDLE_INVALID',
      message: expect.stringContaining('/c/bundles/review.toml:2:groups[0]'),
    });
  });
});

describe('what came of a plan', () => {
  const nothing = {
    ...{ bundle: 'review', bootstrap_session: null, created_sessions: [], pruned_sessions: [] },
    ...{ killed_tmux_server: false, failures: [] },
  };
  const failure = {
    ...{ session_id: 'zoe', code: 'runtime_startup_failed' as const, reason: 'no folder' },
    details: { cause: 'cd: /src' },
  };

  it('is remembered: the newest failures, numbered, and that the bundle is wanted', async () => {
    const { client } = await open();
    for (let round = 0; round < 130; round += 1) {
      const failures = [failure, failure];
      await client.call('bundle_outcome', { ...nothing, action: 'up', failures });
    }
    const { bundles } = await client.call('list_bundles', {});
    expect(bundles[0]?.startup_failure_count).toBe(FAILURES_KEPT_MAX);
    const shown = bundles[0]?.recent_startup_failures.map(({ sequence }) => sequence);
    expect(shown).toEqual([251, 252, 253, 254, 255, 256, 257, 258, 259, 260]);
  });

  it('that failed is a failure of a member; one that changed nothing is skipped', async () => {
    const { inside, client } = await open();
    const up = await client.call('bundle_outcome', { ...nothing, action: 'up' });
    expect(up).toMatchObject({ outcome: 'skipped', reason_code: 'already_hosted' });
    const down = await client.call('bundle_outcome', { ...nothing, action: 'down' });
    expect(down).toMatchObject({ outcome: 'skipped', reason_code: 'already_unhosted' });
    inside.team = team('');
    const dead = await client.call('bundle_outcome', {
      ...{ ...nothing, action: 'up', failures: [failure] },
    });
    expect(dead).toMatchObject({ outcome: 'failed', reason_code: 'runtime_startup_failed' });
    const { bundles } = await client.call('list_bundles', {});
    expect(bundles[0]).toMatchObject({
      state: 'down',
      state_reason_code: 'runtime_startup_failed',
    });
  });
});
