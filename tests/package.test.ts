import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../scripts/script-entry.ts';
import { packageVersion } from '../src/platform/version.ts';
import { oldNode } from './old-node.ts';

type Result = { readonly code: number | null; readonly out: string; readonly err: string };

function run(command: string, args: readonly string[], env = process.env): Result {
  const done = spawnSync(command, args, { cwd: root, env, encoding: 'utf8' });
  return { code: done.status, out: done.stdout, err: done.stderr };
}

const systemNode = oldNode();

let folder = '';
let installed = '';
let agtmux = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'agtmux-package-'));
  const packed = run('npm', ['pack', '--loglevel=error', '--pack-destination', folder]);
  expect(packed.err).not.toContain('npm error');
  const [tarball = ''] = globSync('*.tgz', { cwd: folder });
  const prefix = join(folder, 'prefix');
  const args = ['install', '--global', '--offline', '--ignore-scripts', '--loglevel=error'];
  const done = run('npm', [...args, '--prefix', prefix, join(folder, tarball)]);
  expect(done).toMatchObject({ code: 0 });
  installed = join(prefix, 'lib', 'node_modules', 'agtmux');
  agtmux = join(prefix, 'bin', 'agtmux');
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the package that npm pack makes', () => {
  it('installs with no dependency, no install script and nothing to compile', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect(manifest.dependencies).toBeUndefined();
    expect(manifest.optionalDependencies).toBeUndefined();
    expect(manifest.peerDependencies).toBeUndefined();
    const scripts = Object.keys(manifest.scripts);
    for (const name of ['preinstall', 'install', 'postinstall', 'prepare']) {
      expect(scripts).not.toContain(name);
    }
    expect(globSync('**/*.{node,gyp}', { cwd: installed })).toEqual([]);
    expect(existsSync(join(installed, 'node_modules'))).toBe(false);
  });

  it('holds the program, its licences and its papers, and no sources', () => {
    const files = globSync('**/*', { cwd: installed, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1))
      .filter((path) => !/^dist\/(?:chunks|commands)\//.test(path))
      .filter((path) => !/^dist\/web\/(?:assets\/|tmux-adapter-web\/chunk-)/.test(path))
      .filter((path) => !/^dist\/agents\/[a-z]+\/screen\.toml$/.test(path))
      .sort();
    expect(files).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'agtmux.tmux',
      'bin/agtmux.js',
      'dist/cli/help.js',
      'dist/cli/main.js',
      'dist/cli/menu-bar/plugin-file.js',
      'dist/cli/output/print-problem.js',
      'dist/cli/state-folder.js',
      'dist/cli/watch/follow-log.js',
      'dist/cli/watch/follow-output.js',
      'dist/client/client.d.ts',
      'dist/client/client.js',
      'dist/daemon/main.js',
      'dist/store/damage-worker.js',
      'dist/third-party-licenses.txt',
      'dist/tmux/tap-worker.js',
      'dist/web-client/web-client.d.ts',
      'dist/web-client/web-client.js',
      'dist/web/favicon.ico',
      'dist/web/icon-192.png',
      'dist/web/icon-512.png',
      'dist/web/icon.svg',
      'dist/web/index.html',
      'dist/web/manifest.webmanifest',
      'dist/web/page-worker.js',
      'dist/web/share.html',
      'dist/web/shared/protocol.js',
      'dist/web/shared/styles.css',
      'dist/web/shared/utils.js',
      'dist/web/tmux-adapter-web/agtmux-terminal.js',
      'dist/web/tmux-adapter-web/index.js',
      'emitter/agtmux-emit',
      'package.json',
    ]);
  });

  it('carries the rules of every agent and can use them', () => {
    expect(globSync('dist/agents/*/screen.toml', { cwd: installed })).toHaveLength(13);
    const record = join(root, 'corpus', 'claude', '111-waiting_approval.json');
    const { code, out } = run(process.execPath, [agtmux, 'classify', record]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ agent: 'claude', state: 'waiting_approval' });
  });

  it('starts its daemon by itself, answers, and stops it', () => {
    const home = join(folder, 'home');
    const env = {
      PATH: process.env['PATH'],
      HOME: home,
      XDG_RUNTIME_DIR: join(home, 'run'),
      AGTMUX_TMUX_SOCKET_PATH: join(home, 'no-tmux'),
    };
    try {
      const listed = run(process.execPath, [agtmux, 'list', 'panes', '--json'], env);
      expect(listed).toMatchObject({ code: 0, err: '' });
      expect(JSON.parse(listed.out)).toMatchObject({ schema_version: 1, panes: [] });
      expect(run(process.execPath, [agtmux, 'daemon', 'status'], env)).toMatchObject({ code: 0 });
    } finally {
      expect(run(process.execPath, [agtmux, 'daemon', 'stop'], env)).toMatchObject({ code: 0 });
    }
    expect(run(process.execPath, [agtmux, 'daemon', 'status'], env)).toMatchObject({ code: 3 });
  });

  it('carries the licence of each package that is bundled into it', () => {
    const text = readFileSync(join(installed, 'dist', 'third-party-licenses.txt'), 'utf8');
    expect(text).toMatch(/^zod \d/m);
    expect(text).toContain('Permission is hereby granted');
  });

  it('prints its version on a Node that is new enough', () => {
    const result = run(process.execPath, [agtmux, '--version']);
    expect(result).toEqual({ code: 0, out: `${packageVersion()}\n`, err: '' });
  });

  it.skipIf(systemNode === undefined)('refuses an old Node in one sentence, exit code 78', () => {
    const result = run(systemNode ?? '', [agtmux, '--version']);
    expect(result.code).toBe(78);
    expect(result.out).toBe('');
    expect(result.err).toMatch(
      /^agtmux needs Node 22\.18 or newer; this is v\d+\.\d+\.\d+ at \S+\.\n$/,
    );
  });
});

describe('bin/agtmux.js in a checkout', () => {
  const bin = join(root, 'bin', 'agtmux.js');
  const runtime = `node-${process.platform}-${process.arch}`;
  const bundled = join(root, 'node_modules', runtime, 'bin', 'node');
  const cannotHop = systemNode === undefined || !existsSync(bundled);

  it.skipIf(cannotHop)('moves from an old Node to the one that was installed beside it', () => {
    const result = run(systemNode ?? '', [bin, '--version']);
    expect(result).toEqual({ code: 0, out: `${packageVersion()}\n`, err: '' });
  });

  it.skipIf(cannotHop)('passes the exit code through', () => {
    expect(run(systemNode ?? '', [bin, '--nonsense']).code).toBe(64);
  });

  it.skipIf(cannotHop)('does not hop twice', () => {
    const env = { ...process.env, AGTMUX_REEXEC: '1' };
    expect(run(systemNode ?? '', [bin, '--version'], env).code).toBe(78);
  });

  it('is the file that the package names as its program', () => {
    const { bin: names } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(realpathSync(join(root, names.agtmux))).toBe(realpathSync(bin));
  });
});
