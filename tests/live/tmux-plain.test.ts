// A server that could die of a control client is watched by plain commands over its own socket:
// the same replies, no client that anybody sees, and its end and return are noticed.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { captureCommands } from '../../src/tmux/capture.ts';
import { type LinkStatus, TmuxLink } from '../../src/tmux/link.ts';
import { runByProcess } from '../../src/tmux/plain/process-run.ts';
import { runBySocket } from '../../src/tmux/plain/socket-run.ts';
import { hasAttachFault } from '../../src/tmux/quiet-gate.ts';
import { WakeClient } from '../../src/tmux/wake.ts';
import {
  eventually,
  isAlive,
  isTmuxMissing,
  type PrivateTmux,
  privateTmux,
} from './tmux-server.ts';

const soon = { deadlineMs: 10_000 };

describe.skipIf(isTmuxMissing)('a tmux server that is asked over its own socket', () => {
  let tmux: PrivateTmux;

  beforeEach(() => {
    tmux = privateTmux();
    tmux.newSession('one', `printf 'gr\\303\\274n \\033[31mred\\033[0m\\n'; exec cat`);
  });

  afterEach(() => tmux[Symbol.dispose]());

  test.each<[string, string[][]]>([
    [
      'several commands',
      [
        ['list-sessions', '-F', '#{session_name}'],
        ['list-panes', '-a'],
      ],
    ],
    ['a screen with colours', captureCommands('%0', true)],
    ['a command that fails after another', [['list-sessions'], ['kill-session', '-t', '=none']]],
    ['a command that does not exist', [['no-such-command']]],
    ['an argument of UTF-8 that ends in a semicolon', [['display-message', '-p', 'ünï;']]],
    [
      'a command without output',
      [
        ['set-option', '-g', '@x', 'y'],
        ['show-options', '-gv', '@x'],
      ],
    ],
  ])('answers %s as it answers a process', async (_, commands) => {
    await eventually(() => tmux.run('capture-pane', '-p').includes('red'), 'it has printed');
    const byProcess = await runByProcess(tmux, commands, soon);
    expect(await runBySocket(tmux.socketPath, commands, soon)).toEqual(byProcess);
  });

  test('answers with more than fits into one message', async () => {
    const text = 'x'.repeat(4_000);
    const commands = Array.from({ length: 30 }, () => ['show-options', '-gv', '@long']);
    tmux.run('set-option', '-g', '@long', text);
    const replies = await runBySocket(tmux.socketPath, commands, soon);
    expect(replies?.map(({ lines }) => lines)).toEqual(commands.map(() => [text]));
  });

  test('gets no command line that is too long for it', async () => {
    const long = [['display-message', '-p', 'x'.repeat(20_000)]];
    expect(await runBySocket(tmux.socketPath, long, soon)).toBeNull();
    expect(tmux.run('list-sessions', '-F', '#{session_name}')).toBe('one');
  });

  test('is given up after a deadline, by a signal and when it ends', async () => {
    const wait = [['wait-for', 'never']];
    const late = runBySocket(tmux.socketPath, wait, { deadlineMs: 50 });
    await expect(late).rejects.toMatchObject({ code: 'timeout' });
    const signal = AbortSignal.abort();
    const cancelled = runBySocket(tmux.socketPath, wait, { deadlineMs: null, signal });
    await expect(cancelled).rejects.toMatchObject({ code: 'tmux_gone' });
    const ended = runBySocket(tmux.socketPath, wait, { deadlineMs: null });
    ended.catch(() => {});
    tmux.killServer();
    await expect(ended).rejects.toMatchObject({ code: 'tmux_gone' });
    const absent = runBySocket(tmux.socketPath, wait, soon);
    await expect(absent).rejects.toMatchObject({ code: 'tmux_gone' });
  });
});

describe.skipIf(isTmuxMissing)('the link to a server that could die of a control client', () => {
  let tmux: PrivateTmux;
  let link: TmuxLink;
  let states: string[];

  beforeEach(() => {
    tmux = privateTmux();
    states = [];
    link = new TmuxLink({
      attach: 'when_safe',
      socketPath: tmux.socketPath,
      onStatus: ({ state }) => states.push(state),
    });
  });

  afterEach(async () => {
    await link[Symbol.asyncDispose]();
    tmux[Symbol.dispose]();
  });

  const connected = (): Promise<LinkStatus> =>
    eventually(() => link.status.state === 'connected' && link.status, 'the link is connected');

  const isFaulty = (): boolean => hasAttachFault(tmux.run('display-message', '-p', '#{version}'));

  test('is connected without a client, and says why', async () => {
    tmux.newSession('one');
    link.start();
    const status = await connected();
    if (!isFaulty()) return;
    expect(status).toMatchObject({ plain: 'socket', sessionId: null });
    expect(status.detail).toContain('a control client could crash tmux');
    expect(tmux.run('list-clients')).toBe('');
    expect(states).toEqual(['connected']);
  });

  test('notices that the server ended, and the next one', async () => {
    tmux.newSession('one');
    link.start();
    const { generation } = await connected();
    tmux.killServer();
    await expect(link.run([['list-sessions']], soon)).rejects.toMatchObject({ code: 'tmux_gone' });
    await eventually(() => link.status.state === 'absent', 'it is absent');
    tmux.newSession('two');
    const next = await connected();
    expect(next.generation).not.toEqual(generation);
    expect(await link.run([['list-sessions', '-F', '#S']], soon)).toMatchObject([
      { lines: ['two'] },
    ]);
  });

  test('holds no connection that the server would wait for at its end', async () => {
    tmux.newSession('one');
    const serverPid = tmux.serverPid();
    link.start();
    await using wake = new WakeClient({ link, onWake: () => {} });
    wake.start();
    await connected();
    if (!isFaulty()) return;
    // As long as a client waits, so does the server.
    tmux.run('kill-session', '-t', 'one');
    await eventually(() => !isAlive(serverPid), 'the server has ended');
    await eventually(() => link.status.state === 'absent', 'the link knows it');
  });
});
