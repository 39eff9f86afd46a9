// The folder of uploads stays within its age and its quota, and keeps what is not ours.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { fileNameOf, keepIn, keepUpload } from './upload-folder.ts';

const DAY_MS = 86_400_000;
const NOW_MS = 1_800_000_000_000;

function open() {
  const top = mkdtempSync(join(tmpdir(), 'agtmux-uploads-'));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const folders = { workDir: join(top, 'work'), ownFolder: join(top, 'own') };
  mkdirSync(folders.workDir);
  const keep = (name: string, nowMs: number) =>
    keepUpload({ fileName: fileNameOf(name, nowMs), bytes: Buffer.from('x'), nowMs }, folders);
  return { folders, keep };
}

it('files of ours go after seven days, and others stay', () => {
  const { folders, keep } = open();
  const old = keep('old.bin', NOW_MS - 7 * DAY_MS - 1);
  const recent = keep('recent.bin', NOW_MS - 6 * DAY_MS);
  const foreign = join(folders.workDir, '.agtmux', 'uploads', 'mine.txt');
  writeFileSync(foreign, 'mine');
  keep('new.bin', NOW_MS);
  expect([old, recent, foreign].map((path) => existsSync(path))).toEqual([false, true, true]);
});

it('the oldest go where all together would be too many bytes', () => {
  const { keep } = open();
  const [first, second] = [keep('first.bin', NOW_MS - 2), keep('second.bin', NOW_MS - 1)];
  for (const path of [first, second]) truncateSync(path, 150 * 1024 * 1024);
  const third = keep('third.bin', NOW_MS);
  expect([first, second, third].map((path) => existsSync(path))).toEqual([false, true, true]);
});

it('a folder that cannot be made is replaced by ours, and a file is never written over', () => {
  const { folders, keep } = open();
  writeFileSync(join(folders.workDir, '.agtmux'), 'a file');
  const [one, other] = [keep('same.bin', NOW_MS), keep('same.bin', NOW_MS)];
  expect(one.startsWith(`${folders.ownFolder}/`)).toBe(true);
  expect(one).not.toBe(other);
  expect(readdirSync(folders.ownFolder)).toHaveLength(2);
});

it('a name of any length and script is kept with its end', () => {
  const { folders, keep } = open();
  for (const letter of ['x', 'é', '漢', '𠀀']) {
    const path = keep(`${letter.repeat(300)}.pdf`, NOW_MS);
    expect(path.startsWith(join(folders.workDir, '.agtmux'))).toBe(true);
    expect(path.endsWith(`${letter}.pdf`)).toBe(true);
  }
});

it('nothing is written through a folder that became a link after it was looked at', () => {
  const { folders } = open();
  const uploads = join(folders.workDir, 'uploads');
  const elsewhere = join(folders.workDir, 'elsewhere');
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, uploads);
  const file = { fileName: 'second.bin', bytes: Buffer.from('x'), nowMs: NOW_MS };
  expect(() => keepIn(uploads, file, uploads)).toThrow('moved');
  expect(readdirSync(elsewhere)).toEqual([]);
});
