// A scripted day: 500 changes of rows give exactly the notifications of the policy table, each with
// its reason, however often the daemon restarts.

import { describe, expect, it } from 'vitest';
import { isLong } from '../length.ts';
import { scenes } from './day-scenes.ts';
import { expectedLines, planDay, ScriptedDay, transitionCount } from './scripted-day.ts';

/** A long run restarts a thousand times. */
const LONG_MS = 300_000;

const day = planDay();
const expected = expectedLines(day);
const notified = expected.filter((line) => !line.endsWith(' -'));
const numbers = [...new Set(notified.map((line) => Number(line.split(' ').at(-1))))];

/** Each change in a long run; else every seventh, which comes to each scene in turn. */
const isTurn = (index: number): boolean => isLong || index % 7 === 0;

/** Lines of one moment may come in any order. */
const inOrder = (lines: readonly string[]): readonly string[] =>
  lines.toSorted((a, b) => Number.parseFloat(a) - Number.parseFloat(b) || (a < b ? -1 : 1));

describe('a day of 500 changes', () => {
  it('has every scene of the table, and every reason', () => {
    expect(transitionCount(day)).toBe(500);
    const played = new Set(day.map(({ scene }) => scene.name));
    expect(scenes.filter(({ name }) => !played.has(name))).toEqual([]);
    const reasons = new Set(expected.map((line) => line.split(' ')[3]));
    expect([...reasons].sort()).toEqual([
      ...['at_once', 'cooldown_over', 'digest', 'dwell', 'gone', 'kind_off', 'left', 'mute_over'],
      ...['muted', 'off', 'old', 'open_before', 'over', 'seen', 'snooze_over', 'still_open'],
      'subagent',
    ]);
  });

  it('gives exactly the notifications of the table, each with its reason', async () => {
    const played = new ScriptedDay();
    await played.play(day);
    expect(inOrder(played.lines())).toEqual(inOrder(expected));
    const each = numbers.flatMap((number) => [`${number}:first`, `${number}:second`]);
    expect(played.arrived.toSorted()).toEqual(each.toSorted());
    expect(played.deliveries().filter(({ status }) => status !== 'delivered')).toEqual([]);
    expect(played.faults).toEqual([]);
  });

  it.each<[string, (index: number) => readonly number[]]>([
    ['once, in the middle', (index) => (index === 250 ? [0] : [])],
    ['right after many changes', (index) => (isTurn(index) ? [0] : [])],
    [
      'half a second, and three and a half, after many changes',
      (index) => (isTurn(index) ? [500, 3_500] : []),
    ],
  ])(
    'repeats none and loses none when the daemon restarts %s',
    async (_when, restarts) => {
      const played = new ScriptedDay();
      await played.play(day, restarts);
      expect(played.restartCount).toBeGreaterThan(0);
      expect(inOrder(played.lines())).toEqual(inOrder(expected));
      const each = numbers.flatMap((number) => [`${number}:first`, `${number}:second`]);
      expect(played.arrived.toSorted()).toEqual(each.toSorted());
      expect(played.faults).toEqual([]);
    },
    LONG_MS,
  );
});
