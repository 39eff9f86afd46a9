// The polling of watched files on a host: one loop, whatever watches come and go meanwhile.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ProbeClient } from '../probe/probe.ts';
import { RemoteFiles } from './remote-files.ts';
import { remoteWatches } from './remote-watches.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Replies when the test calls a function of `open`. */
function slowProbe(): { probe: ProbeClient; open: ((answer: string) => void)[] } {
  const open: ((answer: string) => void)[] = [];
  const probe: ProbeClient = {
    secret: 'secret',
    ask: () => new Promise((resolve) => open.push(resolve)),
  };
  return { probe, open };
}

test('a watch that replaces the last one during a poll starts no second loop', async () => {
  const { probe, open } = slowProbe();
  using watches = remoteWatches({ probe, isConnected: () => true });
  const first = watches.add('/a', () => {});
  await vi.advanceTimersByTimeAsync(700);
  expect(open).toHaveLength(1);
  first[Symbol.dispose]();
  watches.add('/b', () => {});
  open[0]?.('1700000000\n\n');
  await vi.advanceTimersByTimeAsync(700);
  open[1]?.('1700000000\n\n');
  await vi.advanceTimersByTimeAsync(700);
  expect(open).toHaveLength(3);
});

test('file requests run a few at a time, and each gets its reply', async () => {
  const { probe, open } = slowProbe();
  using files = new RemoteFiles({ probe: probe, home: () => '/', isConnected: () => true });
  const answers = Array.from({ length: 20 }, (_, index) => files.list(`/${index}`));
  await vi.advanceTimersByTimeAsync(0);
  expect(open).toHaveLength(8);
  for (let index = 0; index < 20; index += 1) {
    open[index]?.('names\na\n');
    await vi.advanceTimersByTimeAsync(0);
  }
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 20 }, () => ['a']));
});
