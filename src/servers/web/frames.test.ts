// Binary frames out of arbitrary bytes: nothing throws, and what was written is read back.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { frame, readFrame, readResize, readUpload } from './frames.ts';

it('a frame is read back as it was written', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(fc.nat(255), name, fc.uint8Array(), (type, agent, payload) => {
      const well = agent.toWellFormed();
      expect(readFrame(frame(type, agent, payload))).toEqual({
        ...{ ok: true, type, agent: well, payload: Buffer.from(payload) },
      });
    }),
  );
});

it('any bytes are a frame or a sentence about what is wrong', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const read = readFrame(Buffer.from(bytes));
      if (!read.ok) expect(read.error).toMatch(/^invalid binary message: /);
      readUpload(Buffer.from(bytes));
      readResize(Buffer.from(bytes));
    }),
  );
});

it.each([
  ['', 'frame too short'],
  ['\x02a', 'frame too short'],
  ['\x02abc', 'missing agent separator'],
  ['\x02\0abc', 'missing agent name'],
])('%j: %s', (bytes, error) => {
  expect(readFrame(Buffer.from(bytes))).toEqual({
    ok: false,
    error: `invalid binary message: ${error}`,
  });
});

it.each([
  ['80:24', { cols: 80, rows: 24 }],
  ['80', { error: 'expected cols:rows' }],
  ['80:24:1', { error: 'expected cols:rows' }],
  ['80:x', { error: 'non-numeric cols/rows' }],
  ['1:24', { error: '1x24 out of range' }],
  ['80:0', { error: '80x0 out of range' }],
  ['80:-4', { error: '80x-4 out of range' }],
  ['99999:24', { error: '99999x24 out of range' }],
])('the size %j', (text, size) => {
  expect(readResize(Buffer.from(text))).toEqual(size);
});

it('an upload has a name, a type and bytes, which may hold zeros', () => {
  expect(readUpload(Buffer.from('a.png\0image/png\0\x01\0\x02'))).toEqual({
    fileName: 'a.png',
    mimeType: 'image/png',
    bytes: Buffer.from('\x01\0\x02'),
  });
  expect(readUpload(Buffer.from('a.png\0image/png'))).toBeNull();
});
