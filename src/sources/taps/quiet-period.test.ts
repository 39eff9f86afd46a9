import { expect, it } from 'vitest';
import { QuietPeriod } from './quiet-period.ts';

const T0 = 1_700_000_000_000;

it('lets a tap be opened where no notice came', () => {
  expect(new QuietPeriod().waitMs(T0)).toBe(0);
});

it('waits until notices have stopped for a moment', () => {
  const patience = new QuietPeriod();
  patience.noticed(T0);
  expect(patience.waitMs(T0 + 100)).toBe(200);
  patience.noticed(T0 + 200);
  expect(patience.waitMs(T0 + 300)).toBe(200);
  expect(patience.waitMs(T0 + 500)).toBe(0);
});

it('waits for a server that is never quiet so long and no longer', () => {
  const patience = new QuietPeriod();
  let waits = 0;
  for (let ms = 0; ms <= 3_000; ms += 100) {
    patience.noticed(T0 + ms);
    if (patience.waitMs(T0 + ms) > 0) waits += 1;
  }
  expect(waits).toBe(30);
});
