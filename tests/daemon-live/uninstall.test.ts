// `agtmux uninstall` and `agtmux daemon install` with real folders and a real daemon.

import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isTmuxMissing } from '../live/tmux-server.ts';
import { LiveDaemon } from './live-daemon.ts';

const TEST_MS = 120_000;

describe.skipIf(isTmuxMissing)('uninstall', () => {
  test(
    'ends the daemon and removes what is ours and nothing else',
    async () => {
      await using live = new LiveDaemon();
      live.tmux.newSession('main');
      const pid = await live.start();
      const [state, run, config] = ['state', 'run', 'config'].map((name) =>
        join(live.folder, name, 'agtmux'),
      ) as [string, string, string];
      mkdirSync(config, { recursive: true });
      writeFileSync(join(config, 'config.toml'), '');
      const theirs = join(live.folder, 'theirs');
      mkdirSync(theirs);
      writeFileSync(join(theirs, 'kept'), 'x');
      symlinkSync(theirs, join(state, 'link'));

      const agents = join(live.folder, 'home', 'Library', 'LaunchAgents');
      mkdirSync(agents, { recursive: true });
      const service = join(agents, 'dev.agtmux.daemon.plist');
      writeFileSync(service, '');

      const settings = join(live.folder, 'home', '.claude', 'settings.json');
      mkdirSync(join(settings, '..'));
      writeFileSync(settings, '{ "model": "m" }');
      const hooks = JSON.parse((await live.cli('hooks', 'install', 'claude', '--json')).out);
      expect(existsSync(hooks.emitter.path)).toBe(true);

      expect(await live.cli('uninstall')).toMatchObject({ code: 64, out: '' });
      expect(await live.cli('uninstall', '--dry-run')).toMatchObject({
        code: 0,
        out: expect.stringContaining('would be removed'),
      });
      expect((await live.cli('daemon', 'status')).code).toBe(0);
      expect(existsSync(state) && existsSync(run)).toBe(true);

      const done = await live.cli('uninstall', '--yes');
      expect(done).toMatchObject({ code: 0, err: '' });
      expect(done.out).toContain(`Stopped the daemon (pid ${pid})`);
      await live.ended(pid);
      expect(existsSync(state) || existsSync(run)).toBe(false);
      expect(done.out).toContain('hooks of claude removed');
      expect(readFileSync(settings, 'utf8')).toBe('{ "model": "m" }');
      expect(existsSync(hooks.emitter.path)).toBe(false);
      expect(readdirSync(theirs)).toEqual(['kept']);
      expect(existsSync(join(config, 'config.toml'))).toBe(true);
      expect(done.out).toContain('remove it with --config');
      expect(done.out).toContain(`${service}: a service that agtmux did not write`);
      expect(live.tmux.run('list-clients')).toBe('');

      const again = await live.cli('uninstall', '--yes', '--config', '--json');
      expect(JSON.parse(again.out)).toMatchObject({ ended_pid: null, dry_run: false });
      expect(existsSync(config)).toBe(false);
    },
    TEST_MS,
  );

  test(
    'keeps its hands off while a daemon with another socket writes there',
    async () => {
      await using live = new LiveDaemon();
      live.tmux.newSession('main');
      await live.start();
      const other = join(live.folder, 'other.sock');
      const refused = await live.cli('uninstall', '--yes', '-s', other);
      expect(refused).toMatchObject({ code: 75, err: expect.stringContaining(live.socketPath) });
      expect((await live.cli('daemon', 'status')).code).toBe(0);
      expect(existsSync(join(live.folder, 'state', 'agtmux', 'agtmux.db'))).toBe(true);
    },
    TEST_MS,
  );
});

/** A systemctl that notes what it is asked, and starts and stops what the unit says. */
function fakeSystemctl(live: LiveDaemon): { path: string; calls: () => readonly string[] } {
  const folder = join(live.folder, 'bin');
  const log = join(folder, 'calls');
  mkdirSync(folder);
  const unit = join(live.folder, 'config', 'systemd', 'user', 'agtmux.service');
  const lines = [
    '#!/bin/sh',
    `echo "$*" >> ${log}`,
    'case "$*" in',
    `  *enable*) eval "$(sed -n 's/^ExecStart=//p' ${unit})" < /dev/null > /dev/null 2>&1 & ;;`,
    'esac',
  ];
  writeFileSync(join(folder, 'systemctl'), `${lines.join('\n')}\n`, { mode: 0o755 });
  const calls = () => readFileSync(log, 'utf8').trimEnd().split('\n');
  return { path: `${folder}:${process.env['PATH']}`, calls };
}

const isAnalyzeMissing = spawnSync('systemd-analyze', ['--version']).status !== 0;

describe.skipIf(isTmuxMissing || process.platform !== 'linux')('daemon install', () => {
  test(
    'with --print prints a service and writes nothing',
    async () => {
      await using live = new LiveDaemon();
      live.tmux.newSession('main');
      const before = readdirSync(live.folder, { recursive: true }).sort();
      const unit = await live.cli('daemon', 'install', '--print', '--kind', 'systemd');
      expect(unit).toMatchObject({ code: 0, err: '' });
      expect(unit.out).toMatch(/^ExecStart=".*node" "--max-semi-space-size=2" .*"daemon" "run"$/m);
      expect(unit.out).toContain('KillMode=process');
      expect(unit.out).toContain('Environment="MALLOC_ARENA_MAX=1"');
      const list = await live.cli('daemon', 'install', '--print', '--kind', 'launchd');
      expect(list.out).toContain('<string>--max-old-space-size=256</string>');
      expect(await live.cli('daemon', 'install', '--kind', 'launchd')).toMatchObject({ code: 64 });
      expect(readdirSync(live.folder, { recursive: true }).sort()).toEqual(before);
    },
    TEST_MS,
  );

  test(
    'writes the unit, starts the service in place of a daemon that runs, and uninstall ends it',
    async () => {
      await using live = new LiveDaemon();
      live.tmux.newSession('main');
      const { path, calls } = fakeSystemctl(live);
      const first = await live.start();
      const done = await live.cliWith({ PATH: path }, 'daemon', 'install');
      expect(done).toMatchObject({ code: 0, err: '' });
      await live.ended(first);
      expect(calls()).toEqual(['--user daemon-reload', '--user enable --now agtmux.service']);
      const unit = join(live.folder, 'config', 'systemd', 'user', 'agtmux.service');
      expect(done.out).toContain(`Wrote ${unit}.\n`);
      const pid = Number(/pid (\d+)/.exec(done.out)?.[1]);
      expect(pid).not.toBe(first);
      expect((await live.cli('daemon', 'status')).out).toContain(`${pid}`);

      const removed = await live.cliWith({ PATH: path }, 'uninstall', '--yes');
      expect(removed.out).toContain(`${unit} (service) removed`);
      expect(calls().at(-1)).toBe('--user disable --now agtmux.service');
      expect(existsSync(unit)).toBe(false);
      await live.ended(pid);
    },
    TEST_MS,
  );

  test(
    'says what to type where there is no service manager, and leaves a foreign unit alone',
    async () => {
      await using live = new LiveDaemon();
      const empty = join(live.folder, 'empty');
      mkdirSync(empty);
      const failed = await live.cliWith({ PATH: empty }, 'daemon', 'install');
      expect(failed.code).toBe(69);
      expect(failed.err).toMatch(/^E_SERVICE_FAILED: systemctl --user daemon-reload: .+ENOENT/);
      expect(failed.err).toContain('Start it by hand: systemctl --user daemon-reload && systemctl');
      const unit = join(live.folder, 'config', 'systemd', 'user', 'agtmux.service');
      writeFileSync(unit, '[Unit]\n');
      const refused = await live.cliWith({ PATH: empty }, 'daemon', 'install');
      expect(refused.err).toContain(`${unit} was not written by agtmux.`);
      expect(readFileSync(unit, 'utf8')).toBe('[Unit]\n');
      expect((await live.cliWith({ PATH: empty }, 'daemon', 'uninstall')).out).toContain(
        'no service',
      );
      expect(existsSync(unit)).toBe(true);
    },
    TEST_MS,
  );

  test(
    'keeps the unit of a service that it cannot stop, and removes one that is not loaded',
    async () => {
      await using live = new LiveDaemon();
      const unit = join(live.folder, 'config', 'systemd', 'user', 'agtmux.service');
      const { out } = await live.cli('daemon', 'install', '--print', '--kind', 'systemd');
      mkdirSync(join(unit, '..'), { recursive: true });
      writeFileSync(unit, out);
      const bin = join(live.folder, 'bin');
      mkdirSync(bin);
      const env = { PATH: `${bin}:${process.env['PATH']}` };
      const systemctlSays = (words: string, code: number): void => {
        const text = `#!/bin/sh\necho '${words}' >&2\nexit ${code}\n`;
        writeFileSync(join(bin, 'systemctl'), text, { mode: 0o755 });
      };

      systemctlSays('Failed to connect to bus: No such file or directory', 1);
      const mark = join(live.folder, 'state', 'agtmux', 'kept');
      mkdirSync(join(mark, '..'), { recursive: true });
      writeFileSync(mark, '');
      for (const words of [
        ['daemon', 'uninstall'],
        ['uninstall', '--yes'],
      ]) {
        const failed = await live.cliWith(env, ...words);
        expect(failed).toMatchObject({ code: 69, out: '' });
        expect(failed.err).toMatch(/^E_SERVICE_FAILED: systemctl --user disable .+ connect to bus/);
        expect(failed.err).toContain('by hand, then try again: systemctl --user disable --now');
      }
      expect([existsSync(unit), existsSync(mark)]).toEqual([true, true]);

      systemctlSays('Failed to stop agtmux.service: Unit agtmux.service not loaded.', 5);
      const removed = await live.cliWith(env, 'daemon', 'uninstall');
      const sentence = `The service was not running; removed ${unit}.\n`;
      expect(removed).toMatchObject({ code: 0, err: '', out: sentence });
      expect(existsSync(unit)).toBe(false);
    },
    TEST_MS,
  );

  test.skipIf(isAnalyzeMissing)(
    'writes a unit in which systemd finds no fault',
    async () => {
      await using live = new LiveDaemon();
      const unit = join(live.folder, 'agtmux.service');
      const { out } = await live.cli('daemon', 'install', '--print', '--kind', 'systemd');
      writeFileSync(unit, out);
      const env = { ...process.env, XDG_RUNTIME_DIR: live.folder };
      const args = ['verify', '--user', unit];
      const { status, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8', env });
      expect([status, stderr]).toEqual([0, '']);
    },
    TEST_MS,
  );
});
