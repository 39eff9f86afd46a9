import { describe, expect, it } from 'vitest';
import { cast, type Scene } from './cast.ts';
import { screenBytes } from './screen-bytes.ts';
import { momentAt, msUntilNext } from './timeline.ts';

const story: readonly Scene[] = [
  { seconds: 2, screens: [] },
  { seconds: 4, screens: ['a', 'b'] },
  { seconds: 1, screens: ['c'] },
];

const at = (seconds: number): readonly unknown[] => {
  const { sceneCount, screen } = momentAt(story, seconds * 1_000);
  return [sceneCount, screen];
};

describe('momentAt', () => {
  it('follows the scenes, and alternates the screens of a scene', () => {
    expect(at(0)).toEqual([0, null]);
    expect(at(1.9)).toEqual([0, null]);
    expect(at(2)).toEqual([1, 'a']);
    expect(at(3.6)).toEqual([1, 'b']);
    expect(at(5.1)).toEqual([1, 'a']);
    expect(at(6)).toEqual([2, 'c']);
  });

  it('starts again after the last scene, and continues to count scenes', () => {
    expect(at(7)).toEqual([3, null]);
    expect(at(9.5)).toEqual([4, 'a']);
    expect(at(7_000_006)).toEqual([3_000_002, 'c']);
  });
});

describe('the cast', () => {
  it('has a recorded screen for every name, with the task in its title', () => {
    for (const { scenes, task } of cast) {
      for (const name of scenes.flatMap(({ screens }) => screens)) {
        const bytes = screenBytes(name, task);
        expect(bytes, name).toContain(task);
        expect(bytes, name).not.toMatch(/\^\[|\{task\}/);
      }
    }
  });

  it('shows every state in its first twenty seconds', () => {
    const shown = new Set<string>();
    for (let ms = 0; ms < 20_000; ms += 500) {
      for (const { scenes } of cast) {
        shown.add(momentAt(scenes, ms).screen?.replace(/^.*-/, '') ?? 'nothing');
      }
    }
    expect([...shown].sort()).toEqual([
      ...['completed', 'error', 'idle', 'nothing', 'running'],
      ...['waiting_approval', 'waiting_input'],
    ]);
  });
});

describe('msUntilNext', () => {
  const isNamed =
    (name: string) =>
    ({ screens }: Scene): boolean =>
      screens.includes(name);

  it('is how long the story takes to a scene, in the next round where it is over', () => {
    expect(msUntilNext(story, 500, isNamed('a'))).toBe(1_500);
    expect(msUntilNext(story, 500, isNamed('c'))).toBe(5_500);
    expect(msUntilNext(story, 6_500, isNamed('a'))).toBe(2_500);
    expect(msUntilNext(story, 2_500, isNamed('a'))).toBe(6_500);
    expect(msUntilNext(story, 500, isNamed('none'))).toBe(0);
  });
});
