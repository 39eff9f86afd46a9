// Hosts as they come: login shells that are no POSIX shells and greet, a tmux that is nowhere to be
// found, tools of BusyBox. Each is a real sshd; what is not possible as this user is skipped.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { SshFault } from '../../src/ssh/connection/reason.ts';
import { eventually, type PrivateTmux, privateTmux } from '../live/tmux-server.ts';
import { hostOn, LIMITS } from './live-host.ts';
import { canHide, isMissing, isSshdMissing, TestSshd } from './sshd.ts';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});
function keep<T extends AsyncDisposable>(resource: T): T {
  opened.push(resource);
  return resource;
}

function keepTmux(): PrivateTmux {
  const tmux = privateTmux();
  keep({ [Symbol.asyncDispose]: async () => tmux[Symbol.dispose]() });
  return tmux;
}

/** What sshd does for a login shell: `shell -c command`. */
const asLoginShell = (shell: string): string =>
  `ForceCommand exec ${shell} -c "$SSH_ORIGINAL_COMMAND"`;

const loginShells = [
  { shell: '/bin/bash', command: 'bash', rc: '.bashrc', noise: 'echo noise; echo "$PATH"' },
  { shell: '/usr/bin/fish', command: 'fish', rc: '.config/fish/config.fish', noise: 'echo noise' },
  { shell: '/usr/bin/tcsh', command: 'tcsh', rc: '.cshrc', noise: 'echo noise' },
] as const;

describe.skipIf(isSshdMissing)('a host with the login shell', () => {
  for (const { shell, command, rc, noise } of loginShells) {
    it.skipIf(isMissing(command))(`${command}, whose ${rc} is noisy`, async () => {
      const sshd = keep(await TestSshd.start({ config: [asLoginShell(shell)] }));
      mkdirSync(join(sshd.home, rc, '..'), { recursive: true });
      writeFileSync(join(sshd.home, rc), `${noise}\n`.repeat(200));
      const args = [...sshd.clientArguments, 'testhost', 'exec /bin/sh'];
      const plain = execFileSync('ssh', args, { input: 'echo done\n', encoding: 'utf8' });
      // It is as noisy as we think, and the shell of the session is that one.
      expect(plain.split('noise').length).toBeGreaterThan(200);
      expect(plain.trimEnd().endsWith('done')).toBe(true);

      const tmux = keepTmux();
      const host = keep(await hostOn(sshd));
      const name = `a;b "c" 'd' $(x) #{pid} é😀`;
      tmux.newSession('first');
      tmux.run('rename-window', name);
      const args2 = ['-N', '-S', tmux.socketPath, 'list-windows', '-a', '-F', '#{window_name}'];
      const result = await host.run(args2, LIMITS);
      const local = tmux.run('list-windows', '-a', '-F', '#{window_name}');
      expect(Buffer.from(result.stdout, 'latin1').toString('utf8')).toBe(`${local}\n`);
      expect(local).toContain('é😀');
    });
  }
});

describe.skipIf(isSshdMissing || !canHide)('a host', () => {
  it('whose tmux is outside PATH is looked at in the usual places', async () => {
    const sshd = keep(
      await TestSshd.start({ mounts: [{ from: '/dev/null', over: '/usr/bin/tmux' }] }),
    );
    const host = keep(await hostOn(sshd));
    expect(host.facts?.tmuxPath).toBeNull();
    await eventually(() => host.health.reason, 'the reason is reported');
    expect(host.health).toMatchObject({ level: 'degraded', reason: { code: 'no_tmux' } });
    const fault = await host.run(['-V'], LIMITS).catch((cause: unknown) => cause);
    expect(fault).toBeInstanceOf(SshFault);
    expect((fault as SshFault).reason.code).toBe('no_tmux');

    const places = join(sshd.home, '.local', 'bin');
    mkdirSync(places, { recursive: true });
    writeFileSync(join(places, 'tmux'), '#!/bin/sh\necho "tmux $*"\n', { mode: 0o755 });
    expect((await host.run(['-V', "it's"], LIMITS)).stdout).toBe("tmux -u -V it's\n");
  });

  it('with TMUX_TMPDIR has its default server there', async () => {
    const sshd = keep(await TestSshd.start({ env: { TMUX_TMPDIR: '/var/tmp' } }));
    const host = keep(await hostOn(sshd));
    expect(host.facts?.socketPath).toBe(`/var/tmp/tmux-${process.getuid?.()}/default`);
  });

  it('in the C locale keeps UTF-8', async () => {
    const env = { LC_ALL: 'C', LANG: 'C' };
    const sshd = keep(await TestSshd.start({ env }));
    const tmux = keepTmux();
    tmux.newSession('é😀');
    const host = keep(await hostOn(sshd));
    const args = ['-N', '-S', tmux.socketPath, 'list-sessions', '-F', '#{session_name}'];
    const { stdout } = await host.run(args, LIMITS);
    expect(Buffer.from(stdout, 'latin1').toString('utf8')).toBe('é😀\n');
  });

  it.skipIf(isMissing('busybox'))('with BusyBox as its shell and its tools is usable', async () => {
    const sshd = keep(await TestSshd.start({ isBusybox: true }));
    const host = keep(await hostOn(sshd));
    await eventually(() => host.health.level === 'ok', 'ok');
    expect((await host.run(['-V'], LIMITS)).stdout).toMatch(/^tmux \d/);
    expect(host.facts).toMatchObject({ processReading: 'tree', uid: process.getuid?.() });
  });
});
