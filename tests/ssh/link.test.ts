// The clients of one tmux server over ssh, as at home: link, doorbell and taps, on a real sshd. A
// lost connection is made anew by itself, and a server that has ended is not taken for a lost host.

import { afterEach, describe, expect, it } from 'vitest';
import type { SshHost } from '../../src/ssh/ssh-host.ts';
import { attachArguments } from '../../src/tmux/invocation.ts';
import { TmuxLink } from '../../src/tmux/link.ts';
import type { TapReport } from '../../src/tmux/taps/tap-report.ts';
import { TAP_FLAGS, Taps } from '../../src/tmux/taps.ts';
import { WAKE_CHANNEL, WakeClient } from '../../src/tmux/wake.ts';
import { eventually, type PrivateTmux, privateTmux } from '../live/tmux-server.ts';
import { hostOn } from './live-host.ts';
import { isSshdMissing, TestSshd } from './sshd.ts';

describe.skipIf(isSshdMissing)('a tmux server over ssh', () => {
  const opened: AsyncDisposable[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
  });
  const keep = <T extends AsyncDisposable>(resource: T): T => {
    opened.push(resource);
    return resource;
  };

  async function start(): Promise<{
    sshd: TestSshd;
    host: SshHost;
    tmux: PrivateTmux;
    link: TmuxLink;
  }> {
    const sshd = keep(await TestSshd.start());
    const tmux = privateTmux();
    keep({ [Symbol.asyncDispose]: async () => tmux[Symbol.dispose]() });
    tmux.newSession('first');
    const host = keep(await hostOn(sshd));
    const link = keep(new TmuxLink({ attach: 'always', host, socketPath: tmux.socketPath }));
    link.start();
    await eventually(() => link.status.state === 'connected', 'the link is connected');
    return { sshd, host, tmux, link };
  }

  it('answers and wakes', async () => {
    const { tmux, link } = await start();
    const [reply] = await link.run([['list-panes', '-a', '-F', '#{pane_id}']], {
      deadlineMs: 5_000,
    });
    expect(reply?.lines).toHaveLength(1);
    let wakeCount = 0;
    const onWake = (): void => {
      wakeCount += 1;
    };
    const wake = keep(new WakeClient({ link, onWake }));
    wake.start();
    await eventually(() => wakeCount > 0, 'the doorbell is there');
    for (let rung = 0; rung < 5; rung += 1) {
      const before = wakeCount;
      tmux.run('wait-for', '-S', WAKE_CHANNEL);
      await eventually(() => wakeCount > before, 'it wakes');
    }
  });

  it('has taps that a worker thread reads', async () => {
    const { host, tmux, link } = await start();
    const sessionId = tmux.newSession('busy', 'sh');
    const reports: TapReport[] = [];
    const taps = keep(new Taps({ onReport: (report) => reports.push(report) }));
    const { socketPath } = tmux;
    const opening = await host.open('tap', attachArguments({ socketPath, sessionId }, TAP_FLAGS));
    taps.set([{ server: 'remote', sessionId, launch: opening.launch }]);
    const openedTap = await eventually(
      () => reports.flatMap((report) => report.opened)[0],
      'the tap is open',
    );
    host.setTapPids([openedTap.pid]);
    const clients = tmux.run('list-clients', '-F', '#{client_pid}').split('\n');
    expect(clients).toContain(String(openedTap.pid));
    tmux.run('send-keys', '-t', sessionId, "printf '\\033]3008;state=running\\033\\\\'", 'Enter');
    const osc = await eventually(() => reports.flatMap((report) => report.osc)[0], 'the OSC');
    expect(osc.text).toBe('state=running');
    expect(link.status.state).toBe('connected');
    opening.release();
  });

  it('that has ended is reported as ended, not as a lost host', async () => {
    const { host, tmux, link } = await start();
    tmux.killServer();
    await eventually(() => link.status.state === 'absent', 'absent', 15_000);
    expect(host.health.level).toBe('ok');
    tmux.newSession('again');
    await eventually(() => link.status.state === 'connected', 'connected again', 15_000);
  });

  it('is never absent because the host was lost, and comes back', async () => {
    const { sshd, link } = await start();
    const states: string[] = [];
    link.onStatus(({ state }) => states.push(state));
    sshd.cut();
    await eventually(() => states.includes('connecting'), 'it is noticed');
    await eventually(() => link.status.state === 'connected', 'connected again', 20_000);
    expect(states).not.toContain('absent');
  });
});
