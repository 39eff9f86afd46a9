import { expect, it } from 'vitest';
import { QuietPeriod } from './quiet-period.ts';

const T0 = 1_700_000_000_000;

it('a tap may be opened at once where no notification came', () => {
  expect(new QuietPeriod().waitMs(T0)).toBe(0);
});

it('a tap waits until no notification has come for a moment', () => {
  const patience = new QuietPeriod();
  patience.noticed(T0);
  expect(patience.waitMs(T0 + 100)).toBe(200);
  patience.noticed(T0 + 200);
  expect(patience.waitMs(T0 + 300)).toBe(200);
  expect(patience.waitMs(T0 + 500)).toBe(0);
});

it('a tap of a server that is never quiet waits three seconds at most', () => {
  const patience = new QuietPeriod();
  let waits = 0;
  for (let ms = 0; ms <= 3_000; ms += 100) {
    patience.noticed(T0 + ms);
    if (patience.waitMs(T0 + ms) > 0) waits += 1;
  }
  expect(waits).toBe(30);
});
