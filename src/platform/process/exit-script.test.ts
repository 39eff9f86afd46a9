import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../tests/live/tmux-server.ts';
import { leaveWill } from './exit-script.ts';

let folder = '';
const first = 'mkdir "$1/made"';
const last = 'rmdir "$1/made"; mkdir "$1/over"';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agtmux-will-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const has = (name: string): boolean => existsSync(join(folder, name));

describe('a last will', () => {
  it('does its first part at once, and its last when it is carried out', async () => {
    const will = leaveWill({ first, last, args: [folder], env: process.env });
    expect(await will.ready).toBe(true);
    expect([has('made'), has('over')]).toEqual([true, false]);
    await will.carryOut(10_000);
    expect([has('made'), has('over')]).toEqual([false, true]);
  });

  it('does nothing more when its first part fails', async () => {
    const will = leaveWill({ first: 'false', last, args: [folder], env: process.env });
    expect(await will.ready).toBe(false);
    await will.carryOut(10_000);
    expect(has('over')).toBe(false);
  });

  it('does not make its carrying out wait for ever', async () => {
    const will = leaveWill({ first, last: `sleep 2; ${last}`, args: [folder], env: process.env });
    await will.ready;
    await will.carryOut(50);
    expect(has('over')).toBe(false);
    await eventually(() => has('over'), 'it goes on by itself');
  });

  it('is carried out when its process is killed, its whole group with it', async () => {
    const url = new URL('./exit-script.ts', import.meta.url).href;
    const script = `const { leaveWill } = await import(${JSON.stringify(url)});
      await leaveWill(${JSON.stringify({ first, last, args: [folder] })}).ready;
      console.log('ready');
      setInterval(() => {}, 1_000);`;
    const args = ['--input-type=module', '-e', script];
    const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', 'pipe', 2] });
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    expect(has('made')).toBe(true);
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    await eventually(() => has('over') && !has('made'), 'the will is carried out');
  });
});
