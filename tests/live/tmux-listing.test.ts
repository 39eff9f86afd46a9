// The listings against a real tmux: names and titles that bite, linked sessions, options of panes.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type CheapListing,
  cheapListingCommand,
  movedPanes,
  readCheapListing,
} from '../../src/tmux/cheap-listing.ts';
import { ControlClient } from '../../src/tmux/client.ts';
import {
  clientsCommand,
  listingCommand,
  ownOptionsCommand,
  type PaneListing,
  readClients,
  readOwnOptions,
  readPaneListing,
} from '../../src/tmux/listing.ts';
import { runByProcess } from '../../src/tmux/plain/process-run.ts';
import type { Reply } from '../../src/tmux-wire/control-parser.ts';
import { attachPerson } from './tmux-person.ts';
import { eventually, isTmuxMissing, type PrivateTmux, privateTmux } from './tmux-server.ts';

const soon = { deadlineMs: 10_000 };

describe.skipIf(isTmuxMissing)('a listing', () => {
  let tmux: PrivateTmux;
  let client: ControlClient;
  let sessionId: string;

  beforeEach(async () => {
    tmux = privateTmux();
    sessionId = tmux.newSession('main');
    client = await ControlClient.attach(
      { socketPath: tmux.socketPath, sessionId, onNotification() {}, onClosed() {} },
      soon,
    );
  });

  afterEach(async () => {
    await client[Symbol.asyncDispose]();
    tmux[Symbol.dispose]();
  });

  const ask = async (...command: string[]): Promise<Reply> => {
    const [reply] = await client.run([command], soon);
    if (!reply) throw new Error('no reply');
    return reply;
  };
  const list = async (): Promise<PaneListing> => readPaneListing(await ask(...listingCommand()));

  test('as a glance shows who prints and who has another title, and no more', async () => {
    const glance = async (): Promise<CheapListing> =>
      readCheapListing(await ask(...cheapListingCommand())) ?? [];
    tmux.run('select-pane', '-t', '%0', '-T', 'a b <x> 100%');
    tmux.run('split-window', '-d', '-t', '%0', 'cat');
    await eventually(async () => (await list()).panes[1]?.currentCommand === 'cat', 'cat runs');
    const before = await glance();
    const later = Number.POSITIVE_INFINITY;
    expect(movedPanes(before, await glance(), 0)).toHaveLength(2);
    tmux.run('select-pane', '-t', '%0', '-T', '✳ wörk');
    tmux.run('send-keys', '-t', '%1', '-l', 'word');
    const isEchoed = async (): Promise<boolean> =>
      movedPanes(before, await glance(), 0)?.some(({ isMoved }) => isMoved) === true;
    await eventually(isEchoed, 'the cursor moves');
    const after = await glance();
    expect(movedPanes(after, after, later)).toEqual(movedPanes(after, await glance(), later));
    expect(movedPanes(before, after, 0)).toMatchObject([
      { paneId: '%0', isMoved: false, isRetitled: true },
      { paneId: '%1', isMoved: true, isRetitled: false },
    ]);
    tmux.run('set-option', '-p', '-t', '%1', '@agent_state', 'running');
    expect(movedPanes(after, await glance(), 0)).toBeNull();
  });

  test('has every fact of a pane', async () => {
    tmux.run('rename-window', '-t', '%0', 'place');
    await eventually(async () => (await list()).panes[0]?.currentCommand === 'cat', 'cat runs');
    const { panes, unreadCount } = await list();
    expect(unreadCount).toBe(0);
    expect(panes).toHaveLength(1);
    const shown = (format: string): string => tmux.run('display-message', '-p', format);
    expect(panes[0]).toMatchObject({
      serverPid: tmux.serverPid(),
      serverStartTime: Number(shown('#{start_time}')),
      sessionId,
      sessionName: 'main',
      destroyUnattached: false,
      windowId: '@0',
      windowIndex: 0,
      windowName: 'place',
      windowActive: true,
      paneId: '%0',
      paneIndex: 0,
      paneActive: true,
      panePid: Number(shown('#{pane_pid}')),
      dead: false,
      deadStatus: null,
      currentCommand: 'cat',
      inMode: false,
      alternateOn: false,
      cursor: { x: 0, y: 0 },
      width: 80,
      height: 24,
    });
    expect(panes[0]?.windowActivity).toBeGreaterThan(1_700_000_000);
    expect(panes[0]?.options['@agent_state']).toBeNull();
  });

  const bites = [
    'a;b',
    'a"b\'c',
    '#{pid}',
    '$(x)',
    'tab\there',
    'é 🦊',
    '0 $0 @0 %0',
    'w'.repeat(200),
  ];
  test.each(bites)('%j as a name, a title and a folder comes back whole', async (text) => {
    const title = `\u001b]2;${text.replaceAll('\t', ' ')}\u001b\\`;
    const folder = `${tmux.folder}/${text.replaceAll('/', '_')}\nline`;
    const script = `mkdir "$0" && cd "$0" && printf %s "$1" && exec cat`;
    const window = ['new-window', '-d', '-n', text.replaceAll('#', '##'), '-t', `${sessionId}:`];
    await ask(...window, 'sh', '-c', script, folder, title);
    await ask('set-option', '-p', '-t', `${sessionId}:1`, '@agent_state', `${text}\n%exit`);
    const pane = await eventually(async () => {
      const { panes, unreadCount } = await list();
      expect([panes.length, unreadCount]).toEqual([2, 0]);
      const isReady = panes[1]?.currentPath === folder && panes[1].currentCommand === 'cat';
      return isReady && panes[1]?.title !== panes[0]?.title ? panes[1] : null;
    }, 'the pane is there');
    expect(pane.title).toBe(text.replaceAll('\t', ' '));
    expect(pane.windowName.replaceAll('\\', '')).toBe(text);
    expect(pane.options['@agent_state']).toEqual({ invalid: true });
    const [reply] = await runByProcess(tmux, [listingCommand()], soon);
    expect(reply && readPaneListing(reply).panes).toContainEqual(pane);
  });

  test('a dead pane has its exit status, and copy mode is listed', async () => {
    tmux.run('set-option', '-g', 'remain-on-exit', 'on');
    tmux.run('new-window', '-d', '-t', '=main:', 'exit 7');
    tmux.run('copy-mode', '-t', '%0');
    const dead = await eventually(async () => {
      // The end of any child makes tmux reap all of them; it may have missed this one's.
      await ask('run-shell', 'true');
      return (await list()).panes.find(({ deadStatus }) => deadStatus !== null);
    }, 'the pane died');
    expect(dead).toMatchObject({ dead: true, deadStatus: 7 });
    expect((await list()).panes.find(({ paneId }) => paneId === '%0')?.inMode).toBe(true);
  });

  test('a pane is listed in each session that shows it', async () => {
    tmux.run('new-session', '-d', '-t', '=main', '-s', 'grouped');
    const { panes } = await list();
    expect(panes.map(({ paneId, sessionName }) => [paneId, sessionName])).toEqual([
      ['%0', 'grouped'],
      ['%0', 'main'],
    ]);
  });

  test('only options of the pane itself count as its own', async () => {
    tmux.run('set-option', '-p', '-t', '%0', '@agent_event', 'id-1:claude-hooks:3');
    tmux.run('set-option', '-g', '@agent_state', 'running');
    tmux.run('set-option', '-w', '-t', '=main:', '@agent_kind', 'codex');
    const [pane] = (await list()).panes;
    expect(pane?.options).toMatchObject({
      '@agent_state': 'running',
      '@agent_kind': 'codex',
      '@agent_event': 'id-1:claude-hooks:3',
      '@agent_name': null,
    });
    const own = async (): Promise<object> =>
      Object.fromEntries(readOwnOptions(await ask(...ownOptionsCommand('%0'))));
    expect(await own()).toEqual({ '@agent_event': 'id-1:claude-hooks:3' });
    tmux.run('set-option', '-p', '-t', '%0', '@agent_name', 'x\n@agent_state forged');
    tmux.run('set-option', '-p', '-t', '%0', '@agent_kind', 'a b%20');
    expect(await own()).toEqual({
      '@agent_event': 'id-1:claude-hooks:3',
      '@agent_kind': 'a b%20',
    });
    expect(readOwnOptions(await ask(...ownOptionsCommand('%99'))).size).toBe(0);
  });

  test('clients show which pane a person looks at', async () => {
    const paneId = tmux.run('split-window', '-P', '-F', '#{pane_id}', '-t', '=main:', 'cat');
    const person = await attachPerson(tmux, sessionId);
    const clients = readClients(await ask(...clientsCommand()));
    expect(clients).toHaveLength(2);
    const place = { sessionId, windowId: '@0', paneId };
    expect(clients).toContainEqual(expect.objectContaining({ control: false, ...place }));
    expect(clients).toContainEqual(
      expect.objectContaining({ control: true, pid: client.pid, ...place }),
    );
    await ask('detach-client', '-t', person.name);
    await person.exited;
  });
});
