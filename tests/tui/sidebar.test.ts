// The sidebar: its commands, and in a real tmux a pane that opens, shows who needs a person, counts
// nowhere, and closes again.

import { describe, expect, it, onTestFinished } from 'vitest';
import { openCommand, readWindow } from '../../src/tui/sidebar.ts';
import { fakeAgent } from '../daemon-live/live-agents.ts';
import { LiveDaemon } from '../daemon-live/live-daemon.ts';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { Driver } from './fixture.ts';

describe('the commands of the sidebar', () => {
  it('find the window, its active pane and a sidebar that still exists', () => {
    const listed = '0 @1 %1 %3\n1 @1 %2 %3\n0 @1 %3 %3\n';
    const found = { windowId: '@1', paneId: '%2', sidebarId: '%3' };
    expect(readWindow(listed, null)).toEqual(found);
    expect(readWindow(listed, '%1')).toEqual({ ...found, paneId: '%1' });
    expect(readWindow('1 @1 %2 %3\n', null)?.sidebarId).toBeNull();
    expect(readWindow('1 @1 %2 \n', null)?.sidebarId).toBeNull();
    expect(readWindow("no server; 'x'", null)).toBeNull();
  });

  it('open the pane, mark it and go back in one line, which no argument can break', () => {
    const window = { windowId: '@1', paneId: '%2', sidebarId: null };
    const command = ['env', 'XDG_STATE_HOME=/a b;', 'agtmux', ';'];
    const line = openCommand(window, { columns: 36, isRight: false, command });
    expect(line.filter((word) => word === ';')).toHaveLength(2);
    expect(line).toContain('XDG_STATE_HOME=/a b\\;');
    expect(line.slice(-3)).toEqual(['select-pane', '-t', '%2']);
  });
});

describe('the view of the sidebar', () => {
  it('has no preview, and shows who needs a person with the question on 30 columns', async () => {
    const look = { color: true, unicode: true, isLight: false };
    const driver = new Driver({ columns: 36, rows: 20 }, look, 'sidebar').snapshot();
    expect(driver.take()).toEqual([]);
    await expect(driver.text).toMatchFileSnapshot('screens/sidebar-36.txt');
    driver.send({ type: 'resized', size: { columns: 20, rows: 8 } });
    expect(driver.lines[1]).toContain('needs you');
  });
});

describe.skipIf(isTmuxMissing)('agtmux sidebar', () => {
  it('opens beside the panes of a window, counts in no list, and closes again', async () => {
    const lab = new LiveDaemon();
    onTestFinished(() => lab[Symbol.asyncDispose]());
    const claude = fakeAgent(lab.tmux, 'claude', 'work');
    await lab.start();
    claude.show('claude/111-waiting_approval');
    const TMUX = `${lab.tmux.socketPath},${lab.tmux.serverPid()},0`;
    const toggle = () => lab.cliWith({ TMUX }, 'sidebar', '--pane', claude.paneId);
    const panes = () =>
      lab.tmux
        .run('list-panes', '-t', claude.paneId, '-F', '#{pane_active} #{pane_id}')
        .split('\n');
    expect(await toggle()).toMatchObject({ code: 0 });
    expect(panes()).toHaveLength(2);
    expect(panes()).toContain(`1 ${claude.paneId}`);
    const sidebar =
      panes()
        .find((line) => line.startsWith('0 '))
        ?.slice(2) ?? '';
    await eventually(
      () => lab.tmux.run('capture-pane', '-p', '-t', sidebar).includes('1 needs you'),
      'the sidebar shows who needs a person',
    );
    const client = await lab.client();
    const { panes: listed, summary } = await client.call('list_panes', {});
    expect(listed.map(({ identity }) => identity?.pane_id)).not.toContain(sidebar);
    expect(summary.panes).toBe(listed.length);
    expect(await toggle()).toMatchObject({ code: 0 });
    expect(panes()).toEqual([`1 ${claude.paneId}`]);
  });
});
