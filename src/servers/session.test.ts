// A session by hand: deadlines, commits, callers that leave, and doors without streams.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Actor } from '../operations/ports/operation.ts';
import type { Cancellation, Ports } from '../operations/ports/ports.ts';
import { Fault } from '../platform/fault.ts';
import { ok } from '../schema/outcome.ts';
import type { CallResult } from './access.ts';
import { Session } from './session.ts';

const user: Actor = { kind: 'user', id: 'test', scopes: ['read', 'control', 'admin'] };
const DEADLINE_MS = 120_000;

/** A session whose `hooks` operation does what the test says, and what it was given. */
function open(work: (cancellation: Cancellation) => Promise<unknown>) {
  const defects: unknown[] = [];
  const world = { targets: new Map([['local', { name: 'local', targetId: 'local' }]]) };
  const ports = {
    panes: { world: () => world },
    hooks: {
      run: async (_targetId: string, _input: unknown, cancellation: Cancellation) =>
        ok(await work(cancellation)),
    },
  } as unknown as Ports;
  const session = new Session({
    ports,
    nowMs: () => 0,
    onDefect: (error) => defects.push(error),
    actor: user,
    streamsMax: 1,
  });
  const replies: CallResult[] = [];
  const cancel = session.call('hooks', { action: 'status' }, (result) => replies.push(result));
  return { session, replies, defects, cancel };
}

const codeOf = (result: CallResult | undefined): string | null =>
  result && !result.ok ? result.problem.code : null;

/** Resolves never, and rejects when the signal aborts. */
const untilAborted = ({ signal }: Cancellation): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('work that takes longer than its operation allows', () => {
  test('is aborted, and its caller gets timeout once', async () => {
    const { session, replies, defects } = open(untilAborted);
    await vi.advanceTimersByTimeAsync(DEADLINE_MS - 1);
    expect([replies.length, session.runningCount]).toEqual([0, 1]);
    await vi.advanceTimersByTimeAsync(1);
    expect(replies.map(codeOf)).toEqual(['timeout']);
    expect([defects, session.runningCount]).toEqual([[], 0]);
  });

  test('runs to its end once it has committed; its caller gets timeout', async () => {
    const done = Promise.withResolvers<string>();
    let signal: AbortSignal | null = null;
    let isDone = false;
    const { replies } = open(async (cancellation) => {
      ({ signal } = cancellation);
      cancellation.commit();
      await done.promise;
      isDone = true;
    });
    await vi.advanceTimersByTimeAsync(DEADLINE_MS);
    expect(replies.map(codeOf)).toEqual(['timeout']);
    expect(signal).toMatchObject({ aborted: false });
    done.resolve('');
    await vi.advanceTimersByTimeAsync(0);
    expect([isDone, replies.length]).toEqual([true, 1]);
  });

  test('cannot commit after it was aborted', async () => {
    let refused: unknown = null;
    open(async (cancellation) => {
      await untilAborted(cancellation).catch(() => null);
      try {
        cancellation.commit();
      } catch (error) {
        refused = error;
      }
    });
    await vi.advanceTimersByTimeAsync(DEADLINE_MS);
    expect(refused).toBeInstanceOf(Fault);
  });

  test('may end by the AbortError of Node, which is no defect', async () => {
    const abortError = Object.assign(new Error('aborted'), { name: 'AbortError' });
    const { replies, defects } = open((cancellation) =>
      untilAborted(cancellation).catch(() => Promise.reject(abortError)),
    );
    await vi.advanceTimersByTimeAsync(DEADLINE_MS);
    expect([replies.map(codeOf), defects]).toEqual([['timeout'], []]);
  });
});

describe('a caller', () => {
  test('that leaves gets no reply, and no timer is left of its calls', async () => {
    // Suites share their worker: what an earlier one still waits for is not of this session.
    const timerCount = vi.getTimerCount();
    const { session, replies, defects } = open(untilAborted);
    session[Symbol.dispose]();
    await vi.advanceTimersByTimeAsync(0);
    expect([replies, defects, vi.getTimerCount()]).toEqual([[], [], timerCount]);
  });

  test('that cancels one call gets timeout for it, and its other calls continue', async () => {
    const { session, replies, cancel } = open(untilAborted);
    session.call('hooks', { action: 'status' }, (result) => replies.push(result));
    cancel();
    await vi.advanceTimersByTimeAsync(0);
    expect(replies.map(codeOf)).toEqual(['timeout']);
    expect(session.runningCount).toBe(1);
  });

  test('over a transport that cannot push is refused a stream', () => {
    const { session, replies } = open(async () => null);
    session.call('subscribe', {}, (result) => replies.push(result));
    expect(replies.map(codeOf)).toEqual(['E_INPUT_INVALID']);
  });

  test('is answered where a stream cannot be opened', () => {
    const bug = new TypeError('a secret');
    for (const [error, code] of [
      [new Fault('timeout', { about: 'the stream' }), 'timeout'],
      [bug, 'defect'],
    ] as const) {
      const defects: unknown[] = [];
      const fail = (): never => {
        throw error;
      };
      const session = new Session({
        ports: { streams: { open: fail, subscribe: fail } } as unknown as Ports,
        nowMs: () => 0,
        onDefect: (each) => defects.push(each),
        ...{ actor: user, streamsMax: 1, push: () => {} },
      });
      const replies: CallResult[] = [];
      session.call('subscribe', {}, (result) => replies.push(result));
      expect(replies.map(codeOf)).toEqual([code]);
      expect(defects).toEqual(code === 'defect' ? [bug] : []);
    }
  });

  test('learns of a bug only that there was one', async () => {
    const bug = new TypeError('a secret');
    const { replies, defects } = open(() => Promise.reject(bug));
    await vi.advanceTimersByTimeAsync(0);
    expect([replies.map(codeOf), defects]).toEqual([['defect'], [bug]]);
    expect(JSON.stringify(replies)).not.toContain('secret');
  });
});
