// Processes: streams both ways, exits, limits, and programs that cannot be started.

import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Child, type ChildExit, startChild, startDetached } from './child.ts';
import { runChild } from './launch.ts';
import { isProcessAlive } from './process-alive.ts';

const start = (command: string, ...args: string[]): { child: Child; output: () => string } => {
  let output = '';
  const child = startChild({
    command,
    args,
    onStdout: (bytes) => {
      output += bytes;
    },
    onExit: () => {},
  });
  return { child, output: () => output };
};
const limits = { timeoutMs: 10_000, stdoutBytesMax: 1_000_000 };
const sh = (script: string): { command: string; args: string[] } => ({
  command: 'sh',
  args: ['-c', script],
});

test('a child is written to and read as bytes, and its exit comes after its output', async () => {
  const { child, output } = start('cat');
  expect(child.write('é\n')).toBe(true);
  child.endInput();
  expect(await child.exited).toEqual({ code: 0, signal: null, error: null });
  expect(output()).toBe('\u00c3\u00a9\n');
  expect(child.write('late')).toBe(false);
});

test('a program that does not exist is an exit and not an exception', async () => {
  const exits: ChildExit[] = [];
  const spec = { command: '/no/such/program', args: [] };
  const child = startChild({ ...spec, onStdout() {}, onExit: (exit) => exits.push(exit) });
  child.write('x');
  expect((await child.exited).error).toContain('ENOENT');
  expect(exits).toHaveLength(1);
  expect(await runChild({ ...spec, ...limits })).toMatchObject({ code: null, timedOut: false });
  expect(await startDetached(spec)).toMatchObject({ error: expect.stringContaining('ENOENT') });
  expect((await runChild({ command: 'a\0b', args: [], ...limits })).error).toContain('null bytes');
});

test('writing to a child that closed its input does not throw', async () => {
  const { child } = start('sh', '-c', 'exec <&-; sleep 0.2');
  for (let count = 0; count < 50; count += 1) {
    child.write('x'.repeat(10_000));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect((await child.exited).code).toBe(0);
});

test('a write to a child that does not read is refused beyond the buffer', async () => {
  const { child } = start('sleep', '60');
  let acceptedCount = 0;
  while (acceptedCount < 100 && child.write('x'.repeat(1_000_000))) acceptedCount += 1;
  expect(acceptedCount).toBeLessThan(10);
  child.kill('SIGKILL');
  expect((await child.exited).signal).toBe('SIGKILL');
});

test('a run has its input, its output, its code and the end of its errors', async () => {
  const run = await runChild({ ...sh('cat; echo no >&2; exit 3'), input: 'yes', ...limits });
  expect(run).toMatchObject({ stdout: 'yes', stderr: 'no\n', code: 3, timedOut: false });
});

test('a run ends at its timeout and at its output limit', async () => {
  const slow = await runChild({ ...sh('echo x; exec sleep 60'), ...limits, timeoutMs: 100 });
  expect(slow).toMatchObject({ timedOut: true, stdout: 'x\n', signal: 'SIGKILL' });
  const loud = await runChild({ ...sh('exec yes'), ...limits, stdoutBytesMax: 1_000 });
  expect(loud).toMatchObject({ overflowed: true, timedOut: false });
  expect(loud.stdout).toHaveLength(1_000);
});

test('a run ends although a grandchild keeps the output open', async () => {
  const startedAt = performance.now();
  const run = await runChild({ ...sh('sleep 5 & echo $!'), ...limits });
  expect(run).toMatchObject({ code: 0, timedOut: false });
  expect(performance.now() - startedAt).toBeLessThan(4_000);
  process.kill(Number(run.stdout));
});

test('a detached child outlives the call and writes to the given file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agtmux-child-'));
  const file = join(folder, 'out');
  const started = await startDetached({
    ...sh('echo $PPID $X'),
    env: { X: 'set' },
    outputFd: openSync(file, 'w'),
  });
  expect(started).toMatchObject({ pid: expect.any(Number) });
  await expect.poll(() => readFileSync(file, 'utf8')).toMatch(/^\d+ set\n$/);
  rmSync(folder, { recursive: true });
});

/** A launcher that does not read its input, and what it has launched; it prints both. */
const launcher = 'sleep 60 & echo $$ $!; exec sleep 60';
const isGone = (pids: string) => pids.split(' ').every((pid) => !isProcessAlive(Number(pid)));

test('killing a child with a group kills what the child has started', async () => {
  let output = '';
  const child = startChild({
    ...sh(launcher),
    hasGroup: true,
    onStdout: (bytes) => {
      output += bytes;
    },
    onExit: () => {},
  });
  await expect.poll(() => output).toMatch(/^\d+ \d+\n$/);
  child.kill('SIGKILL');
  expect((await child.exited).signal).toBe('SIGKILL');
  await expect.poll(() => isGone(output), { timeout: 20_000 }).toBe(true);
});

test('a child with a group, and what it has started, is killed when its parent is', async () => {
  const spec = { ...sh(launcher), hasGroup: true };
  const script = `
    import { startChild } from ${JSON.stringify(join(import.meta.dirname, 'child.ts'))};
    const onStdout = (bytes) => process.stdout.write(bytes);
    startChild({ ...${JSON.stringify(spec)}, onStdout, onExit() {} });`;
  const parent = start(process.execPath, '--input-type=module', '-e', script);
  await expect.poll(parent.output, { timeout: 20_000 }).toMatch(/^\d+ \d+\n$/);
  parent.child.kill('SIGKILL');
  await expect.poll(() => isGone(parent.output()), { timeout: 20_000 }).toBe(true);
});
