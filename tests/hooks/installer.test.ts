// The installer on real files: every agent, the places that variables name, links, modes, copies,
// and files that change under its hands.

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agentHooks } from '../../src/hooks/agent-hooks.ts';
import type { EditedFiles } from '../../src/hooks/edited-files.ts';
import { localEdits } from '../../src/hooks/local-edits.ts';
import { type HooksJob, runHooksJob } from '../../src/hooks/machine.ts';

let root = '';
let home = '';
let nowMs = 1_700_000_000_000;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agtmux-hooks-'));
  home = join(root, 'home');
  mkdirSync(home);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

interface Setting {
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: EditedFiles;
}

function hooks(
  action: HooksJob['action'],
  agents: readonly string[] = [],
  { env = {}, files = localEdits, ...job }: Setting & Partial<Pick<HooksJob, 'scope'>> = {},
) {
  nowMs += 1;
  const machine = { files, home, env };
  const asked = { action, ...(agents.length === 0 ? {} : { agents: [...agents] }), ...job };
  const project = join(root, 'project');
  return runHooksJob(machine, { ...asked, project, emitterText: '#!/bin/sh\n', nowMs }, 'local');
}

const put = (path: string, text: string, mode = 0o644): string => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
};
const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name));
const names = agentHooks.map(({ agent }) => agent);

describe('hooks of every agent', () => {
  it.each(['user', 'project'] as const)('come and go without a trace, scope %s', async (scope) => {
    const installed = await hooks('install', names, { scope });
    expect(installed.agents.map(({ state }) => state)).toEqual(
      installed.agents.map(() => 'installed'),
    );
    expect(installed.skipped.map(({ agent }) => agent)).toEqual(
      scope === 'project' ? ['cline'] : [],
    );
    expect(installed.emitter.state).toBe('installed');
    expect(statSync(installed.emitter.path).mode & 0o777).toBe(0o755);
    const again = await hooks('install', names, { scope });
    const changes = again.agents.flatMap(({ files }) => files.map(({ change }) => change));
    expect(new Set(changes)).toEqual(new Set(['none']));
    const removed = await hooks('uninstall', names, { scope });
    expect(new Set(removed.agents.map(({ state }) => state))).toEqual(new Set(['absent']));
    const folder = scope === 'user' ? home : join(root, 'project');
    expect(filesIn(folder).filter((path) => !path.includes('/agtmux/'))).toEqual([]);
  });

  it('are those of the agents that are there, where none is named', async () => {
    mkdirSync(join(home, '.gemini'));
    const bin = join(root, 'bin');
    put(join(bin, 'codex'), '', 0o755);
    put(join(bin, 'qwen'), '', 0o644);
    const answer = await hooks('status', [], { env: { PATH: `relative:${bin}` } });
    expect(answer.agents.map(({ agent }) => agent)).toEqual(['codex', 'gemini']);
    expect(answer.skipped).toHaveLength(names.length - 2);
    expect(filesIn(home)).toEqual([]);
  });

  it('go where the variables of the agents say', async () => {
    const env = {
      CLAUDE_CONFIG_DIR: join(root, 'c'),
      CODEX_HOME: join(root, 'x'),
      COPILOT_HOME: join(root, 'p'),
      XDG_CONFIG_HOME: join(root, 'config'),
      XDG_DATA_HOME: join(root, "data it's"),
    };
    await hooks('install', ['claude', 'codex', 'copilot', 'opencode'], { env });
    const paths = ['c/settings.json', 'x/hooks.json', 'x/config.toml', 'p/hooks/agtmux.json'];
    for (const path of paths) expect(existsSync(join(root, path))).toBe(true);
    expect(existsSync(join(root, 'config/opencode/plugins/agtmux.js'))).toBe(true);
    const { hooks: entries } = JSON.parse(readFileSync(join(root, 'c/settings.json'), 'utf8'));
    expect(entries.Stop[0].hooks[0].command).toBe(
      `'${root}/data it'\\''s/agtmux/bin/agtmux-emit' --source claude-hooks --agent claude`,
    );
    expect((await hooks('install', ['claude'], { env })).agents[0]?.files[0]?.change).toBe('none');
    await hooks('uninstall', ['claude'], { env: { ...env, XDG_DATA_HOME: '/elsewhere' } });
    expect(existsSync(join(root, 'c/settings.json'))).toBe(false);
  });
});

describe('a file of the user', () => {
  it('keeps its mode, its link and a copy of what it was', async () => {
    const dotfile = put(join(root, 'dotfiles', 'claude.json'), '{"model": "m"}', 0o640);
    mkdirSync(join(home, '.claude'));
    const path = join(home, '.claude', 'settings.json');
    symlinkSync(dotfile, path);
    const [claude] = (await hooks('install', ['claude'])).agents;
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(statSync(dotfile).mode & 0o777).toBe(0o640);
    expect(readFileSync(dotfile, 'utf8')).toContain('agtmux-emit');
    expect(readFileSync(claude?.files[0]?.backup ?? '', 'utf8')).toBe('{"model": "m"}');
    await hooks('uninstall', ['claude']);
    expect(readFileSync(path, 'utf8')).toBe('{"model": "m"}');
    expect(readdirSync(dirname(dotfile))).toEqual(['claude.json']);
  });

  it('is shown and not changed by status and diff', async () => {
    const path = put(join(home, '.claude', 'settings.json'), '{\n  "a": 1\n}\n');
    const [claude] = (await hooks('diff', ['claude'])).agents;
    expect(claude?.files[0]?.diff).toMatch(/^ \{\n- {2}"a": 1\n\+ {2}"a": 1,\n\+ {2}"hooks": \{\n/);
    await hooks('status');
    expect(readFileSync(path, 'utf8')).toBe('{\n  "a": 1\n}\n');
    expect(filesIn(home)).toEqual([path]);
  });

  it('stays when it does not parse, when it is no text, and when it is no file', async () => {
    const claude = put(join(home, '.claude', 'settings.json'), '{\n"a": 1,\n]');
    put(join(home, '.codex', 'config.toml'), 'a = 1\nb =\n');
    writeFileSync(put(join(home, '.gemini', 'settings.json'), ''), Buffer.from([0x7b, 0xff, 0x7d]));
    mkdirSync(join(home, '.qwen', 'settings.json'), { recursive: true });
    const { agents } = await hooks('install', ['claude', 'codex', 'gemini', 'qwen']);
    expect(agents.map(({ state }) => state)).toEqual(Array(4).fill('unreadable'));
    expect(agents[0]?.files[0]?.problem).toMatch(/^line 3: /);
    expect(agents[1]?.files[1]?.problem).toMatch(/^line 2: /);
    expect(agents[2]?.files[0]?.problem).toMatch(/is not UTF-8 text$/);
    expect(agents[3]?.files[0]?.problem).toMatch(/is not a plain file$/);
    expect(readFileSync(claude, 'utf8')).toBe('{\n"a": 1,\n]');
    // One file that cannot be edited holds up no other.
    expect(existsSync(join(home, '.codex', 'hooks.json'))).toBe(true);
  });

  it('is left when somebody else writes it at the same time', async () => {
    const path = put(join(home, '.claude', 'settings.json'), '{"a": 1}');
    const files: EditedFiles = {
      ...localEdits,
      makeFolder: async (...args) => {
        writeFileSync(path, '{"a": 2}');
        await localEdits.makeFolder(...args);
      },
    };
    await hooks('install', ['gemini']);
    const [claude] = (await hooks('install', ['claude'], { files })).agents;
    expect(claude?.files[0]).toMatchObject({ state: 'unreadable', change: 'none' });
    expect(claude?.files[0]?.problem).toContain('another program');
    expect(readFileSync(path, 'utf8')).toBe('{"a": 2}');
    expect(readdirSync(dirname(path))).toEqual(['settings.json']);
  });

  it('stays where it has the one place that there is', async () => {
    const plugin = put(join(home, '.cline', 'hooks', 'TaskStart'), '#!/bin/sh\nmine\n');
    const config = put(join(home, '.codex', 'config.toml'), 'notify = ["mine"]\n');
    const { agents } = await hooks('install', ['cline', 'codex']);
    expect(agents.map(({ state }) => state)).toEqual(['installed', 'installed']);
    expect(agents[0]?.files.filter(({ state }) => state === 'foreign')).toHaveLength(1);
    await hooks('uninstall', ['cline', 'codex']);
    expect(readFileSync(plugin, 'utf8')).toBe('#!/bin/sh\nmine\n');
    expect(readFileSync(config, 'utf8')).toBe('notify = ["mine"]\n');
  });

  it('has five copies at most', async () => {
    const path = put(join(home, '.claude', 'settings.json'), '{}');
    for (let round = 0; round < 5; round += 1) {
      await hooks('install', ['claude']);
      await hooks('uninstall', ['claude']);
    }
    const backups = readdirSync(join(home, '.local/state/agtmux/backups'));
    expect(backups).toHaveLength(5);
    expect(statSync(join(home, '.local/state/agtmux/backups')).mode & 0o777).toBe(0o700);
    expect(readFileSync(path, 'utf8')).toBe('{}');
  });
});

describe('what was installed before', () => {
  it('is reported as outdated until it is brought up to date', async () => {
    await hooks('install', ['claude', 'cline']);
    const path = join(home, '.claude', 'settings.json');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replaceAll(join(home, '.local/share'), '/usr/lib/node_modules'));
    const script = join(home, '.cline', 'hooks', 'TaskStart');
    writeFileSync(script, `${readFileSync(script, 'utf8')}# older\n`);
    const before = await hooks('status', ['claude', 'cline']);
    expect(before.agents.map(({ state }) => state)).toEqual(['outdated', 'outdated']);
    await hooks('install', ['claude', 'cline']);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(readFileSync(script, 'utf8')).not.toContain('older');
    expect(statSync(script).mode & 0o777).toBe(0o755);
  });

  it('is trusted in Codex when its user trusts every hook', async () => {
    const [before] = (await hooks('install', ['codex'])).agents;
    expect(before).toMatchObject({ trust: 'untrusted', note: expect.stringContaining('Trust') });
    const path = join(home, '.codex', 'hooks.json');
    const config = join(home, '.codex', 'config.toml');
    const events = Object.keys(JSON.parse(readFileSync(path, 'utf8')).hooks as object);
    const state = (count: number): string =>
      events
        .slice(0, count)
        .map((event) => event.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase())
        .map((event) => `[hooks.state."${path}:${event}:0:0"]\ntrusted_hash = "sha256:1"\n`)
        .join('');
    const notify = readFileSync(config, 'utf8');
    writeFileSync(config, notify + state(events.length - 1));
    expect((await hooks('status', ['codex'])).agents[0]?.trust).toBe('untrusted');
    writeFileSync(config, notify + state(events.length));
    expect((await hooks('status', ['codex'])).agents[0]).toMatchObject({
      trust: 'trusted',
      note: null,
    });
  });
});
