// `agtmux uninstall` and `agtmux daemon install` with real folders and a real daemon.

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
      expect(done.out).toContain(`${service}: the service; stop it first: launchctl unload`);
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

describe('daemon install', () => {
  test(
    'prints a service and writes nothing',
    async () => {
      await using live = new LiveDaemon();
      live.tmux.newSession('main');
      const before = readdirSync(live.folder, { recursive: true }).sort();
      const unit = await live.cli('daemon', 'install', '--print', '--kind', 'systemd');
      expect(unit).toMatchObject({ code: 0, err: '' });
      expect(unit.out).toMatch(/^ExecStart=".*node" "--max-semi-space-size=4" .*"daemon" "run"$/m);
      expect(unit.out).toContain('KillMode=process');
      const list = await live.cli('daemon', 'install', '--print', '--kind', 'launchd');
      expect(list.out).toContain('<string>--max-old-space-size=256</string>');
      expect(await live.cli('daemon', 'install')).toMatchObject({ code: 64 });
      expect(readdirSync(live.folder, { recursive: true }).sort()).toEqual(before);
    },
    TEST_MS,
  );
});
