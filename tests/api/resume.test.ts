// The plan of a resume over the socket: what an ended agent leaves, which of them a reference
// means, and what is refused. How one is started in a real tmux is tests/acting/resume.test.ts.

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Fault } from '../../src/platform/fault.ts';
import { id, type SessionKey } from '../../src/schema/ids.ts';
import { claim, evidence, paneFacts, runtimeId, runtimeStarts } from '../scenario.ts';
import { Inside } from './fixture.ts';

const sessionOf = (digit: string): SessionKey =>
  id(`${digit.repeat(8)}-1111-4111-8111-${digit.repeat(12)}`);

/** Two agents with a session and a prompt each; the first one has ended. */
async function open() {
  const inside = await new Inside().serve();
  for (const index of [0, 1]) {
    inside.nowMs += 1;
    const facts = { runtimeId: runtimeId(index), sessionKey: sessionOf(String(index)) };
    const activity = { prompt: `prompt ${index}` };
    inside.see(evidence('hooks', inside.nowMs, [claim('running')], { ...facts, activity }));
  }
  end(inside, 0);
  return { inside, client: await inside.connect() };
}

function end(inside: Inside, index: number): void {
  inside.nowMs += 1;
  inside.tell({
    ...{ type: 'runtime.ended', atMs: inside.nowMs, runtimeId: runtimeId(index) },
    ...{ reason: 'process_gone', exitCode: null, crashed: false },
  });
}

/** The first pane has an agent again, with the session of the one that ended. */
function startAgain(inside: Inside): void {
  inside.nowMs += 1;
  inside.tell(runtimeStarts(0, 2, inside.nowMs));
  const facts = { runtimeId: runtimeId(0, 2), sessionKey: sessionOf('0') };
  inside.see(evidence('hooks', inside.nowMs, [claim('at_rest')], facts));
}

describe('an agent that ended', () => {
  it('is listed with its session, its folder and its last prompt', async () => {
    const { client } = await open();
    const { agents } = await client.call('list_ended_agents', {});
    expect(agents).toMatchObject([
      {
        runtime_id: runtimeId(0),
        session_key: sessionOf('0'),
        path: paneFacts(0).path,
        prompt: 'prompt 0',
        blocker: null,
      },
    ]);
  });

  it('without a session is listed with the reason, and refused', async () => {
    const inside = await new Inside().serve();
    end(inside, 0);
    const client = await inside.connect();
    const { agents } = await client.call('list_ended_agents', {});
    expect(agents[0]?.blocker).toContain('has not named its session');
    await expect(client.call('resume', { ref: runtimeId(0) })).rejects.toMatchObject({
      code: 'E_SESSION_UNKNOWN',
    });
  });

  it('is planned as words, by its runtime, session, pane or name, or as the last one', async () => {
    const { client, inside } = await open();
    const [pane] = [...inside.engine.world.panes.values()];
    const refs = [runtimeId(0), `runtime:${runtimeId(0)}`, sessionOf('0'), pane?.paneKey, 'claude'];
    const inputs = [...refs.map((ref) => ({ ref: ref ?? '' })), { last: true }];
    for (const input of inputs) {
      const plan = await client.call('resume', { ...input, args: ['--x'], dry_run: true });
      expect(plan.argv).toEqual(['claude', '--x', '--resume', sessionOf('0')]);
      expect(plan).toMatchObject({ action_id: null, target_kind: 'local' });
    }
    expect((await client.call('list_actions', {})).actions).toEqual([]);
  });

  it('is delivered once its session is open in another runtime', async () => {
    const { client, inside } = await open();
    const plan = await client.call('resume', { last: true });
    const outcome = client.call('resume_outcome', { action_id: plan.action_id ?? '' });
    startAgain(inside);
    const report = await outcome;
    expect(report).toMatchObject({ kind: 'resume', result: 'delivered' });
    expect((await client.call('list_actions', {})).actions).toEqual([report]);
    expect((await client.call('list_ended_agents', {})).agents).toEqual([]);
  });

  it('leaves no timer behind where its session is open before the start is reported', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { client, inside } = await open();
    const plan = await client.call('resume', { last: true });
    startAgain(inside);
    const before = vi.getTimerCount();
    const report = await client.call('resume_outcome', { action_id: plan.action_id ?? '' });
    expect(report.result).toBe('delivered');
    expect(vi.getTimerCount()).toBe(before);
  });

  it('makes room for others as soon as its outcome was read', async () => {
    const { client } = await open();
    // More than may be under way at once.
    for (let count = 0; count < 40; count += 1) {
      const { action_id } = await client.call('resume', { ref: runtimeId(0), args: [] });
      const outcome = { action_id: action_id ?? '', failure: 'no such program' };
      await expect(client.call('resume_outcome', outcome)).rejects.toMatchObject({
        code: 'E_AGENT_START_FAILED',
      });
    }
  });

  it('is resumed by one caller at a time, and is free again after a failure', async () => {
    const { client } = await open();
    const plan = await client.call('resume', { last: true });
    await expect(client.call('resume', { ref: sessionOf('0') })).rejects.toMatchObject({
      code: 'E_SESSION_OPEN',
    });
    const failed = { action_id: plan.action_id ?? '', failure: 'no tmux' };
    await expect(client.call('resume_outcome', failed)).rejects.toMatchObject({
      code: 'E_AGENT_START_FAILED',
    });
    expect((await client.call('resume', { last: true })).action_id).not.toBe(plan.action_id);
  });
});

describe('a resume is refused', () => {
  it('for an agent that has not ended, and for a reference that means nothing', async () => {
    const { client, inside } = await open();
    const panes = [...inside.engine.world.panes.values()];
    const live = panes.find(({ runtimeId: each }) => each === runtimeId(1));
    for (const [input, code] of [
      [{ ref: live?.paneKey ?? '' }, 'E_PRECONDITION_FAILED'],
      [{ ref: 'nobody' }, 'E_REF_NOT_FOUND'],
      [{}, 'E_INPUT_INVALID'],
    ] as const) {
      await expect(client.call('resume', input)).rejects.toMatchObject({ code });
    }
  });

  it('where two agents are called the same', async () => {
    const { client, inside } = await open();
    end(inside, 1);
    await expect(client.call('resume', { ref: 'claude' })).rejects.toMatchObject({
      code: 'E_REF_AMBIGUOUS',
    });
  });

  it('to an agent that gives options, and not to one that gives none', async () => {
    const { client, inside } = await open();
    inside.callingAgent = runtimeId(1);
    const input = { last: true, caller_pid: 42 };
    await expect(client.call('resume', { ...input, args: ['--yolo'] })).rejects.toMatchObject({
      code: 'E_NOT_PERMITTED',
    });
    const { action_id } = await client.call('resume', input);
    const { actions } = await client.call('list_actions', {});
    expect(actions).toMatchObject([{ action_id, actor: `agent:${runtimeId(1)}` }]);
  });

  it('an outcome that the trail cannot keep is still reported', async () => {
    const { client, inside } = await open();
    const plan = await client.call('resume', { last: true });
    inside.trailFault = new Fault('store_full', { about: 'agtmux.db' });
    const outcome = client.call('resume_outcome', { action_id: plan.action_id ?? '' });
    startAgain(inside);
    expect(await outcome).toMatchObject({
      result: 'delivered',
      detail: expect.stringContaining('the audit trail could not be written'),
    });
  });
});
