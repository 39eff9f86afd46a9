// Messages as threads on the page, as data.

import { describe, expect, it } from 'vitest';
import {
  answerable,
  isOpenMessage,
  isUnread,
  partyName,
  receiptWords,
  threadsOf,
} from '../../src/render/messages/threads.ts';
import type { MessageItem } from '../../src/schema/relay/message-schemas.ts';

const party = (id: string, name = id.replace(/^\w+:/, ''), bundle: string | null = null) => ({
  ...{ id, name, bundle, ref: null, kind: 'agent' as const },
});
const me = party('operator:me');
const coder = party('member:team/coder', 'coder', 'team');
const receipt = (recipient: typeof me, fields: object = {}) => ({
  ...{ recipient, copy: false, status: 'delivered', code: null, reason: null },
  ...{ reply_channel: null, settled_at: null, read_at: null, replied_at: null, ...fields },
});

let count = 0;
function message(thread: string, from: typeof me, to: typeof me, fields: object = {}): MessageItem {
  count += 1;
  return {
    ...{ message_id: `m${count}`, thread_id: thread, reply_to: null, bundle: null, from },
    ...{ subject: null, body: `body ${count}\nmore`, attachments: [] },
    created_at: new Date(1_800_000_000_000 + count * 1_000).toISOString(),
    expires_at: new Date(1_900_000_000_000).toISOString(),
    ...{ receipts: [receipt(to)], ...fields },
  } as unknown as MessageItem;
}

describe('threads', () => {
  it('stand with the newest first, each with its messages from the oldest on', () => {
    const first = message('a', coder, me, { subject: 'Review' });
    const other = message('b', me, coder);
    const last = message('a', me, coder);
    const threads = threadsOf([last, other, first], me.id);
    expect(threads.map(({ id, subject }) => [id, subject])).toEqual([
      ['a', 'Review'],
      ['b', 'body 2'],
    ]);
    expect(threads[0]?.messages).toEqual([first, last]);
    expect(threads[0]?.parties.map(partyName)).toEqual(['team/coder']);
  });

  it('know what the reader has not read, and what a reply answers', () => {
    const read = message('a', coder, me, { receipts: [receipt(me, { read_at: 'then' })] });
    const unread = message('a', coder, me);
    const mine = message('a', me, coder);
    const [thread] = threadsOf([mine, unread, read], me.id);
    expect([read, unread, mine].map((each) => isUnread(each, me.id))).toEqual([false, true, false]);
    expect(thread?.unreadCount).toBe(1);
    expect(thread && answerable(thread, me.id)).toBe(unread);
    const [others] = threadsOf([message('c', coder, party('runtime:x'))], me.id);
    expect(others && answerable(others, me.id)).toBe(null);
  });

  it('say of each recipient what became of the message, and why', () => {
    const words = (status: string, reason: string | null = null) =>
      receiptWords(receipt(me, { status, reason }) as never);
    expect(words('queued', 'it works')).toEqual({ mood: 'open', text: 'queued: it works' });
    expect(words('failed', 'it is gone')).toEqual({
      mood: 'bad',
      text: 'not delivered: it is gone',
    });
    expect(words('unconfirmed').mood).toBe('open');
    expect(words('replied')).toEqual({ mood: 'good', text: 'replied' });
    const open = message('a', me, coder, { receipts: [receipt(coder, { status: 'queued' })] });
    expect([open, message('a', me, coder)].map(isOpenMessage)).toEqual([true, false]);
  });
});
