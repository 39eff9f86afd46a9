// The follower over files in memory: every byte comes from a table that the test changes.

import { describe, expect, it, vi } from 'vitest';
import { type LineBatch, LineFollower } from './line-follower.ts';
import type { FileFacts, FileRange, MachineFiles } from './machine-files.ts';

const MB = 1024 * 1024;

class OneFile implements MachineFiles {
  readonly home = '/home/someone';
  bytes: Buffer | null = null;
  inode = '1';
  readBytes = 0;
  readMax = 0;
  factsCount = 0;
  #onChange = (): void => {};

  changed(): void {
    this.#onChange();
  }
  append(text: string): void {
    this.bytes = Buffer.concat([this.bytes ?? Buffer.alloc(0), Buffer.from(text)]);
    this.changed();
  }
  facts = async (): Promise<FileFacts | null> => {
    this.factsCount += 1;
    return this.bytes && { size: this.bytes.length, modifiedAtMs: 0, inode: this.inode };
  };
  read = async (_path: string, { offset, bytesMax }: FileRange): Promise<Uint8Array | null> => {
    const part = this.bytes?.subarray(offset, offset + bytesMax) ?? null;
    this.readBytes += part?.length ?? 0;
    this.readMax = Math.max(this.readMax, bytesMax);
    return part;
  };
  list = async (): Promise<null> => null;
  environment = async (): Promise<null> => null;
  openFiles = async (): Promise<null> => null;
  listeningPorts = async (): Promise<null> => null;
  watch = (_path: string, onChange: () => void): Disposable => {
    this.#onChange = onChange;
    return { [Symbol.dispose]: () => {} };
  };
}

function follow(file: OneFile) {
  const batches: LineBatch[] = [];
  const problems: string[] = [];
  let refuse = false;
  let refusedCount = 0;
  const follower = new LineFollower({
    files: file,
    path: '/f',
    isBoundary: (text) => text.startsWith('turn'),
    onLines: (batch) => {
      if (refuse) {
        refusedCount += 1;
        throw new Error('full');
      }
      batches.push(batch);
    },
    onProblem: (problem) => problems.push(problem),
  });
  /** Old lines are marked. */
  const lineTexts = (): readonly string[] =>
    batches.flatMap(({ lines, isHistory }) =>
      lines.map(({ text }) => (isHistory ? `old ${text}` : text)),
    );
  return {
    follower,
    problems,
    refuse: (value: boolean) => {
      refuse = value;
    },
    lineTexts,
    /** What was handed over once all was read: a third look begins after the second has ended. */
    async lines(): Promise<readonly string[]> {
      for (let look = 0; look < 3; look += 1) {
        const before = file.factsCount + refusedCount;
        follower.look();
        await vi.waitFor(() => expect(file.factsCount + refusedCount).toBeGreaterThan(before));
      }
      return lineTexts();
    },
    offsets: () => batches.flatMap(({ lines }) => lines.map(({ offset }) => offset)),
  };
}

function fileOf(text: string): OneFile {
  const file = new OneFile();
  file.bytes = Buffer.from(text);
  return file;
}

describe('the line follower', () => {
  it('begins at the last turn and follows from there', async () => {
    const file = fileOf('turn 1\na\nturn 2\nb\nc\n');
    const followed = follow(file);
    expect(await followed.lines()).toEqual(['old turn 2', 'old b', 'old c']);
    file.append('d\nturn 3\n');
    expect((await followed.lines()).slice(3)).toEqual(['d', 'turn 3']);
    expect(followed.offsets()).toEqual([9, 16, 18, 20, 22]);
  });

  it('reads no byte twice', async () => {
    const file = fileOf('turn 1\na\n');
    const followed = follow(file);
    await followed.lines();
    file.append('b\n');
    await followed.lines();
    for (let look = 0; look < 5; look += 1) followed.follower.look();
    await followed.lines();
    expect(file.readBytes).toBe(file.bytes?.length);
  });

  it('delivers all lines of a file without a turn', async () => {
    expect(await follow(fileOf('a\n\nb\n')).lines()).toEqual(['old a', 'old b']);
  });

  it('delivers a line only when its end is written', async () => {
    const file = fileOf('turn 1\npar');
    const followed = follow(file);
    expect(await followed.lines()).toEqual(['old turn 1']);
    const rest = Buffer.from('tial ü €\n');
    for (const byte of rest) {
      file.bytes = Buffer.concat([file.bytes as Buffer, Buffer.of(byte)]);
      file.changed();
      await followed.lines();
    }
    expect(await followed.lines()).toEqual(['old turn 1', 'partial ü €']);
  });

  it('delivers the lines of a file that appears later as new', async () => {
    const file = new OneFile();
    const followed = follow(file);
    expect(await followed.lines()).toEqual([]);
    file.append('a\nturn 1\n');
    expect(await followed.lines()).toEqual(['a', 'turn 1']);
  });

  it('starts again at the last turn of a truncated or replaced file', async () => {
    const file = fileOf('turn 1\na\nb\n');
    const followed = follow(file);
    await followed.lines();
    file.bytes = Buffer.from('turn 2\n');
    file.changed();
    expect((await followed.lines()).slice(3)).toEqual(['old turn 2']);
    file.inode = '2';
    file.append('turn 3\nc\n');
    expect((await followed.lines()).slice(4)).toEqual(['old turn 3', 'old c']);
  });

  it('leaves out lines that are too long and reports it', async () => {
    const long = 'x'.repeat(MB + 1);
    const file = fileOf(`turn 1\n${long}\na\n`);
    const followed = follow(file);
    expect(await followed.lines()).toEqual(['old turn 1', 'old a']);
    file.append(`${long}\nb\n`);
    expect((await followed.lines()).slice(2)).toEqual(['b']);
    expect(followed.follower.skippedCount).toBe(2);
    expect(followed.problems.at(-1)).toContain('left out');
  });

  it('reads back a bounded way and reports when no turn begins there', async () => {
    const file = fileOf(`turn 1\n${`${'line'.padEnd(999)}\n`.repeat(8_000)}end\n`);
    const followed = follow(file);
    const lines = await followed.lines();
    expect(lines.at(-1)).toBe('old end');
    expect(lines).not.toContain('old turn 1');
    expect(file.readBytes).toBeLessThanOrEqual(5 * MB);
    expect(file.readMax).toBeLessThanOrEqual(256 * 1024);
    expect(followed.problems[0]).toContain('no turn begins');
  });

  it('finds a turn several chunks back and delivers it in order', async () => {
    const work = Array.from({ length: 2_000 }, (_, index) => `line ${index}`.padEnd(500));
    const file = fileOf(`old\nturn 1\n${work.join('\n')}\n`);
    const lines = await follow(file).lines();
    expect(lines).toEqual(['old turn 1', ...work.map((line) => `old ${line}`)]);
    expect(file.readBytes).toBeLessThanOrEqual(file.bytes?.length ?? 0);
  });

  it('delivers a refused batch again', async () => {
    const file = fileOf('turn 1\n');
    const followed = follow(file);
    await followed.lines();
    followed.refuse(true);
    file.append('a\n');
    await followed.lines();
    file.append('b\n');
    expect(await followed.lines()).toEqual(['old turn 1']);
    followed.refuse(false);
    followed.follower.look();
    expect(await followed.lines()).toEqual(['old turn 1', 'a', 'b']);
  });

  it('delivers nothing after it was disposed', async () => {
    const file = fileOf('turn 1\n');
    const followed = follow(file);
    await followed.lines();
    followed.follower[Symbol.dispose]();
    file.append('a\n');
    followed.follower.look();
    await new Promise((next) => setImmediate(next));
    expect(followed.lineTexts()).toEqual(['old turn 1']);
  });
});
