// From the live view to a pane of another machine: a new window in the tmux of the person, with a
// client of their own over ssh in it.

import { expect, onTestFinished, test } from 'vitest';
import { jump } from '../../src/tui/jump/jump.ts';
import { attachPerson } from '../live/tmux-person.ts';
import { eventually, privateTmux } from '../live/tmux-server.ts';
import { isSshdMissing } from '../ssh/sshd.ts';
import { Fleet, REACH_MS } from './fleet.ts';

test.skipIf(isSshdMissing)(
  'a pane of an ssh target is shown in a new window that attaches to it',
  async () => {
    await using fleet = await Fleet.start({ vm1: {} });
    const row = await fleet.shows('vm1', 'waiting_approval');
    const place = row.identity ?? expect.fail('the agent has a pane');
    const own = privateTmux();
    onTestFinished(() => own[Symbol.dispose]());
    own.newSession('mine');
    const sessionId = own.run('display-message', '-p', '-t', '=mine:', '#{session_id}');
    const person = await attachPerson(own, sessionId);
    const life = await fleet.client.call('locate_pane', { ref: row.pane_key });
    expect(life).toMatchObject({ target_kind: 'ssh', login: { destination: 'vm1' } });
    const env = {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TMUX: `${own.socketPath},${own.serverPid()},${sessionId.slice(1)}`,
    };
    const runInTerminal = () => expect.fail('there is a client with windows');
    const opened = await jump({ env, place, life, runInTerminal });
    expect(opened).toEqual({ ok: true, how: 'window' });
    const { tmux } = fleet.host('vm1');
    const shown = () =>
      tmux.run('list-clients', '-F', '#{client_control_mode} #{pane_id}').split('\n');
    await eventually(
      () => shown().includes(`0 ${place.pane_id}`),
      'a client of the person shows the pane there',
      REACH_MS,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${own.run('capture-pane', '-p', '-t', '=mine:')}`);
    });
    // Leaving it leaves no window behind.
    tmux.run('detach-client', '-s', place.session_id);
    const windows = () => own.run('list-windows', '-t', '=mine', '-F', '#{window_name}');
    await eventually(() => !windows().includes('vm1'), 'the window is closed', REACH_MS);
    own.run('detach-client', '-t', person.name);
    await person.exited;
  },
  180_000,
);
