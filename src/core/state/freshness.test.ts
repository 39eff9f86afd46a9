// Channel health by its beats alone: fresh for 3 s, stale until 15 s, then down.

import { describe, expect, test } from 'vitest';
import { config, T0 } from '../../../tests/scenario.ts';
import type { ChannelStatus } from '../../schema/state.ts';
import { channelStatus } from './freshness.ts';

describe('a channel that beat', () => {
  const cases: [number, ChannelStatus][] = [
    [-5, 'fresh'],
    [0, 'fresh'],
    [3_000, 'fresh'],
    [3_001, 'stale'],
    [15_000, 'stale'],
    [15_001, 'down'],
    [86_400_000, 'down'],
  ];
  test.each(cases)('%d ms ago is %s', (ageMs, status) => {
    expect(channelStatus(T0, T0 + ageMs, config)).toBe(status);
  });

  test('is judged by the constants of the world', () => {
    const slow = { ...config, channelFreshMs: 60_000, channelDownMs: 90_000 };
    expect(channelStatus(T0, T0 + 60_000, slow)).toBe('fresh');
    expect(channelStatus(T0, T0 + 60_001, slow)).toBe('stale');
    expect(channelStatus(T0, T0 + 90_001, slow)).toBe('down');
  });
});
