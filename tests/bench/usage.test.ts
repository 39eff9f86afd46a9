// How the benches read the memory of a process from /proc.

import { describe, expect, it } from 'vitest';
import { parseSmaps } from '../../bench/live/usage.ts';

const NODE = '/place with spaces/node';

function mapping(path: string, figures: Readonly<Record<string, number>>): string {
  const lines = Object.entries(figures).map(
    ([name, kilobytes]) => `${`${name}:`.padEnd(16)}${String(kilobytes).padStart(8)} kB`,
  );
  const head = `55979109b000-55979109d000 r-xp 00002000 fe:00 260386`;
  return [`${head}                     ${path}`, ...lines, 'VmFlags: rd mr mw me'].join('\n');
}

describe('the memory of a process', () => {
  it('is the sum of its shares, and apart from them the clean pages of its program', () => {
    const smaps = [
      mapping(NODE, { Size: 900, Rss: 700, Pss: 600, Pss_Dirty: 0, Anonymous: 0 }),
      mapping(NODE, { Size: 90, Rss: 80, Pss: 70, Anonymous: 50 }),
      mapping('[heap]', { Rss: 300, Pss: 300, Anonymous: 300, SwapPss: 9 }),
      mapping('', { Rss: 40, Pss: 40, Anonymous: 40 }),
      mapping('/lib/libc.so.6', { Rss: 500, Pss: 10, Anonymous: 2 }),
    ].join('\n');
    expect(parseSmaps(smaps, NODE)).toEqual({ totalKb: 1_020, programKb: 620 });
  });

  it('is nothing for a process that has ended', () => {
    expect(parseSmaps('', NODE)).toEqual({ totalKb: 0, programKb: 0 });
  });
});
