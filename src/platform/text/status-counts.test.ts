import { describe, expect, it } from 'vitest';
import { statusCounts } from './status-counts.ts';

const plain = { markOf: ([wide]: readonly [string, string]) => wide, withColors: false };

describe('the counts of a status bar', () => {
  it('come in the order of need, without what needs nobody', () => {
    const byState = { running: 3, waiting_approval: 2, idle: 9, unknown: 4, completed: 1 };
    expect(statusCounts(byState, plain)).toBe('2! 3> 1✓');
    expect(statusCounts({ idle: 2 }, plain)).toBe('');
  });

  it('can be coloured for tmux and written in ASCII', () => {
    const ascii = { markOf: ([, narrow]: readonly [string, string]) => narrow, withColors: true };
    expect(statusCounts({ error: 1 }, ascii)).toBe('#[fg=red]1x#[default]');
  });

  it('are numbers and marks whatever they are made of', () => {
    const hostile = { running: '#(touch x)' as unknown as number, error: Number.NaN };
    expect(statusCounts(hostile, plain)).toBe('');
  });
});
