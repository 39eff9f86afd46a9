// Recovery without hands: the daemon, the tmux server and our own tmux clients are killed, sessions
// and sockets go away. What is published in between is unknown with its reason, and never invented.

import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { PaneItem } from '../../src/schema/api/panes.ts';
import { eventually, isTmuxMissing, privateTmux } from '../live/tmux-server.ts';
import { fakeAgent, type LivePane } from './live-agents.ts';
import { LiveDaemon, Subscriber, wordOf } from './live-daemon.ts';

interface Fleet {
  readonly waiting: LivePane;
  readonly running: LivePane;
  readonly idle: LivePane;
}

/** Three agents, each in a state that its screen shows. */
function fleetOf({ tmux }: LiveDaemon): Fleet {
  const waiting = fakeAgent(tmux, 'claude', 'waiting');
  const running = fakeAgent(tmux, 'codex', 'running');
  const idle = fakeAgent(tmux, 'claude', 'idle');
  waiting.show('claude/111-waiting_approval');
  running.show('codex/103-running');
  idle.show('claude/101-idle');
  return { waiting, running, idle };
}

async function isRight(subscriber: Subscriber, fleet: Fleet): Promise<readonly PaneItem[]> {
  return Promise.all([
    subscriber.state(fleet.waiting.paneId, 'waiting_approval'),
    subscriber.state(fleet.running.paneId, 'running'),
    subscriber.state(fleet.idle.paneId, 'idle'),
  ]);
}

const labels = (fleet: Fleet): ReadonlyMap<string, string> =>
  new Map([
    [fleet.waiting.paneId, 'waiting_approval'],
    [fleet.running.paneId, 'running'],
    [fleet.idle.paneId, 'idle'],
  ]);

/** Nothing but the truth, or that it is not known. */
function expectNothingInvented({ states }: Pick<Subscriber, 'states'>, fleet: Fleet): void {
  for (const { paneId, state } of states) {
    const label = labels(fleet).get(paneId);
    if (label === undefined || state.startsWith('unknown/')) continue;
    expect(`${paneId} ${state.split('/')[0]}`).toBe(`${paneId} ${label}`);
  }
}

describe.skipIf(isTmuxMissing)('after kill -9 of the daemon', () => {
  test('the next command starts a new daemon, whose rows are right and stay right', async () => {
    await using live = new LiveDaemon();
    const fleet = fleetOf(live);
    const pid = await live.start();
    using before = new Subscriber(await live.client());
    const rows = await isRight(before, fleet);
    const [held] = rows;
    await live.kill(pid, 'SIGKILL');

    const listed = await live.cli('list', 'panes', '--json');
    expect(listed).toMatchObject({ code: 0, err: '' });
    using after = new Subscriber(await live.client());
    const again = await isRight(after, fleet);
    expectNothingInvented(after, fleet);
    for (const row of JSON.parse(listed.out).panes as readonly PaneItem[]) {
      const label = labels(fleet).get(row.identity?.pane_id ?? '');
      expect([label, 'unknown']).toContain(row.state);
      if (row.state === 'unknown') expect(row.reason_code).not.toBeNull();
    }
    expect(again.map((row) => row.runtime_id)).toEqual(rows.map((row) => row.runtime_id));
    expect(again[0]?.attention.requests.map(({ since }) => since)).toEqual(
      held?.attention.requests.map(({ since }) => since),
    );
    const info = await (await live.client()).call('daemon_info', {});
    expect(info.pid).not.toBe(pid);
    // A change that comes after all first readings: nothing may come of the restart before it.
    fleet.idle.show('claude/104-running');
    await after.state(fleet.idle.paneId, 'running');
    const stayed = after.states.filter(({ paneId }) => paneId !== fleet.idle.paneId);
    expectNothingInvented({ states: stayed }, fleet);
  });

  test('agents behind ssh, tagged ones and those known by an option are still there', async () => {
    await using live = new LiveDaemon();
    const far = fakeAgent(live.tmux, 'ssh', 'far');
    const tagged = fakeAgent(live.tmux, 'ssh', 'tagged');
    const robot = fakeAgent(live.tmux, 'robot', 'robot');
    const option = (pane: LivePane, state: string) =>
      live.tmux.run('set-option', '-p', '-t', pane.paneId, '@agent_state', state);
    const pid = await live.start();
    using before = new Subscriber(await live.client());
    for (const { paneId } of [far, tagged]) {
      await before.until(paneId, (row) => row.opaque, 'it cannot be looked into');
    }
    await before.until(robot.paneId, ({ presence }) => presence === 'unmanaged', 'nobody');
    expect(await live.cli('tag', tagged.paneId, '--agent', 'codex')).toMatchObject({ code: 0 });
    option(far, 'running');
    option(robot, 'running');
    const rowsOf = (subscriber: Subscriber) =>
      Promise.all([
        subscriber.state(far.paneId, 'running'),
        subscriber.state(robot.paneId, 'running'),
        subscriber.until(tagged.paneId, ({ agent }) => agent === 'codex', 'codex'),
      ]);
    const rows = await rowsOf(before);
    await live.kill(pid, 'SIGKILL');
    await live.start();
    using after = new Subscriber(await live.client());
    const again = await rowsOf(after);
    expect(again.map((row) => row.runtime_id)).toEqual(rows.map((row) => row.runtime_id));
    expect(again.slice(0, 2).map(({ since }) => since)).toEqual(
      rows.slice(0, 2).map(({ since }) => since),
    );
    // A change that comes after two looks at every pane: none of them has ended an agent.
    option(far, 'idle');
    await after.state(far.paneId, 'completed');
    expect(after.row(tagged.paneId)).toMatchObject({ agent: 'codex', presence: 'managed' });
  });

  test('a server that it watched stays watched; one that is gone leaves no panes', async () => {
    await using live = new LiveDaemon();
    using other = privateTmux();
    const fleet = fleetOf(live);
    const pid = await live.start();
    using before = new Subscriber(await live.client());
    await isRight(before, fleet);
    await live.kill(pid, 'SIGKILL');
    other.newSession('other');
    live.env['AGTMUX_TMUX_SOCKET_PATH'] = other.socketPath;
    const second = await live.start();
    using between = new Subscriber(await live.client());
    await isRight(between, fleet);
    await live.kill(second, 'SIGKILL');
    live.tmux.run('kill-server');
    await live.start();
    const client = await live.client();
    await eventually(async () => {
      const { panes } = await client.call('list_panes', {});
      return panes.every(({ presence }) => presence !== 'managed');
    }, 'no agent of the server that is gone');
    const { servers } = await client.call('daemon_info', {});
    expect(servers.map(({ server }) => server)).toEqual([other.socketPath]);
  });

  test('a server that it watched before and that is started anew is watched again', async () => {
    await using live = new LiveDaemon();
    using other = privateTmux();
    const fleet = fleetOf(live);
    const pid = await live.start();
    using before = new Subscriber(await live.client());
    await isRight(before, fleet);
    await live.kill(pid, 'SIGKILL');
    other.newSession('other');
    live.env['AGTMUX_TMUX_SOCKET_PATH'] = other.socketPath;
    await live.start();
    using between = new Subscriber(await live.client());
    await isRight(between, fleet);
    live.tmux.run('kill-server');
    const client = await live.client();
    const sessions = async () => {
      const { panes } = await client.call('list_panes', {});
      return panes.map(({ identity }) => identity?.session_name);
    };
    await eventually(async () => (await sessions()).every((name) => name === 'other'), 'the end');
    live.tmux.newSession('again');
    await eventually(async () => (await sessions()).includes('again'), 'the new server');
  });

  test('an agent that ended meanwhile is published as ended, and none is invented', async () => {
    await using live = new LiveDaemon();
    const fleet = fleetOf(live);
    const pid = await live.start();
    using before = new Subscriber(await live.client());
    await isRight(before, fleet);
    await live.kill(pid, 'SIGKILL');
    live.tmux.run('respawn-pane', '-k', '-t', fleet.waiting.paneId, 'exec /bin/sh');
    await live.start();
    using after = new Subscriber(await live.client());
    const row = await after.until(
      fleet.waiting.paneId,
      ({ presence }) => presence === 'unmanaged',
      'a shell',
    );
    expect(row).toMatchObject({ agent: null, attention: { requests: [] } });
    const shellStates = after.states.filter(({ paneId }) => paneId === fleet.waiting.paneId);
    for (const { state } of shellStates) expect(state).toMatch(/^unknown\//);
  });
});

describe.skipIf(isTmuxMissing)('after kill -9 of the tmux server', () => {
  test('no row stays live, and a new server with the same ids inherits nothing', async () => {
    await using live = new LiveDaemon();
    const fleet = fleetOf(live);
    await live.start();
    const client = await live.client();
    using subscriber = new Subscriber(client);
    const rows = await isRight(subscriber, fleet);
    const serverPid = live.tmux.serverPid();
    process.kill(serverPid, 'SIGKILL');
    await live.ended(serverPid);
    await eventually(
      async () => (await client.call('list_panes', {})).panes.length === 0,
      'nothing is listed as live',
    );
    const { panes: gone } = await client.call('list_panes', { include_missing: true });
    expect(gone.map(({ pane_key: key }) => key).sort()).toEqual(
      rows.map(({ pane_key: key }) => key).sort(),
    );
    for (const row of gone) {
      expect(row).toMatchObject({ presence: 'missing', state: 'unknown' });
      expect(row.reason_code).not.toBeNull();
    }
    const { servers } = await client.call('daemon_info', {});
    expect(servers).toMatchObject([{ status: 'absent', panes: 0 }]);

    const reborn = fakeAgent(live.tmux, 'claude', 'waiting');
    expect(reborn.paneId).toBe(fleet.waiting.paneId);
    const row = await subscriber.until(
      reborn.paneId,
      ({ agent }) => agent === 'claude',
      'found on the new server',
    );
    const [old] = rows;
    expect(row.pane_key).not.toBe(old?.pane_key);
    expect(row.runtime_id).not.toBe(old?.runtime_id);
    expect(row).toMatchObject({ state: 'unknown', attention: { requests: [] } });
    reborn.show('claude/104-running');
    await subscriber.state(reborn.paneId, 'running');
  });

  test('a server that is not there is never started, and one that comes is found', async () => {
    await using live = new LiveDaemon();
    const listed = await live.cli('list', 'panes', '--json');
    expect(listed).toMatchObject({ code: 0 });
    expect(JSON.parse(listed.out).panes).toEqual([]);
    expect(() => live.tmux.run('-N', 'list-sessions')).toThrow();
    const pane = fakeAgent(live.tmux, 'claude', 'late');
    pane.show('claude/104-running');
    using subscriber = new Subscriber(await live.client());
    await subscriber.state(pane.paneId, 'running');
  });
});

describe.skipIf(isTmuxMissing)('our own tmux clients', () => {
  const controlClients = (live: LiveDaemon): readonly number[] =>
    live
      .tmuxClients()
      .filter(({ control }) => control)
      .map(({ pid }) => pid);

  test('come back when their session is killed, and no state is invented', async () => {
    await using live = new LiveDaemon({ attach: 'always' });
    live.tmux.newSession('first');
    const fleet = fleetOf(live);
    await live.start();
    using subscriber = new Subscriber(await live.client());
    await isRight(subscriber, fleet);
    live.tmux.run('kill-session', '-t', '=first');
    await eventually(() => controlClients(live).length >= 5, 'command, wake and three taps');
    expectNothingInvented(subscriber, fleet);
    await isRight(subscriber, fleet);
    fleet.idle.show('claude/104-running');
    await subscriber.state(fleet.idle.paneId, 'running');
  });

  test('come back when they are killed, and no state is invented', async () => {
    await using live = new LiveDaemon({ attach: 'always' });
    const fleet = fleetOf(live);
    await live.start();
    using subscriber = new Subscriber(await live.client());
    const before = await isRight(subscriber, fleet);
    await eventually(() => controlClients(live).length === 5, 'all are there');
    const killed = controlClients(live);
    for (const pid of killed) killUnlessGone(pid);
    await eventually(
      () => controlClients(live).filter((pid) => !killed.includes(pid)).length === 5,
      'five others are there',
    );
    expectNothingInvented(subscriber, fleet);
    const after = await isRight(subscriber, fleet);
    expect(after.map((row) => row.runtime_id)).toEqual(before.map((row) => row.runtime_id));
    fleet.idle.show('claude/104-running');
    await subscriber.state(fleet.idle.paneId, 'running');
  });

  test('stop reading output when the configuration says so, and begin again', async () => {
    await using live = new LiveDaemon({ attach: 'always' });
    fleetOf(live);
    await live.start();
    await eventually(() => controlClients(live).length === 5, 'all are there');
    live.configure('[tmux]\ntap = "never"\n');
    await eventually(() => controlClients(live).length === 2, 'the taps are closed');
    live.configure('');
    await eventually(() => controlClients(live).length === 5, 'the taps are open again');
  });

  test.each(['SIGTERM', 'daemon stop'])('are gone after %s, and so is the socket', async (how) => {
    await using live = new LiveDaemon({ attach: 'always' });
    const fleet = fleetOf(live);
    const pid = await live.start();
    using subscriber = new Subscriber(await live.client());
    await isRight(subscriber, fleet);
    await eventually(() => controlClients(live).length === 5, 'all are there');
    const clients = controlClients(live);
    if (how === 'SIGTERM') await live.kill(pid, 'SIGTERM');
    else expect(await live.cli('daemon', 'stop')).toMatchObject({ code: 0 });
    expect(live.processes()).toEqual([]);
    for (const client of clients) await live.ended(client);
    expect(controlClients(live)).toEqual([]);
    expect(await live.cli('daemon', 'status')).toMatchObject({ code: 3 });
  });
});

/** A tap is closed by the daemon itself as soon as its guard is gone. */
function killUnlessGone(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    expect(error).toMatchObject({ code: 'ESRCH' });
  }
}

describe.skipIf(isTmuxMissing)('the place of the daemon', () => {
  test('has room for one: a second says so and ends, and the first goes on', async () => {
    await using live = new LiveDaemon();
    const fleet = fleetOf(live);
    const pid = await live.start();
    const second = await live.cli('daemon', 'run');
    expect(second.code).not.toBe(0);
    expect(second.err).toContain('E_DAEMON_RUNNING');
    const client = await live.client();
    expect(await client.call('daemon_info', {})).toMatchObject({ pid });
    using subscriber = new Subscriber(client);
    await isRight(subscriber, fleet);
  });

  test('many commands at once start one daemon', async () => {
    await using live = new LiveDaemon();
    fleetOf(live);
    const reply = await Promise.all([1, 2, 3, 4].map(() => live.cli('list', 'panes', '--json')));
    for (const { code, err } of reply) expect({ code, err }).toEqual({ code: 0, err: '' });
    // Those that lost the race for the place wait for the lock a little, and give up.
    const daemons = () => live.processes().filter(({ command }) => command.includes('daemon run'));
    await eventually(() => daemons().length === 1, 'one daemon is left');
    expect((await live.cli('daemon', 'status')).code).toBe(0);
  });

  test('is found again after its socket was deleted', async () => {
    await using live = new LiveDaemon();
    const fleet = fleetOf(live);
    await live.start();
    using before = new Subscriber(await live.client());
    await isRight(before, fleet);
    rmSync(live.socketPath);
    const listed = await eventually(
      async () => {
        const reply = await live.cli('list', 'panes', '--json');
        return reply.code === 0 ? reply : null;
      },
      'a command is answered',
      15_000,
    );
    expect(JSON.parse(listed.out).panes).toHaveLength(3);
    // The one that the command has started waits for the lock a little, and gives up.
    const daemons = () => live.processes().filter(({ command }) => command.includes('daemon run'));
    await eventually(() => daemons().length === 1, 'one daemon is left');
    using after = new Subscriber(await live.client());
    await isRight(after, fleet);
    expect(wordOf(after.row(fleet.waiting.paneId) as PaneItem)).toBe('waiting_approval');
  });
});
