// How a daemon that a command starts is kept small.

import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { LiveDaemon } from './live-daemon.ts';

const environmentOf = (pid: number): string => readFileSync(`/proc/${pid}/environ`, 'utf8');

test.skipIf(isTmuxMissing || !existsSync('/proc/self/environ'))(
  'a daemon that a command starts has one pool of memory, and no program that it starts gets that',
  async () => {
    await using live = new LiveDaemon({ attach: 'always' });
    live.tmux.newSession('main');
    expect(await live.cli('list', 'panes')).toMatchObject({ code: 0 });
    const daemon = live.processes().find(({ command }) => command.includes('daemon run'));
    expect(environmentOf(daemon?.pid ?? 0)).toContain('MALLOC_ARENA_MAX=1');
    const clients = await eventually(() => {
      const found = live.tmuxClients();
      return found.length > 0 && found;
    }, 'the daemon is attached to tmux');
    for (const { pid } of clients) expect(environmentOf(pid)).not.toContain('MALLOC_');
  },
);
