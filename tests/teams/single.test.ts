// Single agents: `agtmux spawn` starts one in a session of its own, or one member of a bundle, and
// `agtmux stop` ends what agtmux has started and nothing else.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ResumableClaude } from '../acting/resumable.ts';
import { eventually } from '../live/tmux-server.ts';
import { TeamLab } from './team-lab.ts';

let lab: TeamLab;
let claude: ResumableClaude;
const LONG_MS = 120_000;

beforeAll(async () => {
  lab = new TeamLab();
  claude = new ResumableClaude(lab.live.folder, lab.live.env['HOME'] ?? '');
  lab.live.env['PATH'] = claude.path;
  lab.bundle('pair', [
    ['one', 'stay'],
    ['two', 'stay'],
  ]);
  lab.live.tmux.run('set-environment', '-g', 'HOME', lab.live.env['HOME'] ?? '');
  await lab.live.start();
}, 60_000);
afterAll(() => lab[Symbol.asyncDispose]());

const sessions = () =>
  lab.live.tmux.run('list-sessions', '-F', '#{session_name}').split('\n').toSorted();

describe('spawn', () => {
  it(
    'starts an agent in its folder with its words, under a name that is free, until it ends',
    async () => {
      const folder = join(lab.work, "a 'b' #{pid}; x");
      mkdirSync(folder);
      const words = ['--dir', folder, '--', '--permission-mode', 'plan; touch hit'];
      const first = await lab.live.cli('spawn', 'claude', ...words);
      expect([first.code, first.out]).toEqual([
        0,
        expect.stringMatching(/^claude: claude \w+, in %\d+\n$/),
      ]);
      expect(claude.starts().at(-1)).toEqual({
        args: ['--permission-mode', 'plan; touch hit'],
        cwd: folder,
      });
      const second = await lab.live.cli('spawn', 'claude', '--dir', folder, '--json');
      expect(JSON.parse(second.out)).toMatchObject({
        ...{ session: 'claude-2', failure: null },
        pane: { agent: 'claude' },
      });
      const taken = await lab.live.cli('spawn', 'claude', '--name', 'claude', '--dir', folder);
      expect([taken.code, taken.err]).toEqual([
        69,
        expect.stringContaining('a session is called claude already'),
      ]);
      const pid = lab.live.tmux.run('list-panes', '-t', '=claude-2:', '-F', '#{pane_pid}');
      process.kill(Number(pid), 'SIGKILL');
      await eventually(() => sessions().join() === 'claude,home', 'its session is gone');
    },
    LONG_MS,
  );

  it('says what a program printed that ends at once, and leaves nothing', async () => {
    const before = sessions();
    const failed = await lab.live.cli('spawn', 'sh', '--', '-c', 'echo no licence >&2; exit 3');
    expect(failed.code).toBe(69);
    expect(failed.err).toMatch(/E_AGENT_START_FAILED: sh could not be started\.\n/);
    expect(failed.err).toContain('no licence\n');
    // Now and then tmux 3.3a does not learn the exit code, and writes no last line.
    const lastLine = /^Pane is dead.*$/m.exec(failed.err)?.[0] ?? 'status 3';
    expect(lastLine).toContain('status 3');
    const missing = await lab.live.cli('spawn', 'nosuchagent');
    expect([missing.code, missing.err]).toEqual([69, expect.stringContaining('not found')]);
    const lost = await lab.live.cli('spawn', 'claude', '--dir', '/nowhere');
    expect([lost.code, lost.err]).toEqual([69, expect.stringContaining('/nowhere')]);
    expect(sessions()).toEqual(before);
  });
});

describe('stop', () => {
  it('ends a session of spawn by its agent, and asks where it is attended', async () => {
    const socket = lab.live.tmux.socketPath;
    lab.live.tmux.newSession('viewer', `env -u TMUX tmux -S '${socket}' attach -t =claude`);
    await eventually(
      () => lab.live.tmux.run('list-clients', '-t', '=claude') !== '',
      'somebody looks at it',
    );
    const asked = await lab.live.cli('stop', 'claude');
    expect([asked.code, asked.err]).toEqual([
      64,
      expect.stringContaining('claude: somebody looks'),
    ]);
    lab.live.tmux.run('kill-session', '-t', '=viewer');
    const stop = await lab.live.cli('stop', 'claude', '--yes');
    expect([stop.code, stop.out]).toEqual([0, 'ended  claude\n']);
    expect(sessions()).toEqual(['home']);
  });

  it('ends no session that agtmux has not started', async () => {
    lab.live.tmux.newSession('claude', 'cat');
    await eventually(async () => {
      const stop = await lab.live.cli('stop', 'claude', '--yes');
      return stop.code === 75 && stop.err.includes('is not one that agtmux has started');
    }, 'it is refused');
    expect(sessions()).toEqual(['claude', 'home']);
    lab.live.tmux.run('kill-session', '-t', '=claude');
    expect((await lab.live.cli('stop', 'nobody', '--yes')).code).toBe(66);
  });
});

describe('one member of a bundle', () => {
  it('is started and ended alone', async () => {
    const spawn = await lab.live.cli('spawn', 'pair/two');
    expect([spawn.code, spawn.out]).toEqual([0, 'up  pair: 1 of 1 ready; created two\n']);
    const socket = lab.socket('pair');
    expect(lab.sessions(socket)).toEqual(['two owned']);
    expect((await lab.live.cli('spawn', 'pair/three')).code).toBe(66);
    await lab.run('up', 'pair');
    const stop = await lab.live.cli('stop', 'pair/two');
    expect([stop.code, stop.out]).toEqual([0, 'ended  two\n']);
    expect(lab.sessions(socket)).toEqual(['one owned']);
    await eventually(
      async () => (await lab.status('pair')).startup_health === 'degraded',
      'one is absent',
    );
    await lab.run('down', 'pair');
  });
});
