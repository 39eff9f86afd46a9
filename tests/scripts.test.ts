import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installTrouble, isNewEnough, runsTheTools } from '../scripts/prepare.mjs';
import { runChild } from '../scripts/run-child.mjs';
import { root } from '../scripts/script-entry.ts';
import { isOnPath, missingLine, missingPackages } from '../scripts/system-packages.mjs';
import { closingLines, countResults } from '../scripts/test-results.mjs';
import { takeTreeLock } from '../scripts/tree-lock.mjs';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agtmux-scripts-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function writeOwner(owner: string): void {
  mkdirSync(join(folder, '.agtmux-lock'));
  writeFileSync(join(folder, '.agtmux-lock', 'owner'), owner);
}

// A pid that was given out and is free again.
function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

describe('the lock on the working tree', () => {
  it('is a folder with its owner inside, and goes away on release', async () => {
    const release = await takeTreeLock(folder);
    expect(readFileSync(join(folder, '.agtmux-lock', 'owner'), 'utf8')).toMatch(
      new RegExp(`^${process.pid} `),
    );
    release();
    expect(existsSync(join(folder, '.agtmux-lock'))).toBe(false);
  });

  it('lets the second wait until the first lets go', async () => {
    const order: string[] = [];
    const release = await takeTreeLock(folder);
    const second = takeTreeLock(folder, (pid) => {
      order.push(`waiting for ${pid}`);
      order.push('released');
      release();
    });
    (await second)();
    order.push('taken');
    expect(order).toEqual([`waiting for ${process.pid}`, 'released', 'taken']);
  });

  it.each([
    ['a process that is gone', () => `${deadPid()} 1\n`],
    ['another process with the same pid', () => `${process.pid} 1\n`],
    ['nobody in particular', () => 'nonsense\n'],
  ])('is taken over from %s', async (_name, owner) => {
    writeOwner(owner());
    const release = await takeTreeLock(folder);
    release();
    expect(existsSync(join(folder, '.agtmux-lock'))).toBe(false);
  });

  it('is held by one process at a time when several want it at once', async () => {
    const log = join(folder, 'log');
    const script = `
      import { appendFileSync } from 'node:fs';
      import { takeTreeLock } from ${JSON.stringify(join(root, 'scripts/tree-lock.mjs'))};
      const release = await takeTreeLock(${JSON.stringify(folder)});
      appendFileSync(${JSON.stringify(log)}, 'in\\n');
      await new Promise((resolve) => setImmediate(resolve));
      appendFileSync(${JSON.stringify(log)}, 'out\\n');
      release();`;
    writeOwner(`${deadPid()} 1\n`);
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' }),
    );
    const codes = await Promise.all(children.map((child) => once(child, 'exit')));
    expect(codes.map(([code]) => code)).toEqual([0, 0, 0, 0]);
    expect(readFileSync(log, 'utf8')).toBe('in\nout\n'.repeat(4));
  });
});

describe('running a child', () => {
  it('returns its exit code and, on request, its output', async () => {
    const code = "process.stdout.write('a'); process.stderr.write('b'); process.exitCode = 3";
    const result = await runChild(process.execPath, ['-e', code], { capture: true });
    expect(result.code).toBe(3);
    expect([...result.output].sort().join('')).toBe('ab');
  });

  it('gives 128 and the signal when one ended it', async () => {
    const code = "process.kill(process.pid, 'SIGKILL')";
    expect((await runChild(process.execPath, ['-e', code], { capture: true })).code).toBe(137);
  });

  it('gives 127 for a program that is not there', async () => {
    expect((await runChild(join(folder, 'nothing'), [], { capture: true })).code).toBe(127);
  });
});

describe('what an installation says when it fails', () => {
  it.each([
    ['npm error code ENOTFOUND', 'could not be reached (ENOTFOUND)'],
    ['npm error network request failed, reason: ECONNREFUSED', 'could not be reached'],
    ['npm error code ENOSPC', 'disk is full'],
    ['npm error code EACCES', 'not writable'],
    ['npm error code E404', 'lacks one of the packages'],
    ['npm error something else', 'npm ci failed'],
  ])('%s', (output, sentence) => {
    expect(installTrouble(output)).toContain(sentence);
  });
});

describe('the Node that is needed', () => {
  it.each([
    ['20.20.2', false],
    ['22.17.9', false],
    ['v22.18.0', true],
    ['24.0.0', true],
  ])('%s is new enough: %s', (version, expected) => {
    expect(isNewEnough(version)).toBe(expected);
  });
});

describe('the Node that npm may install with', () => {
  it.each([
    ['18.20.8', false],
    ['20.18.3', false],
    ['20.19.0', true],
    ['21.7.0', false],
    ['22.11.0', false],
    ['22.12.0', true],
    ['24.21.0', true],
  ])('%s installs the tools whole: %s', (version, expected) => {
    expect(runsTheTools(version)).toBe(expected);
  });
});

describe('system packages', () => {
  it('are looked for on the PATH, and only what can be run counts', () => {
    writeFileSync(join(folder, 'tmux'), '', { mode: 0o644 });
    expect(isOnPath('tmux', folder)).toBe(false);
    expect(missingPackages(folder).map(({ command }) => command)).toContain('tmux');
    writeFileSync(join(folder, 'other'), '', { mode: 0o755 });
    expect(isOnPath('other', `/nowhere:${folder}`)).toBe(true);
  });

  it('are named in one line when they are missing', () => {
    const line = missingLine([
      { command: 'tmux', debian: 'tmux' },
      { command: 'sshd', debian: 'openssh-server' },
    ]);
    expect(line).toContain('missing on this machine: tmux, sshd;');
    expect(line).toContain('apt-get install tmux openssh-server');
    expect(line).not.toContain('\n');
  });
});

describe('the closing line of npm test', () => {
  const test = (status: string): object => ({ status });
  const report = (status: string, ...statuses: readonly string[]): object => ({
    testResults: [{ status, assertionResults: statuses.map(test) }],
  });

  it.each([
    ['all green', report('passed', 'passed', 'passed'), 0, ['2 passed, 0 failed']],
    ['one red', report('failed', 'passed', 'failed'), 1, ['1 passed, 1 failed']],
    ['skipped', report('passed', 'passed', 'pending'), 0, ['1 skipped', '1 passed, 0 failed']],
    ['a file that does not load', report('failed'), 1, ['0 passed, 1 failed']],
    ['an error outside the tests', report('passed', 'passed'), 1, ['1 passed, 1 failed']],
    ['no report at all', undefined, 1, ['0 passed, 1 failed']],
  ])('counts %s', (_name, input, exitCode, lines) => {
    expect(closingLines(countResults(input, exitCode))).toEqual(lines);
  });
});
