// Queued prompts over the socket: typed once, to the runtime they were written for, when it rests;
// what a restart of the daemon makes of them; and how they are listed and cancelled. What typing
// does is the test's own.

import { describe, expect, it, vi } from 'vitest';
import { delivered, refused } from '../../src/acting/action-result.ts';
import { Fault } from '../../src/platform/fault.ts';
import { claim, evidence, runtimeId } from '../scenario.ts';
import { Inside } from './fixture.ts';
import { until } from './wait.ts';

const HOUR_MS = 3_600_000;
const notCrashed = { exitCode: null, crashed: false } as const;

async function open() {
  const inside = await new Inside().serve();
  const client = await inside.connect();
  inside.says(0, 'running');
  const { panes } = await client.call('list_panes', {});
  const pane = panes.find(({ runtime_id }) => runtime_id === runtimeId(0));
  if (!pane) throw new Error('no pane');
  const typed: string[] = [];
  inside.act = async ({ order, commit }) => {
    if (!commit()) return { result: 'dry_run', detail: 'would type' };
    if (order.kind === 'send') typed.push(order.input.text);
    return delivered('typed');
  };
  const ref = pane.pane_key;
  const queue = (text: string, when: 'idle' | 'reset' | { at_ms: number } = 'idle') =>
    client.call('send', { ref, text, when });
  const listed = async () =>
    (await client.call('list_deliveries', { include_settled: true })).deliveries;
  /** Lets the time of the pause between two prompts go by. */
  const tick = () => {
    inside.nowMs += 3_000;
    inside.deliveries.tick();
  };
  return { inside, client, ref, pane, typed, queue, listed, tick };
}

/** Ticks until a delivery is settled. */
async function untilSettled({ tick, listed }: Awaited<ReturnType<typeof open>>) {
  await vi.waitFor(async () => {
    tick();
    expect((await listed())[0]?.settled_at).not.toBeNull();
  });
  return (await listed())[0];
}

describe('send with a moment', () => {
  it('types nothing while the agent works, and once when it rests', async () => {
    const lab = await open();
    const { inside, client, typed, queue, tick } = lab;
    const report = await queue('go on');
    expect(report).toMatchObject({ result: 'queued', done_at: null });
    tick();
    tick();
    expect(typed).toEqual([]);
    inside.says(0, 'completed');
    expect(await untilSettled(lab)).toMatchObject({ status: 'delivered', text: '' });
    tick();
    tick();
    expect(typed).toEqual(['go on']);
    const { actions } = await client.call('list_actions', {});
    expect(actions).toMatchObject([
      { action_id: report.action_id, result: 'delivered', actor: report.actor },
    ]);
  });

  it('waits on a draft, says so, and is typed when the draft is gone', async () => {
    const lab = await open();
    const { inside, queue, listed, tick } = lab;
    await queue('go on');
    inside.says(0, 'completed');
    const act = inside.act;
    inside.act = async () => refused('E_DRAFT_PRESENT', 'somebody has typed into the input box');
    await vi.waitFor(async () => {
      tick();
      expect(await listed()).toMatchObject([
        { status: 'waiting', detail: 'somebody has typed into the input box' },
      ]);
    });
    inside.act = act;
    expect(await untilSettled(lab)).toMatchObject({ status: 'delivered' });
    expect(lab.typed).toEqual(['go on']);
  });

  it('is never typed to another runtime of the pane', async () => {
    const lab = await open();
    const { inside, queue, typed } = lab;
    await queue('go on');
    const atMs = inside.nowMs;
    inside.tell({
      type: 'runtime.ended',
      atMs,
      runtimeId: runtimeId(0),
      reason: 'process_gone',
      ...notCrashed,
    });
    expect(await untilSettled(lab)).toMatchObject({ status: 'refused' });
    expect(typed).toEqual([]);
    const { actions } = await lab.client.call('list_actions', {});
    expect(actions).toMatchObject([{ result: 'refused', code: 'E_RUNTIME_STALE' }]);
  });

  it('at a time is typed not before it, and expires an hour after it', async () => {
    const lab = await open();
    const { inside, client, queue, typed, tick } = lab;
    const at_ms = inside.nowMs + HOUR_MS;
    await queue('later', { at_ms });
    inside.says(0, 'completed');
    tick();
    expect(typed).toEqual([]);
    inside.act = async () => refused('E_DIALOG_OPEN', 'the agent asks');
    inside.nowMs = at_ms + HOUR_MS - 10_000;
    tick();
    inside.nowMs = at_ms + HOUR_MS;
    expect(await untilSettled(lab)).toMatchObject({ status: 'expired' });
    const { actions } = await client.call('list_actions', {});
    expect(actions).toMatchObject([{ result: 'refused', code: 'E_DELIVERY_EXPIRED' }]);
  });

  it('at the reset waits for the end of the usage limit', async () => {
    const lab = await open();
    const { inside, queue, typed, tick } = lab;
    await expect(queue('go on', 'reset')).rejects.toMatchObject({ code: 'E_PRECONDITION_FAILED' });
    const untilMs = inside.nowMs + HOUR_MS;
    const limit = claim('error', { reason: 'usage_limit', untilMs });
    inside.nowMs += 1;
    inside.see(evidence('hooks', inside.nowMs, [limit]));
    await queue('go on', 'reset');
    tick();
    expect(typed).toEqual([]);
    inside.nowMs = untilMs;
    expect(await untilSettled(lab)).toMatchObject({ status: 'delivered', moment: 'reset' });
    expect(typed).toEqual(['go on']);
  });

  it('of two prompts types one, and the other when the agent rests again', async () => {
    const lab = await open();
    const { inside, queue, typed, tick } = lab;
    await queue('one');
    await queue('two');
    inside.says(0, 'completed');
    const act = inside.act;
    inside.act = async (scene) => {
      const result = await act(scene);
      inside.says(0, 'running');
      return result;
    };
    await vi.waitFor(() => {
      tick();
      expect(typed).toEqual(['one']);
    });
    tick();
    tick();
    expect(typed).toEqual(['one']);
    inside.says(0, 'completed');
    await vi.waitFor(() => {
      tick();
      expect(typed).toEqual(['one', 'two']);
    });
  });

  it('under one request_ref is queued once', async () => {
    const { client, ref, listed } = await open();
    const input = { ref, text: 'go on', when: 'idle', request_ref: 'mine' } as const;
    const first = await client.call('send', input);
    expect(await client.call('send', input)).toEqual(first);
    expect(await listed()).toHaveLength(1);
  });

  it.each([
    [{ text: '!ls' }, 'E_TEXT_REFUSED'],
    [{ text: 'x'.repeat(100_001) }, 'E_TEXT_REFUSED'],
    [{ text: 'go', force: true }, 'E_INPUT_INVALID'],
    [{ text: 'go', if_state: 'idle' as const }, 'E_PRECONDITION_FAILED'],
  ])('refuses at once what would be refused later: %#', async (input, code) => {
    const { client, ref, listed } = await open();
    const sent = client.call('send', { ref, when: 'idle', ...input });
    await expect(sent).rejects.toMatchObject({ code });
    expect(await listed()).toEqual([]);
  });

  it('in a dry run queues nothing', async () => {
    const { client, ref, listed } = await open();
    const report = await client.call('send', { ref, text: 'go', when: 'idle', dry_run: true });
    expect(report.result).toBe('dry_run');
    expect(await listed()).toEqual([]);
  });

  it('is refused when 32 prompts wait for the agent', async () => {
    const { queue } = await open();
    for (let count = 0; count < 32; count += 1) await queue(`prompt ${count}`);
    await expect(queue('one more')).rejects.toMatchObject({ code: 'E_ACTIONS_BUSY' });
  });

  it('is refused to the agent that sends it, where it is for all others', async () => {
    const { inside, client, ref } = await open();
    inside.callingAgent = runtimeId(0);
    const input = { ref, text: 'go', caller_pid: 1 };
    const sent = client.call('send', { ...input, except_caller: true });
    await expect(sent).rejects.toMatchObject({ code: 'E_NOT_PERMITTED' });
    expect(await client.call('send', input)).toMatchObject({ result: 'delivered' });
  });
});

it('a prompt that fails inside the daemon is typed once, and unconfirmed', async () => {
  const lab = await open();
  const { inside, queue, typed } = lab;
  const act = inside.act;
  await queue('go on');
  inside.act = async (scene) => {
    await act(scene);
    throw new Error('a bug');
  };
  inside.says(0, 'completed');
  expect(await untilSettled(lab)).toMatchObject({ status: 'unconfirmed', text: '' });
  expect(typed).toEqual(['go on']);
  expect(inside.defects).toMatchObject([{ message: 'a bug' }]);
});

it('a prompt for a time that no calendar holds is listed with the last one', async () => {
  const { client, queue, listed } = await open();
  await queue('late', { at_ms: Number.MAX_VALUE });
  expect(await listed()).toMatchObject([{ due_at: '9999-12-31T23:59:59.999Z' }]);
  expect((await client.call('list_deliveries', {})).deliveries).toHaveLength(1);
});

describe('cancel_delivery', () => {
  it('takes a prompt back that waits', async () => {
    const { inside, client, queue, listed, typed, tick } = await open();
    await queue('go on');
    const [waiting] = await listed();
    const delivery_id = waiting?.delivery_id ?? '';
    expect(await client.call('cancel_delivery', { delivery_id })).toMatchObject({
      status: 'cancelled',
    });
    inside.says(0, 'completed');
    tick();
    tick();
    expect(typed).toEqual([]);
    const { actions } = await client.call('list_actions', {});
    expect(actions).toMatchObject([{ result: 'refused', code: 'E_DELIVERY_CANCELLED' }]);
    await expect(client.call('cancel_delivery', { delivery_id })).rejects.toMatchObject({
      code: 'E_DELIVERY_SETTLED',
    });
  });

  it('refuses an unknown id, and one that is being typed', async () => {
    const { inside, client, queue, listed, tick } = await open();
    await expect(client.call('cancel_delivery', { delivery_id: 'x' })).rejects.toMatchObject({
      code: 'E_DELIVERY_UNKNOWN',
    });
    await queue('go on');
    inside.says(0, 'completed');
    const end = Promise.withResolvers<void>();
    inside.act = async ({ commit }) => {
      commit();
      await end.promise;
      return delivered('typed');
    };
    tick();
    const [typing] = await listed();
    expect(typing?.status).toBe('typing');
    const delivery_id = typing?.delivery_id ?? '';
    await expect(client.call('cancel_delivery', { delivery_id })).rejects.toMatchObject({
      code: 'E_DELIVERY_SETTLED',
    });
    end.resolve();
    await vi.waitFor(async () => expect((await listed())[0]?.status).toBe('delivered'));
  });

  it('in the moment before the paste leaves nothing to paste', async () => {
    const { inside, client, queue, listed, typed, tick } = await open();
    await queue('go on');
    inside.says(0, 'completed');
    const looked = Promise.withResolvers<void>();
    const act = inside.act;
    inside.act = async (scene) => {
      await looked.promise;
      return act(scene);
    };
    tick();
    const delivery_id = (await listed())[0]?.delivery_id ?? '';
    await client.call('cancel_delivery', { delivery_id });
    looked.resolve();
    await inside.deliveries.settle(5_000);
    expect(typed).toEqual([]);
    expect(await listed()).toMatchObject([{ status: 'cancelled' }]);
    expect(inside.defects).toEqual([]);
  });
});

describe('after a restart', () => {
  it('a prompt that was being typed is unconfirmed and never typed again', async () => {
    const { inside, client, queue, listed, tick } = await open();
    await queue('go on');
    inside.says(0, 'completed');
    let count = 0;
    inside.act = ({ commit }) => {
      commit();
      count += 1;
      return new Promise(() => {});
    };
    tick();
    await until('it is typed', () => count === 1);
    const next = inside.openDeliveries();
    for (let ticks = 0; ticks < 3; ticks += 1) {
      inside.nowMs += 3_000;
      next.tick();
    }
    expect(count).toBe(1);
    expect((await listed()).find(({ status }) => status === 'unconfirmed')).toBeDefined();
    const { actions } = await client.call('list_actions', {});
    expect(actions).toMatchObject([{ result: 'unconfirmed' }]);
  });

  it('a prompt that waits is typed by the next daemon, once', async () => {
    const { inside, queue, typed } = await open();
    await queue('go on');
    const next = inside.openDeliveries();
    inside.says(0, 'completed');
    await vi.waitFor(() => {
      inside.nowMs += 3_000;
      next.tick();
      expect(typed).toEqual(['go on']);
    });
    await next.settle(5_000);
    expect(inside.openDeliveries().list({ paneKey: null, includeSettled: true })).toMatchObject([
      { status: 'delivered', text: '' },
    ]);
  });
});

describe('a store that fails', () => {
  it('before the paste leaves the prompt waiting and untyped', async () => {
    const { inside, queue, typed, listed, tick } = await open();
    await queue('go on');
    inside.says(0, 'completed');
    const begin = vi.spyOn(inside.deliveryTable, 'begin').mockImplementation(() => {
      throw new Fault('store_full', { about: 'agtmux.db' });
    });
    tick();
    await vi.waitFor(() => expect(begin).toHaveBeenCalled());
    expect(typed).toEqual([]);
    begin.mockRestore();
    await vi.waitFor(async () => {
      tick();
      expect((await listed())[0]?.status).toBe('delivered');
    });
    expect(typed).toEqual(['go on']);
  });

  it('of a cancelled prompt is no success to the caller, and it is not typed', async () => {
    const { inside, client, queue, typed, listed, tick } = await open();
    await queue('go on');
    const delivery_id = (await listed())[0]?.delivery_id ?? '';
    const settle = vi.spyOn(inside.deliveryTable, 'settle').mockImplementation(() => {
      throw new Fault('store_full', { about: 'agtmux.db' });
    });
    await expect(client.call('cancel_delivery', { delivery_id })).rejects.toMatchObject({
      code: 'store_full',
    });
    settle.mockRestore();
    inside.says(0, 'completed');
    tick();
    expect(await listed()).toMatchObject([{ status: 'cancelled' }]);
    expect(typed).toEqual([]);
  });

  it('after the paste types nothing again, and keeps the outcome for later', async () => {
    const { inside, queue, typed, listed, tick } = await open();
    await queue('go on');
    inside.says(0, 'completed');
    const settle = vi.spyOn(inside.deliveryTable, 'settle').mockImplementation(() => {
      throw new Fault('store_full', { about: 'agtmux.db' });
    });
    tick();
    await vi.waitFor(() => expect(settle).toHaveBeenCalled());
    tick();
    tick();
    expect(typed).toEqual(['go on']);
    settle.mockRestore();
    tick();
    expect(await listed()).toMatchObject([{ status: 'delivered' }]);
    expect(typed).toEqual(['go on']);
  });
});
