import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../tests/live/tmux-server.ts';
import { startExitScript } from './exit-script.ts';

let folder = '';
const first = 'mkdir "$1/made"';
const last = 'rmdir "$1/made"; mkdir "$1/over"';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agtmux-exit-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const has = (name: string): boolean => existsSync(join(folder, name));

describe('an exit script', () => {
  it('runs its first part at once and its last part on runNow', async () => {
    const script = startExitScript({ first, last, args: [folder], env: process.env });
    expect(await script.ready).toBe(true);
    expect([has('made'), has('over')]).toEqual([true, false]);
    await script.runNow(10_000);
    expect([has('made'), has('over')]).toEqual([false, true]);
  });

  it('does not run its last part when its first part fails', async () => {
    const script = startExitScript({ first: 'false', last, args: [folder], env: process.env });
    expect(await script.ready).toBe(false);
    await script.runNow(10_000);
    expect(has('over')).toBe(false);
  });

  it('runs on by itself when runNow times out', async () => {
    const script = startExitScript({
      first,
      last: `sleep 2; ${last}`,
      args: [folder],
      env: process.env,
    });
    await script.ready;
    await script.runNow(50);
    expect(has('over')).toBe(false);
    await eventually(() => has('over'), 'it goes on by itself');
  });

  it('runs its last part when our process group is killed', async () => {
    const url = new URL('./exit-script.ts', import.meta.url).href;
    const script = `const { startExitScript } = await import(${JSON.stringify(url)});
      await startExitScript(${JSON.stringify({ first, last, args: [folder] })}).ready;
      console.log('ready');
      setInterval(() => {}, 1_000);`;
    const args = ['--input-type=module', '-e', script];
    const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', 'pipe', 2] });
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    expect(has('made')).toBe(true);
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    await eventually(() => has('over') && !has('made'), 'the script is carried out');
  });
});
