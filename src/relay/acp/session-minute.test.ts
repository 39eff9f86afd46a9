import { describe, expect, test } from 'vitest';
import { minuteLeftMs } from './session-minute.ts';

const at = (time: string): number => Date.parse(`2026-11-19T${time}Z`);

describe('the minute in which a session began', () => {
  test('it is waited for until its end, and not a moment longer', () => {
    expect(minuteLeftMs(at('12:51:02.000'), at('12:51:58.500'))).toBe(1_500);
    expect(minuteLeftMs(at('12:51:59.999'), at('12:52:00.000'))).toBe(0);
    expect(minuteLeftMs(at('12:51:02.000'), at('15:00:00.000'))).toBe(0);
  });

  test('a clock that was set back by an hour makes nobody wait for more than a minute', () => {
    expect(minuteLeftMs(at('12:51:02.000'), at('11:51:02.000'))).toBe(60_000);
  });
});
