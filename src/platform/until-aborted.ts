// Ends a wait when its signal aborts or its time is over, for work that cannot be stopped itself.

/** The value of the work, or the reason of the signal if that aborts first. */
export async function untilAborted<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return work;
  // After an abort the outcome of the work is not used.
  work.catch(() => {});
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Resolves when all of it has ended, well or not, or the time is over. */
export async function settledWithin(
  work: Iterable<Promise<unknown>>,
  timeoutMs: number,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeoutMs);
  await Promise.race([Promise.allSettled(work), promise]);
  clearTimeout(timer);
}
