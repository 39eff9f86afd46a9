// The words of a jump: where it is refused and why, which client is the person's, and one
// command that checks before it switches.

import { describe, expect, it } from 'vitest';
import { chooseClient, ownTmux, refuseJump, switchCommand } from '../../src/tui/jump.ts';
import { pane, screen } from './fixture.ts';

const identity = pane(1, { session: "it's; $(x)" }).identity!;
const place = { ...identity, session_id: '$3', window_id: '@5', pane_id: '%1' };
const life = screen('key-1', []);
const inside = { TMUX: '/tmp/tmux-0/default,100,3', TMUX_PANE: '%9' };

describe('a jump', () => {
  it('is refused with what to do where there is nothing to switch', () => {
    expect(refuseJump({ env: inside, place, life })).toBeNull();
    expect(refuseJump({ env: {}, place, life })).toContain(
      "In a shell: tmux -S /tmp/tmux-0/default attach -t '$3'",
    );
    const other = { ...inside, TMUX: '/tmp/tmux-0/other,101,0' };
    expect(refuseJump({ env: other, place, life })).toContain('another tmux server');
    const far = { ...life, target: 'vm1', target_kind: 'ssh' as const };
    expect(refuseJump({ env: inside, place, life: far })).toContain('vm1');
    const forged = { ...place, session_id: "$3' ; kill-server ; '" };
    expect(refuseJump({ env: inside, place: forged, life })).toContain('no usable id');
    expect(refuseJump({ env: inside, place: { ...place, pane_id: '%2' }, life })).not.toBeNull();
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
    expect(at('%9', '$3')).toBe('/dev/pts/3');
    expect(at(undefined, '$3')).toBe('/dev/pts/1');
    expect(at('%7', '$0')).toBe('/dev/pts/4');
    expect(at('%1', '$0')).toBeNull();
  });

  it('is one command with the check in it, made of ids alone', () => {
    const command = switchCommand('/dev/pts/3', { env: inside, place, life });
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
