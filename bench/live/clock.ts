// Time for benchmarks: one clock that all processes of a machine share, and waiting.

/** Milliseconds of the machine's monotonic clock: stamps of two processes may be compared. */
export const monoMs = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000;

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Waits until a condition holds; fails with its name when it does not in time. */
export async function until(
  name: string,
  timeoutMs: number,
  isTrue: () => boolean | Promise<boolean>,
): Promise<void> {
  const deadlineMs = monoMs() + timeoutMs;
  while (!(await isTrue())) {
    if (monoMs() > deadlineMs) throw new Error(`not within ${timeoutMs} ms: ${name}`);
    await pause(50);
  }
}
