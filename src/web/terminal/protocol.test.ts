// What is written as a frame is read back, and what is no frame is null.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeBinaryFrame, encodeBinaryFrame } from './protocol.ts';

it('a frame is read back as it was written', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(fc.nat(255), name, fc.uint8Array(), (msgType, text, payload) => {
      const agentName = text.toWellFormed();
      const read = decodeBinaryFrame(encodeBinaryFrame(msgType, agentName, payload));
      expect(read).toEqual({ msgType, agentName, payload: new Uint8Array(payload) });
    }),
  );
});

it('any bytes are a frame or null', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
      const read = decodeBinaryFrame(new Uint8Array(bytes));
      if (read !== null) expect(read.agentName).not.toBe('');
    }),
  );
});
