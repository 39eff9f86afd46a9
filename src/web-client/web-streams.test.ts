// Streams that could not be opened: tried again where that may help, given up where it cannot.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DaemonError } from '../client/daemon-error.ts';
import { WebStreams } from './web-streams.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const problem = (code: string): DaemonError =>
  new DaemonError({ code, rpcCode: -32_000, message: code });

/** Streams whose openings end as the test says, one after the other. */
function open(...outcomes: readonly ('opened' | DaemonError)[]) {
  const left = [...outcomes];
  const seen: string[] = [];
  const streams = new WebStreams(async (name) => {
    seen.push(name);
    const outcome = left.shift();
    if (outcome instanceof DaemonError) throw outcome;
    return { subscription: 's1' };
  });
  const watch = (): Disposable => {
    const handlers = {
      input: () => ({}),
      onMessage: () => {},
      onOpened: () => void seen.push('opened'),
      onRefused: ({ code }: DaemonError) => void seen.push(code),
    };
    return streams.watch('subscribe', handlers, true);
  };
  return { streams, seen, watch };
}

it('a stream that was not answered in time is opened again on the same connection', async () => {
  const { seen, watch } = open(problem('timeout'), problem('timeout'), 'opened');
  watch();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(seen).toEqual(['subscribe', 'subscribe', 'subscribe', 'opened']);
});

it('a stream that is refused is not asked for again, and its handler hears why', async () => {
  const { seen, watch } = open(problem('E_NOT_PERMITTED'), 'opened');
  watch();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(seen).toEqual(['subscribe', 'E_NOT_PERMITTED']);
});

it('no stream is opened twice where the connection came back before its next try', async () => {
  const { streams, seen, watch } = open(problem('timeout'), 'opened', 'opened');
  watch();
  await vi.advanceTimersByTimeAsync(0);
  streams.closeAll();
  streams.openAll();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(seen).toEqual(['subscribe', 'subscribe', 'opened']);
});

it('a stream that was given up meanwhile is not opened', async () => {
  const { seen, watch } = open(problem('timeout'), 'opened');
  const watched = watch();
  await vi.advanceTimersByTimeAsync(0);
  watched[Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(seen).toEqual(['subscribe']);
});
