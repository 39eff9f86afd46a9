// Repaints are told from news, spinners and counters aside; what comes back later is news again.

import { describe, expect, test } from 'vitest';
import { repaintMemory, withoutMotion } from './repaint-memory.ts';

const T0 = 1_000_000;

describe('what a pane prints', () => {
  test('is news once, and no more while it comes again with other digits', () => {
    const memory = repaintMemory();
    expect(memory.isNews('Working (1s)', T0)).toBe(true);
    for (let second = 2; second < 60; second += 1) {
      expect(memory.isNews(`Working (${second}s)`, T0 + second * 1_000)).toBe(false);
    }
  });

  test('is no news while a spinner goes round', () => {
    const memory = repaintMemory();
    const frames = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'];
    const news = Array.from({ length: 100 }, (_, index) =>
      memory.isNews(`${frames[index % frames.length]} busy`, T0 + index * 200),
    );
    expect(news.filter(Boolean)).toHaveLength(frames.length);
  });

  test('is news when it is a dialog, and when the work comes back after it', () => {
    const memory = repaintMemory();
    memory.isNews('Working', T0);
    expect(memory.isNews('Allow? 1. Yes 2. No', T0 + 100)).toBe(true);
    expect(memory.isNews('Working', T0 + 10_000)).toBe(true);
  });

  test('is news when it comes back at once after another scene', () => {
    const memory = repaintMemory();
    const work = `${'.'.repeat(400)}Working`;
    memory.isNews(work, T0);
    memory.isNews(`${'.'.repeat(900)}Allow?`, T0 + 100);
    expect(memory.isNews(work, T0 + 200)).toBe(true);
    expect(memory.isNews(work, T0 + 300)).toBe(false);
  });

  test('is kept for so many pictures only', () => {
    const memory = repaintMemory();
    for (let count = 0; count < 1_000; count += 1) {
      memory.isNews(String.fromCharCode(0x100 + count), T0);
    }
    expect(memory.isNews(String.fromCharCode(0x100), T0)).toBe(true);
    expect(memory.isNews(String.fromCharCode(0x100 + 999), T0)).toBe(false);
  });
});

describe('a title', () => {
  test.each([
    ['⠋ proj', '⠙ proj'],
    ['[ ! ] Action Required', '[ . ] Action Required'],
    ['Working (3s)', 'Working (14s)'],
  ])('that only moves is the same: %s, %s', (before, after) => {
    expect(withoutMotion(before)).toBe(withoutMotion(after));
  });

  test.each([
    ['⠂ Lab session', '✳ Lab session'],
    ['✦  Working… (proj)', '✋  Action Required (proj)'],
    ['⠋ proj', '[ ! ] Action Required | proj'],
    ['⠹ proj', 'proj'],
  ])('that says something else is another: %s, %s', (before, after) => {
    expect(withoutMotion(before)).not.toBe(withoutMotion(after));
  });
});
