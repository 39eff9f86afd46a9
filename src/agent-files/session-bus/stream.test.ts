import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventStream } from './stream.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

const eventsOf = (text: string, bytesMax = 1_000): readonly string[] =>
  new EventStream(bytesMax).push(bytesOf(text));

describe('a stream of events', () => {
  it('gives the same events however its bytes are split', () => {
    const text =
      'data: {"a":"é€😀"}\n\n: comment\nevent: x\ndata: one\r\ndata: two\r\n\r\ndata:3\n\n';
    const cuts = fc.array(fc.nat({ max: bytesOf(text).length }), { maxLength: 12 });
    fc.assert(
      fc.property(cuts, (places) => {
        const stream = new EventStream(1_000);
        const sorted = [0, ...places.toSorted((a, b) => a - b), bytesOf(text).length];
        const pieces = sorted.slice(1).map((to, at) => bytesOf(text).slice(sorted[at], to));
        expect(pieces.flatMap((piece) => stream.push(piece))).toEqual([
          '{"a":"é€😀"}',
          'one\ntwo',
          '3',
        ]);
      }),
    );
  });

  it('leaves out an event that is too long and gives the next', () => {
    const stream = new EventStream(50);
    const long = `data: ${'x'.repeat(30)}\n`.repeat(20_000);
    const events = [`data: 1\n\n${long}`, long, '\ndata: 2\n\n'].flatMap((text) =>
      stream.push(bytesOf(text)),
    );
    expect(events).toEqual(['1', '2']);
    expect(stream.skippedCount).toBe(1);
  });

  it('gives the next event after a line of a megabyte', () => {
    const stream = new EventStream(100);
    for (let piece = 0; piece < 1_000; piece += 1) stream.push(bytesOf('y'.repeat(1_000)));
    expect(stream.push(bytesOf('\n\ndata: after\n\n'))).toEqual(['after']);
  });

  it('gives no event for blocks without data', () => {
    expect(eventsOf('\n\n: ping\n\nid: 7\n\n')).toEqual([]);
  });
});
