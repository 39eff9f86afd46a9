// Calls and their replies, whatever the peer sends and in whatever order.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { parseMessage, RpcCalls } from './rpc-calls.ts';

const late = new Error('late');
const over = new Error('over');

function open(cancelMethod?: string) {
  const sent: Record<string, unknown>[] = [];
  const calls = new RpcCalls({
    send: (text) => sent.push(JSON.parse(text)),
    cancelMethod,
    replyError: (error) => new Error(`refused: ${JSON.stringify(error)}`),
  });
  const request = (method: string) =>
    calls.request({ method, params: { a: 1 }, timeoutMs: 100, onTimeout: () => late });
  return { sent, calls, request };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a call', () => {
  test('gets the reply with its id, in whatever order replies come', async () => {
    const { sent, calls, request } = open();
    const [first, second] = [request('one'), request('two')];
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'one', params: { a: 1 } },
      { jsonrpc: '2.0', id: 2, method: 'two', params: { a: 1 } },
    ]);
    calls.settle({ id: 2, result: 'second' });
    calls.settle({ id: 1, result: null });
    expect(await Promise.all([first, second])).toEqual([null, 'second']);
  });

  test('rejects with the error of its reply', async () => {
    const { calls, request } = open();
    const call = request('one');
    calls.settle({ id: 1, error: { code: 7 } });
    await expect(call).rejects.toThrow('refused: {"code":7}');
  });

  test('rejects at its deadline, and a late reply reaches no other call', async () => {
    const { calls, request } = open();
    const rejected = expect(request('one')).rejects.toBe(late);
    vi.advanceTimersByTime(100);
    await rejected;
    const next = request('two');
    calls.settle({ id: 1, result: 'of the first' });
    calls.settle({ id: '2', result: 'of another kind of id' });
    calls.settle({ id: 2, result: 'of the second' });
    expect(await next).toBe('of the second');
  });

  test('that times out sends a cancellation if the protocol has one', async () => {
    const { sent, request } = open('$/cancelRequest');
    const rejected = expect(request('one')).rejects.toBe(late);
    vi.advanceTimersByTime(100);
    await rejected;
    expect(sent[1]).toEqual({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 1 } });
  });

  test('rejects with what ended the calls, also when it comes after the end', async () => {
    const { sent, calls, request } = open();
    const rejected = expect(request('one')).rejects.toBe(over);
    calls.end(over);
    calls.end(late);
    await rejected;
    await expect(request('two')).rejects.toBe(over);
    expect(sent).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test.each(['', '{', '7', 'null', '[]', '"text"'])('%j is no message', (text) => {
  expect(parseMessage(text)).toBeNull();
});
