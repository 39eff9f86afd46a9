// Actions over the socket: guards, dry runs, repeats, the audit trail. What typing does is the
// test's own; how it is done on a real pane is tests/acting.

import { describe, expect, it } from 'vitest';
import { delivered, refused } from '../../src/acting/action-result.ts';
import { Fault } from '../../src/platform/fault.ts';
import { id } from '../../src/schema/ids.ts';
import { about, claim, evidence, runtimeId } from '../scenario.ts';
import { Inside } from './fixture.ts';

/** Beside the one whose pane it is. */
const other = runtimeId(1);

async function open() {
  const inside = await new Inside().serve();
  const client = await inside.connect();
  const { panes } = await client.call('list_panes', {});
  const [pane] = panes;
  if (!pane) throw new Error('no pane');
  return { inside, client, pane, ref: pane.pane_key };
}

const typed = (calls: string[]) => async (scene: { commit: () => boolean }) => {
  calls.push('looked');
  if (!scene.commit()) return { result: 'dry_run', detail: 'would type' } as const;
  calls.push('typed');
  return delivered('typed');
};

describe('send', () => {
  it('leaves a report with its actor, its outcome and the start of its text', async () => {
    const { client, ref, pane } = await open();
    const report = await client.call('send', { ref, text: 'hello' });
    expect(report).toMatchObject({
      kind: 'send',
      result: 'delivered',
      runtime_id: pane.runtime_id,
    });
    const { actions } = await client.call('list_actions', {});
    expect(actions).toEqual([report]);
    expect(actions[0]?.actor).toMatch(/^user:/);
    expect(JSON.parse(actions[0]?.input ?? '')).toMatchObject({ text: 'hello', length: 5 });
  });

  it('with the same request_ref acts once, and refuses another text under it', async () => {
    const { client, ref, inside } = await open();
    const calls: string[] = [];
    inside.act = typed(calls);
    const input = { ref, text: 'hello', request_ref: 'mine' };
    const first = await client.call('send', input);
    expect(await client.call('send', input)).toEqual(first);
    expect(calls).toEqual(['looked', 'typed']);
    await expect(client.call('send', { ...input, text: 'bye' })).rejects.toMatchObject({
      code: 'E_IDEMPOTENCY_CONFLICT',
    });
    const found = await client.call('list_actions', { request_ref: 'mine' });
    expect(found.actions).toEqual([first]);
  });

  it('while nothing can be stored says so, also of unknown panes, and types nothing', async () => {
    const { client, ref, inside } = await open();
    const calls: string[] = [];
    inside.act = typed(calls);
    inside.storeError = { code: 'store_full', message: 'the disk is full' };
    for (const name of [ref, 'api:3']) {
      const refusal = { code: 'store_full', hint: expect.stringContaining('Free some space') };
      await expect(client.call('send', { ref: name, text: 'hello' })).rejects.toMatchObject(
        refusal,
      );
      await expect(client.call('list_requests', { ref: name })).rejects.toMatchObject(refusal);
    }
    expect(calls).toEqual([]);
  });

  it('in a dry run leaves its request_ref free for the action itself', async () => {
    const { client, ref, inside } = await open();
    const calls: string[] = [];
    inside.act = typed(calls);
    const input = { ref, text: 'hello', request_ref: 'mine' };
    await client.call('send', { ...input, dry_run: true });
    expect(await client.call('send', input)).toMatchObject({ request_ref: 'mine' });
    expect(calls).toContain('typed');
  });

  it('of a reason that differs only late is another action under a request_ref', async () => {
    const { client, ref, inside } = await open();
    inside.act = typed([]);
    const reason = 'not now, '.repeat(80);
    const denial = (text: string) =>
      ({ ref, choice: { role: 'deny', text }, request_ref: 'why' }) as const;
    const first = await client.call('choose', denial(`${reason}later`));
    expect(first.input).not.toContain('later');
    expect(await client.call('choose', denial(`${reason}later`))).toEqual(first);
    await expect(client.call('choose', denial(`${reason}never`))).rejects.toMatchObject({
      code: 'E_IDEMPOTENCY_CONFLICT',
    });
  });

  it('with the request_ref of a running action waits for the outcome of that one', async () => {
    const { client, ref, inside } = await open();
    const first = Promise.withResolvers<void>();
    let calls = 0;
    inside.act = async ({ commit }) => {
      calls += 1;
      commit();
      await first.promise;
      return delivered('typed');
    };
    const input = { ref, text: 'hello', request_ref: 'mine' };
    const both = [client.call('send', input), client.call('send', input)];
    await client.call('list_actions', {});
    first.resolve();
    const [one, two] = await Promise.all(both);
    expect(one).toMatchObject({ result: 'delivered' });
    expect(two).toEqual(one);
    expect(calls).toBe(1);
  });

  it('with the request_ref of a refused action is refused again', async () => {
    const { client, ref, inside } = await open();
    inside.act = async () => refused('E_PANE_MODE', 'the pane is in copy mode');
    const input = { ref, text: 'hello', request_ref: 'mine' };
    await expect(client.call('send', input)).rejects.toMatchObject({ code: 'E_PANE_MODE' });
    inside.act = async () => delivered('typed');
    await expect(client.call('send', input)).rejects.toMatchObject({ code: 'E_PANE_MODE' });
  });

  it('that the audit trail cannot keep has its outcome, and a repeat does not act', async () => {
    const { client, ref, inside } = await open();
    inside.trailFault = new Fault('store_full', { about: 'agtmux.db' });
    const input = { ref, text: 'hello', request_ref: 'mine' };
    const report = await client.call('send', input);
    expect(report).toMatchObject({ result: 'delivered' });
    expect(report.detail).toContain('the audit trail could not be written');
    inside.act = async () => delivered('typed twice');
    expect(await client.call('send', input)).toMatchObject({
      result: 'unconfirmed',
      action_id: report.action_id,
    });
  });

  it('that fails by a bug of ours is unconfirmed, and a repeat does not act', async () => {
    const { client, ref, inside } = await open();
    inside.act = async ({ commit }) => {
      commit();
      throw new Error('a bug');
    };
    const input = { ref, text: 'hello', request_ref: 'mine' };
    await expect(client.call('send', input)).rejects.toMatchObject({ code: 'defect' });
    inside.act = async () => delivered('typed twice');
    expect(await client.call('send', input)).toMatchObject({ result: 'unconfirmed' });
    const { actions } = await client.call('list_actions', { request_ref: 'mine' });
    expect(actions[0]?.done_at).not.toBeNull();
  });

  it('types nothing in a dry run', async () => {
    const { client, ref, inside } = await open();
    const calls: string[] = [];
    inside.act = typed(calls);
    const report = await client.call('send', { ref, text: 'hello', dry_run: true });
    expect(report.result).toBe('dry_run');
    expect(calls).toEqual(['looked']);
  });

  it.each([
    [{ if_runtime: 'another' }, 'E_RUNTIME_STALE'],
    [{ if_state: 'completed' as const }, 'E_PRECONDITION_FAILED'],
    [{ if_version: 999 }, 'E_PRECONDITION_FAILED'],
    [{ if_updated_within_ms: 1 }, 'E_PRECONDITION_FAILED'],
  ])('is refused by the guard %o, and the refusal is in the trail', async (guard, code) => {
    const { client, ref, inside } = await open();
    const calls: string[] = [];
    inside.act = typed(calls);
    inside.nowMs += 60_000;
    await expect(client.call('send', { ref, text: 'x', ...guard })).rejects.toMatchObject({ code });
    expect(calls).toEqual([]);
    const { actions } = await client.call('list_actions', { ref });
    expect(actions[0]).toMatchObject({ result: 'refused', code });
  });

  it('that waited while the pane changed is refused by name', async () => {
    const { client, ref, inside } = await open();
    const first = Promise.withResolvers<void>();
    inside.act = async ({ commit }) => {
      commit();
      await first.promise;
      return delivered('typed');
    };
    const one = client.call('send', { ref, text: 'one' });
    const two = client.call('send', { ref, text: 'two' });
    const changed = evidence('hooks', inside.nowMs, [claim('running')]);
    two.catch(() => {});
    await client.call('list_actions', {});
    inside.observe({ kind: 'evidence', evidence: changed });
    first.resolve();
    expect((await one).result).toBe('delivered');
    await expect(two).rejects.toMatchObject({ code: 'E_ACTION_OVERTAKEN' });
  });

  it('reports what a guard of tmux refused', async () => {
    const { client, ref, inside } = await open();
    inside.act = async () => refused('E_PANE_MODE', 'the pane is in copy mode');
    await expect(client.call('send', { ref, text: 'x' })).rejects.toMatchObject({
      code: 'E_PANE_MODE',
    });
  });
});

it('list_requests has what is asked, with all that an answer must name', async () => {
  const { client, ref, pane, inside } = await open();
  const request = { kind: 'approval', command: 'rm -rf build', options: [] } as const;
  const asks = claim('waiting_approval', {
    about: about('q1'),
    request: { ...request, options: [] },
  });
  inside.observe({ kind: 'evidence', evidence: evidence('hooks', inside.nowMs, [asks]) });
  const { requests } = await client.call('list_requests', {});
  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({
    request_id: 'q1',
    kind: 'approval',
    detail: { command: 'rm -rf build' },
    pane: { pane_key: ref, runtime_id: pane.runtime_id },
  });
  const choice = { role: 'approve' } as const;
  const version = requests[0]?.pane.state_version ?? 0;
  const report = await client.call('choose', {
    ref,
    choice,
    request_id: 'q1',
    if_version: version,
  });
  expect(report).toMatchObject({ kind: 'choose', result: 'delivered' });
});

describe('a command that an agent runs', () => {
  const approve = { choice: { role: 'approve' }, caller_pid: 7 } as const;

  it('is refused to answer a dialog, and the refusal is in the trail with the agent', async () => {
    const { client, ref, inside } = await open();
    inside.callingAgent = other;
    const calls: string[] = [];
    inside.act = typed(calls);
    const refusal = { code: 'E_NOT_PERMITTED' };
    await expect(client.call('choose', { ref, ...approve })).rejects.toMatchObject(refusal);
    await expect(client.call('kill', { ref, caller_pid: 7 })).rejects.toMatchObject(refusal);
    const forced = { ref, keys: ['Enter'], force: true, caller_pid: 7 };
    await expect(client.call('press', forced)).rejects.toMatchObject(refusal);
    const text = { ref, text: 'y', force: true, caller_pid: 7 };
    await expect(client.call('send', text)).rejects.toMatchObject(refusal);
    expect(calls).toEqual([]);
    const { actions } = await client.call('list_actions', { ref });
    expect(actions[0]).toMatchObject({ actor: `agent:${other}`, result: 'refused', ...refusal });
  });

  it('may answer where the configuration says so, and may send', async () => {
    const { client, ref, inside } = await open();
    inside.callingAgent = other;
    const sent = await client.call('send', { ref, text: 'hello', caller_pid: 7 });
    expect(sent).toMatchObject({ actor: `agent:${other}`, result: 'delivered' });
    inside.agentsMayAnswer = true;
    expect(await client.call('choose', { ref, ...approve })).toMatchObject({
      actor: `agent:${other}`,
      result: 'delivered',
    });
  });
});

describe('a caller of which nobody knows which agent it is', () => {
  const inputs = [
    ['send', { text: 'y' }],
    ['press', { keys: ['Enter'] }],
    ['interrupt', {}],
  ] as const;

  it.each(inputs)('cannot %s, from a pane whose bundle is not known', async (name, input) => {
    const { client, ref, inside } = await open();
    inside.isCallerLost = true;
    const calls: string[] = [];
    inside.act = typed(calls);
    const refusal = { code: 'E_NOT_PERMITTED' };
    const call = client.call(name, { ref, ...input, caller_pid: 7 } as never);
    await expect(call).rejects.toMatchObject(refusal);
    expect(calls).toEqual([]);
    const { actions } = await client.call('list_actions', { ref });
    expect(actions).toMatchObject([{ actor: 'agent:unknown', result: 'refused', ...refusal }]);
  });

  it.each(inputs)('cannot %s, on a connection that says no more of it', async (name, input) => {
    const { client, ref, inside } = await open();
    const calls: string[] = [];
    inside.act = typed(calls);
    await client.call('agent_hello', {});
    const call = client.call(name, { ref, ...input } as never);
    await expect(call).rejects.toThrow('nobody knows which agent types');
    expect(calls).toEqual([]);
  });
});

describe('a connection that acts for an agent', () => {
  const approve = { choice: { role: 'approve' } } as const;

  it('may type and not answer, whatever process it names', async () => {
    const { client, ref, inside } = await open();
    inside.callingAgent = other;
    const hello = await client.call('agent_hello', { caller_pid: 7 });
    expect(hello).toMatchObject({ runtime_id: other, by: 'process', grants: { answer: false } });
    inside.callingAgent = null;
    expect(await client.call('send', { ref, text: 'hello' })).toMatchObject({
      actor: `agent:${other}`,
      result: 'delivered',
    });
    const refusal = { code: 'E_NOT_PERMITTED' };
    await expect(client.call('choose', { ref, ...approve })).rejects.toMatchObject(refusal);
    await expect(client.call('daemon_stop', {})).rejects.toMatchObject(refusal);
    await expect(client.call('hooks', { action: 'status' })).rejects.toMatchObject(refusal);
  });

  it('with the grant answers others, never itself, what it started, or as nobody', async () => {
    const { client, ref, pane, inside } = await open();
    inside.agentsMayAnswer = true;
    const answer = async (agent: string | null) => {
      inside.callingAgent = agent === null ? null : id(agent);
      await client.call('agent_hello', { caller_pid: 7 });
      return client.call('choose', { ref, ...approve });
    };
    const own = pane.runtime_id ?? '';
    await expect(answer(null)).rejects.toThrow('nobody knows which agent');
    await expect(answer(own)).rejects.toThrow('request of the caller');
    const [place] = [...inside.engine.world.panes.values()].flatMap(({ row, facts }) =>
      row.runtimeId === own && facts ? [{ ...facts, serverPid: facts.generation.pid }] : [],
    );
    if (!place) throw new Error('no pane');
    inside.rights.noteStarted([`runtime:${other}`], [place]);
    await expect(answer(other)).rejects.toThrow('has started the other');
    inside.rights.noteStarted(null, [place]);
    expect(await answer(other)).toMatchObject({ actor: `agent:${other}`, result: 'delivered' });
  });

  it('of which the agent has ended answers nothing: it may have been a member', async () => {
    const { client, ref, inside } = await open();
    inside.agentsMayAnswer = true;
    inside.callingAgent = id('ended');
    await client.call('agent_hello', { caller_pid: 7 });
    await expect(client.call('choose', { ref, ...approve })).rejects.toThrow('nobody knows which');
  });

  it('installs hooks once that is granted', async () => {
    const { client, inside } = await open();
    inside.isInstallGranted = true;
    await client.call('agent_hello', { caller_pid: 7 });
    await expect(client.call('hooks', { action: 'install' })).rejects.toMatchObject({
      code: 'E_HOOKS_FAILED',
    });
    await expect(client.call('daemon_stop', {})).rejects.toMatchObject({ code: 'E_NOT_PERMITTED' });
  });
});

describe('wait', () => {
  const soon = { timeout_ms: 5_000 };

  it('ends at once when the agent is there already', async () => {
    const { client, ref } = await open();
    const { panes } = await client.call('list_panes', {});
    const state = panes[0]?.state ?? 'idle';
    const reply = await client.call('wait', { ref, for: [state], ...soon });
    expect(reply).toMatchObject({ outcome: 'met', panes: [{ pane_key: ref }] });
  });

  it('ends with the change that it waits for', async () => {
    const { client, ref, inside } = await open();
    const waiting = client.call('wait', { ref, for: ['running'], ...soon });
    await client.call('list_actions', {});
    inside.see(evidence('hooks', inside.nowMs, [claim('running')]));
    expect(await waiting).toMatchObject({ outcome: 'met', panes: [{ state: 'running' }] });
  });

  it('refuses a session that does not exist, and waits for one that does', async () => {
    const { client } = await open();
    const wait = (session: string) =>
      client.call('wait', { session, for: ['error'], timeout_ms: 1 });
    await expect(wait('nosuch')).rejects.toMatchObject({ code: 'E_REF_NOT_FOUND' });
    expect(await wait('work')).toMatchObject({ outcome: 'timeout' });
  });

  it('ends when the agent ends, and by its own time', async () => {
    const { client, ref, pane, inside } = await open();
    const waiting = client.call('wait', { ref, for: ['error'], ...soon });
    await client.call('list_actions', {});
    const ended = { type: 'runtime.ended', atMs: inside.nowMs, reason: 'no_agent' } as const;
    const how = { exitCode: null, crashed: false };
    inside.tell({ ...ended, ...how, runtimeId: id(pane.runtime_id ?? '') });
    expect(await waiting).toMatchObject({ outcome: 'gone' });
    const never = await client.call('wait', { for: ['error'], timeout_ms: 1 });
    expect(never.outcome).toBe('timeout');
  });
});
