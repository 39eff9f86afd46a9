import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frameReader, sectionsOf } from './probe-frames.ts';

const SECRET = 'a1b2c3d4e5f6';
const bytes = fc.uint8Array().map((each) => Buffer.from(each).toString('latin1'));
const frameText = (body: string, number: number): string => `${body}\n${SECRET} ${number} 0\n`;

describe('the frames of a probe', () => {
  it('come out whole, however the output is cut', () => {
    const body = fc.oneof(
      fc.string(),
      fc.constantFrom('', '\n', `\n${SECRET}`, `${SECRET} 7`, `\n${SECRET} x 0\n`, '\n\n'),
    );
    fc.assert(
      fc.property(fc.array(body), fc.array(fc.nat(50)), (bodies, cuts) => {
        const all = bodies.map((each, index) => frameText(each, index)).join('');
        const reader = frameReader(SECRET, 10_000);
        const found: (string | null)[] = [];
        let at = 0;
        for (const cut of [...cuts, all.length]) {
          found.push(...reader.feed(all.slice(at, at + cut)).map((frame) => frame.body));
          at = Math.min(all.length, at + cut);
        }
        expect(found).toEqual(bodies);
      }),
    );
  });

  it('drop an answer that is too long, and not the next one', () => {
    const reader = frameReader(SECRET, 100);
    const frames = [];
    for (let count = 0; count < 50; count += 1) frames.push(...reader.feed('x'.repeat(99)));
    frames.push(...reader.feed(frameText('', 1)), ...reader.feed(frameText('next', 2)));
    expect(frames).toEqual([
      { number: 1, status: 0, body: null },
      { number: 2, status: 0, body: 'next' },
    ]);
  });
});

describe('the sections of an answer', () => {
  it('keep their bytes, and what came before the first is dropped', () => {
    const body = `noise\n${SECRET}.file one\na\n\nb\n${SECRET}.file two\n\n${SECRET}.end`;
    expect(sectionsOf(SECRET, body)).toEqual([
      { name: 'file', argument: 'one', body: 'a\n\nb' },
      { name: 'file', argument: 'two', body: '' },
      { name: 'end', argument: '', body: '' },
    ]);
  });

  it('are none for arbitrary bytes', () => {
    fc.assert(
      fc.property(bytes, (body) => {
        expect(sectionsOf(SECRET, body)).toEqual([]);
      }),
    );
  });
});
