// Waits of the API suites: for a condition, and for the next message of a stream.

/** Waits until a condition holds; fails after a generous time. */
export async function until(
  what: string,
  isTrue: () => boolean,
  timeoutMs = 10_000,
): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  while (!isTrue()) {
    if (performance.now() > deadlineMs) throw new Error(`never came true: ${what}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
}

/** The next message of a stream; fails when it ends or nothing comes. */
export async function nextOf<T>(stream: AsyncIterator<T>, timeoutMs = 10_000): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no message came')), timeoutMs);
  });
  try {
    const { value, done } = await Promise.race([stream.next(), late]);
    if (done) throw new Error('the stream has ended');
    return value;
  } finally {
    clearTimeout(timer);
  }
}
