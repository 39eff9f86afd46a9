// What the page says of messages that a person has before the eyes.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { threadsOf } from '../../src/render/messages/threads.ts';
import type { Inbox, MessageItem } from '../../src/schema/relay/message-schemas.ts';
import { MessageBox } from '../../src/web/control/message-box.ts';
import type { WebServiceClient } from '../../src/web-client/web-client.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', { hidden: false });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const me = { id: 'operator:me', name: 'me' };
const unread = {
  ...{ message_id: 'm1', thread_id: 't1', from: { id: 'member:a/b', name: 'b' }, subject: 's' },
  ...{ body: 'x', created_at: new Date(0).toISOString() },
  receipts: [{ recipient: me, read_at: null }],
} as unknown as MessageItem;

it('a message that cannot be marked as read is not tried again at each drawing', async () => {
  const calls: string[] = [];
  const inbox = { party: me, messages: [unread], unread_count: 1 } as unknown as Inbox;
  const client = {
    call: async (name: string): Promise<unknown> => {
      calls.push(name);
      if (name === 'list_inbox') return inbox;
      throw new Error('the disk is full');
    },
  } as unknown as WebServiceClient;
  const box = new MessageBox({ client, isLive: true, canAct: true, changed: () => {} });
  await box.read();
  const [thread] = threadsOf(inbox.messages, me.id);
  if (!thread) throw new Error('no thread');
  for (let drawing = 0; drawing < 20; drawing += 1) await box.markRead(thread);
  expect(calls.filter((name) => name === 'read_message')).toHaveLength(1);
  // Whoever is let in next begins anew.
  box.forget();
  expect([box.inbox, box.unreadCount]).toEqual([null, 0]);
});
