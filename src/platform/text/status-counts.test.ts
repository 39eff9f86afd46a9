import { describe, expect, it } from 'vitest';
import { statusCounts } from './status-counts.ts';

const plain = { markOf: ([wide]: readonly [string, string]) => wide, withColors: false };

describe('statusCounts', () => {
  it('puts the most urgent state first and leaves out idle and unknown', () => {
    const byState = { running: 3, waiting_approval: 2, idle: 9, unknown: 4, completed: 1 };
    expect(statusCounts(byState, plain)).toBe('2! 3> 1✓');
    expect(statusCounts({ idle: 2 }, plain)).toBe('');
  });

  it('colours for tmux and writes ASCII marks on request', () => {
    const ascii = { markOf: ([, narrow]: readonly [string, string]) => narrow, withColors: true };
    expect(statusCounts({ error: 1 }, ascii)).toBe('#[fg=white bg=red bold]1x#[default]');
  });

  it('prints only numbers and marks, whatever the input', () => {
    const hostile = { running: '#(touch x)' as unknown as number, error: Number.NaN };
    expect(statusCounts(hostile, plain)).toBe('');
  });
});
