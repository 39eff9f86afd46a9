// The watch of a real tmux server into the real engine: agents appear with their screens and
// titles, and what an earlier program left behind counts for nobody.

import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { steadyClock } from '../../src/platform/clock.ts';
import { Fault } from '../../src/platform/fault.ts';
import { type LocalProcess, LocalProcesses } from '../../src/platform/process/processes.ts';
import { type Config, defaultConfig } from '../../src/schema/config.ts';
import type { Daemon, ServerAddress } from '../../src/sources/known-pane.ts';
import { ServerWatch } from '../../src/sources/watch/server-watch.ts';
import type { HostProcesses } from '../../src/tmux/host.ts';
import { TmuxLink } from '../../src/tmux/link.ts';
import { attachPerson } from '../live/tmux-person.ts';
import { eventually, isTmuxMissing, type PrivateTmux, privateTmux } from '../live/tmux-server.ts';
import { address as anyPlace, makeFolder, recorded, registry } from './fixture.ts';
import { type RealDaemon, realDaemon } from './real-daemon.ts';

const ESCAPE = '\u001b';
/** The paces are short, so that what must be seen again and again is seen soon. */
const config: Config = {
  ...defaultConfig,
  tmux: {
    ...defaultConfig.tmux,
    tap: 'never',
    sweepMs: 100,
    tappedSweepMs: 200,
    degradedSweepMs: 200,
    listingMs: 500,
  },
  screen: { ...defaultConfig.screen, restMinMs: 300, restMaxMs: 600 },
  process: {
    ...defaultConfig.process,
    agentMs: 300,
    treeMs: 600,
    shellMinMs: 200,
    shellMaxMs: 500,
  },
};

describe.skipIf(isTmuxMissing)('the watch of a server', () => {
  let tmux: PrivateTmux;
  let address: ServerAddress;
  let real: RealDaemon;
  let link: TmuxLink;
  let watch: ServerWatch;
  let programs: string;

  beforeEach(() => {
    tmux = privateTmux();
    address = { ...anyPlace, server: tmux.socketPath };
    real = realDaemon(steadyClock(0));
    programs = join(tmux.folder, 'bin');
    mkdirSync(programs);
    for (const name of ['claude', 'ssh', 'worker']) {
      copyFileSync('/bin/sleep', join(programs, name));
    }
    link = new TmuxLink({
      attach: 'always',
      socketPath: tmux.socketPath,
      onStatus: ({ state }) => {
        if (state === 'connected' || state === 'degraded') watch.ask();
        if (state === 'absent') watch.serverGone();
      },
    });
    watch = watchOf(real.daemon);
    real.loop.start();
    void (async () => {
      for await (const _notice of link.notifications()) watch.ask();
    })();
  });

  function watchOf(
    daemon: Daemon,
    far?: { processes: HostProcesses; config: Config },
  ): ServerWatch {
    return new ServerWatch({
      address,
      link,
      daemon,
      processes: far?.processes ?? new LocalProcesses(makeFolder()),
      registry: () => registry,
      config: () => far?.config ?? config,
      tap: () => {},
      isTapAllowed: () => false,
      viewedPaneIds: () => new Set(),
      onFault: () => {},
      onAttached: () => {},
      onSeen: () => {},
    });
  }

  afterEach(async () => {
    watch[Symbol.dispose]();
    await link[Symbol.asyncDispose]();
    tmux[Symbol.dispose]();
  });

  /** A script that shows a recorded screen and a title, then runs the programs, one by one. */
  function script(
    { screen, title }: { screen?: string; title?: string },
    ...lines: readonly string[]
  ): string {
    const file = join(tmux.folder, `script-${Math.random().toString(36).slice(2)}.sh`);
    const screenFile = join(tmux.folder, 'screen.txt');
    if (screen !== undefined) {
      writeFileSync(screenFile, `${ESCAPE}[2J${ESCAPE}[H${recorded(screen).screen.ansi}`);
    }
    const show = screen === undefined ? [] : [`cat ${screenFile}`];
    const name = title === undefined ? [] : [`printf '\\033]2;${title}\\007'`];
    writeFileSync(file, ['stty -echo', ...name, ...show, ...lines].join('\n'));
    chmodSync(file, 0o700);
    return `bash ${file}`;
  }

  /** The processes of this machine as those of another: what is asked for is what was read last. */
  function farProcesses(): HostProcesses & { readCount: number } {
    const near = new LocalProcesses(makeFolder());
    const trees = new Map<number, readonly LocalProcess[]>();
    const rowOf = (pid: number) => [...trees.values()].flat().find((each) => each.pid === pid);
    return {
      readCount: 0,
      foregroundOf: null,
      async refresh(pids) {
        for (const pid of pids) trees.set(pid, near.tree(pid) ?? []);
        this.readCount += 1;
      },
      tree: (pid) => trees.get(pid) ?? null,
      startedAtMs: (pid) => rowOf(pid)?.startedAtMs ?? null,
      signOf: (pid) => rowOf(pid)?.startedAtMs.toString() ?? null,
    };
  }

  /** Watches as if on another machine, where shells are looked at a minute apart. */
  async function watchFar(): Promise<void> {
    const minuteMs = { shellMinMs: 60_000, shellMaxMs: 60_000 };
    const farConfig = { ...config, process: { ...config.process, ...minuteMs } };
    const processes = farProcesses();
    watch[Symbol.dispose]();
    watch = watchOf(real.daemon, { processes, config: farConfig });
    tmux.newSession('work', 'sh');
    link.start();
    await eventually(() => row() !== null && processes.readCount > 0, 'the pane is known');
    await eventually(() => watch.counts.listings > 1, 'it was looked at');
  }

  const row = (paneId = '%0') => real.rowOf(address, paneId);
  const runtime = (paneId = '%0') => real.daemon.paneAt(address, paneId)?.runtime ?? null;

  it('finds an agent by its process and what its screen asks', async () => {
    const run = script({ screen: 'claude/111-waiting_approval' }, `${programs}/claude 600`);
    tmux.newSession('work', run);
    link.start();
    await eventually(() => row()?.state === 'waiting_approval', 'the dialog is seen');
    expect(row()).toMatchObject({ presence: 'managed', agent: 'claude' });
    expect(runtime()?.basis).toBe('process');
    expect(watch.counts.listings).toBeGreaterThan(0);
  });

  it('finds an agent that a quiet script starts before a listing or a scan is due', async () => {
    const hourMs = 3_600_000;
    const slow = { shellMinMs: hourMs, shellMaxMs: hourMs };
    const quietConfig = {
      ...config,
      tmux: { ...config.tmux, sweepMs: hourMs, tappedSweepMs: hourMs },
      process: { ...config.process, ...slow },
    };
    watch[Symbol.dispose]();
    const processes = new LocalProcesses(makeFolder());
    watch = watchOf(real.daemon, { processes, config: quietConfig });
    const go = join(tmux.folder, 'go');
    const wait = `mkfifo ${go}; read x < ${go}`;
    tmux.newSession('work', script({}, wait, `${programs}/claude 600`, 'exec cat'));
    link.start();
    await eventually(() => row() !== null && existsSync(go), 'the script waits');
    await eventually(() => watch.counts.listings > 0, 'it was looked at');
    writeFileSync(go, 'go\n');
    await eventually(() => runtime()?.agent === 'claude', 'the agent is found');
  });

  it('reads the processes of another machine anew when an event comes', async () => {
    await watchFar();
    // In the background: nothing that is listed changes.
    const started = join(tmux.folder, 'started');
    tmux.run('send-keys', '-t', '=work:', `${programs}/claude 600 & touch ${started}`, 'Enter');
    await eventually(() => existsSync(started), 'the agent is started');
    watch.hint({ paneId: '%0', agent: null });
    await eventually(() => runtime()?.agent === 'claude', 'the agent is found');
    // What runs in the background does not end with its terminal.
    process.kill(runtime()?.pid as number, 'SIGKILL');
  });

  it('reads the processes of another machine anew before it refuses a tag', async () => {
    await watchFar();
    const refused = await watch.tag('%0', 'claude');
    expect(refused).toMatchObject({ ok: false, refusal: { code: 'E_TAG_REFUSED' } });
    tmux.run('send-keys', '-t', '=work:', `exec ${programs}/ssh 600`, 'Enter');
    const command = () =>
      tmux.run('display-message', '-p', '-t', '=work:', '#{pane_current_command}');
    await eventually(() => command() === 'ssh', 'the pane cannot be looked into');
    expect(await watch.tag('%0', 'claude')).toMatchObject({ ok: true });
    expect(runtime()).toMatchObject({ agent: 'claude', basis: 'tag' });
  });

  it('reports a pane without an agent and one that was closed', async () => {
    tmux.newSession('work', 'cat');
    tmux.newSession('more', 'cat');
    link.start();
    await eventually(() => row('%1') !== null, 'both panes are listed');
    expect(row('%0')).toMatchObject({ presence: 'unmanaged', state: 'unknown' });
    tmux.run('kill-session', '-t', '=more:');
    await eventually(() => row('%1') === null, 'the pane is gone');
    expect(row('%0')).not.toBeNull();
  });

  it('ends an agent that was killed, and withdraws its claims', async () => {
    const run = script(
      { screen: 'claude/111-waiting_approval' },
      `${programs}/claude 600`,
      'exec cat',
    );
    tmux.newSession('work', run);
    link.start();
    await eventually(() => row()?.state === 'waiting_approval', 'the dialog is seen');
    process.kill(runtime()?.pid as number, 'SIGKILL');
    await eventually(() => runtime() === null, 'the agent is gone');
    expect(row()).toMatchObject({ presence: 'unmanaged', state: 'error', reasonCode: 'crashed' });
  });

  it('counts a title that its agent wrote, and not the one of the agent before', async () => {
    const first = `(sleep 1; printf '\\033]2;⠂ First\\007') & ${programs}/claude 600`;
    const run = script({}, first, `${programs}/claude 601`, 'exec cat');
    tmux.newSession('work', run);
    link.start();
    await eventually(() => row()?.state === 'running', 'the title of the first is believed');
    const before = runtime();
    process.kill(before?.pid as number, 'SIGKILL');
    const second = await eventually(() => {
      const now = runtime();
      return now !== null && now.runtimeId !== before?.runtimeId ? now : null;
    }, 'the second agent is found');
    // Everything that could be read of it has been read a few times over.
    const { listings, captures } = watch.counts;
    await eventually(
      () => watch.counts.listings > listings + 8 && watch.counts.captures > captures + 1,
      'it was looked at again and again',
    );
    expect(runtime()?.runtimeId).toBe(second.runtimeId);
    expect(row()?.state).toBe('unknown');
  });

  it('finds no agent behind ssh by the screen that an agent before it left', async () => {
    const run = script({ screen: 'claude/111-waiting_approval' }, `${programs}/claude 600`);
    tmux.newSession('work', run);
    link.start();
    await eventually(() => row()?.state === 'waiting_approval', 'the dialog is seen');
    tmux.run('respawn-pane', '-k', '-t', '%0', `${programs}/ssh 600`);
    const isOpaque = () => real.daemon.paneAt(address, '%0')?.facts.opaque === true;
    await eventually(isOpaque, 'the pane holds ssh');
    const { listings, captures } = watch.counts;
    await eventually(
      () => watch.counts.listings > listings + 5 && watch.counts.captures > captures + 1,
      'it was looked at again and again',
    );
    expect(runtime()).toBeNull();
    expect(row()).toMatchObject({ presence: 'unmanaged' });
  });

  it('makes no agent of a program by what the hooks of an agent before it have left', async () => {
    const next = `exec ${programs}/worker 600`;
    tmux.newSession('work', script({}, 'read x', `${programs}/claude 600`, next));
    link.start();
    await eventually(() => row(), 'the pane is listed without an agent');
    tmux.run('send-keys', '-t', '%0', 'Enter');
    const agent = await eventually(() => runtime(), 'the agent is found');
    tmux.run('set-option', '-p', '-t', '%0', '@agent_state', 'running');
    await eventually(() => row()?.state === 'running', 'its option is believed');
    process.kill(agent.pid as number, 'SIGKILL');
    await eventually(() => runtime() === null, 'the agent is gone');
    const { listings } = watch.counts;
    await eventually(() => watch.counts.listings > listings + 3, 'it was listed again and again');
    expect(runtime()).toBeNull();
  });

  it('makes an agent of a program that sets its own option', async () => {
    tmux.newSession('work', `exec ${programs}/worker 600`);
    link.start();
    await eventually(() => row(), 'the pane is listed');
    tmux.run('set-option', '-p', '-t', '%0', '@agent_name', 'my-agent');
    const { listings } = watch.counts;
    await eventually(() => watch.counts.listings > listings + 1, 'it was listed without a state');
    tmux.run('set-option', '-p', '-t', '%0', '@agent_state', 'running');
    await eventually(() => row()?.state === 'running', 'the option is believed');
    expect(runtime()).toMatchObject({ agent: 'my-agent', basis: 'option' });
    tmux.run('set-option', '-pu', '-t', '%0', '@agent_state');
    await eventually(() => row()?.presence === 'unmanaged', 'it took back that it is an agent');
    expect(row()).toMatchObject({ reasonCode: 'no_agent', agent: null });
    tmux.run('set-option', '-p', '-t', '%0', '@agent_state', 'idle');
    await eventually(() => row()?.state === 'idle', 'it is one again');
    tmux.run('set-option', '-p', '-t', '%0', '@agent_state', 'exited');
    await eventually(() => row()?.presence === 'unmanaged', 'it has exited');
  });

  it('makes that agent also where its start could not be stored at first', async () => {
    const { submit } = real.daemon;
    let refusals = 0;
    watch[Symbol.dispose]();
    watch = watchOf({
      ...real.daemon,
      submit: (observations) => {
        if (refusals === 0 && observations.some(({ kind }) => kind === 'fact')) {
          refusals += 1;
          throw new Fault('store_busy', { about: 'a test' });
        }
        submit(observations);
      },
    });
    tmux.newSession('work', `exec ${programs}/worker 600`);
    link.start();
    await eventually(() => row(), 'the pane is listed');
    const { listings } = watch.counts;
    await eventually(() => watch.counts.listings > listings + 1, 'it was listed without a state');
    tmux.run('set-option', '-p', '-t', '%0', '@agent_state', 'running');
    await eventually(() => row()?.state === 'running', 'the option is believed');
    expect(refusals).toBe(1);
  });

  it('looks at a pane that rings without end at its usual pace', async () => {
    tmux.newSession('work', script({}, `${programs}/claude 600`));
    link.start();
    await eventually(() => watch.counts.captures > 0, 'the agent is looked at');
    const { captures } = watch.counts;
    const startedAt = performance.now();
    const none = {
      changed: [],
      news: [],
      titled: [],
      gaps: [],
      osc: [],
      closed: [],
      failed: [],
      opened: [],
    };
    await eventually(() => {
      watch.tapped({ server: tmux.socketPath, ...none, bells: ['%0'] }, Date.now());
      return watch.counts.captures >= captures + 8;
    }, 'it is captured while it rings');
    expect(performance.now() - startedAt).toBeGreaterThan(4 * config.screen.lookMs);
  });

  it('needs few processes for many panes where nothing may be attached', async () => {
    const session = tmux.newSession('work', `${programs}/claude 600`);
    for (let count = 1; count < 8; count += 1) {
      tmux.run('new-window', '-d', '-t', `${session}:`, `${programs}/claude 600`);
    }
    const person = await attachPerson(tmux, session);
    for (let pane = 0; pane < 8; pane += 1) {
      tmux.run('set-option', '-p', '-t', `%${pane}`, '@agent_state', 'running');
    }
    tmux.run('set-option', '-g', 'destroy-unattached', 'on');
    const lines: string[] = [];
    const { run } = link;
    link.run = (commands, options) => {
      lines.push(commands[0]?.[0] ?? '');
      return run.call(link, commands, options);
    };
    link.start();
    await eventually(() => watch.counts.captures >= 8, 'all screens were read');
    expect(lines.filter((name) => name === 'show-options')).toHaveLength(1);
    expect(lines.filter((name) => name === 'display-message').length).toBeLessThanOrEqual(3);
    tmux.killServer();
    await person.exited;
  });

  it('has the link leave a session that ends with its person', async () => {
    const first = tmux.newSession('one', 'cat');
    const second = tmux.newSession('two', 'cat');
    const person = await attachPerson(tmux, first);
    link.start();
    await eventually(() => link.status.sessionId === first, 'it is attached');
    tmux.run('set-option', '-t', first, 'destroy-unattached', 'on');
    await eventually(() => link.status.sessionId === second, 'it moved');
    tmux.killServer();
    await person.exited;
  });

  it('says that all panes are gone with their server, and finds those of the next', async () => {
    tmux.newSession('work', 'cat');
    link.start();
    const before = await eventually(() => real.daemon.paneAt(address, '%0'), 'the pane is listed');
    tmux.killServer();
    await eventually(() => row() === null, 'the pane is gone');
    tmux.newSession('work', 'cat');
    const after = await eventually(() => real.daemon.paneAt(address, '%0'), 'the next is listed');
    expect(after.paneKey).not.toBe(before.paneKey);
  });

  it('captures no screen where no agent is', async () => {
    tmux.newSession('work', 'cat');
    link.start();
    await eventually(() => row() !== null, 'the pane is listed');
    const { listings } = watch.counts;
    await eventually(() => watch.counts.listings >= listings + 4, 'four more listings');
    expect(watch.counts.captures).toBe(0);
  });
});
