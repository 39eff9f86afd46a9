// The list on a live daemon: what it remembers, how it follows config.toml, and names and snoozes
// that reach the daemon.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fakeAgent } from '../daemon-live/live-agents.ts';
import { LiveDaemon } from '../daemon-live/live-daemon.ts';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { LiveTui } from './live-tui.ts';

async function stage() {
  const lab = new LiveDaemon();
  onTestFinished(() => lab[Symbol.asyncDispose]());
  const claude = fakeAgent(lab.tmux, 'claude', 'work');
  lab.tmux.newSession('swarm-1');
  const configFile = join(lab.env['XDG_CONFIG_HOME'] ?? '', 'agtmux', 'config.toml');
  mkdirSync(dirname(configFile), { recursive: true });
  await lab.start();
  claude.show('claude/111-waiting_approval');
  const tui = new LiveTui(lab);
  await tui.shows('needs you  1');
  return { lab, claude, tui, configFile };
}

const inGroup = (screen: string): boolean => !/^needs you/m.test(screen);

describe.skipIf(isTmuxMissing)('the list of a live daemon', () => {
  it('names and snoozes a pane by keys, and the daemon knows', async () => {
    const { lab, claude, tui } = await stage();
    tui.type(',payments');
    tui.keys('Enter');
    await tui.shows('The pane is named payments.');
    await tui.until((screen) => /waiting_approval .*payments/.test(screen), 'the row has the name');
    tui.type('z');
    await tui.shows('Snooze for 30m');
    tui.type('1h');
    tui.keys('Enter');
    await tui.until(inGroup, 'nobody needs a person');
    await tui.shows('no agent needs you');
    await tui.shows('snoozed until');
    const client = await lab.client();
    const pane = async () => {
      const { panes } = await client.call('list_panes', {});
      return panes.find(({ identity }) => identity?.pane_id === claude.paneId);
    };
    expect(await pane()).toMatchObject({ alias: 'payments', state: 'waiting_approval' });
    tui.type('z');
    await tui.shows('1 needs you');
    expect((await pane())?.attention.snoozed_until).toBeNull();
  });

  it('selects with a click and jumps with a double click', async () => {
    const { tui } = await stage();
    await eventually(() => tui.format('#{mouse_any_flag}') === '1', 'the mouse is on');
    // Rows move down while the question and the other panes come in: a click would hit another.
    const shown = ['Bash command: rm -rf build', 'swarm-1:0.0', 'view:0.0'];
    const screen = await tui.until((now) => shown.every((each) => now.includes(each)), 'all rows');
    const lines = screen.split('\n');
    const clickOn = (pane: string): string => {
      const row = lines.findIndex((line) => line.includes(pane));
      return `\x1b[<0;5;${row + 1}M\x1b[<0;5;${row + 1}m`;
    };
    // A click elsewhere comes first, so that the last of these three is the double one.
    tui.type(clickOn('view:0.0'));
    await tui.until((screen) => /▸ .*view:0\.0/.test(screen), 'the row is selected');
    tui.type(clickOn('swarm-1:0.0').repeat(2));
    await tui.shows('No client of tmux shows this pane');
  });

  it('remembers grouping, pins and folds over a restart of the view', async () => {
    const { lab, tui } = await stage();
    tui.keys('Tab');
    await tui.shows('Grouped by state.');
    await tui.shows('view:0.0');
    tui.type('GkP');
    await tui.shows('▾ pinned');
    tui.type('-');
    await tui.shows('+ pinned');
    tui.type('q');
    await tui.ended();
    lab.tmux.run('kill-session', '-t', '=view');
    const again = new LiveTui(lab);
    const screen = await again.shows('+ pinned');
    expect(screen).toContain('[by state]');
  });

  it('follows the [tui] section of config.toml while it runs', async () => {
    const { tui, configFile } = await stage();
    await eventually(() => tui.format('#{mouse_any_flag}') === '1', 'the mouse is on');
    const lines = [
      '[tui]',
      'columns = ["title", "state"]',
      'mouse = false',
      'workers = ["swarm-*"]',
    ];
    writeFileSync(configFile, `${lines.join('\n')}\n`);
    await tui.until((screen) => !/waiting_approval +\d+s/.test(screen), 'no column of ages');
    await eventually(() => tui.format('#{mouse_any_flag}') === '0', 'the mouse is off');
    await tui.shows('local/swarm-1');
    tui.type('w');
    await tui.shows('[1 worker hidden]');
    await tui.hides('local/swarm-1');
  });
});
