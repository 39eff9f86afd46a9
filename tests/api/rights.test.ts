// What an agent may do to others beside messages: answer what they ask, start and end them, type
// into them. By its policy, and where that says nothing, by config.toml.

import { describe, expect, it } from 'vitest';
import { delivered } from '../../src/acting/action-result.ts';
import type { DaemonClient } from '../../src/client/client.ts';
import type { ActionOrder } from '../../src/operations/ports/ports.ts';
import { emptyTeamState, nextTeamState } from '../../src/relay/config/team-state.ts';
import type { Controls } from '../../src/relay/policy/decide.ts';
import { id, type RuntimeId } from '../../src/schema/ids.ts';
import { paneFacts, paneKey, runtimeId } from '../scenario.ts';
import { codeOf } from './code-of.ts';
import { MessageLab, rosterOf } from './message-lab.ts';

/** Two bundles: red has the members a and b, blue has c; the fourth agent is in none. */
async function open(controls: Readonly<Partial<Record<'a' | 'b' | 'c', Partial<Controls>>>> = {}) {
  const lab = await MessageLab.open(4);
  const members = [
    ['red', 'a'],
    ['red', 'b'],
    ['blue', 'c'],
  ] as const;
  lab.inside.roster = rosterOf(
    lab,
    members.map(([bundle, member], index) => ({
      ...{ bundle, member, index },
      controls: { approve: undefined, spawn: undefined, ...controls[member] },
    })),
  );
  const orders: ActionOrder[] = [];
  lab.inside.act = async ({ order, commit }) => {
    commit();
    orders.push(order);
    return delivered('typed');
  };
  return { lab, inside: lab.inside, orders };
}

const approve = (client: DaemonClient, index: number) =>
  client.call('choose', { ref: paneKey(index), choice: { role: 'approve' } });
const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    ({ code, message }: { code: string; message: string }) => `${code} ${message}`,
  );

describe('an answer to what another agent asks', () => {
  it('is given by a member whose policy grants it, as far as that reaches', async () => {
    const { lab } = await open({ a: { approve: 'all:home' }, b: { approve: 'self' } });
    const lead = await lab.agent(0);
    expect(await approve(lead, 1)).toMatchObject({
      ...{ result: 'delivered', actor: `agent:${runtimeId(0)}` },
    });
    for (const other of [2, 3]) {
      const denied = await refusalOf(approve(lead, other));
      expect(denied).toMatch(/^E_POLICY /);
      expect(denied).toContain('policies.toml: tight: approve = "all:home"');
    }
    const worker = await lab.agent(1);
    expect(await refusalOf(approve(worker, 0))).toContain('approve = "self"');
    const { actions } = await lead.call('list_actions', { ref: paneKey(2) });
    expect(actions).toMatchObject([{ result: 'refused', code: 'E_POLICY' }]);
  });

  it('names the rule of the policy in the denial', async () => {
    const { lab } = await open({ a: { approve: 'none' } });
    const denied = approve(await lab.agent(0), 1).catch((error: { rule?: string }) => error.rule);
    expect(await denied).toBe('policies.toml: tight: approve = "none"');
  });

  it('is off where the policy says nothing, until config.toml says otherwise', async () => {
    const { lab, inside } = await open({ b: { approve: 'none' } });
    const [silent, denied, outside] = [await lab.agent(0), await lab.agent(1), await lab.agent(3)];
    expect(await refusalOf(approve(silent, 1))).toContain('tight: approve is not set');
    expect(await refusalOf(approve(outside, 1))).toMatch(/^E_NOT_PERMITTED .*agents_may_answer/);
    inside.agentsMayAnswer = true;
    expect((await approve(silent, 1)).result).toBe('delivered');
    expect((await approve(outside, 1)).result).toBe('delivered');
    expect(await refusalOf(approve(denied, 0))).toContain('tight: approve = "none"');
  });

  it('is never its own, whatever is granted', async () => {
    const { lab, inside } = await open({ a: { approve: 'all:all' } });
    inside.agentsMayAnswer = true;
    const [lead, outside] = [await lab.agent(0), await lab.agent(3)];
    expect(await refusalOf(approve(lead, 0))).toContain('the request of the caller');
    expect(await refusalOf(approve(outside, 3))).toContain('the request of the caller');
    const forced = outside.call('press', { ref: paneKey(3), keys: ['Enter'], force: true });
    expect(await refusalOf(forced)).toContain('the request of the caller');
  });

  it('is refused while no policies are known, also where config.toml would allow it', async () => {
    const { lab, inside } = await open({ a: { approve: 'all:home' } });
    inside.agentsMayAnswer = true;
    inside.roster = { ...inside.roster, policyProblem: () => 'policies.toml is missing' };
    const lead = await lab.agent(0);
    expect(await refusalOf(approve(lead, 1))).toContain('policies.toml is missing: approve');
  });

  it('follows the process that calls where the connection has proven nothing', async () => {
    const { inside } = await open({ a: { approve: 'all:home' }, b: { approve: 'none' } });
    const client = await inside.connect();
    const asProcess = (index: number, other: number) => {
      inside.callingAgent = runtimeId(index);
      const input = { ref: paneKey(other), choice: { role: 'approve' }, caller_pid: 7 } as const;
      return client.call('choose', input);
    };
    expect((await asProcess(0, 1)).result).toBe('delivered');
    expect(await codeOf(asProcess(1, 0))).toBe('E_POLICY');
  });

  it('is shown as granted to an agent that says which one it is', async () => {
    const { inside } = await open({ a: { approve: 'all:home' }, b: { approve: 'none' } });
    const grant = async (index: number) => {
      inside.callingAgent = runtimeId(index);
      const hello = await (await inside.connect()).call('agent_hello', { caller_pid: 7 });
      return hello.grants.answer;
    };
    expect([await grant(0), await grant(1), await grant(3)]).toEqual([true, false, false]);
    inside.agentsMayAnswer = true;
    expect([await grant(0), await grant(1), await grant(3)]).toEqual([true, false, true]);
  });
});

const coders = `format-version = 1
[[coders]]
id = "claude"
tmux = { initial-command = "claude", resume-command = "claude" }
`;
const policies = `format-version = 1
[[policies]]
id = "team"
controls = { find = "self", list = "all:home", look = "all:home", send = "all:home" }
`;
const fileOf = (file: string, text: string | null) => ({ file, text, problem: null });
const bundleFile = (name: string, members: readonly string[]) => {
  const sessions = members.map(
    (each) => `[[sessions]]\nid = "${each}"\ndirectory = "/src"\ncoder = "claude"\n`,
  );
  const text = `format-version = 1\nserver = "user"\n${sessions.join('')}`;
  return [name, fileOf(`/c/bundles/${name}.toml`, text)] as const;
};

const state = nextTeamState(
  {
    coders: fileOf('/c/coders.toml', coders),
    policies: fileOf('/c/policies.toml', policies),
    operators: fileOf('/c/tui.toml', null),
    bundles: new Map([bundleFile('red', ['a', 'b', 'w']), bundleFile('blue', ['c'])]),
  },
  emptyTeamState,
);

describe('the start of an agent', () => {
  it('and its end are planned for a member whose policy grants it, in its bundle', async () => {
    const { lab, inside } = await open({ a: { spawn: 'all:home' }, b: { spawn: 'self' } });
    inside.team = state;
    const [lead, worker] = [await lab.agent(0), await lab.agent(1)];
    const plan = (client: DaemonClient, bundle: string, member?: string, action = 'up') =>
      client.call('plan_bundle', { bundle, action, ...(member ? { member } : {}) } as never);
    await plan(lead, 'red');
    await plan(lead, 'red', 'w');
    await plan(lead, 'red', 'w', 'down');
    await plan(worker, 'red', 'b');
    const rule = 'policies.toml: tight: spawn = "all:home"';
    expect(await refusalOf(plan(lead, 'blue'))).toContain(rule);
    expect(await refusalOf(lead.call('plan_spawn', {}))).toContain(rule);
    expect(await refusalOf(lead.call('plan_stop', { ref: 'blue/c' }))).toContain(rule);
    expect(await refusalOf(plan(worker, 'red'))).toContain('spawn = "self"');
    expect(await refusalOf(plan(worker, 'red', 'w'))).toContain('spawn = "self"');
    await lead.call('plan_stop', { ref: 'red/b' });
  });

  it('is off where the policy says nothing, until config.toml says otherwise', async () => {
    const { lab, inside } = await open({ b: { spawn: 'none' } });
    inside.team = state;
    const [silent, denied, outside] = [await lab.agent(0), await lab.agent(1), await lab.agent(3)];
    const plan = (client: DaemonClient) =>
      client.call('plan_bundle', { bundle: 'red', action: 'up' });
    expect(await refusalOf(plan(silent))).toContain('tight: spawn is not set');
    expect(await refusalOf(outside.call('plan_spawn', {}))).toMatch(/^E_NOT_PERMITTED /);
    inside.agentsMayAnswer = true;
    await plan(silent);
    await outside.call('plan_spawn', {});
    expect(await refusalOf(plan(denied))).toContain('spawn = "none"');
    inside.callingAgent = null;
    const unknown = await inside.connect();
    await unknown.call('agent_hello', {});
    expect(await refusalOf(plan(unknown))).toContain('nobody knows which agent');
  });

  const created = (index: number) => ({
    ...{ id: 'w', pane_id: paneFacts(index).paneId, server_pid: paneFacts(index).generation.pid },
  });

  it('leaves neither of the two to answer for the other, nor one between them', async () => {
    const { lab, inside } = await open({ a: { spawn: 'all:home' } });
    inside.team = state;
    const outcome = (client: DaemonClient, index: number) =>
      client.call('bundle_outcome', {
        ...{ bundle: 'red', action: 'up', member: 'w', bootstrap_session: 'w' },
        ...{ created_sessions: [created(index)], pruned_sessions: [], failures: [] },
        killed_tmux_server: false,
      });
    const [first, second, third] = [await lab.agent(0), await lab.agent(1), await lab.agent(3)];
    inside.agentsMayAnswer = true;
    expect((await approve(third, 0)).result).toBe('delivered');
    await outcome(first, 1);
    await outcome(second, 3);
    for (const [client, asking] of [
      [first, 1],
      [second, 0],
      [first, 3],
      [third, 0],
    ] as const) {
      expect(await refusalOf(approve(client, asking))).toContain('has started the other');
    }
    expect((await approve(third, 2)).result).toBe('delivered');
  });

  it('alone, in a session of its own, is remembered as well', async () => {
    const { lab, inside } = await open();
    inside.agentsMayAnswer = true;
    const outside = await lab.agent(3);
    expect((await approve(outside, 1)).result).toBe('delivered');
    const { server } = paneFacts(1);
    await outside.call('spawn_outcome', { target: 'local', server, created: created(1) });
    expect(await refusalOf(approve(outside, 1))).toContain('has started the other');
  });

  it('is remembered of its pane, whatever agent is in it, and of both that claim it', async () => {
    const { lab, inside } = await open();
    inside.agentsMayAnswer = true;
    const [one, other] = [await lab.agent(0), await lab.agent(3)];
    const place = { ...paneFacts(1), serverPid: paneFacts(1).generation.pid };
    const gone = id<RuntimeId>('gone');
    inside.rights.noteStarted(inside.rights.starterOf({ agent: runtimeId(0) }), [place]);
    inside.rights.noteStarted(inside.rights.starterOf({ agent: gone }), [place]);
    expect(await refusalOf(approve(one, 1))).toContain('has started the other');
    expect((await approve(other, 1)).result).toBe('delivered');
  });

  it('counts for no pane of another tmux server that got the same process id', async () => {
    const { lab, inside } = await open();
    inside.agentsMayAnswer = true;
    const one = await lab.agent(0);
    const { generation } = paneFacts(1);
    inside.nowMs = generation.startedAtMs - 60_000;
    const place = { ...paneFacts(1), serverPid: generation.pid };
    inside.rights.noteStarted(inside.rights.starterOf({ agent: runtimeId(0) }), [place]);
    inside.nowMs = generation.startedAtMs + 200_000;
    expect((await approve(one, 1)).result).toBe('delivered');
  });
});

describe('a prompt that a member types without an envelope', () => {
  it('needs raww, as every key does', async () => {
    const { lab } = await open({ a: { raww: 'all:home' } });
    const [allowed, denied] = [await lab.agent(0), await lab.agent(1)];
    const outside = await lab.agent(3);
    const input = { ref: paneKey(2), text: 'hello' };
    expect(await refusalOf(denied.call('send', input))).toContain('tight: raww = "none"');
    const keys = { ref: paneKey(0), keys: ['Enter'] };
    expect(await codeOf(denied.call('press', keys))).toBe('E_POLICY');
    expect(await codeOf(denied.call('interrupt', { ref: paneKey(0) }))).toBe('E_POLICY');
    expect(await refusalOf(allowed.call('send', input))).toContain('raww = "all:home"');
    expect((await allowed.call('send', { ...input, ref: paneKey(1) })).result).toBe('delivered');
    expect((await outside.call('send', input)).result).toBe('delivered');
  });

  it('goes into no dialog unless it may also answer for that agent', async () => {
    const { lab, orders } = await open({
      a: { raww: 'all:home', approve: 'all:home' },
      b: { raww: 'all:home' },
    });
    const spares = async (client: DaemonClient, index: number) => {
      await client.call('write_raw', { ref: paneKey(index), text: '1' });
      const order = orders.at(-1);
      return order?.kind === 'send' && order.sparesDialogs;
    };
    const [lead, worker] = [await lab.agent(0), await lab.agent(1)];
    expect(await spares(lead, 1)).toBe(false);
    expect(await spares(lead, 0)).toBe(true);
    expect(await spares(worker, 0)).toBe(true);
    expect(await spares(await lab.person(), 0)).toBe(false);
  });
});
