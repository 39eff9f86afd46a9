// What was started in a pane without an agent, by the foreground of its terminal.

import { describe, expect, it } from 'vitest';
import { type ForegroundPane, ForegroundWatch } from './foreground-watch.ts';

const pane = (panePid: number): ForegroundPane => ({
  panePid,
  foreground: null,
  isSettling: false,
});

describe('a look at the foreground', () => {
  it('reports a pane when it changed and once more, and never at the first look', () => {
    const programs = new Map([
      [1, 'shell'],
      [2, 'shell'],
    ]);
    const watch = new ForegroundWatch((pid) => programs.get(pid) ?? null);
    const panes = [pane(1), pane(2)];
    const look = () => watch.changed(panes, watch.nextMs).map(({ panePid }) => panePid);
    expect(look()).toEqual([]);
    programs.set(2, 'agent');
    expect(look()).toEqual([2]);
    expect(look()).toEqual([2]);
    expect(look()).toEqual([]);
  });

  it('is taken within a second, and not more often than it is due', () => {
    const watch = new ForegroundWatch(() => 'shell');
    watch.changed([], 0);
    const { nextMs } = watch;
    expect(nextMs).toBeGreaterThan(500);
    expect(nextMs).toBeLessThan(1_000);
    const other = { ...pane(1), foreground: 'agent' };
    expect(watch.changed([other], nextMs - 1)).toEqual([]);
    expect(watch.changed([other], nextMs)).toEqual([other]);
  });

  it('is never due where the processes are those of another machine', () => {
    const watch = new ForegroundWatch(null);
    expect(watch.nextMs).toBe(Number.POSITIVE_INFINITY);
    expect(watch.changed([{ ...pane(1), foreground: 'x' }], 0)).toEqual([]);
  });
});
