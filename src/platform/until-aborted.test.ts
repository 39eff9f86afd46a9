import { expect, test } from 'vitest';
import { untilAborted } from './until-aborted.ts';

const reason = new Error('the caller is gone');
const never = new Promise<never>(() => {});

test('work that ends before the signal aborts gives its value or its error', async () => {
  const { signal } = new AbortController();
  expect(await untilAborted(Promise.resolve(7))).toBe(7);
  expect(await untilAborted(Promise.resolve(7), signal)).toBe(7);
  await expect(untilAborted(Promise.reject(reason), signal)).rejects.toBe(reason);
});

test('a wait ends with the reason of its signal, also of one that has aborted before', async () => {
  const controller = new AbortController();
  const wait = untilAborted(never, controller.signal);
  controller.abort(reason);
  await expect(wait).rejects.toBe(reason);
  await expect(untilAborted(never, AbortSignal.abort(reason))).rejects.toBe(reason);
});

test('work that fails after the abort is not reported as unhandled', async () => {
  const work = Promise.withResolvers<never>();
  await expect(untilAborted(work.promise, AbortSignal.abort(reason))).rejects.toBe(reason);
  work.reject(new Error('late'));
});
