// What `agtmux hooks` says to people: what was done, that running agents may need a restart, and,
// before it happens, that a path of the home folder would go into a file that a project shares.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { builtProgram } from '../built-program.ts';

let folder = '';
let home = '';
let project = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agtmux-hook-words-'));
  [home, project] = ['home', 'project'].map((name) => join(folder, name)) as [string, string];
  for (const each of [home, project]) mkdirSync(each);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Printed {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function hooks(...args: readonly string[]): Printed {
  const env = { PATH: process.env['PATH'], HOME: home, XDG_RUNTIME_DIR: join(folder, 'run') };
  const options = { cwd: project, env, encoding: 'utf8' } as const;
  const done = spawnSync(process.execPath, [...builtProgram, 'hooks', ...args], options);
  return { code: done.status, out: done.stdout, err: done.stderr };
}

describe('the messages of agtmux hooks', () => {
  it('say what was done, and that running agents may need a restart', () => {
    const installed = hooks('install', 'claude');
    expect(installed).toMatchObject({ code: 0, err: '' });
    expect(installed.out).toMatch(/^claude: hooks installed\n {2}\S+settings\.json \(created\)/);
    expect(installed.out).toContain('already running may need a restart');

    const again = hooks('install', 'claude');
    expect(again.out).toMatch(/^claude: hooks already installed\n/);
    expect(again.out).not.toContain('restart');

    const removed = hooks('uninstall', 'claude');
    expect(removed.out).toMatch(/^claude: hooks removed\n/);
    expect(removed.out).toContain('until they are restarted');
    expect(hooks('uninstall', 'claude').out).toMatch(/^claude: no hooks to remove\n/);
  });

  it('warn before a path of the home folder goes into a file that a project shares', () => {
    const file = join(project, '.gemini', 'settings.json');
    const refused = hooks('install', 'gemini', '--scope', 'project');
    expect(refused.code).toBe(64);
    expect(refused.err).toContain(`would hold ${home}/.local/share/agtmux/bin/agtmux-emit`);
    expect(refused.err).toContain(file);
    expect(refused.err).toContain('--yes');
    expect(existsSync(file)).toBe(false);

    expect(hooks('diff', 'gemini', '--scope', 'project').out).toContain('may be committed');
    const installed = hooks('install', 'gemini', '--scope', 'project', '--yes');
    expect(installed).toMatchObject({ code: 0, err: '' });
    expect(existsSync(file)).toBe(true);
    expect(hooks('install', 'gemini', '--scope', 'project')).toMatchObject({ code: 0, err: '' });
  });

  it('ask nothing where the agent keeps its project file out of the repository', () => {
    const installed = hooks('install', 'claude', '--scope', 'project');
    expect(installed).toMatchObject({ code: 0, err: '' });
    expect(existsSync(join(project, '.claude', 'settings.local.json'))).toBe(true);
  });
});
