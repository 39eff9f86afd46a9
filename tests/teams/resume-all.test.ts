// `agtmux resume --all` after a reboot: tmux and the daemon are gone, and come back without agents.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { ResumableClaude, sessionOf } from '../acting/resumable.ts';
import { eventually } from '../live/tmux-server.ts';
import { TeamLab } from './team-lab.ts';

let lab: TeamLab;
let claude: ResumableClaude;
const LONG_MS = 120_000;
const AGENT_MS = 30_000;

beforeAll(() => {
  lab = new TeamLab();
  claude = new ResumableClaude(lab.live.folder, lab.live.env['HOME'] ?? '');
  lab.live.env['PATH'] = claude.path;
});
afterAll(() => lab[Symbol.asyncDispose]());

it(
  'lists what ended with its server, and starts it in its own windows, but no member of a bundle',
  async () => {
    const { live } = lab;
    const { tmux } = live;
    lab.coders({ claude: claude.line(sessionOf('d')) });
    lab.bundle('review', [['author', 'claude']], 'server = "user"');
    let pid = await live.start();
    const openSessions = async (): Promise<readonly string[]> => {
      const client = await live.client();
      const { panes } = await client.call('list_panes', {});
      client.close();
      return panes.flatMap(({ session_key }) => session_key ?? []).toSorted();
    };
    const start = (name: string, digit: string): void => {
      const shell = "exec env PS1='$ ' bash --norc --noprofile";
      tmux.run('new-session', '-d', '-s', name, '-c', lab.work, shell);
      tmux.run('send-keys', '-t', `=${name}:`, '-l', claude.line(sessionOf(digit)));
      tmux.run('send-keys', '-t', `=${name}:`, 'Enter');
    };
    for (const [name, digit] of [
      ['one', 'a'],
      ['two', 'b'],
    ] as const) {
      start(name, digit);
    }
    await lab.run('up', 'review');
    const all = ['a', 'b', 'd'].map(sessionOf);
    const areOpen = (sessions: readonly string[]) => async () =>
      (await openSessions()).join() === sessions.join();
    await eventually(areOpen(all), 'every agent has named its session', AGENT_MS);

    const none = await live.cli('resume', '--all');
    expect([none.code, none.out]).toEqual([
      0,
      'No agent has ended with its tmux server and can go on.\n',
    ]);

    await live.cli('daemon', 'stop');
    await live.ended(pid);
    tmux.killServer();
    await eventually(() => {
      try {
        return tmux.newSession('home', 'cat');
      } catch {
        // The old server is still on its way out.
        return null;
      }
    }, 'a new server');
    tmux.run('set-environment', '-g', 'HOME', live.env['HOME'] ?? '');
    pid = await live.start();

    const plan = await eventually(async () => {
      const found = await live.cli('resume', '--all', '--dry-run');
      return found.out.includes('claude') && found;
    }, 'they are listed');
    expect(plan.out).toMatch(/ one +\S+/);
    expect(plan.out).toMatch(/ two +\S+/);
    expect(plan.out).toContain('1 member of review: agtmux bundle up review\n');
    expect((await live.cli('resume', '--all')).code).toBe(64);
    expect(await openSessions()).toEqual([]);

    const done = await live.cli('resume', '--all', '--yes');
    expect([done.code, done.err]).toEqual([0, '']);
    expect(done.out.match(/^delivered: claude goes on in %\d+$/gm)).toHaveLength(2);
    await eventually(areOpen(['a', 'b'].map(sessionOf)), 'two go on', AGENT_MS);
    const windows = tmux.run('list-windows', '-a', '-F', '#{session_name} #{pane_current_path}');
    expect(windows.split('\n').filter((line) => !line.startsWith('home'))).toEqual([
      `one ${lab.work}`,
      `two ${lab.work}`,
    ]);
    const again = await live.cli('resume', '--all', '--json', '--yes');
    expect(JSON.parse(again.out)).toMatchObject({ agents: [], resumed: [] });
  },
  LONG_MS,
);
