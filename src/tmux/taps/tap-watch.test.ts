// The reports of taps, merged: interleaved panes, windows linked twice, bounds, forgetting.

import { expect, test } from 'vitest';
import { type FlowRequest, TapWatch } from './tap-watch.ts';

const osc = (text: string): string => `\u001b]3008;${text}\u0007`;

test('panes that print in turns keep their own half-read signals', () => {
  const watch = new TapWatch('/s');
  const print = (paneId: string, bytes: string): void =>
    void watch.onOutput({ sessionId: '$0', paneId, bytes, atMs: 5 });
  print('%1', '\u001b]3008;state=');
  print('%2', 'plain \u001b]0;title');
  print('%1', 'running');
  print('%2', '\u0007\u0007');
  expect(watch.pending.isUrgent()).toBe(true);
  print('%1', '\u001b\\');
  const afterMs = 60;
  expect(watch.take(afterMs)).toEqual({
    server: '/s',
    changed: ['%1', '%2'],
    news: ['%2', '%1'],
    titled: ['%2'],
    bells: ['%2'],
    gaps: [],
    osc: [{ paneId: '%1', number: 3008, text: 'state=running', atMs: 5 }],
    closed: [],
    failed: [],
    opened: [],
  });
  expect(watch.pending.isEmpty()).toBe(true);
});

test('output that ends in the middle of something is no news before it could go on', () => {
  const watch = new TapWatch('/s');
  const print = (bytes: string, atMs: number): void =>
    void watch.onOutput({ sessionId: '$0', paneId: '%1', bytes, atMs });
  print('\rworking\r\r', 0);
  expect(watch.take(0).news).toEqual(['%1']);
  watch.take(100);
  print('work', 200);
  expect(watch.take(200)).toMatchObject({ changed: ['%1'], news: [] });
  print('ing\r', 210);
  expect(watch.take(300)).toMatchObject({ changed: ['%1'], news: [] });
  expect(watch.pending.isEmpty()).toBe(true);
  print('Proceed? ', 400);
  expect(watch.take(400)).toMatchObject({ changed: ['%1'], news: [] });
  print('(y/n) ', 499);
  expect(watch.take(500)).toMatchObject({ changed: ['%1'], news: ['%1'] });
});

test('mere output is not urgent', () => {
  const watch = new TapWatch('/s');
  watch.onOutput({ sessionId: '$0', paneId: '%1', bytes: 'x', atMs: 0 });
  expect([watch.pending.isUrgent(), watch.pending.isEmpty()]).toEqual([false, false]);
});

test('a linked window counts once, and through the other tap when the first falls silent', () => {
  const watch = new TapWatch('/s');
  const print = (sessionId: string, text: string, atMs: number): void =>
    void watch.onOutput({ sessionId, paneId: '%1', bytes: osc(text), atMs });
  print('$0', 'state=running', 0);
  print('$1', 'state=running', 1);
  print('$0', 'state=idle', 2);
  print('$1', 'state=idle', 3);
  const first = watch.take(3);
  expect(first.osc.map(({ text }) => text)).toEqual(['state=running', 'state=idle']);
  print('$1', 'state=running', 2_000);
  expect(watch.take(2_000)).toMatchObject({ gaps: ['%1'], osc: [{ text: 'state=running' }] });
  watch.onClosed('$1');
  print('$0', 'state=idle', 2_001);
  expect(watch.take(2_001)).toMatchObject({ closed: ['$1'], gaps: [], osc: [{ atMs: 2_001 }] });
});

const signals = (from: number, count: number): string =>
  Array.from({ length: count }, (_, index) => osc(`state=${from + index}`)).join('');

test('more signals than fit are a gap of their pane, and the newest of them are reported', () => {
  const watch = new TapWatch('/s');
  watch.onOutput({ sessionId: '$0', paneId: '%1', bytes: signals(0, 600), atMs: 0 });
  watch.onOutput({ sessionId: '$0', paneId: '%2', bytes: signals(0, 1), atMs: 0 });
  const { osc: kept, gaps } = watch.take(0);
  expect(gaps).toEqual(['%1']);
  expect(kept.filter(({ paneId }) => paneId === '%2')).toHaveLength(1);
  const ofFirst = kept.filter(({ paneId }) => paneId === '%1').map(({ text }) => text);
  expect(ofFirst).toHaveLength(16);
  expect([ofFirst.at(0), ofFirst.at(-1)]).toEqual(['state=584', 'state=599']);
});

test('signals of very many panes are bounded together', () => {
  const watch = new TapWatch('/s');
  for (let pane = 0; pane < 100; pane += 1) {
    const paneId = `%${pane}`;
    watch.onOutput({ sessionId: '$0', paneId, bytes: signals(0, 10), atMs: 0 });
  }
  const { osc: kept, gaps } = watch.take(0);
  expect(kept).toHaveLength(512);
  expect(kept.at(-1)).toMatchObject({ paneId: '%99', text: 'state=9' });
  expect(gaps).toHaveLength(49);
});

test('an endless stream of signals is reported at a limited rate, the last one included', () => {
  const watch = new TapWatch('/s');
  const reported: string[] = [];
  let sent = 0;
  let atMs = 0;
  for (; atMs < 10_000; atMs += 10) {
    watch.onOutput({ sessionId: '$0', paneId: '%1', bytes: signals(sent, 5), atMs });
    sent += 5;
    const report = watch.take(atMs);
    reported.push(...report.osc.map(({ text }) => text));
    if (report.osc.length < 5) expect(report.gaps).toEqual(['%1']);
  }
  expect(reported.length).toBeGreaterThan(40);
  expect(reported.length).toBeLessThanOrEqual(16 + 40);
  // It falls silent: its last signal is not lost, and not reported before its time either.
  expect(watch.pending.isEmpty()).toBe(false);
  expect(watch.pending.isUrgent()).toBe(false);
  for (const endMs = atMs + 500; atMs < endMs; atMs += 10) {
    reported.push(...watch.take(atMs).osc.map(({ text }) => text));
  }
  expect(reported.at(-1)).toBe(`state=${sent - 1}`);
  expect(new Set(reported).size).toBe(reported.length);
  expect(watch.pending.isEmpty()).toBe(true);
});

test('a signal that was half read before a gap is dropped', () => {
  const watch = new TapWatch('/s');
  const print = (bytes: string): void =>
    void watch.onOutput({ sessionId: '$0', paneId: '%1', bytes, atMs: 0 });
  print('\u001b]3008;state=run');
  watch.onPause('$1', '%1');
  print('ning\u0007');
  expect(watch.take(0)).toMatchObject({ osc: [], gaps: ['%1'], bells: ['%1'] });
});

/** Repaints far more than the budget for so long, ten times a second, unless it is paused. */
function repaint(watch: TapWatch, fromMs: number, forMs: number): readonly FlowRequest[] {
  const asks: FlowRequest[] = [];
  for (let atMs = fromMs; atMs < fromMs + forMs; atMs += 100) {
    const bytes = `\r${'working '.repeat(2_500)}\r`;
    watch.onOutput({ sessionId: '$0', paneId: '%1', bytes, atMs });
    asks.push(...watch.turn(atMs));
    watch.take(atMs);
  }
  return asks;
}

test('a pane that repaints far too much is paused and resumed in turns', () => {
  const watch = new TapWatch('/s');
  const requests = repaint(watch, 0, 20_000);
  expect(requests.slice(0, 3).map(({ how }) => how)).toEqual(['pause', 'continue', 'pause']);
  expect(requests.every(({ sessionId, paneId }) => `${sessionId} ${paneId}` === '$0 %1')).toBe(
    true,
  );
});

test('a pane that we paused is captured, and not resumed by its own pause', () => {
  const watch = new TapWatch('/s');
  repaint(watch, 0, 5_000);
  expect(watch.hasNoPausedPane()).toBe(false);
  expect(watch.onPause('$0', '%1')).toEqual([]);
  // A second tap of its window was too slow: it is not we who paused it there.
  expect(watch.onPause('$7', '%1')).toEqual([{ sessionId: '$7', paneId: '%1', how: 'continue' }]);
  watch.turn(7_000);
  const { gaps, changed } = watch.take(7_000);
  expect([gaps, changed]).toEqual([['%1'], ['%1']]);
});

test('a line that a pause has cut is no news, neither its start nor its rest', () => {
  const watch = new TapWatch('/s');
  repaint(watch, 0, 3_000);
  watch.onOutput({ sessionId: '$0', paneId: '%1', bytes: 'working wor', atMs: 3_000 });
  expect(watch.turn(3_000)).toMatchObject([{ how: 'pause' }]);
  for (let atMs = 3_100; atMs < 10_000; atMs += 100) {
    watch.turn(atMs);
    expect(watch.take(atMs).news).toEqual([]);
  }
  expect(watch.hasNoPausedPane()).toBe(true);
  watch.onOutput({ sessionId: '$0', paneId: '%1', bytes: 'king working\r', atMs: 10_000 });
  expect(watch.take(10_100).news).toEqual([]);
});

test('a pane that was paused for very long, as over a sleep, is resumed', () => {
  const watch = new TapWatch('/s');
  repaint(watch, 0, 5_000);
  expect(watch.hasNoPausedPane()).toBe(false);
  watch.take(500_000);
  expect(watch.turn(500_000)).toContainEqual({ sessionId: '$0', paneId: '%1', how: 'continue' });
});

test('a pane whose tap was closed does not count as paused', () => {
  const watch = new TapWatch('/s');
  repaint(watch, 0, 5_000);
  watch.onLeft('$0');
  expect(watch.hasNoPausedPane()).toBe(true);
  watch.onOutput({ sessionId: '$1', paneId: '%1', bytes: 'other\r', atMs: 5_100 });
  expect(watch.take(6_000).news).toEqual(['%1']);
});

test('a pane that floods is paused, captured when it is resumed, and then read on', () => {
  const watch = new TapWatch('s');
  const output = { sessionId: '$0', paneId: '%1' };
  expect(watch.onOutput({ ...output, bytes: 'x', atMs: 0 })).toEqual([]);
  const pause = { ...output, how: 'pause' };
  expect(watch.onOutput({ ...output, bytes: 'y'.repeat(300_000), atMs: 1 })).toEqual([pause]);
  expect(watch.onOutput({ ...output, bytes: 'z'.repeat(300_000), atMs: 2 })).toEqual([]);
  watch.take(3);
  expect(watch.turn(1_500)).toEqual([{ ...output, how: 'continue' }]);
  expect(watch.take(1_500).gaps).toEqual(['%1']);
  watch.onOutput({ ...output, bytes: '\u0007', atMs: 1_600 });
  expect(watch.take(1_601).bells).toEqual(['%1']);
});
