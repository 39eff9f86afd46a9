// Who is in a pane, end to end: agents that end, come back, stop, hide behind ssh or speak for
// themselves, on a real daemon and a real tmux.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DaemonClient } from '../../src/client/client.ts';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { fakeAgent, fakeCommand, LivePane, recordedLines } from './live-agents.ts';
import { LiveDaemon, Subscriber, wordOf } from './live-daemon.ts';

const osc = (text: string): string => `\u001b]3008;${text}\u001b\\`;

describe.skipIf(isTmuxMissing)('an agent in a pane', () => {
  let live: LiveDaemon;
  let client: DaemonClient;
  let subscriber: Subscriber;

  beforeAll(async () => {
    live = new LiveDaemon();
    live.configure('[process]\nleft = "3s"\n');
    live.tmux.newSession('quiet');
    await live.start();
    client = await live.client();
    subscriber = new Subscriber(client);
  });
  afterAll(async () => {
    subscriber?.[Symbol.dispose]();
    await live?.[Symbol.asyncDispose]();
  });

  const shellPane = (session: string): LivePane => {
    const sessionId = live.tmux.newSession(session, 'exec /bin/sh');
    const paneId = live.tmux.run('display-message', '-p', '-t', sessionId, '#{pane_id}');
    return new LivePane(live.tmux, paneId);
  };
  const listingCount = async (): Promise<number> => {
    const { text } = await client.call('metrics', {});
    return Number(/what="listings"\} (\d+)/.exec(text)?.[1]);
  };
  const found = (pane: LivePane, agent = 'claude') =>
    subscriber.until(pane.paneId, (row) => row.agent === agent, `${agent} is found`);
  /** The published states of the agent that is there now, without unknown ones. */
  const knownStates = (pane: LivePane): readonly string[] => {
    const states = subscriber.states.flatMap(({ paneId, state }) =>
      paneId === pane.paneId ? state : [],
    );
    const since = states.findLastIndex((state) => /\/(?:no_agent|crashed)$/.test(state)) + 1;
    return states.slice(since).filter((state) => !state.startsWith('unknown'));
  };

  test('that exits leaves an unmanaged pane, and started again it is a new life', async () => {
    const pane = shellPane('again');
    await subscriber.until(pane.paneId, (row) => row.presence === 'unmanaged', 'a shell');
    const command = fakeCommand(live.tmux, 'claude').replace('exec ', '');
    pane.type(command);
    const first = await found(pane);
    pane.show('claude/111-waiting_approval');
    await subscriber.state(pane.paneId, 'waiting_approval');
    pane.show('claude/101-idle');
    await subscriber.until(pane.paneId, ({ state }) => state !== 'waiting_approval', 'it rests');
    pane.type('exit 0');
    const left = await subscriber.until(
      pane.paneId,
      (row) => row.presence === 'unmanaged',
      'no agent any more',
    );
    expect(wordOf(left)).toBe('unknown/no_agent');
    expect(left).toMatchObject({ agent: null, runtime_id: null, attention: { kinds: [] } });
    // The screen and the title of the first life are there until the second paints its own.
    pane.type(command);
    await eventually(() => pane.format('#{pane_current_command}') === 'claude', 'it runs again');
    pane.show('claude/101-idle');
    const second = await subscriber.state(pane.paneId, 'idle');
    expect(second.runtime_id).not.toBe(first.runtime_id);
    expect(second.pane_epoch).toBe(first.pane_epoch + 1);
    expect(second.activity.title).toBeNull();
    expect(second.attention.requests).toEqual([]);
    expect(knownStates(pane)).toEqual(['idle']);
  });

  test('that is killed under its dialog has crashed, until somebody has seen that', async () => {
    const pane = shellPane('crashed');
    pane.type(fakeCommand(live.tmux, 'claude').replace('exec ', ''));
    await found(pane);
    pane.show('claude/111-waiting_approval');
    const { pid } = await subscriber.state(pane.paneId, 'waiting_approval');
    process.kill(pid as number, 'SIGKILL');
    const row = await subscriber.until(
      pane.paneId,
      ({ presence }) => presence === 'unmanaged',
      'it is gone',
    );
    expect(wordOf(row)).toBe('error/crashed');
    expect(row).toMatchObject({ agent: 'claude', attention: { kinds: ['crash'] } });
    const filter = { state: 'error', needs_action: true, session: 'crashed' } as const;
    const { panes, summary } = await client.call('list_panes', filter);
    expect(panes.map(({ pane_key }) => pane_key)).toEqual([row.pane_key]);
    expect(summary).toMatchObject({ by_state: { error: 1 }, needs_action: 1 });
    const { sessions } = await client.call('list_sessions', { session: 'crashed' });
    expect(sessions).toMatchObject([{ top_state: 'error', agents: 1 }]);
    const { windows } = await client.call('list_windows', { session: 'crashed' });
    expect(windows).toMatchObject([{ top_state: 'error' }]);
    const { entries } = await client.call('history', { ref: row.ref, limit: 1 });
    expect(entries).toMatchObject([{ state: 'error', reason_code: 'crashed', agent: 'claude' }]);
    const { why, events } = await client.call('explain', { ref: row.ref });
    expect(why).toContain('ended while waiting_approval');
    expect(events.length).toBeGreaterThan(0);
    const requestIds = row.attention.requests.map(({ request_id }) => request_id);
    await client.call('mark_seen', { ref: row.ref, request_ids: requestIds });
    await subscriber.until(pane.paneId, ({ agent }) => agent === null, 'nothing is left of it');
  });

  test('that begins where one was killed at work says nothing until it draws', async () => {
    const pane = shellPane('killed');
    const command = fakeCommand(live.tmux, 'gemini').replace('exec ', '');
    pane.type(command);
    await found(pane, 'gemini');
    pane.show('gemini/041-running');
    const first = await subscriber.state(pane.paneId, 'running');
    process.kill(first.pid as number, 'SIGKILL');
    await subscriber.until(pane.paneId, (row) => row.presence === 'unmanaged', 'it is gone');
    pane.type(command);
    await found(pane, 'gemini');
    pane.show('gemini/007-idle');
    await subscriber.state(pane.paneId, 'idle');
    expect(knownStates(pane)).toEqual(['idle']);
  });

  test.each([
    ['failed', 'claude/old-414-error', 'error'],
    ['was killed at work', 'claude/old-402-running', 'running'],
  ] as const)(
    'that is started again where it %s is idle under what is left of that',
    async (...run) => {
      const [how, screen, state] = run;
      const pane = shellPane(how.replaceAll(' ', '-'));
      const command = fakeCommand(live.tmux, 'claude').replace('exec ', '');
      pane.type(command);
      await found(pane);
      pane.show(screen);
      const first = await subscriber.state(pane.paneId, state);
      process.kill(first.pid as number, 'SIGKILL');
      await subscriber.until(pane.paneId, (row) => row.presence === 'unmanaged', 'it is gone');
      pane.type(command);
      await found(pane);
      const started = recordedLines('claude/2.1.305-903-idle').map((line) => line.slice(0, 79));
      pane.print(`\r\n\u001b[J${started.slice(-10).join('\r\n')}`);
      await subscriber.state(pane.paneId, 'idle');
      expect(knownStates(pane)).toEqual(['idle']);
    },
  );

  test('of a respawned pane is a new life that inherits nothing', async () => {
    const pane = fakeAgent(live.tmux, 'claude', 'respawned');
    const first = await found(pane);
    pane.show('claude/111-waiting_approval');
    await subscriber.state(pane.paneId, 'waiting_approval');
    live.tmux.run('respawn-pane', '-k', '-t', pane.paneId, fakeCommand(live.tmux, 'claude'));
    const second = await subscriber.until(
      pane.paneId,
      (row) => row.runtime_id !== null && row.runtime_id !== first.runtime_id,
      'a new life',
    );
    expect(second.state).not.toBe('waiting_approval');
    expect(second.attention.requests).toEqual([]);
    pane.show('claude/104-running');
    await subscriber.state(pane.paneId, 'running');
  });

  test('that is stopped is suspended, and right again when it goes on', async () => {
    // Under a shell: tmux itself wakes a pane's own process when it is stopped.
    const pane = shellPane('stopped');
    pane.type(fakeCommand(live.tmux, 'claude').replace('exec ', ''));
    await found(pane);
    pane.show('claude/104-running');
    const before = await subscriber.state(pane.paneId, 'running');
    const pid = before.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    await subscriber.until(pane.paneId, (row) => wordOf(row) === 'unknown/suspended', 'suspended');
    process.kill(pid, 'SIGCONT');
    pane.type('fg');
    pane.show('claude/104-running');
    const after = await subscriber.state(pane.paneId, 'running');
    expect(after.runtime_id).toBe(before.runtime_id);
  });

  test('that died in a pane which remains is no agent, and the pane is dead', async () => {
    const pane = fakeAgent(live.tmux, 'claude', 'dead');
    live.tmux.run('set-option', '-p', '-t', pane.paneId, 'remain-on-exit', 'on');
    await found(pane);
    pane.show('claude/104-running');
    await subscriber.state(pane.paneId, 'running');
    pane.type('exit 3');
    // tmux 3.3a sometimes tells how a program ended only when its next child has ended too.
    await eventually(() => {
      live.tmux.run('run-shell', 'true');
      return pane.format('#{pane_dead_status}') === '3';
    }, 'tmux tells the exit status');
    const row = await subscriber.until(
      pane.paneId,
      ({ dead, presence }) => dead && presence === 'unmanaged',
      'dead and without an agent',
    );
    expect(row).toMatchObject({ agent: 'claude', state: 'error', reason_code: 'crashed' });
    expect(row.attention.kinds).toEqual(['crash']);
  });

  test('in linked and grouped sessions is listed at each place and counted once', async () => {
    const pane = fakeAgent(live.tmux, 'claude', 'linked');
    live.tmux.newSession('other');
    live.tmux.run('link-window', '-s', '=linked:0', '-t', '=other:7');
    live.tmux.run('new-session', '-d', '-t', '=linked', '-s', 'grouped');
    await found(pane);
    const list = await eventually(async () => {
      const listing = await client.call('list_panes', { agent: 'claude' });
      const places = listing.panes.filter(({ identity }) => identity?.pane_id === pane.paneId);
      return places.length === 3 ? { places, summary: listing.summary } : null;
    }, 'three places');
    expect(list.places.map(({ identity }) => identity?.session_name).sort()).toEqual([
      'grouped',
      'linked',
      'other',
    ]);
    for (const place of list.places) {
      const { pane: explained } = await client.call('explain', { ref: place.ref });
      expect(explained.identity?.pane_id).toBe(pane.paneId);
    }
    const agents = new Set(
      (await client.call('list_panes', {})).panes
        .filter(({ agent }) => agent !== null)
        .map(({ pane_key: key }) => key),
    );
    const { summary } = await client.call('list_panes', {});
    expect(summary.agents).toBe(agents.size);
    const { sessions } = await client.call('list_sessions', { session: 'other' });
    expect(sessions).toMatchObject([{ agents: 1, panes: 2 }]);
  });

  test('behind ssh is found by its screen, and its end is seen on it', async () => {
    const pane = fakeAgent(live.tmux, 'ssh', 'far');
    await subscriber.until(pane.paneId, (row) => row.opaque, 'it cannot be looked into');
    expect(subscriber.row(pane.paneId)).toMatchObject({ presence: 'unmanaged' });
    pane.show('claude/111-waiting_approval');
    const row = await found(pane);
    expect(row).toMatchObject({ pid: null, signature_class: 'heuristic' });
    await subscriber.state(pane.paneId, 'waiting_approval');
    pane.show('claude/104-running');
    await subscriber.state(pane.paneId, 'running');
  });

  test('behind ssh whose agent was killed under its dialog is no agent after a while', async () => {
    const pane = fakeAgent(live.tmux, 'ssh', 'left');
    await subscriber.until(pane.paneId, (row) => row.opaque, 'it cannot be looked into');
    pane.show('claude/111-waiting_approval');
    await subscriber.state(pane.paneId, 'waiting_approval');
    // The shell prompts where the cursor was: the dialog is left around it.
    pane.print('\rKilled\r\nbash-5.2# ');
    await subscriber.until(pane.paneId, ({ state }) => state === 'unknown', 'no dialog');
    await subscriber.until(pane.paneId, ({ presence }) => presence === 'unmanaged', 'no agent');
    expect(subscriber.row(pane.paneId)?.attention.requests).toEqual([]);
    pane.show('claude/104-running');
    await subscriber.state(pane.paneId, 'running');
    pane.print('\u001b[2J\u001b[H');
    await subscriber.until(pane.paneId, ({ presence }) => presence === 'unmanaged', 'cleared');
  });

  test('behind ssh is who a person says, until the tag is taken back', async () => {
    const pane = fakeAgent(live.tmux, 'ssh', 'tagged');
    await subscriber.until(pane.paneId, (row) => row.opaque, 'it cannot be looked into');
    expect(await live.cli('tag', pane.paneId, '--agent', 'codex')).toMatchObject({ code: 0 });
    const row = await found(pane, 'codex');
    expect(row).toMatchObject({ signature_class: 'heuristic', pid: null });
    expect(await live.cli('tag', pane.paneId, '--clear')).toMatchObject({ code: 0 });
    await subscriber.until(pane.paneId, ({ agent }) => agent === null, 'nobody');
    const local = shellPane('not-opaque');
    await subscriber.until(local.paneId, ({ presence }) => presence === 'unmanaged', 'a shell');
    const refused = await live.cli('tag', local.paneId, '--agent', 'claude');
    expect(refused.code).not.toBe(0);
    expect(subscriber.row(local.paneId)?.agent).toBeNull();
  });

  test('follows its own @agent_state, not an earlier one nor that of the server', async () => {
    const pane = shellPane('options');
    live.tmux.run('set-option', '-p', '-t', pane.paneId, '@agent_state', 'awaiting_input');
    const other = fakeAgent(live.tmux, 'claude', 'other-options');
    live.tmux.run('set-option', '-g', '@agent_state', 'running');
    live.tmux.run('set-option', '-w', '-t', other.paneId, '@agent_state', 'running');
    await found(other);
    pane.type(fakeCommand(live.tmux, 'claude'));
    await found(pane);
    // What stood there when the agent came is remembered by the next listing.
    const before = await listingCount();
    await eventually(async () => (await listingCount()) > before + 1, 'two more listings');
    live.tmux.run('set-option', '-p', '-t', pane.paneId, '@agent_state', 'running');
    const row = await subscriber.state(pane.paneId, 'running');
    expect(row.evidence.source).toBe('pane-option');
    // A server's option hides those of the panes in every format, and still speaks for none.
    live.tmux.run('set-option', '-s', '@agent_state', 'awaiting_input');
    const then = await listingCount();
    await eventually(async () => (await listingCount()) > then + 1, 'two more listings');
    live.tmux.run('set-option', '-s', '-u', '@agent_state');
    live.tmux.run('set-option', '-g', '-u', '@agent_state');
    for (const { paneId, state } of subscriber.states) {
      if (paneId === pane.paneId) expect(state).not.toMatch(/^waiting/);
    }
    expect(subscriber.row(other.paneId)).toMatchObject({ state: 'unknown' });
  });
});

describe.skipIf(isTmuxMissing)('a program in a tapped session', () => {
  test('that nobody knows speaks by OSC 3008; the same at a shell prompt is nobody', async () => {
    await using live = new LiveDaemon({ attach: 'always' });
    live.tmux.newSession('quiet');
    await live.start();
    using subscriber = new Subscriber(await live.client());
    // Output is read only where something is tapped: an agent in the same session sees to it.
    fakeAgent(live.tmux, 'claude', 'tapped');
    const windowOf = (command: string): LivePane =>
      new LivePane(
        live.tmux,
        live.tmux.run('new-window', '-d', '-P', '-F', '#{pane_id}', '-t', '=tapped:', command),
      );
    const unknown = windowOf(fakeCommand(live.tmux, 'robot'));
    const shell = windowOf('exec /bin/sh');
    for (const { paneId } of [unknown, shell]) {
      await subscriber.until(paneId, ({ presence }) => presence === 'unmanaged', 'no agent yet');
    }
    const say = osc('state=awaiting_input;kind=permission;name=robot');
    const row = await eventually(() => {
      shell.print(say);
      unknown.print(say);
      const newest = subscriber.row(unknown.paneId);
      return newest?.presence === 'managed' ? newest : null;
    }, 'the program that spoke is an agent');
    expect(row.agent).toBe('robot');
    await subscriber.state(unknown.paneId, 'waiting_approval');
    unknown.print(osc('state=running;name=robot'));
    await subscriber.state(unknown.paneId, 'running');
    // systemd uses the number for something else.
    unknown.print(osc('start=1234;type=shell'));
    expect(subscriber.row(shell.paneId)).toMatchObject({ presence: 'unmanaged', agent: null });
    unknown.type('exit 0');
    await eventually(() => subscriber.row(unknown.paneId) === null, 'its pane is gone');
  });
});
