// Ids for events: unique for ever and sorted by time, so that they land side by side on the pages
// of the store's index (ids in random order cost four times as much).

import { randomBytes } from 'node:crypto';

/** Nine digits of base 36 hold milliseconds until the year 5188. */
const TIME_DIGITS = 9;
const COUNT_DIGITS = 4;
const COUNT_MAX = 36 ** COUNT_DIGITS;

/** Makes ids: the time, a count, and what sets this life of the daemon apart from others. */
export function eventIds(nowMs: () => number): () => string {
  const life = randomBytes(6).toString('hex');
  let lastMs = 0;
  let count = 0;
  return () => {
    const ms = Math.max(Math.floor(nowMs()), lastMs);
    count = ms === lastMs ? count + 1 : 0;
    // More than a million in one millisecond: the next millisecond begins early.
    lastMs = count < COUNT_MAX ? ms : ms + 1;
    count %= COUNT_MAX;
    const time = lastMs.toString(36).padStart(TIME_DIGITS, '0');
    return `${time}${count.toString(36).padStart(COUNT_DIGITS, '0')}${life}`;
  };
}
