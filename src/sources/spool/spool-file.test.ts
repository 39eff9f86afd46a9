import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ingestEventSchema } from '../../schema/api/ingest.ts';
import { id, type TargetId } from '../../schema/ids.ts';
import { readSpoolFile } from './spool-file.ts';
import { REPLY_SOURCE, repliesIn } from './spool-reply.ts';

const eventId = '1794745064519963-2924';
const name = `${eventId}.event`;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const file = (headers: readonly string[], payload = ''): Uint8Array =>
  bytes(
    `${['agtmux-event 1', `id: ${eventId}`, 'source: s', ...headers].join('\n')}\n\n${payload}`,
  );
const problemOf = (fileName: string, content: Uint8Array): string | null => {
  const reading = readSpoolFile(fileName, content);
  return typeof reading === 'string' ? reading : null;
};

describe('a spool file', () => {
  it('becomes an event, and nothing in it is guessed', () => {
    expect(readSpoolFile(name, file(['event: Stop']))).toEqual({
      ...{ event_id: eventId, dedupe_key: eventId },
      ...{ source: 's', type: 'Stop' },
    });
  });

  it('carries its time, its order, its session and its environment, and no pane of its own', () => {
    const headers = ['seq: 1794745064519963', 'time: 1794745064519963', 'pid: 31', 'session: a b'];
    const env = ['TMUX: /tmp/s,1,0', 'TMUX_PANE: %3'];
    const reading = readSpoolFile(name, file([...headers, ...env, 'event: Stop', 'later: x']));
    expect(reading).toMatchObject({
      source_seq: 1794745064519963,
      event_time_ms: 1794745064519,
      session_key: 'a b',
      env: { TMUX: '/tmp/s,1,0', TMUX_PANE: '%3' },
    });
    for (const key of ['later', 'pid', 'pane', 'server']) expect(reading).not.toHaveProperty(key);
  });

  it.each([
    ['the command line', ['event: Stop', 'state: done'], '{"hook_event_name":"Other"}', 'Stop'],
    ['the payload of hooks', ['state: done'], '{"hook_event_name":"Stop","type":"x"}', 'Stop'],
    ['the payload of notify', [], '{"type":"agent-turn-complete"}', 'agent-turn-complete'],
    ['the state', ['state: done'], '{"type":7}', 'done'],
    ['nobody', [], 'text', 'unnamed'],
  ])('has its name from %s', (_, headers, payload, type) => {
    expect(readSpoolFile(name, file(headers, payload))).toMatchObject({ type });
  });

  it.each([
    ['an object', '{"a":{"b":[1]}}\n', { a: { b: [1] } }],
    ['a list', '[1]', '[1]'],
    ['a cut object', '{"a":"b', '{"a":"b'],
    ['text with blank lines', 'a\n\nid: x', 'a\n\nid: x'],
    ['null', 'null', 'null'],
  ])('has %s as its payload', (_, text, payload) => {
    expect(readSpoolFile(name, file([], text))).toMatchObject({ payload });
  });

  it('leaves out values that fit no field and keeps the event', () => {
    const payload = JSON.stringify({ type: 'x'.repeat(500) });
    for (const session of ['s'.repeat(300), '']) {
      const odd = [`session: ${session}`, 'seq: 99999999999999999'];
      const reading = readSpoolFile(name, file(odd, payload));
      expect(reading).toMatchObject({ type: 'x'.repeat(128) });
      for (const key of ['session_key', 'source_seq']) expect(reading).not.toHaveProperty(key);
    }
  });

  it.each([
    ['of another name', '../1.event', file([])],
    ['of another id', '1794745064519963-1.event', file([])],
    ['of another version', name, bytes(`agtmux-event 2\nid: ${eventId}\nsource: s\n\n`)],
    ['that is empty', name, bytes('')],
    ['that ends within its headers', name, bytes(`agtmux-event 1\nid: ${eventId}\nsource: s\n`)],
    ['with a header twice', name, file(['event: a', 'event: b'])],
    ['with a header that is none', name, file(['event'])],
    ['with a control byte in a header', name, file(['event: a\u001bb'])],
    ['without a source', name, bytes(`agtmux-event 1\nid: ${eventId}\n\n`)],
    ['with endless headers', name, file([`x: ${'y'.repeat(20_000)}`])],
    ['with a hundred headers', name, file(Array.from({ length: 100 }, (_, n) => `x${n}: y`))],
  ])('%s is refused with a reason', (_, fileName, content) => {
    expect(problemOf(fileName, content)).toEqual(expect.any(String));
  });

  it('may be as deep as its text can be written again, and is refused where it is deeper', () => {
    const deep = (levels: number): Uint8Array =>
      bytes(
        `agtmux-event 1\nid: ${eventId}\nsource: ${REPLY_SOURCE}\nevent: m1\n\n` +
          `${'{"":'.repeat(levels)}1${'}'.repeat(levels)}`,
      );
    const reply = readSpoolFile(name, deep(500));
    if (typeof reply === 'string') throw new Error(reply);
    const { replies } = repliesIn([reply], id<TargetId>('local'));
    expect(replies[0]?.text).toHaveLength(2_501);
    for (const levels of [501, 20_000, 100_000]) {
      expect(problemOf(name, deep(levels))).toBe('its payload has more than 500 levels');
    }
  });

  it('never throws, and only gives what fits the schema', () => {
    const line = fc.oneof(
      fc.constantFrom('agtmux-event 1', `id: ${eventId}`, 'source: s', '', 'pid: 1', 'TMUX: /x'),
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc
        .tuple(fc.constantFrom('event', 'TMUX', 'time', 'session', '__proto__'), fc.string())
        .map(([key, value]) => `${key}: ${value}`),
    );
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 2_000 }),
      fc.array(line, { maxLength: 12 }).map((lines) => bytes(lines.join('\n'))),
      fc
        .tuple(fc.array(line, { maxLength: 3 }), fc.uint8Array({ maxLength: 200 }))
        .map(([lines, tail]) => Buffer.concat([file(lines.filter((each) => each !== '')), tail])),
    );
    let readCount = 0;
    fc.assert(
      fc.property(fc.oneof(fc.constant(name), fc.string()), content, (fileName, foreign) => {
        const reading = readSpoolFile(fileName, foreign);
        if (typeof reading === 'string') return reading.length < 500;
        readCount += 1;
        return ingestEventSchema.safeParse(reading).success;
      }),
      { numRuns: 3_000 },
    );
    // The property is about something: some of these files are good ones.
    expect(readCount).toBeGreaterThan(50);
  });
});
