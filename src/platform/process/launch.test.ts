import { describe, expect, it } from 'vitest';
import { type LaunchSpec, launchProgram, markerFilter, runProgram } from './launch.ts';

const MARKER = 'marker-0123456789';
const limits = { timeoutMs: 5_000, stdoutBytesMax: 10_000 };

function shell(input: string, marker: string | null = MARKER): LaunchSpec {
  return { command: '/bin/sh', args: [], isTethered: false, input, marker };
}

describe('markerFilter', () => {
  it('finds the marker however the output is cut, also at its start', () => {
    for (const noise of ['', 'welcome\n', `${MARKER} no\n`, 'no newline']) {
      const before = noise === '' ? '' : `${noise}\n`;
      const text = `${before}${MARKER}.pid 77\n${MARKER}\nrest\n`;
      for (let cut = 0; cut <= text.length; cut += 1) {
        const filter = markerFilter(MARKER);
        const found = [text.slice(0, cut), text.slice(cut)].map((bytes) => filter.feed(bytes));
        const ready = found.find(({ kind }) => kind === 'ready');
        expect(ready).toMatchObject({ kind: 'ready', pid: 77 });
        if (found[0] === ready) break;
        expect(ready).toMatchObject({ rest: 'rest\n' });
      }
    }
  });

  it('gives up after too much noise, and keeps little of it', () => {
    const filter = markerFilter(MARKER);
    const kinds = Array.from({ length: 120 }, () => filter.feed('x'.repeat(10_000)).kind);
    expect(kinds[0]).toBe('noise');
    expect(kinds.at(-1)).toBe('overflow');
  });
});

describe('a launched program', () => {
  it('shows only what comes after the marker', async () => {
    const script = `echo noise; echo ${MARKER}; echo real; exit 3\n`;
    const result = await runProgram(shell(script), limits);
    expect(result).toMatchObject({ stdout: 'real\n', code: 3, wasReady: true });
  });

  it('runs directly without a marker', async () => {
    expect(await runProgram(shell('echo plain\n', null), limits)).toMatchObject({
      stdout: 'plain\n',
      wasReady: true,
    });
  });

  it('is killed at the deadline when its marker does not come', async () => {
    const result = await runProgram(shell('sleep 60\n'), { ...limits, timeoutMs: 200 });
    expect(result).toMatchObject({ wasReady: false, stdout: '' });
  });

  it('gets its input only after the marker', async () => {
    let said = '';
    let pid: number | null = null;
    const script = `sleep 0.1\nprintf '\\n%s.pid %s\\n%s\\n' ${MARKER} $$ ${MARKER}\nexec cat\n`;
    const child = launchProgram(shell(script), {
      readyDeadlineMs: 5_000,
      onReady: (found) => {
        pid = found;
      },
      onStdout: (bytes) => {
        said += bytes;
      },
      onExit() {},
    });
    child.write('for cat\n');
    child.endInput();
    await child.exited;
    expect(said).toBe('for cat\n');
    expect(pid).toBe(child.pid);
  });

  it('that cannot be started exits with an error', async () => {
    const launch = { ...shell(''), command: '/nonexistent' };
    const result = await runProgram(launch, limits);
    expect(result.code).toBeNull();
    expect(result.error).toContain('ENOENT');
  });

  it('is killed when it prints too much', async () => {
    const script = `echo ${MARKER}; while :; do echo 0123456789; done\n`;
    const result = await runProgram(shell(script), limits);
    expect(result).toMatchObject({ overflowed: true });
    expect(result.stdout).toHaveLength(10_000);
  });
});
