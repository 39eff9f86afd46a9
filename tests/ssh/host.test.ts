// An ssh host on a real sshd: what goes wrong with connections, and its health then.

import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startChild } from '../../src/platform/process/child.ts';
import { runProgram } from '../../src/platform/process/launch.ts';
import { channelArguments } from '../../src/ssh/connection/arguments.ts';
import { SshFault } from '../../src/ssh/connection/reason.ts';
import { SshHost } from '../../src/ssh/ssh-host.ts';
import type { Opening } from '../../src/tmux/host.ts';
import { eventually, isAlive } from '../live/tmux-server.ts';
import { connected, hostOn, LIMITS, startHost } from './live-host.ts';
import { isSshdMissing, processesWith, TestSshd } from './sshd.ts';

const reasonCode = (host: SshHost): string | undefined => host.health.reason?.code;

async function faultOf(promise: Promise<unknown>): Promise<SshFault> {
  const fault = await promise.then(
    () => null,
    (cause: unknown) => cause,
  );
  if (!(fault instanceof SshFault)) throw new Error('no SshFault was thrown');
  return fault;
}

describe.skipIf(isSshdMissing)('an ssh host', () => {
  const opened: AsyncDisposable[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
  });
  const keep = <T extends AsyncDisposable>(resource: T): T => {
    opened.push(resource);
    return resource;
  };

  it('connects, answers, and leaves no process and no socket behind', async () => {
    const sshd = keep(await TestSshd.start());
    const host = keep(await hostOn(sshd));
    await eventually(() => host.health.level === 'ok', 'ok');
    const result = await host.run(['-V'], LIMITS);
    expect(result.stdout).toMatch(/^tmux \d/);
    expect(host.facts).toMatchObject({ home: sshd.home, processReading: 'tree' });
    expect(processesWith(sshd.runtimeDir).length).toBeGreaterThan(1);
    await host[Symbol.asyncDispose]();
    expect(processesWith(sshd.runtimeDir)).toEqual([]);
    expect(readdirSync(join(sshd.runtimeDir, 'ssh'))).toEqual([]);
    await eventually(() => sshd.connectionPids().length === 0, 'sshd has nobody left');
    await eventually(() => sshd.sessionPids().length === 0, 'nothing runs on the host');
  });

  it('is ours also where the configuration sends ssh to the background', async () => {
    const sshd = keep(await TestSshd.start());
    const config = join(sshd.folder, 'ssh_config');
    appendFileSync(config, '  ForkAfterAuthentication yes\n  NoSuchOption of-a-newer-ssh\n');
    const host = keep(await hostOn(sshd));
    expect(host.masterCount).toBe(1);
    await host[Symbol.asyncDispose]();
    expect(processesWith(sshd.runtimeDir)).toEqual([]);
    await eventually(() => sshd.connectionPids().length === 0, 'sshd has nobody left');
  });

  it('leaves nothing behind when its parent is killed', async () => {
    const sshd = keep(await TestSshd.start());
    const program = `
      const { SshHost } = await import(${JSON.stringify(moduleOf('ssh-host.ts'))});
      const { launchProgram } = await import(
        ${JSON.stringify(new URL('../../src/platform/process/launch.ts', import.meta.url).href)});
      const host = new SshHost(JSON.parse(process.argv[1]));
      host.start();
      while (!host.facts) await new Promise((resolve) => setTimeout(resolve, 20));
      const channel = await host.open('command', ['-V']);
      launchProgram({ ...channel.launch, input: 'sleep 600\\n', marker: null },
        { onStdout() {}, onExit() {}, readyDeadlineMs: 60000 });
      console.log('connected');`;
    const spec = JSON.stringify({
      destination: 'testhost',
      runtimeDir: sshd.runtimeDir,
      extraArguments: sshd.clientArguments,
    });
    let output = '';
    const parent = startChild({
      command: process.execPath,
      args: ['--input-type=module', '-e', program, spec],
      onStdout: (bytes) => {
        output += bytes;
      },
      onStderr: (bytes) => {
        output += bytes;
      },
      onExit() {},
    });
    await eventually(() => output.includes('connected'), 'the parent is connected', 20_000);
    // The master, its tether, the probe and one more channel, besides the parent itself.
    expect(processesWith(sshd.runtimeDir).length).toBeGreaterThanOrEqual(4);
    parent.kill('SIGKILL');
    await parent.exited;
    await eventually(() => processesWith(sshd.runtimeDir).length === 0, 'all have ended');
    await eventually(() => sshd.connectionPids().length === 0, 'sshd has nobody left');
    // The socket stays, and whoever comes next sweeps it.
    await using next = await hostOn(sshd);
    expect(readdirSync(join(sshd.runtimeDir, 'ssh'))).toHaveLength(next.masterCount);
  });

  it('comes back by itself after the connection was cut', async () => {
    const sshd = keep(await TestSshd.start());
    const lost: string[] = [];
    const host = keep(await hostOn(sshd, { onLost: ({ code }) => lost.push(code) }));
    await eventually(() => host.health.level === 'ok', 'ok');
    sshd.cut();
    await eventually(() => host.health.level !== 'ok', 'it is noticed');
    expect(reasonCode(host)).toBe('connection_lost');
    await eventually(() => host.health.level === 'ok', 'ok again', 20_000);
    expect(lost).toEqual(['connection_lost']);
    expect((await host.run(['-V'], LIMITS)).code).toBe(0);
  });

  it('keeps its connection when only the probe was killed', async () => {
    const sshd = keep(await TestSshd.start());
    const host = keep(await hostOn(sshd));
    await eventually(() => host.health.level === 'ok', 'ok');
    const before = sshd.connectionPids();
    const tree = await host.ask({ command: 'agtmux_trees', words: ['1'], deadlineMs: 5_000 });
    expect(tree).toContain('(');
    const [probe = 0] = channelPids(sshd);
    process.kill(probe, 'SIGKILL');
    await eventually(() => host.facts === null, 'it is noticed');
    await connected(host);
    expect(sshd.connectionPids()).toEqual(before);
  });

  it('says that a frozen host does not answer, and returns when it thaws', async () => {
    const sshd = keep(await TestSshd.start());
    const host = keep(await hostOn(sshd));
    await eventually(() => host.health.level === 'ok', 'ok');
    sshd.freeze();
    const result = await host.run(['-V'], { ...LIMITS, timeoutMs: 1_000 });
    expect(result.timedOut).toBe(true);
    await eventually(() => host.health.level === 'down', 'down', 30_000);
    expect(reasonCode(host)).toBe('timed_out');
    sshd.thaw();
    host.connectNow();
    await eventually(() => host.health.level === 'ok', 'ok again', 30_000);
  }, 90_000);

  it('says that the authentication is refused, and does not ask too often', async () => {
    const sshd = keep(await TestSshd.start());
    sshd.refuseLogins();
    const host = keep(startHost(sshd));
    await eventually(() => host.health.level === 'down', 'down', 20_000);
    expect(reasonCode(host)).toBe('authentication_refused');
    expect((await faultOf(host.run(['-V'], LIMITS))).code).toBe('ssh_auth_failed');
    sshd.allowLogins();
    host.connectNow();
    await eventually(() => host.health.level === 'ok', 'ok', 20_000);
  });

  it('says that the host key has changed, and does not log in', async () => {
    const sshd = keep(await TestSshd.start());
    await sshd.stop();
    sshd.changeHostKey();
    await sshd.run();
    const host = keep(startHost(sshd));
    await eventually(() => host.health.reason, 'a reason', 20_000);
    expect(reasonCode(host)).toBe('host_key_changed');
    expect(host.facts).toBeNull();
  });

  it('says that a host is not known, and never adds it', async () => {
    const sshd = keep(await TestSshd.start());
    writeFileSync(join(sshd.folder, 'known_hosts'), '');
    const host = keep(startHost(sshd));
    await eventually(() => host.health.reason, 'a reason', 20_000);
    expect(reasonCode(host)).toBe('host_key_unknown');
  });

  it('says that nobody is there', async () => {
    const sshd = keep(await TestSshd.start());
    await sshd.stop();
    const host = keep(startHost(sshd));
    await eventually(() => host.health.reason, 'a reason', 20_000);
    expect(reasonCode(host)).toBe('host_unreachable');
    await sshd.run();
    await eventually(() => host.health.level === 'ok', 'ok', 20_000);
  });

  it('says that there is no ssh', async () => {
    const sshd = keep(await TestSshd.start());
    const host = keep(startHost(sshd, { env: { PATH: '/nonexistent' } }));
    await eventually(() => host.health.reason, 'a reason', 20_000);
    expect(reasonCode(host)).toBe('ssh_not_found');
  });

  it.each(['-oProxyCommand=touch x', '', 'a b', "a'b", 'a\nb', '$(x)'])(
    'refuses the destination %j',
    async (destination) => {
      expect(() => new SshHost({ destination, runtimeDir: '/nonexistent' })).toThrow(SshFault);
    },
  );

  it('refuses a folder that others can reach into', async () => {
    const sshd = keep(await TestSshd.start());
    mkdirSync(join(sshd.runtimeDir, 'ssh'), { mode: 0o755 });
    expect(() => startHost(sshd)).toThrow('private');
    rmSync(join(sshd.runtimeDir, 'ssh'), { recursive: true });
  });

  describe('with channels that are used up', () => {
    /** A channel that stays open. */
    function occupy(channel: Opening): AsyncDisposable {
      const { launch } = channel;
      const child = startChild({
        ...launch,
        onStdout() {},
        onExit: () => channel.release(),
      });
      child.write('sleep 600\n');
      return {
        [Symbol.asyncDispose]: async () => {
          child.kill('SIGKILL');
          await child.exited;
        },
      };
    }

    it('takes a second connection after eight channels', async () => {
      const sshd = keep(await TestSshd.start());
      const host = keep(await hostOn(sshd));
      for (let count = host.channelCount; count < 8; count += 1) {
        keep(occupy(await host.open('tap', ['-V'])));
      }
      expect(host.masterCount).toBe(1);
      expect((await host.run(['-V'], LIMITS)).code).toBe(0);
      expect(host.masterCount).toBe(2);
      expect(host.channelCount).toBe(8);
    });

    it('reports a refused channel, then opens fewer, and never logs in for it', async () => {
      const sshd = keep(await TestSshd.start({ config: ['MaxSessions 3'] }));
      const host = keep(await hostOn(sshd));
      for (let count = 0; count < 2; count += 1) {
        const channel = await host.open('tap', ['-V']);
        const busyChannel = { ...channel, launch: { ...channel.launch, input: 'echo here\n' } };
        keep(occupy(busyChannel));
      }
      const connections = sshd.connectionPids();
      await eventually(() => channelPids(sshd).length >= 3, 'three channels');
      const refused = await eventually(async () => {
        const result = await host.run(['-V'], LIMITS).catch((cause: unknown) => cause);
        return result instanceof SshFault && result;
      }, 'a channel is refused');
      expect(refused.reason.code).toBe('channel_refused');
      // No login happened for it. The next channel is one of a second connection.
      // A session is a fork of its connection for a moment, before it is a shell.
      const isNobodyNew = () => sshd.connectionPids().every((pid) => connections.includes(pid));
      await eventually(isNobodyNew, 'nobody else is logged in');
      expect((await host.run(['-V'], LIMITS)).code).toBe(0);
      expect(host.masterCount).toBe(2);
    });

    it('cannot log in without a master, whatever the configuration says', async () => {
      const sshd = keep(await TestSshd.start());
      const address = {
        destination: 'testhost',
        controlPath: join(sshd.runtimeDir, 'none'),
        extraArguments: [],
      };
      // Even with the whole configuration it must not connect.
      const args = channelArguments(address).map((each) =>
        each === '/dev/null' ? join(sshd.folder, 'ssh_config') : each,
      );
      const launch = { command: 'ssh', args, isTethered: false, input: '', marker: null };
      const result = await runProgram(launch, LIMITS);
      expect(result.code).toBe(255);
      expect(sshd.connectionPids()).toEqual([]);
    });
  });

  it('keeps two hosts apart: one that is frozen does not delay the other', async () => {
    const [frozen, lively] = [keep(await TestSshd.start()), keep(await TestSshd.start())];
    const first = keep(await hostOn(frozen));
    const second = keep(await hostOn(lively));
    frozen.freeze();
    const order: string[] = [];
    const answers = await Promise.all([
      first.run(['-V'], { ...LIMITS, timeoutMs: 4_000 }).finally(() => order.push('frozen')),
      second.run(['-V'], LIMITS).finally(() => order.push('lively')),
    ]);
    expect(answers).toMatchObject([{ timedOut: true }, { code: 0 }]);
    expect(order).toEqual(['lively', 'frozen']);
    frozen.thaw();
  });

  it('ends at once while it waits for a host that does not answer', async () => {
    const sshd = keep(await TestSshd.start());
    sshd.freeze();
    const host = keep(startHost(sshd));
    await eventually(() => host.masterCount === 1, 'it tries');
    await host[Symbol.asyncDispose]();
    expect(processesWith(sshd.runtimeDir).filter(isAlive)).toEqual([]);
    sshd.thaw();
    // Less than a login is given: whoever waited for it would be too late.
  }, 15_000);
});

/** Our ssh processes that hold a channel with a shell, such as the one of the probe. */
function channelPids({ runtimeDir }: TestSshd): readonly number[] {
  const ours = processesWith(runtimeDir);
  return processesWith('exec /bin/sh').filter((pid) => ours.includes(pid));
}

function moduleOf(name: string): string {
  return new URL(`../../src/ssh/${name}`, import.meta.url).href;
}
