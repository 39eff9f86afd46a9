// Lines and requests out of arbitrary bytes: nothing throws, nothing is lost, limits hold.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineReader } from '../platform/text/line-reader.ts';
import { parseRequest, problemLine, resultLine } from './json-rpc.ts';

const someBytes = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0x0a, 0x7b, 0x22)), {
    maxLength: 200,
  })
  .map((bytes) => Buffer.from(bytes));

/** Cuts bytes at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort(
    (a, b) => a - b,
  );
  return [...sorted, bytes.length].map((end, index) => bytes.subarray(sorted[index - 1] ?? 0, end));
}

describe('lines', () => {
  test('are the same however the bytes were cut', () => {
    fc.assert(
      fc.property(someBytes, fc.array(fc.nat(400), { maxLength: 10 }), (bytes, places) => {
        const reader = new LineReader(10_000);
        const lines = cut(bytes, places).flatMap((piece) => reader.push(piece) ?? []);
        const expected = bytes.toString('latin1').split('\n');
        const rest = expected.pop() ?? '';
        expect(lines.map((line) => line.toString('latin1'))).toEqual(expected);
        expect(reader.isInside).toBe(rest.length > 0);
      }),
    );
  });

  test('longer than the limit are refused, complete or not', () => {
    const line = (length: number) => Buffer.from('x'.repeat(length));
    expect(new LineReader(10).push(line(10))).toEqual([]);
    expect(new LineReader(10).push(line(11))).toBeNull();
    expect(new LineReader(10).push(Buffer.concat([line(11), Buffer.from('\n')]))).toBeNull();
    const reader = new LineReader(10);
    expect(reader.push(line(6))).toEqual([]);
    expect(reader.push(Buffer.from('12345\n'))).toBeNull();
  });
});

describe('requests', () => {
  test('any bytes are a request or a problem with a code of JSON-RPC', () => {
    fc.assert(
      fc.property(someBytes, (bytes) => {
        const parsed = parseRequest(bytes);
        if (parsed.kind === 'broken')
          expect([-32700, -32600, -32602]).toContain(parsed.problem.rpcCode);
      }),
    );
  });

  test('any JSON is a request or a problem, and its reply is one line', () => {
    fc.assert(
      fc.property(fc.json(), fc.string(), (text, message) => {
        const parsed = parseRequest(Buffer.from(text));
        expect(parsed.kind).toBe('broken');
        const problem = { rpcCode: -1, code: 'x', message, hint: message };
        expect(problemLine(message, problem).indexOf('\n')).toBe(
          problemLine(message, problem).length - 1,
        );
        expect(JSON.parse(resultLine(message, { message }))).toMatchObject({
          id: message,
          result: { message },
        });
      }),
    );
  });

  test('keep their id, their method and their params', () => {
    const line = Buffer.from('{"jsonrpc":"2.0","id":0,"method":"m","params":{"a":1}}');
    expect(parseRequest(line)).toEqual({ kind: 'request', id: 0, method: 'm', params: { a: 1 } });
    const silent = Buffer.from('{"jsonrpc":"2.0","method":"m"}');
    expect(parseRequest(silent)).toMatchObject({ kind: 'request', id: undefined });
    const nobody = Buffer.from('{"jsonrpc":"2.0","id":null,"method":"m"}');
    expect(parseRequest(nobody)).toMatchObject({ kind: 'request', id: null });
  });
});
