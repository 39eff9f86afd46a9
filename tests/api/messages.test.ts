// Messages between agents and people, from the call to what is typed: who is believed to write, in
// which order and how often it is typed, and what the receipts say. What typing does is the test's.

import { closeSync, openSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { refused, unconfirmed } from '../../src/acting/action-result.ts';
import type { DaemonClient } from '../../src/client/client.ts';
import { codeOf } from './code-of.ts';
import { MessageLab, refOf, statusesOf } from './message-lab.ts';

const send = (client: DaemonClient, index: number, message: string, more: object = {}) =>
  client.call('send_message', { to: [refOf(index)], message, ...more });

describe('who calls', () => {
  it('is nobody as long as nothing is proven', async () => {
    const lab = await MessageLab.open();
    const client = await lab.inside.connect();
    expect(await codeOf(send(client, 0, 'hello'))).toBe('E_IDENTITY_UNPROVEN');
    expect(await codeOf(client.call('whoami', {}))).toBe('E_IDENTITY_UNPROVEN');
  });

  it('is a person where no agent is above, and an agent where one is', async () => {
    const lab = await MessageLab.open();
    const person = await (await lab.person()).call('whoami', {});
    expect(person).toMatchObject({ party: { id: 'operator:ada' }, proof: 'person' });
    const agent = await (await lab.agent(1)).call('whoami', {});
    expect(agent).toMatchObject({ party: { id: refOf(1), kind: 'agent' }, proof: 'pane' });
  });

  it('is not believed to be a process that does not hold the file open', async () => {
    const lab = await MessageLab.open();
    const client = await lab.inside.connect();
    const { path } = await client.call('begin_proof', {});
    expect(path).not.toBeNull();
    expect(await codeOf(client.call('prove_identity', { pid: process.pid }))).toBe(
      'E_IDENTITY_UNPROVEN',
    );
    await client.call('begin_proof', {});
    expect(await codeOf(client.call('prove_identity', { pid: process.ppid }))).toBe(
      'E_IDENTITY_UNPROVEN',
    );
  });

  it('is not proven by reading the file, nor by the file of another connection', async () => {
    const lab = await MessageLab.open();
    const [one, other] = [await lab.inside.connect(), await lab.inside.connect()];
    const { path } = await one.call('begin_proof', {});
    const read = openSync(path ?? '', 'r');
    expect(await codeOf(one.call('prove_identity', { pid: process.pid }))).toBe(
      'E_IDENTITY_UNPROVEN',
    );
    closeSync(read);
    const next = await one.call('begin_proof', {});
    const held = openSync(next.path ?? '', 'r+');
    expect(await codeOf(other.call('prove_identity', { pid: process.pid }))).toBe(
      'E_IDENTITY_UNPROVEN',
    );
    closeSync(held);
  });

  it('cannot be a person of tui.toml as an agent, and cannot name its sender', async () => {
    const lab = await MessageLab.open();
    const agent = await lab.agent(0);
    expect(await codeOf(send(agent, 1, 'hello', { as: 'ada' }))).toBe('E_POLICY');
    const forged = { to: [refOf(1)], message: 'hello', sender: 'operator:ada' };
    expect(await codeOf(agent.call('send_message', forged))).toBe('E_INPUT_INVALID');
  });
});

describe('a message', () => {
  it('waits while its recipient works, and is typed once when it rests', async () => {
    const lab = await MessageLab.open();
    const agent = await lab.agent(0);
    const sent = await send(agent, 1, 'body one', { subject: 'News' });
    expect(sent).toMatchObject({ mode: 'async', status: 'accepted' });
    lab.tick();
    expect(lab.typed).toEqual([]);
    const { message_id } = sent.message;
    const status = () => agent.call('message_status', { message_id });
    expect((await status()).message.receipts).toMatchObject([
      { status: 'queued', reason: 'it is running' },
    ]);
    lab.inside.says(1, 'completed');
    await vi.waitFor(() => {
      lab.tick();
      expect(lab.typed).toHaveLength(1);
    });
    lab.tick();
    lab.tick();
    expect(lab.typed).toHaveLength(1);
    expect(lab.typed[0]?.text).toMatch(/^--agtmux-[0-9a-f]{24}\nMessage-Id: /);
    expect(lab.typed[0]?.text).toContain(`From: claude in`);
    expect(lab.typed[0]?.text).toContain(`<${refOf(0)}>`);
    expect(lab.typed[0]?.text).toContain('Subject: News');
    await vi.waitFor(async () => expect(statusesOf(await status())).toEqual(['delivered']));
    const { actions } = await agent.call('list_actions', {});
    expect(actions[0]).toMatchObject({ kind: 'message', actor: refOf(0), result: 'delivered' });
  });

  it('keeps its place: those that wait together are typed together, in order', async () => {
    const lab = await MessageLab.open();
    const person = await lab.person();
    for (let index = 0; index < 20; index += 1) await send(person, 1, `body ${index}`);
    lab.inside.says(1, 'completed');
    await vi.waitFor(() => {
      lab.tick();
      expect(lab.bodiesOf(1)).toHaveLength(20);
    });
    expect(lab.bodiesOf(1)).toEqual(Array.from({ length: 20 }, (_, index) => `body ${index}`));
    expect(lab.typed).toHaveLength(3);
  });

  it('is answered in its thread, and its sender sees that', async () => {
    const lab = await MessageLab.open();
    const [one, other] = [await lab.agent(0), await lab.agent(1)];
    const { message } = await send(one, 1, 'body question', { subject: 'Q' });
    lab.inside.says(1, 'completed');
    await vi.waitFor(() => {
      lab.tick();
      expect(lab.typed).toHaveLength(1);
    });
    expect(lab.typed[0]?.text).toContain(`agtmux msg reply ${message.message_id}`);
    const { message_id } = message;
    const reply = await other.call('reply_message', { message_id, message: 'body answer' });
    expect(reply.message).toMatchObject({ thread_id: message_id, reply_to: message_id });
    expect(reply.message).toMatchObject({ subject: 'Re: Q', from: { id: refOf(1) } });
    expect(statusesOf(await one.call('message_status', { message_id }))).toEqual(['replied']);
    lab.inside.says(0, 'completed');
    await vi.waitFor(() => {
      lab.tick();
      expect(lab.bodiesOf(0)).toEqual(['body answer']);
    });
    const thread = await one.call('list_inbox', { box: 'all', thread_id: message_id });
    expect(thread.messages.map(({ body }) => body)).toEqual(['body answer', 'body question']);
  });

  it('to a person is in the inbox at once, and read when it was read', async () => {
    const lab = await MessageLab.open();
    const [agent, person] = [await lab.agent(0), await lab.person()];
    const to = ['operator:ada'];
    const { message } = await agent.call('send_message', { to, message: 'body done' });
    expect(statusesOf({ message })).toEqual(['delivered']);
    const inbox = await person.call('list_inbox', { unread: true });
    expect(inbox).toMatchObject({ unread_count: 1, messages: [{ body: 'body done' }] });
    const { message_id } = message;
    const read = await person.call('read_message', { message_id });
    expect(statusesOf(read)).toEqual(['read']);
    expect((await person.call('list_inbox', { unread: true })).messages).toEqual([]);
  });

  it('that its recipient has read in its inbox is not typed any more', async () => {
    const lab = await MessageLab.open();
    const [one, other] = [await lab.agent(0), await lab.agent(1)];
    const { message } = await send(one, 1, 'body early');
    const { message_id } = message;
    expect(statusesOf(await other.call('read_message', { message_id }))).toEqual(['read']);
    lab.inside.says(1, 'completed');
    lab.tick();
    lab.tick();
    expect(lab.typed).toEqual([]);
  });

  it('is waited for by its recipient, who asks for what is neither read nor typed', async () => {
    const lab = await MessageLab.open();
    const [one, other] = [await lab.agent(0), await lab.agent(1)];
    const early = (await send(one, 1, 'body early')).message.message_id;
    const fresh = { untyped: true, wait_ms: 30_000 };
    expect((await other.call('list_inbox', fresh)).messages).toMatchObject([
      { body: 'body early' },
    ]);
    const waiting = other.call('list_inbox', { ...fresh, after: early });
    await send(one, 0, 'body to itself');
    await send(one, 1, 'body late');
    expect((await waiting).messages).toMatchObject([{ body: 'body late' }]);
    expect((await other.call('list_inbox', { after: early })).messages).toHaveLength(1);
    lab.inside.says(1, 'completed');
    await vi.waitFor(() => {
      lab.tick();
      expect(lab.bodiesOf(1)).toHaveLength(2);
    });
    const none = await other.call('list_inbox', { untyped: true, wait_ms: 1 });
    expect(none).toMatchObject({ unread_count: 2, messages: [] });
  });

  it('is nobody else’s: an agent sees no message of others', async () => {
    const lab = await MessageLab.open(3);
    const [one, third] = [await lab.agent(0), await lab.agent(2)];
    const { message } = await send(one, 1, 'body private');
    const { message_id } = message;
    expect(await codeOf(third.call('read_message', { message_id }))).toBe('E_MESSAGE_UNKNOWN');
    expect(await codeOf(third.call('message_status', { message_id }))).toBe('E_MESSAGE_UNKNOWN');
    expect(await codeOf(third.call('cancel_message', { message_id }))).toBe('E_MESSAGE_UNKNOWN');
    expect((await third.call('list_inbox', { box: 'all' })).messages).toEqual([]);
  });

  it('can be cancelled while it waits, and not after', async () => {
    const lab = await MessageLab.open();
    const one = await lab.agent(0);
    const { message } = await send(one, 1, 'body wrong');
    const { message_id } = message;
    expect(await one.call('cancel_message', { message_id })).toMatchObject({
      message: { receipts: [{ status: 'failed', code: 'E_MESSAGE_CANCELLED' }] },
    });
    expect(await codeOf(one.call('cancel_message', { message_id }))).toBe('E_MESSAGE_SETTLED');
    lab.inside.says(1, 'completed');
    lab.tick();
    expect(lab.typed).toEqual([]);
  });

  it('to one that never rests expires, with what it waited for', async () => {
    const lab = await MessageLab.open();
    const one = await lab.agent(0);
    const { message } = await send(one, 1, 'body late', { expires_in_ms: 10_000 });
    lab.tick();
    lab.tick(10_000);
    const { message_id } = message;
    expect((await one.call('message_status', { message_id })).message.receipts).toMatchObject([
      {
        ...{ status: 'failed', code: 'E_MESSAGE_EXPIRED' },
        reason: 'its time was over: it is running',
      },
    ]);
  });

  it('to one that has ended fails with that reason', async () => {
    const lab = await MessageLab.open();
    const person = await lab.person();
    const { message } = await send(person, 1, 'body late');
    const { nowMs } = lab.inside;
    const [runtime] = [...lab.inside.engine.world.runtimes.values()].filter(
      ({ runtimeId }) => `runtime:${runtimeId}` === refOf(1),
    );
    if (!runtime) throw new Error('no runtime');
    const { runtimeId, paneKey } = runtime;
    const ending = { exitCode: null, crashed: false, atMs: nowMs, runtimeId, paneKey };
    lab.inside.tell({ type: 'runtime.ended', reason: 'exited', ...ending } as never);
    lab.tick();
    const { message_id } = message;
    const status = await person.call('message_status', { message_id });
    expect(status.message.receipts).toMatchObject([{ status: 'failed', code: 'E_RUNTIME_STALE' }]);
  });

  it('waits out whatever keeps it from being typed, and says so', async () => {
    const lab = await MessageLab.open();
    const person = await lab.person();
    const act = lab.inside.act;
    lab.inside.act = async () => refused('E_DRAFT_PRESENT', 'somebody has typed into the box');
    lab.inside.says(1, 'completed');
    const { message } = await send(person, 1, 'body patient');
    const { message_id } = message;
    const receipts = async () =>
      (await person.call('message_status', { message_id })).message.receipts;
    await vi.waitFor(async () => {
      lab.tick();
      expect(await receipts()).toMatchObject([
        { status: 'queued', reason: 'somebody has typed into the box' },
      ]);
    });
    lab.inside.act = act;
    await vi.waitFor(async () => {
      lab.tick();
      expect(await receipts()).toMatchObject([{ status: 'delivered' }]);
    });
    expect(lab.typed).toHaveLength(1);
  });

  it('whose paste a guard held back is proven absent, and typed later', async () => {
    const lab = await MessageLab.open();
    const person = await lab.person();
    lab.outcome = () => refused('E_SCREEN_CHANGED', 'the screen changed before the key');
    lab.inside.says(1, 'completed');
    const { message } = await send(person, 1, 'body guarded');
    await vi.waitFor(() => {
      lab.tick();
      expect(lab.typed.length).toBeGreaterThan(1);
    });
    const { message_id } = message;
    const status = await person.call('message_status', { message_id });
    expect(statusesOf(status)).toEqual(['queued']);
  });

  it('without proof is unconfirmed, and never typed again', async () => {
    const lab = await MessageLab.open();
    const person = await lab.person();
    lab.outcome = () => unconfirmed('no proof came');
    lab.inside.says(1, 'completed');
    const { message } = await send(person, 1, 'body doubtful');
    await vi.waitFor(() => {
      lab.tick();
      expect(lab.typed).toHaveLength(1);
    });
    for (let count = 0; count < 50; count += 1) lab.tick();
    expect(lab.typed.filter(({ text }) => text.includes('doubtful'))).toHaveLength(1);
    const { message_id } = message;
    const status = await person.call('message_status', { message_id });
    expect(statusesOf(status)).toEqual(['unconfirmed']);
  });

  it('in doubt is submitted only as what was pasted so long ago', async () => {
    const lab = await MessageLab.open();
    const person = await lab.person();
    const { act } = lab.inside;
    const agesMs: (number | undefined)[] = [];
    lab.inside.act = async (scene) => {
      const typing = scene.order.kind === 'send' ? scene.order.message : undefined;
      if (!typing?.isPasted) return act(scene);
      agesMs.push(typing.pastedForMs);
      return refused('E_INPUT_UNSEEN', 'the text is not in the input box');
    };
    lab.inside.screen = { ansi: '' } as typeof lab.inside.screen;
    lab.outcome = () => unconfirmed('no proof came');
    lab.inside.says(1, 'completed');
    await send(person, 1, 'body doubtful');
    await vi.waitFor(() => {
      lab.tick();
      expect(agesMs.length).toBeGreaterThan(1);
    });
    expect(agesMs.every((ms) => ms !== undefined && ms >= 0 && ms <= 60_000)).toBe(true);
    expect(agesMs[1]).toBeGreaterThan(agesMs[0] ?? 0);
  });

  it('waits for its outcome on request: all, some or none arrived', async () => {
    const lab = await MessageLab.open(3);
    const person = await lab.person();
    lab.inside.says(1, 'completed');
    const to = [refOf(1), refOf(2)];
    const call = { to, message: 'body both', wait_ms: 60_000, expires_in_ms: 20_000 };
    const sent = person.call('send_message', call, { timeoutMs: 60_000 });
    await vi.waitFor(() => {
      lab.tick();
      expect(lab.typed).toHaveLength(1);
    });
    for (let count = 0; count < 10; count += 1) lab.tick();
    const result = await sent;
    expect(result).toMatchObject({ mode: 'sync', status: 'partial' });
    expect(statusesOf(result)).toEqual(['delivered', 'failed']);
  });

  it('with the same request_ref is one message', async () => {
    const lab = await MessageLab.open();
    const person = await lab.person();
    const one = await send(person, 1, 'body once', { request_ref: 'r1' });
    const other = await send(person, 1, 'body once', { request_ref: 'r1' });
    expect(other.message.message_id).toBe(one.message.message_id);
    expect(await codeOf(send(person, 1, 'body other', { request_ref: 'r1' }))).toBe(
      'E_IDEMPOTENCY_CONFLICT',
    );
  });

  it('with the same request_ref and text is refused where anything else differs', async () => {
    const lab = await MessageLab.open(3);
    const person = await lab.person();
    const { message } = await send(person, 1, 'body once', { request_ref: 'r1', subject: 'S' });
    const codeWith = (index: number, more: object): Promise<unknown> =>
      codeOf(send(person, index, 'body once', { request_ref: 'r1', subject: 'S', ...more }));
    const conflict = 'E_IDEMPOTENCY_CONFLICT';
    expect(await codeWith(2, {})).toBe(conflict);
    expect(await codeWith(1, { cc: [refOf(2)] })).toBe(conflict);
    expect(await codeWith(2, { cc: [refOf(1)] })).toBe(conflict);
    expect(await codeWith(1, { subject: 'T' })).toBe(conflict);
    expect(await codeWith(1, { subject: undefined })).toBe(conflict);
    expect(await codeWith(1, { attachments: ['/etc/hostname'] })).toBe(conflict);
    const { message_id } = message;
    const reply = { message_id, message: 'body once', request_ref: 'r2' };
    const agent = await lab.agent(1);
    await agent.call('reply_message', reply);
    const other = { to: ['operator:ada'], message: 'body once', subject: 'Re: S' };
    const unrelated = agent.call('send_message', { ...other, request_ref: 'r2' });
    expect(await codeOf(unrelated)).toBe(conflict);
    const both = { to: [refOf(1), refOf(2)], message: 'body both', request_ref: 'r3' };
    const one = await person.call('send_message', both);
    const again = await person.call('send_message', { ...both, to: [refOf(2), refOf(1)] });
    expect(again.message.message_id).toBe(one.message.message_id);
  });
});
