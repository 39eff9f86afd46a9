// The lines of a transcript as records: from any place, in both directions, the same ones.

import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { LineRecords } from '../../src/agent-files/conversations/line-records.ts';
import { PrecededRecords } from '../../src/agent-files/conversations/preceded-records.ts';
import type { TranscriptRecord } from '../../src/agent-files/conversations/transcript-records.ts';
import { LocalFiles } from '../../src/agent-files/files/local-files.ts';
import type { MachineFiles } from '../../src/agent-files/files/machine-files.ts';

const LONG = 50;

function file(bytes: Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'agtmux-lines-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'lines'), bytes);
  return join(folder, 'lines');
}

/** A machine that returns a few bytes at a time. */
const slow = (bytes: Buffer): MachineFiles =>
  ({
    facts: async () => ({ size: bytes.length, modifiedAtMs: 0, inode: '1' }),
    read: async (_path: string, { offset, bytesMax }: { offset: number; bytesMax: number }) =>
      bytes.subarray(offset, offset + Math.min(bytesMax, 7_001)),
  }) as unknown as MachineFiles;

async function all(batches: AsyncIterable<readonly TranscriptRecord[]>, isBack = false) {
  const found: TranscriptRecord[] = [];
  for await (const records of batches) {
    if (isBack) found.unshift(...records);
    else found.push(...records);
  }
  return found;
}

it('forwards and backwards are the same records, whatever the lines are', async () => {
  const line = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc.constant(''),
    fc.constant('x'.repeat(LONG + 1)),
    fc.integer({ min: 1, max: 3 }).map((count) => 'é'.repeat(count * 9)),
  );
  const lines = fc.array(
    line.map((text) => text.replaceAll('\n', ' ')),
    { maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(lines, fc.boolean(), async (texts, isWhole) => {
      const bytes = Buffer.from(texts.join('\n') + (isWhole ? '\n' : ''));
      const records = new LineRecords(slow(bytes), 'x', () => null, LONG);
      const whole = isWhole ? texts : texts.slice(0, -1);
      const expected = whole
        .filter((text) => text !== '')
        .map((text) => (Buffer.byteLength(text) > LONG ? null : text.toWellFormed()));
      const forward = await all(records.forward(0));
      expect(forward.map(({ text }) => text)).toEqual(expected);
      expect(await all(records.back(bytes.length), true)).toEqual(forward);
      for (const record of forward) {
        expect(await records.at(record.position)).toEqual(record);
        expect((await all(records.forward(record.position)))[0]).toEqual(record);
        expect((await all(records.back(record.next), true)).at(-1)).toEqual(record);
      }
    }),
    { numRuns: 60 },
  );
});

it('lines that are longer than what is read at once are whole, or have no text', async () => {
  const texts = ['a', 'b'.repeat(200_000), 'c'.repeat(900_000), 'd'.repeat(3_000_000), 'e'];
  const bytes = Buffer.from(`${texts.join('\n')}\n`);
  const records = new LineRecords(new LocalFiles(), file(bytes), () => null, 1_000_000);
  const lengths = (await all(records.forward(0))).map(({ text }) => text?.length ?? null);
  expect(lengths).toEqual([1, 200_000, 900_000, null, 1]);
  const back = await all(records.back(bytes.length), true);
  expect(back.map(({ text }) => text?.length ?? null)).toEqual(lengths);
  expect(back.map(({ position }) => position)).toEqual([0, 2, 200_003, 1_100_004, 4_100_005]);
});

it('a line without its end waits for the rest', async () => {
  const path = file(Buffer.from('one\ntw'));
  const records = new LineRecords(new LocalFiles(), path);
  expect((await all(records.forward(0))).map(({ text }) => text)).toEqual(['one']);
  expect((await all(records.back(6), true)).map(({ text }) => text)).toEqual(['one']);
  appendFileSync(path, 'o\n');
  expect((await all(records.forward(4))).map(({ text }) => text)).toEqual(['two']);
  expect(await records.at(5)).toBeNull();
});

it('records know the one before them, from any place, in both directions', async () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 70_000 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(sizes, async (lengths) => {
      const texts = lengths.map((length, index) => `${index}`.padEnd(length + 1, 'x'));
      const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''));
      const records = new PrecededRecords(new LineRecords(slow(bytes), 'x'));
      const expected = texts.map((_, index) => texts[index - 1] ?? null);
      const forward = await all(records.forward(0));
      expect(forward.map(({ before }) => before)).toEqual(expected);
      expect(await all(records.back(bytes.length), true)).toEqual(forward);
      for (const record of forward) {
        expect(await records.at(record.position)).toEqual(record);
        const [next] = await all(records.forward(record.position));
        expect(next).toEqual(record);
      }
    }),
    { numRuns: 40 },
  );
});
