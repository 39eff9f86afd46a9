import { expect, it } from 'vitest';
import { PaneLocks } from './pane-locks.ts';

const never = new AbortController().signal;

it('actions of one pane run in their order, and other panes do not wait', async () => {
  const locks = new PaneLocks();
  const first = Promise.withResolvers<void>();
  const order: string[] = [];
  const note = (name: string) => async () => {
    if (name === 'a1') await first.promise;
    order.push(name);
  };
  const all = ['a1', 'a2', 'a3'].map((name) => locks.run('a', never, note(name)));
  await locks.run('b', never, note('b1'));
  first.resolve();
  await Promise.all(all);
  expect(order).toEqual(['b1', 'a1', 'a2', 'a3']);
});

it('a cancelled action never runs, and those behind it do', async () => {
  const locks = new PaneLocks();
  const first = Promise.withResolvers<void>();
  const caller = new AbortController();
  const running = locks.run('a', never, () => first.promise);
  const cancelled = locks.run('a', caller.signal, async () => 'ran');
  const behind = locks.run('a', never, async () => 'ran');
  caller.abort(new Error('gone'));
  first.resolve();
  await running;
  await expect(cancelled).rejects.toThrow('gone');
  expect(await behind).toBe('ran');
});

it('an action that fails does not block the pane', async () => {
  const locks = new PaneLocks();
  await expect(locks.run('a', never, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await locks.run('a', never, async () => 'ran')).toBe('ran');
});

it('more than 256 waiting actions are turned away', async () => {
  const locks = new PaneLocks();
  const first = Promise.withResolvers<void>();
  const all = Array.from({ length: 256 }, () => locks.run('a', never, () => first.promise));
  expect(await locks.run('a', never, async () => 'ran')).toBe(null);
  first.resolve();
  await Promise.all(all);
});
