// The supervised link and the doorbell against real servers that end, come back and hide.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LinkStatus, TmuxLink } from '../../src/tmux/link.ts';
import { WAKE_CHANNEL, WakeClient } from '../../src/tmux/wake.ts';
import type { Notification } from '../../src/tmux-wire/notification.ts';
import { attachPerson } from './tmux-person.ts';
import {
  eventually,
  isAlive,
  isTmuxMissing,
  type PrivateTmux,
  privateTmux,
} from './tmux-server.ts';

const soon = { deadlineMs: 10_000 };

describe.skipIf(isTmuxMissing)('the link', () => {
  let tmux: PrivateTmux;
  let link: TmuxLink;
  let order: string[];
  let received: Notification[];

  beforeEach(() => {
    tmux = privateTmux();
    order = [];
    received = [];
    link = new TmuxLink({
      attach: 'always',
      socketPath: tmux.socketPath,
      onLost: () => order.push('lost'),
      onStatus: ({ state }) => order.push(state),
    });
    void listen();
  });

  const guardPid = (): number => {
    const clients = tmux.run('list-clients', '-F', '#{client_control_mode} #{client_pid}');
    return Number(/^1 (\d+)$/m.exec(clients)?.[1]);
  };

  const listen = async (): Promise<void> => {
    while (!link.isClosed) {
      for await (const item of link.notifications()) if (item.kind !== 'gap') received.push(item);
    }
  };

  afterEach(async () => {
    await link[Symbol.asyncDispose]();
    tmux[Symbol.dispose]();
  });

  const connected = (): Promise<LinkStatus> =>
    eventually(() => link.status.state === 'connected' && link.status, 'the link is connected');

  const answer = async (): Promise<string | undefined> => {
    const replies = await link.run([['display-message', '-p', '#{pid}']], soon);
    return replies[0]?.lines[0];
  };

  test('attaches to the oldest session and knows the generation of the server', async () => {
    const first = tmux.newSession('zz');
    tmux.newSession('aa');
    link.start();
    const { generation, sessionId } = await connected();
    expect(sessionId).toBe(first);
    expect(generation?.serverPid).toBe(tmux.serverPid());
    expect(`${generation?.startTime}`).toBe(tmux.run('display-message', '-p', '#{start_time}'));
    expect(await answer()).toBe(`${tmux.serverPid()}`);
  });

  test('an absent server is waited for and never started', async () => {
    link.start();
    await eventually(() => link.status.state === 'absent', 'it is absent');
    expect(link.status.detail).toBe('there is no socket');
    await expect(answer()).rejects.toMatchObject({ code: 'tmux_gone' });
    tmux.newSession('late');
    await connected();
  });

  describe('of a server that hangs', () => {
    let serverPid: number;
    const waiting: Socket[] = [];

    beforeEach(() => {
      tmux.newSession('one');
      serverPid = tmux.serverPid();
      process.kill(serverPid, 'SIGSTOP');
    });

    afterEach(() => {
      for (const socket of waiting.splice(0)) socket.destroy();
      process.kill(serverPid, 'SIGCONT');
    });

    /** Connects until nobody more may wait for the server. */
    const fillBacklog = async (): Promise<void> => {
      for (let isFull = false; !isFull; ) {
        const socket = connect(tmux.socketPath);
        waiting.push(socket);
        isFull = await new Promise((resolve) => {
          socket.once('connect', () => resolve(false));
          socket.on('error', () => resolve(true));
        });
      }
    };

    test('it is not reported as gone', async () => {
      await fillBacklog();
      link.start();
      await eventually(() => link.status.detail.includes('it hangs'), 'it is noticed');
      expect(link.status.state).toBe('connecting');
      process.kill(serverPid, 'SIGCONT');
      for (const socket of waiting.splice(0)) socket.destroy();
      await connected();
      expect(order).not.toContain('absent');
    });

    test('it closes at once all the same, and leaves no process', async () => {
      link.start();
      const pids = () => execFileSync('pgrep', ['-f', tmux.socketPath], { encoding: 'utf8' });
      await link[Symbol.asyncDispose]();
      expect(pids().trim()).toBe(`${serverPid}`);
    });
  });

  test('a server that does not list its sessions is not reported as gone', async () => {
    tmux.newSession('one');
    const bin = join(tmux.folder, 'bin');
    mkdirSync(bin);
    const program = '#!/bin/sh\necho "no memory left" >&2\nexit 1\n';
    writeFileSync(join(bin, 'tmux'), program, { mode: 0o700 });
    const { PATH } = process.env;
    process.env['PATH'] = `${bin}:${PATH}`;
    try {
      link.start();
      await eventually(() => link.status.detail.includes('no memory left'), 'it is noticed');
    } finally {
      process.env['PATH'] = PATH;
    }
    await connected();
    expect(order).not.toContain('absent');
  });

  test('a server that ended stays ended; the next one is another generation', async () => {
    tmux.newSession('one');
    link.start();
    const before = await connected();
    tmux.killServer();
    await eventually(() => link.status.state === 'absent', 'it is absent');
    // The socket file is still there: what would tempt a client to start a server.
    expect(link.status.detail).toBe('nobody listens at the socket');
    expect(() => tmux.run('-N', 'list-sessions')).toThrow();
    expect(order.slice(-3)).toEqual(['lost', 'connecting', 'absent']);
    tmux.newSession('two');
    const after = await connected();
    expect(after.generation).not.toEqual(before.generation);
    expect(await answer()).toBe(`${tmux.serverPid()}`);
  });

  test('after kill -9 of its process it is soon back, and leaves on request', async () => {
    const first = tmux.newSession('one');
    const second = tmux.newSession('two');
    await attachPerson(tmux, first);
    link.start();
    await connected();
    const pid = guardPid();
    process.kill(pid, 'SIGKILL');
    await eventually(() => order.includes('lost'), 'the loss is noticed');
    expect(order.slice(-2)).toEqual(['lost', 'connecting']);
    await eventually(() => link.status.state === 'connected', 'it is back', 1_000);
    expect(guardPid()).not.toBe(pid);
    tmux.run('set-option', '-t', first, 'destroy-unattached', 'on');
    link.avoid(new Set([first]));
    await eventually(() => link.status.sessionId === second, 'it moved');
    expect(received.some((each) => 'name' in each && each.name.startsWith('agtmux'))).toBe(false);
  });

  test('when its session is killed it answers, and moves to another one when it may', async () => {
    const first = tmux.newSession('one');
    const second = tmux.newSession('two');
    link.start();
    await connected();
    tmux.run('kill-session', '-t', first);
    await eventually(() => answer().catch(() => null), 'it answers again');
    await eventually(() => link.status.sessionId === second, 'it moved');
    expect(await answer()).toBe(`${tmux.serverPid()}`);
  });

  test('with destroy-unattached everywhere it attaches nothing and still answers', async () => {
    const only = tmux.newSession('one');
    const person = await attachPerson(tmux, only);
    tmux.run('set-option', '-g', 'destroy-unattached', 'on');
    link.start();
    await eventually(() => link.status.state === 'degraded', 'it is degraded');
    expect(await answer()).toBe(`${tmux.serverPid()}`);
    expect(link.status.generation?.serverPid).toBe(tmux.serverPid());
    expect(tmux.run('list-clients', '-F', '#{client_control_mode}')).toBe('0');
    tmux.run('set-option', '-g', 'destroy-unattached', 'off');
    await connected();
    await link.run([['detach-client', '-t', person.name]], soon);
    await person.exited;
  });

  test('it leaves a session that got destroy-unattached while a person is there', async () => {
    const first = tmux.newSession('one');
    const second = tmux.newSession('two');
    const person = await attachPerson(tmux, first);
    link.start();
    await connected();
    tmux.run('set-option', '-t', first, 'destroy-unattached', 'on');
    link.avoid(new Set([first]));
    await eventually(() => link.status.sessionId === second, 'it moved');
    expect(order).not.toContain('lost');
    // Not by processes: a client that disconnects while the session ends can crash tmux
    // (upstream change 5497), with or without us.
    await link.run([['detach-client', '-t', person.name]], soon);
    await person.exited;
    await eventually(async () => {
      const [reply] = await link.run([['list-sessions', '-F', '#{session_id}']], soon);
      return reply?.lines.join() === second;
    }, 'the session ended when its person left, as without us');
  });

  test('a server that hangs is a timeout, and answers again when it goes on', async () => {
    tmux.newSession('one');
    link.start();
    await connected();
    const serverPid = tmux.serverPid();
    process.kill(serverPid, 'SIGSTOP');
    try {
      const late = link.run([['display-message', '-p', 'late']], { deadlineMs: 100 });
      await expect(late).rejects.toMatchObject({ code: 'timeout' });
    } finally {
      process.kill(serverPid, 'SIGCONT');
    }
    expect(await answer()).toBe(`${serverPid}`);
    expect(order).not.toContain('lost');
  });

  test('each subscriber gets everything, and the end', async () => {
    tmux.newSession('one');
    link.start();
    await connected();
    const readers = [0, 1].map(async () => {
      const kinds: string[] = [];
      for await (const item of link.notifications()) kinds.push(item.kind);
      return kinds;
    });
    tmux.run('new-window', '-t', '=one:', 'cat');
    await eventually(
      () => received.some(({ kind }) => kind === 'window-add'),
      'the window is reported',
    );
    tmux.killServer();
    const [one, other] = await Promise.all(readers);
    expect(one).toContain('window-add');
    expect(one).toEqual(other);
  });

  test('the environment, the sizes and the options of the user stay as they were', async () => {
    const id = tmux.newSession('one');
    tmux.run('set-environment', '-t', id, 'DISPLAY', ':7');
    tmux.run('set-environment', '-t', id, 'SSH_AUTH_SOCK', '/agent');
    const state = (): string =>
      [
        ['show-environment', '-t', id],
        ['show-options', '-g'],
        ['show-options', '-t', id],
        ['show-options', '-gw'],
        ['list-windows', '-a', '-F', '#{window_layout} #{window_width}x#{window_height}'],
        ['list-keys'],
        ['list-buffers'],
      ]
        .map((command) => tmux.run(...command))
        .join('\n');
    const before = state();
    link.start();
    await connected();
    await using wake = new WakeClient({ link, onWake: () => {} });
    wake.start();
    await eventually(() => wake.sessionId !== null, 'the doorbell is there');
    for (let count = 0; count < 100; count += 1) await answer();
    expect(state()).toBe(before);
  });

  test('close leaves no process and no hanging subscriber', async () => {
    tmux.newSession('one');
    link.start();
    await connected();
    const pid = guardPid();
    const subscriber = link.notifications();
    const end = (async () => {
      for await (const _ of subscriber);
    })();
    await link[Symbol.asyncDispose]();
    await end;
    expect(isAlive(pid)).toBe(false);
    expect((await link.notifications().next()).done).toBe(true);
  });
});

describe.skipIf(isTmuxMissing)('the doorbell', () => {
  test('wakes at each signal, again and again, and stays apart from the link', async () => {
    using tmux = privateTmux();
    const first = tmux.newSession('one');
    await using link = new TmuxLink({ attach: 'always', socketPath: tmux.socketPath });
    let wakeCount = 0;
    await using wake = new WakeClient({
      link,
      onWake: () => {
        wakeCount += 1;
      },
    });
    link.start();
    wake.start();
    await eventually(() => wake.sessionId === first, 'it waits in the only session');
    await eventually(() => wakeCount > 0, 'it looks once at the start');

    for (let count = 0; count < 20; count += 1) {
      const before = wakeCount;
      tmux.run('wait-for', '-S', WAKE_CHANNEL);
      await eventually(() => wakeCount > before, 'it wakes');
    }

    const second = tmux.newSession('two');
    await eventually(() => wake.sessionId === second, 'it moves away from the link');
    tmux.run('kill-session', '-t', first);
    await eventually(() => link.status.sessionId === second, 'the link comes over');
    const before = wakeCount;
    tmux.run('wait-for', '-S', WAKE_CHANNEL);
    await eventually(() => wakeCount > before, 'it still wakes');
  });
});
