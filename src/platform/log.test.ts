import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type LogOptions, LogOutput, logLevelOf } from './log.ts';

function openLog(options: Partial<LogOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'agtmux-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'agtmuxd.log');
  const output = new LogOutput({ level: 'info', file, ...options });
  onTestFinished(() => output[Symbol.dispose]());
  return { folder, file, output, log: output.log };
}

const linesOf = (file: string): Record<string, unknown>[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

test('a line is in the file when the call returns, with its level, time and fields', () => {
  const { file, log } = openLog();
  log.info({ code: 'timeout', count: 3 }, 'a target is slow');
  log.debug({}, 'below the level');
  expect(linesOf(file)).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      pid: process.pid,
      code: 'timeout',
      count: 3,
      msg: 'a target is slow',
    },
  ]);
});

test('the level can change while it runs', () => {
  const { file, output, log } = openLog({ level: 'silent' });
  log.error({}, 'not written');
  expect(existsSync(file)).toBe(false);
  output.level = 'debug';
  log.debug({}, 'written');
  expect(linesOf(file).map((line) => line['msg'])).toEqual(['written']);
});

test('long texts and large values are cut, and extra properties of errors are left out', () => {
  const { file, log } = openLog();
  const error = Object.assign(new Error('m'.repeat(9_000)), { code: 'E_X', payload: 'private' });
  log.error({ err: error, text: 'x'.repeat(9_000), list: Array(9_000).fill(1) }, 'y'.repeat(9_000));
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  log.info({ cycle }, '%d is no placeholder of ours');
  const text = readFileSync(file, 'utf8');
  expect(text.length).toBeLessThan(9_000);
  expect(text).not.toContain('private');
  const [line, other] = linesOf(file);
  expect(line?.['err']).toMatchObject({ type: 'Error', code: 'E_X' });
  expect(other).toMatchObject({ cycle: '[unprintable]', msg: '%d is no placeholder of ours' });
});

test('rotation under load loses no line, and keeps each file within its bound', () => {
  const { folder, file, log } = openLog({ fileBytesMax: 20_000, filesMax: 100 });
  for (let n = 0; n < 5_000; n += 1) log.info({ n }, 'é'.repeat(n % 50));
  const names = readdirSync(folder).sort(
    (a, b) => Number(b.split('.')[2] ?? 0) - Number(a.split('.')[2] ?? 0),
  );
  expect(names.length).toBeGreaterThan(20);
  const all = names.flatMap((name) => linesOf(join(folder, name)).map((line) => line['n']));
  expect(all).toEqual(Array.from({ length: 5_000 }, (_, n) => n));
  for (const name of names) {
    const { size, mode } = statSync(join(folder, name));
    expect(size).toBeLessThanOrEqual(20_000);
    expect(mode & 0o777).toBe(0o600);
  }
  expect(existsSync(file)).toBe(true);
});

test('the oldest file is removed when there are more than filesMax', () => {
  const { folder, log } = openLog({ fileBytesMax: 2_000, filesMax: 3 });
  for (let n = 0; n < 500; n += 1) log.info({ n }, 'a line');
  expect(readdirSync(folder).sort()).toEqual([
    'agtmuxd.log',
    'agtmuxd.log.1',
    'agtmuxd.log.2',
    'agtmuxd.log.3',
  ]);
});

test('a log that cannot be renamed keeps within its bound and goes on', () => {
  const { folder, file, log } = openLog({ fileBytesMax: 2_000, filesMax: 1 });
  mkdirSync(join(folder, 'agtmuxd.log.1', 'something'), { recursive: true });
  for (let n = 0; n < 500; n += 1) log.info({ n }, 'a line');
  expect(statSync(file).size).toBeLessThanOrEqual(2_000);
  expect(linesOf(file).at(-1)).toMatchObject({ n: 499 });
});

test('a log of which no older file is kept stays within its bound', () => {
  const { folder, file, log } = openLog({ fileBytesMax: 2_000, filesMax: 0 });
  for (let n = 0; n < 500; n += 1) log.info({ n }, 'a line');
  expect(readdirSync(folder)).toEqual(['agtmuxd.log']);
  expect(statSync(file).size).toBeLessThanOrEqual(2_000);
});

test('after reopen lines go to a new file under the old name', () => {
  const { file, output, log } = openLog();
  log.info({}, 'first');
  renameSync(file, `${file}.moved`);
  log.info({}, 'second');
  output.reopen();
  log.info({}, 'third');
  expect(linesOf(`${file}.moved`).map((line) => line['msg'])).toEqual(['first', 'second']);
  expect(linesOf(file).map((line) => line['msg'])).toEqual(['third']);
});

test('lines that a missing folder loses are counted in the next line that is written', () => {
  const { folder, file, output, log } = openLog();
  rmSync(folder, { recursive: true });
  output.reopen();
  log.info({}, 'lost');
  log.info({}, 'lost too');
  mkdirSync(folder);
  log.info({}, 'back');
  expect(linesOf(file)).toMatchObject([{ lostLines: 2 }, { msg: 'back' }]);
});

test('a log that others may read becomes readable by its owner alone', () => {
  const { file, output, log } = openLog();
  log.info({}, 'first');
  chmodSync(file, 0o644);
  output.reopen();
  log.info({}, 'second');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('AGTMUX_LOG names a level, and any other word names none', () => {
  expect(logLevelOf('Debug ')).toBe('debug');
  expect(logLevelOf('loud')).toBeNull();
  expect(logLevelOf(undefined)).toBeNull();
});
