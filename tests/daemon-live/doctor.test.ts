// `agtmux doctor` with a real daemon, without one, and with things that are wrong.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attachPerson } from '../live/tmux-person.ts';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { fakeAgent } from './live-agents.ts';
import { LiveDaemon } from './live-daemon.ts';
import { canMount, mountState } from './small-disk.ts';

const TEST_MS = 120_000;

interface Checkup {
  readonly code: number;
  readonly healthy: boolean;
  readonly checks: readonly { name: string; status: string; detail: string; fix: string | null }[];
  readonly cost: Record<string, number | null> | null;
}

async function doctor(live: LiveDaemon): Promise<Checkup> {
  const { code, out, err } = await live.cliWith({ TERM: 'xterm' }, 'doctor', '--json');
  expect(err).toBe('');
  return { code, ...JSON.parse(out) };
}

const statusOf = ({ checks }: Checkup, name: string): string | undefined =>
  checks.find((check) => check.name.startsWith(name))?.status;

describe.skipIf(isTmuxMissing)('doctor', () => {
  test(
    'finds all well around a daemon that works, and what it costs',
    async () => {
      await using live = new LiveDaemon();
      const pane = fakeAgent(live.tmux, 'claude', 'agent');
      pane.show('claude/104-running');
      await live.start();
      const checkup = await eventually(async () => {
        const found = await doctor(live);
        return found.healthy ? found : null;
      }, 'all is well');
      expect(checkup.code).toBe(0);
      for (const name of ['node', 'tmux', 'daemon', 'tmux server', 'socket folder', 'socket']) {
        expect(statusOf(checkup, name), name).toBe('ok');
      }
      expect(checkup.cost).toMatchObject({
        daemonBytes: expect.any(Number),
        clients: expect.any(Number),
        clientsBytes: expect.any(Number),
        processesStarted: expect.any(Number),
      });
      expect(checkup.cost?.['daemonBytes']).toBeGreaterThan(10_000_000);
      const report = await live.cli('doctor');
      expect(report).toMatchObject({ code: 0 });
      expect(report.out).toMatch(/^✓ daemon: 0\.\d+\.\d+, pid \d+, up \d+ s$/m);
      expect(report.out).toMatch(/All is well\.\n$/);
    },
    TEST_MS,
  );

  test(
    'does not wait for a daemon that hangs',
    async () => {
      await using live = new LiveDaemon();
      live.tmux.newSession('main');
      const pid = await live.start();
      process.kill(pid, 'SIGSTOP');
      const checkup = await doctor(live);
      process.kill(pid, 'SIGCONT');
      expect(checkup).toMatchObject({ code: 1, cost: null });
      expect(statusOf(checkup, 'daemon')).toBe('warn');
      expect(statusOf(checkup, 'tmux server')).toBe('ok');
    },
    TEST_MS,
  );

  test(
    'says what is wrong and what to do, and starts no daemon',
    async () => {
      await using live = new LiveDaemon();
      // Without somebody in it the session would end at once.
      await attachPerson(live.tmux, live.tmux.newSession('fragile'));
      live.tmux.run('set-option', '-g', 'destroy-unattached', 'on');
      const config = join(live.folder, 'config', 'agtmux');
      mkdirSync(config, { recursive: true });
      writeFileSync(join(config, 'config.toml'), '[engine]\nnonsense = 1\n');
      const refused = join(live.spool, 'refused');
      mkdirSync(refused, { recursive: true });
      chmodSync(live.spool, 0o700);
      writeFileSync(join(refused, 'x'), '?');
      const checkup = await doctor(live);
      expect(checkup).toMatchObject({ code: 1, healthy: false, cost: null });
      expect(statusOf(checkup, 'daemon')).toBe('note');
      expect(statusOf(checkup, 'tmux server')).toBe('warn');
      expect(statusOf(checkup, 'configuration')).toBe('fail');
      expect(statusOf(checkup, 'spool')).toBe('warn');
      for (const { status, fix } of checkup.checks) {
        if (status === 'warn' || status === 'fail') expect(fix).toMatch(/\w/);
      }
      const text = await live.cli('doctor', '--ascii');
      expect(text).toMatchObject({ code: 1 });
      expect(text.out).toMatch(/^x configuration: .*line 2, engine\.nonsense/m);
      expect(text.out).toMatch(/\d checks need attention\.\n$/);
      expect((await live.cli('daemon', 'status')).code).toBe(3);
    },
    TEST_MS,
  );

  test(
    'finds a state folder that others can reach, and all well after its remedy',
    async () => {
      await using live = new LiveDaemon();
      live.tmux.newSession('main');
      await live.start();
      const state = join(live.folder, 'state', 'agtmux');
      const stateCheck = async () =>
        (await doctor(live)).checks.find(({ name }) => name === 'state folder');
      expect((await stateCheck())?.status).toBe('ok');
      for (const [path, mode] of [
        [join(state, 'agtmux.db'), 0o644],
        [state, 0o777],
      ] as const) {
        chmodSync(path, mode);
        const check = await stateCheck();
        expect(check).toMatchObject({ status: 'fail', fix: `Run chmod -R go= ${state}` });
        execFileSync('chmod', ['-R', 'go=', state]);
        expect((await stateCheck())?.status).toBe('ok');
      }
    },
    TEST_MS,
  );

  test.skipIf(!canMount())(
    'says why no daemon can start on a state folder that is read-only',
    async () => {
      await using live = new LiveDaemon();
      live.tmux.newSession('main');
      using state = mountState(live, '3m');
      execFileSync('mount', ['-o', 'remount,ro', state.disk]);
      const { code, checks } = await doctor(live);
      expect(code).toBe(1);
      expect(checks.find(({ name }) => name === 'daemon')).toMatchObject({
        status: 'fail',
        detail: expect.stringContaining('cannot start: '),
        fix: expect.stringContaining('XDG_STATE_HOME'),
      });
      expect(JSON.stringify(checks)).toContain('its disk is read-only');
      expect(JSON.stringify(checks)).not.toMatch(/Free some space|starts with the next command/);
    },
    TEST_MS,
  );

  test(
    'finds all well where no daemon runs',
    async () => {
      await using live = new LiveDaemon();
      live.tmux.newSession('main');
      const checkup = await doctor(live);
      expect(checkup).toMatchObject({ code: 0, healthy: true, cost: null });
      expect(statusOf(checkup, 'daemon')).toBe('note');
    },
    TEST_MS,
  );
});
