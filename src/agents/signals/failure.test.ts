import { describe, expect, it } from 'vitest';
import { failureClaim } from './failure.ts';

const NOW_MS = 1_800_000_000_000;
const untilMs = (resetsInSeconds: number): number | undefined =>
  failureClaim({ code: 'usage_limit_reached', resetsInSeconds }, NOW_MS).untilMs;

describe('the end of a usage limit that is so many seconds away', () => {
  it('is counted from now', () => expect(untilMs(3_600)).toBe(NOW_MS + 3_600_000));

  it('is not known where the number is no time', () => {
    for (const seconds of [-1, 1e10, 1e308]) expect(untilMs(seconds)).toBeUndefined();
  });
});
