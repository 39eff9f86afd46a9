// The waits of the wake client between its tries, where it waits by plain commands.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Fault } from '../platform/fault.ts';
import type { TmuxLink } from './link.ts';
import { WakeClient } from './wake.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => void vi.useRealTimers());

it('tries again soon after a wait that was long, however many were lost before', async () => {
  let lose: (() => void) | null = null;
  let tryCount = 0;
  const link: Pick<TmuxLink, 'status' | 'onStatus' | 'run'> = {
    status: {
      ...{ state: 'connected', detail: '', generation: null, sessionId: null },
      plain: 'process',
    },
    onStatus: () => () => {},
    run: ([command]) => {
      if (command?.includes('-S')) return Promise.resolve([]);
      tryCount += 1;
      const { promise, reject } = Promise.withResolvers<never>();
      lose = () => reject(new Fault('tmux_gone', { about: 'the server' }));
      return promise;
    },
  };
  const onWake = (): void => {};
  const wake = new WakeClient({ link: link as TmuxLink, onWake, random: () => 1 });
  wake.start();
  const loseAfter = async (ms: number): Promise<void> => {
    await vi.advanceTimersByTimeAsync(ms);
    lose?.();
  };
  await vi.advanceTimersByTimeAsync(0);
  for (let count = 1; count <= 8; count += 1) {
    await loseAfter(0);
    while (tryCount === count) await vi.advanceTimersByTimeAsync(50);
  }
  await loseAfter(1_000);
  await vi.advanceTimersByTimeAsync(100);
  expect(tryCount).toBe(10);
  const ended = wake[Symbol.asyncDispose]();
  await loseAfter(0);
  await ended;
});
