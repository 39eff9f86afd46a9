// A daemon that hangs: stopped with all its threads, it keeps its socket and its lock and answers
// nobody. Everything that shows states says so, and one command ends it.

import { describe, expect, test } from 'vitest';
import { isTmuxMissing } from '../live/tmux-server.ts';
import { LiveTui } from '../tui/live-tui.ts';
import { fakeAgent } from './live-agents.ts';
import { LiveDaemon } from './live-daemon.ts';

const TEST_MS = 90_000;

describe.skipIf(isTmuxMissing)('a daemon that hangs', () => {
  test(
    'is no healthy one: commands name its pid, and `daemon stop` ends it',
    async () => {
      await using live = new LiveDaemon();
      fakeAgent(live.tmux, 'claude', 'work');
      const pid = await live.start();
      process.kill(pid, 'SIGSTOP');
      expect(await live.cli('tmux-status')).toEqual({ code: 0, out: 'agtmux ?\n', err: '' });
      const list = await live.cli('list');
      expect(list).toMatchObject({ code: 69, out: '' });
      expect(list.err).toContain(`timeout: the daemon (pid ${pid}) does not answer.`);
      expect(list.err).toContain('agtmux daemon stop ends it');
      expect(await live.cli('daemon', 'stop')).toEqual({
        code: 0,
        out: `Stopped (pid ${pid}).\n`,
        err: '',
      });
      await live.ended(pid);
      expect(await live.cli('list')).toMatchObject({ code: 0, err: '' });
    },
    TEST_MS,
  );

  test(
    'is reported by the live view until it answers again',
    async () => {
      await using live = new LiveDaemon();
      fakeAgent(live.tmux, 'claude', 'work');
      const pid = await live.start();
      const tui = new LiveTui(live);
      await tui.shows('no agent needs you');
      process.kill(pid, 'SIGSTOP');
      const screen = await tui.shows('the daemon does not answer');
      expect(screen).toContain('agtmux daemon stop ends it');
      expect(screen).not.toContain('no agent needs you');
      process.kill(pid, 'SIGCONT');
      await tui.shows('no agent needs you');
      expect(tui.screen()).not.toContain('does not answer');
    },
    TEST_MS,
  );
});
