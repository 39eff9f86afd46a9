// Processes of this machine, read while real ones run: a shell with children, a stopped one, odd
// names, and start times that survive a restart of the reader.

import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type LocalProcess, LocalProcesses } from './processes.ts';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agtmux-processes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a process in a group of its own; the whole group ends with the test. */
function start(program: string, args: readonly string[]): number {
  const child: ChildProcess = spawn(program, args, { detached: true, stdio: 'ignore' });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} did not start`);
  onTestFinished(() => {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  });
  return pid;
}

/** Waits until `read` gives what `isReady` wants. */
async function until<Value>(read: () => Value, isReady: (value: Value) => boolean): Promise<Value> {
  const deadlineMs = Date.now() + 20_000;
  for (;;) {
    const value = read();
    if (isReady(value)) return value;
    if (Date.now() > deadlineMs) throw new Error(`never ready: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const commandsOf = (tree: readonly LocalProcess[] | null): readonly string[] =>
  (tree ?? []).map(({ argv }) => argv.join(' '));

describe('a process tree', () => {
  it('holds the process and everything under it, parents first', async () => {
    const processes = new LocalProcesses(makeFolder());
    const pid = start('sh', ['-c', 'sleep 301 & sh -c "sleep 302 & sleep 303; true"; true']);
    const tree = await until(
      () => processes.tree(pid),
      (read) => ['sleep 301', 'sleep 302', 'sleep 303'].every((x) => commandsOf(read).includes(x)),
    );
    expect(tree?.[0]?.pid).toBe(pid);
    expect(tree).toHaveLength(5);
    for (const [index, { ppid }] of (tree ?? []).entries()) {
      const parent = (tree ?? []).findIndex((each) => each.pid === ppid);
      expect(parent).toBeLessThan(index);
      expect(index === 0 || parent >= 0).toBe(true);
    }
  });

  it('holds children that other threads have started', async () => {
    const code = `
      const { Worker } = require('node:worker_threads');
      new Worker("require('node:child_process').spawn('sleep', ['304'])", { eval: true });
      setInterval(() => {}, 1000);`;
    const processes = new LocalProcesses(makeFolder());
    const pid = start(process.execPath, ['-e', code]);
    const tree = await until(
      () => processes.tree(pid),
      (read) => commandsOf(read).includes('sleep 304'),
    );
    expect(tree?.find(({ comm }) => comm === 'sleep')?.ppid).toBe(pid);
  });

  it('of a process that is gone is null', async () => {
    const processes = new LocalProcesses(makeFolder());
    const pid = start('true', []);
    await until(
      () => processes.read(pid),
      (read) => read === null,
    );
    expect(processes.tree(pid)).toBeNull();
    expect(processes.startedAtMs(pid)).toBeNull();
  });

  it('of an unused process id is null', () => {
    const processes = new LocalProcesses(makeFolder());
    for (const pid of [-1, 0, 1.5, Number.NaN, 2 ** 31]) expect(processes.tree(pid)).toBeNull();
  });
});

describe('a process', () => {
  it('that was stopped is reported as stopped', async () => {
    const processes = new LocalProcesses(makeFolder());
    const pid = start('sleep', ['305']);
    process.kill(pid, 'SIGSTOP');
    const stopped = await until(
      () => processes.read(pid),
      (read) => read?.stat.startsWith('T') ?? false,
    );
    expect(stopped?.argv).toEqual(['sleep', '305']);
    process.kill(pid, 'SIGCONT');
    await until(
      () => processes.read(pid),
      (read) => read?.stat.startsWith('S') ?? false,
    );
  });

  it('without a terminal is in no foreground', async () => {
    const processes = new LocalProcesses(makeFolder());
    const pid = start('sleep', ['306']);
    const read = await until(
      () => processes.read(pid),
      (each) => each?.comm === 'sleep',
    );
    expect(read?.stat).not.toContain('+');
  });

  it('may have brackets, blanks and numbers in its name', async () => {
    const processes = new LocalProcesses(makeFolder());
    const program = join(makeFolder(), 'a) S 1 (b');
    copyFileSync('/bin/sleep', program);
    const pid = start(program, ['307']);
    const read = await until(
      () => processes.read(pid),
      (each) => each?.argv[1] === '307',
    );
    expect(read).toMatchObject({ pid, ppid: process.pid, comm: 'a) S 1 (b', exe: program });
    expect(read?.stat).toMatch(/^[SRD]$/);
  });

  it('with arguments that are empty or hold blanks keeps them as they are', async () => {
    const processes = new LocalProcesses(makeFolder());
    const args = ['-c', 'sleep 308; true', 'name', '', 'two words', '-x'];
    const pid = start('sh', args);
    const read = await until(
      () => processes.read(pid),
      (each) => each?.argv.length === args.length + 1,
    );
    expect(read?.argv).toEqual(['sh', ...args]);
  });

  it('with an endless command line is cut', async () => {
    const processes = new LocalProcesses(makeFolder());
    const pid = start('sh', ['-c', 'sleep 309; true', 'x'.repeat(100_000)]);
    const read = await until(
      () => processes.read(pid),
      (each) => each?.argv[1] === '-c',
    );
    expect(read?.argv.join('').length).toBeLessThan(20_000);
  });
});

describe('start times', () => {
  it('are those of the wall clock, and in order', async () => {
    const processes = new LocalProcesses(makeFolder());
    const beforeMs = Date.now();
    const pid = start('sleep', ['310']);
    const startedAtMs = await until(
      () => processes.startedAtMs(pid),
      (read) => read !== null,
    );
    expect(Math.abs((startedAtMs ?? 0) - beforeMs)).toBeLessThan(30_000);
    expect(startedAtMs).toBe(processes.read(pid)?.startedAtMs);
    expect(processes.startedAtMs(process.pid)).toBeLessThanOrEqual(startedAtMs ?? 0);
  });

  it('are the same for the next reader with the same folder, whatever became of the clock', () => {
    const stateDir = makeFolder();
    const first = new LocalProcesses(stateDir);
    const startedAtMs = first.startedAtMs(process.pid) as number;
    const file = join(stateDir, 'boot.json');
    const boot = JSON.parse(readFileSync(file, 'utf8')) as { bootId: string; bootedAtMs: number };
    // As after somebody has set the clock: the kernel would tell another moment now.
    writeFileSync(file, JSON.stringify({ ...boot, bootedAtMs: boot.bootedAtMs - 7_000 }));
    const second = new LocalProcesses(stateDir);
    expect(second.startedAtMs(process.pid)).toBe(startedAtMs - 7_000);
    expect(new LocalProcesses(stateDir).startedAtMs(process.pid)).toBe(startedAtMs - 7_000);
  });

  it.each([
    ['of another boot', JSON.stringify({ bootId: 'another', bootedAtMs: 1 })],
    ['that is broken', '{"bootId": "x"'],
    ['of another shape', '[1, 2]'],
    ['that is empty', ''],
  ])('do not hang on a note %s, which is replaced', (_what, text) => {
    const stateDir = makeFolder();
    const file = join(stateDir, 'boot.json');
    writeFileSync(file, text);
    const startedAtMs = new LocalProcesses(stateDir).startedAtMs(process.pid) as number;
    expect(Math.abs(startedAtMs - Date.now())).toBeLessThan(86_400_000);
    const kept = JSON.parse(readFileSync(file, 'utf8')) as { bootId: string };
    expect(kept.bootId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('are read also where no note can be kept', () => {
    const file = join(makeFolder(), 'file');
    writeFileSync(file, '');
    const processes = new LocalProcesses(join(file, 'state'));
    expect(processes.tree(process.pid)?.[0]?.pid).toBe(process.pid);
  });
});

it('the foreground of a process without a terminal is none, and always the same', () => {
  const processes = new LocalProcesses(makeFolder());
  const pid = start('sleep', ['312']);
  expect(processes.foregroundOf(pid)).toBe(processes.foregroundOf(pid));
  expect(processes.foregroundOf(2 ** 22 + 1)).toBeNull();
});

describe('the sign of a process', () => {
  it('changes when it is stopped and when it ends, and at nothing else', async () => {
    const processes = new LocalProcesses(makeFolder());
    const pid = start('sleep', ['311']);
    const read = () => processes.signOf(pid);
    const sign = await until(read, (each) => each !== null);
    process.kill(pid, 'SIGSTOP');
    await until(read, (each) => each !== sign);
    process.kill(pid, 'SIGCONT');
    await until(read, (each) => each === sign);
    process.kill(pid, 'SIGKILL');
    await until(read, (each) => each !== sign);
    expect(processes.signOf(process.pid)).toBe(processes.signOf(process.pid));
    expect(processes.signOf(2 ** 22 + 1)).toBeNull();
  });
});
