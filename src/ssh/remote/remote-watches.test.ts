// The looks at watched files of a host: one loop, whoever comes and goes while a look is under way.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ProbeClient } from '../probe/probe.ts';
import { RemoteFiles } from './remote-files.ts';
import { remoteWatches } from './remote-watches.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Answers when it is told to. */
function slowProbe(): { probe: ProbeClient; open: ((answer: string) => void)[] } {
  const open: ((answer: string) => void)[] = [];
  const probe: ProbeClient = {
    secret: 'secret',
    ask: () => new Promise((resolve) => open.push(resolve)),
  };
  return { probe, open };
}

test('a watch that takes the place of the last during a look makes no second loop', async () => {
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

test('files are asked for a few at a time, and everybody gets an answer', async () => {
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
