// Repaints are not news, spinners and counters aside; what comes back later is news again.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { repaintMemory, withoutMotion } from './repaint-memory.ts';

const T0 = 1_000_000;
const CLEAR = '\u001b[2K\r';

describe('what a pane prints', () => {
  test('is news once, and no more while it comes again with other digits', () => {
    const memory = repaintMemory();
    expect(memory.isNews(`${CLEAR}Working (1s)${CLEAR}`, T0)).toBe(true);
    for (let second = 2; second < 60; second += 1) {
      const line = `${CLEAR}Working (${second}s)${CLEAR}`;
      expect(memory.isNews(line, T0 + second * 1_000)).toBe(false);
    }
  });

  test('is no news while a spinner goes round', () => {
    const memory = repaintMemory();
    const frames = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'];
    const news = Array.from({ length: 100 }, (_, index) =>
      memory.isNews(`${CLEAR}${frames[index % frames.length]} busy${CLEAR}`, T0 + index * 200),
    );
    expect(news.filter(Boolean)).toHaveLength(frames.length);
  });

  test('is no news wherever it is cut and joined, once it was printed', () => {
    const line = (index: number): string => `\u001b[${index};1H\u001b[3${index}mline ${index}`;
    const whole = Array.from({ length: 5 }, (_, index) => line(index)).join('') + CLEAR;
    const twice = whole + whole;
    fc.assert(
      fc.property(fc.array(fc.nat({ max: twice.length }), { maxLength: 6 }), (cuts) => {
        const memory = repaintMemory();
        memory.isNews(twice, T0);
        const places = [0, ...cuts.toSorted((a, b) => a - b), twice.length];
        const parts = places.slice(1).map((end, index) => twice.slice(places[index], end));
        expect(parts.map((part) => memory.isNews(part, T0 + 100))).not.toContain(true);
        expect(memory.isEndNews(T0 + 100)).toBe(false);
        expect(memory.isNews(`another${CLEAR}`, T0 + 200)).toBe(true);
      }),
    );
  });

  test('is news before it is completed, as long as nothing follows', () => {
    const memory = repaintMemory();
    memory.isNews(`${CLEAR}${CLEAR}`, T0);
    expect(memory.isEndNews(T0 + 100)).toBe(false);
    expect(memory.isNews('Proceed? ', T0 + 100)).toBe(false);
    expect(memory.isEndNews(T0 + 100)).toBe(true);
  });

  test('is news when it is a dialog, and when the work comes back after it', () => {
    const memory = repaintMemory();
    memory.isNews(`${CLEAR}Working${CLEAR}`, T0);
    expect(memory.isNews(`${CLEAR}Allow? 1. Yes 2. No${CLEAR}`, T0 + 100)).toBe(true);
    expect(memory.isNews(`${CLEAR}Working${CLEAR}`, T0 + 10_000)).toBe(true);
  });

  test('is news when it comes back at once after another scene', () => {
    const memory = repaintMemory();
    const work = `${CLEAR}${'.'.repeat(400)}Working${CLEAR}`;
    memory.isNews(work, T0);
    memory.isNews(`${CLEAR}${'.'.repeat(900)}Allow?${CLEAR}`, T0 + 100);
    expect(memory.isNews(work, T0 + 200)).toBe(true);
    expect(memory.isNews(work, T0 + 300)).toBe(false);
  });

  test('is remembered up to a number of pieces', () => {
    const memory = repaintMemory();
    const first = `${CLEAR}first${CLEAR}`;
    memory.isNews(first, T0);
    for (let count = 0; count < 1_000; count += 1) {
      memory.isNews(`\n${String.fromCharCode(0x100 + count)}\n`, T0 + 1);
    }
    expect(memory.isNews(first, T0 + 2)).toBe(true);
    expect(memory.isNews(`first${CLEAR}`, T0 + 3)).toBe(false);
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
