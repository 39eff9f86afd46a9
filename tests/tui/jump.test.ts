// The words of a jump: where it is refused and why, which client is the person's, one command that
// checks before it switches, and what attaches to panes elsewhere.

import { describe, expect, it } from 'vitest';
import { attachCommand } from '../../src/tui/jump/attach.ts';
import {
  chooseClient,
  isOnOwnServer,
  newWindowCommand,
  ownTmux,
  refuseJump,
  switchCommand,
} from '../../src/tui/jump/jump.ts';
import { pane, screen } from './fixture.ts';

const identity = pane(1, { session: "it's; $(x)" }).identity!;
const place = { ...identity, session_id: '$3', window_id: '@5', pane_id: '%1' };
const life = screen('key-1', []);
const runInTerminal = async () => ({ code: 0, signal: null, error: null });
const inside = { TMUX: '/tmp/tmux-0/default,100,3', TMUX_PANE: '%9' };

describe('a jump', () => {
  it('is refused for ids that tmux does not give', () => {
    const request = { env: inside, place, life, runInTerminal };
    expect(refuseJump(request)).toBeNull();
    const forged = { ...place, session_id: "$3' ; kill-server ; '" };
    expect(refuseJump({ ...request, place: forged })).toContain('no usable id');
    expect(refuseJump({ ...request, place: { ...place, pane_id: '%2' } })).not.toBeNull();
  });

  it('is a switch only on the tmux server around us, on this machine', () => {
    const request = { env: inside, place, life, runInTerminal };
    expect(isOnOwnServer(request)).toBe(true);
    expect(isOnOwnServer({ ...request, env: {} })).toBe(false);
    const other = { ...inside, TMUX: '/tmp/tmux-0/other,101,0' };
    expect(isOnOwnServer({ ...request, env: other })).toBe(false);
    expect(isOnOwnServer({ ...request, life: { ...life, target_kind: 'ssh' } })).toBe(false);
  });

  it('reads its own tmux out of the environment', () => {
    expect(ownTmux('/tmp/a,b/default,42,7')).toEqual({
      socketPath: '/tmp/a,b/default',
      pid: 42,
      sessionId: '$7',
    });
    for (const text of [undefined, '', 'x', '/tmp/a,1']) expect(ownTmux(text)).toBeNull();
  });

  it('takes the client that shows our pane, then one of our session, never a program', () => {
    const listed = [
      '1 $3 %9 999 /dev/pts/0',
      '0 $3 %8 500 /dev/pts/1',
      '0 $3 %9 100 /dev/pts/2',
      '0 $3 %9 200 /dev/pts/3',
      '0 $4 %7 900 /dev/pts/4',
      "0 $3 %9 900 x' ; kill-server",
    ].join('\n');
    const at = (paneId: string | undefined, sessionId: string) =>
      chooseClient(listed, { paneId, sessionId });
    expect(at('%9', '$3')).toEqual({ name: '/dev/pts/3', session: '$3' });
    expect(at(undefined, '$3')?.name).toBe('/dev/pts/1');
    expect(at('%7', '$0')).toEqual({ name: '/dev/pts/4', session: '$4' });
    expect(at('%1', '$0')).toBeNull();
  });

  it('is one command with the check in it, made of ids alone', () => {
    const command = switchCommand('/dev/pts/3', { env: inside, place, life, runInTerminal });
    expect(command.slice(0, 5)).toEqual([
      'if-shell',
      '-F',
      '-t',
      '%1',
      '#{&&:#{==:#{pid},100},#{==:#{pane_pid},4000}}',
    ]);
    expect(command[5]).toContain("switch-client -c '/dev/pts/3' -t '$3:@5.%1'");
    expect(command.join(' ')).not.toContain('$(x)');
  });
});

describe('the command that attaches', () => {
  const there = {
    ...life,
    target: 'vm1',
    target_kind: 'ssh' as const,
    login: { destination: 'dev@vm1', config_file: '', tmux_path: '/usr/bin/tmux' },
  };
  /** The words after the script that keeps a failure readable. */
  const words = (command: ReturnType<typeof attachCommand>) =>
    command.ok ? command.words.slice(4) : expect.fail(command.problem);

  it('names the very pane, on this machine', () => {
    expect(words(attachCommand(place, life))).toEqual([
      ...['tmux', '-N', '-S', '/tmp/tmux-0/default', 'attach-session', '-t', '$3:@5.%1'],
    ]);
  });

  it('logs in with a terminal, and quotes what the remote shell reads', () => {
    const [program, ...args] = words(attachCommand(place, there));
    expect(program).toBe('ssh');
    expect(args.slice(0, -1)).toEqual(['-t', '-o', 'RemoteCommand=none', '--', 'dev@vm1']);
    const line = args.at(-1) ?? '';
    expect(line).toMatch(/^exec \/bin\/sh -c '[^']+' 'agtmux' '[^']+' '[^']+' '[^']+'$/);
    expect(line).toContain("'/usr/bin/tmux' '/tmp/tmux-0/default' '$3:@5.%1'");
    const login = { ...there.login, config_file: '/etc/other' };
    expect(words(attachCommand(place, { ...there, login })).slice(0, 3)).toEqual([
      ...['ssh', '-F', '/etc/other'],
    ]);
  });

  it.each([
    ['a host that is not connected', place, null],
    ['a host without tmux', place, { ...there.login, tmux_path: null }],
    ['a socket with a quote in its name', { ...place, server: "/tmp/a'b" }, there.login],
    ['a socket with a line end in its name', { ...place, server: '/tmp/a\nb' }, there.login],
    ['a tmux with a space in its path', place, { ...there.login, tmux_path: '/x y/tmux' }],
  ])('is refused for %s', (_why, at, login) => {
    expect(attachCommand(at, { ...there, login })).toMatchObject({ ok: false });
  });

  it('runs in a new window of the session that the client shows', () => {
    const client = { name: '/dev/pts/3', session: '$4' };
    expect(newWindowCommand(client, 'vm1', ['a', 'b c'])).toEqual([
      ...['new-window', '-t', '$4:', '-n', 'vm1', '--', 'a', 'b c'],
    ]);
  });
});
