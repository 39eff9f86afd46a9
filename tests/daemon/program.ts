// Starts one of the small programs of these tests and reads what it prints, line by line.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';

export interface Program {
  readonly child: ChildProcess;
  readonly lines: string[];
  /** Exit code, or the name of the signal. */
  readonly ended: Promise<number | string | null>;
}

/** A folder of the test's own, gone afterwards. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agtmux-daemon-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function start(name: string, ...args: string[]): Program {
  const file = fileURLToPath(new URL(`./${name}`, import.meta.url));
  const node = ['--disable-warning=ExperimentalWarning', file, ...args];
  const child = spawn(process.execPath, node, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const ended = new Promise<number | string | null>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  return { child, lines, ended };
}

/** Waits until a condition holds. */
export const until = (check: () => void): Promise<void> =>
  vi.waitFor(check, { timeout: 20_000, interval: 20 });
