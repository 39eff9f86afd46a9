import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frameReader, sectionsOf } from './probe-frames.ts';

const SECRET = 'a1b2c3d4e5f6';
const bytes = fc.uint8Array().map((each) => Buffer.from(each).toString('latin1'));
const frameText = (body: string, number: number): string => `${body}\n${SECRET} ${number} 0\n`;

describe('frameReader', () => {
  it('returns whole frames, however the output is cut', () => {
    const body = fc.oneof(
      fc.string(),
      fc.constantFrom('', '\n', `\n${SECRET}`, `${SECRET} 7`, `\n${SECRET} x 0\n`, '\n\n'),
    );
    fc.assert(
      fc.property(fc.array(body), fc.array(fc.nat(50)), (bodies, cuts) => {
        const all = bodies.map((each, index) => frameText(each, index)).join('');
        const reader = frameReader(SECRET);
        const found: string[] = [];
        let at = 0;
        for (const cut of [...cuts, all.length]) {
          found.push(...reader.feed(all.slice(at, at + cut)).map((frame) => frame.body));
          at = Math.min(all.length, at + cut);
        }
        expect(found).toEqual(bodies);
      }),
    );
  });

  it('searches each byte of a long answer once', () => {
    const chunk = 'x'.repeat(4_096);
    const reader = frameReader(SECRET);
    // Searched whole with each chunk, this would be 32 GB and not end in time.
    for (let each = 0; each < 4_000; each += 1) reader.feed(chunk);
    expect(reader.length).toBe(4_000 * chunk.length);
    const [frame] = reader.feed(frameText('', 1));
    expect(frame?.body.length).toBe(4_000 * chunk.length);
    expect(reader.length).toBe(0);
  });
});

describe('sectionsOf', () => {
  it('keeps the bytes of each section and drops what comes before the first', () => {
    const body = `noise\n${SECRET}.file one\na\n\nb\n${SECRET}.file two\n\n${SECRET}.end`;
    expect(sectionsOf(SECRET, body)).toEqual([
      { name: 'file', argument: 'one', body: 'a\n\nb' },
      { name: 'file', argument: 'two', body: '' },
      { name: 'end', argument: '', body: '' },
    ]);
  });

  it('finds no section in arbitrary bytes', () => {
    fc.assert(
      fc.property(bytes, (body) => {
        expect(sectionsOf(SECRET, body)).toEqual([]);
      }),
    );
  });
});
