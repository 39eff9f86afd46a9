import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bootPinsIn } from './boot-pins.ts';

describe('the boots of the fleet', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'agtmux-boots-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('are remembered over a restart', () => {
    const file = join(folder, 'state', 'boots.json');
    expect(bootPinsIn(file).get('a')).toBeUndefined();
    bootPinsIn(file).set('a', 1_000);
    expect(bootPinsIn(file).get('a')).toBe(1_000);
  });

  it('are bounded, the oldest forgotten first', () => {
    const file = join(folder, 'boots.json');
    const pins = bootPinsIn(file);
    for (let count = 0; count < 300; count += 1) pins.set(`boot-${count}`, count);
    expect(bootPinsIn(file).get('boot-0')).toBeUndefined();
    expect(bootPinsIn(file).get('boot-299')).toBe(299);
  });

  it.each(['', '{', '{}', '[["a"],[1,2],["b",3]]'])('survive the damaged file %j', (text) => {
    const file = join(folder, 'boots.json');
    writeFileSync(file, text);
    expect(bootPinsIn(file).get('a')).toBeUndefined();
    expect(bootPinsIn(file).get('b')).toBe(text.includes('"b"') ? 3 : undefined);
  });
});
