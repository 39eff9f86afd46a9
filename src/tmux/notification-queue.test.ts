// A subscriber's queue: order, a gap where some were lost, and an end that always comes.

import { expect, test } from 'vitest';
import { type LinkItem, NotificationQueue } from './notification-queue.ts';

const item = (name: string) => ({ kind: 'session-renamed', sessionId: '$1', name }) as const;
const readAll = async (queue: NotificationQueue): Promise<LinkItem[]> => {
  const items: LinkItem[] = [];
  for await (const each of queue) items.push(each);
  return items;
};

test('a full queue has a gap with the count of what was lost, and still ends', async () => {
  const queue = new NotificationQueue(() => {});
  for (let count = 0; count < 1_030; count += 1) queue.push(item(`${count}`));
  queue.end();
  queue.push(item('after the end'));
  const items = await readAll(queue);
  expect(items).toHaveLength(1_025);
  expect(items[1_023]).toEqual(item('1023'));
  expect(items[1_024]).toEqual({ kind: 'gap', droppedCount: 6 });
});

test('a reader that waits is woken by an item and by the end', async () => {
  const queue = new NotificationQueue(() => {});
  const next = queue.next();
  queue.push(item('x'));
  expect(await next).toEqual({ done: false, value: item('x') });
  const last = queue.next();
  queue.end();
  expect(await last).toEqual({ done: true, value: undefined });
});

test('the owner is called when a reader leaves', async () => {
  let isLeft = false;
  const queue = new NotificationQueue(() => {
    isLeft = true;
  });
  queue.push(item('x'));
  for await (const _ of queue) break;
  expect(isLeft).toBe(true);
});
