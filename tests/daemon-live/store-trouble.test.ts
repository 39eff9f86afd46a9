// A store that cannot be written or opened, as a person meets it: the cause and the remedy are
// printed, exit codes tell scripts, and all is well again when the cause is gone.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PaneList } from '../../src/schema/api/panes.ts';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { fakeAgent } from './live-agents.ts';
import { LiveDaemon, Subscriber } from './live-daemon.ts';
import { canMount, fill, mountState } from './small-disk.ts';

const database = (live: LiveDaemon): string => join(live.folder, 'state', 'agtmux', 'agtmux.db');

describe.skipIf(isTmuxMissing || !canMount())('a full disk', () => {
  test('while the daemon runs makes rows unknown, exit codes 1, and an alert', async () => {
    await using live = new LiveDaemon();
    using state = mountState(live, '4m');
    const { disk } = state;
    const agent = fakeAgent(live.tmux, 'codex', 'work');
    agent.show('codex/103-running');
    await live.start();
    using subscriber = new Subscriber(await live.client());
    await subscriber.state(agent.paneId, 'running');
    const filler = fill(disk);
    agent.show('codex/0.148.0-111-waiting_approval');
    await subscriber.until(
      agent.paneId,
      ({ reason_code }) => reason_code === 'store_failed',
      'the failure reaches subscribers',
    );
    const listed = await live.cli('list', 'panes', '--json');
    expect(listed.code).toBe(1);
    const { panes, store_error } = JSON.parse(listed.out) as PaneList;
    expect(panes).toMatchObject([{ state: 'unknown', reason_code: 'store_failed' }]);
    expect(store_error).toMatchObject({ code: 'store_full' });
    // A pane that came meanwhile is not known either: neither is a reason to force anything.
    for (const ref of [agent.paneId, 'late:0']) {
      const sent = await live.cli('send', ref, '--text', 'never');
      expect([sent.code, sent.err]).toEqual([73, expect.stringContaining('store_full: ')]);
      expect(sent.err).not.toContain('--force');
    }
    const status = await live.cli('status');
    expect(status.code).toBe(1);
    expect(status.out).toContain('store_fault');
    expect((await live.cli('alerts')).out.replaceAll(/\s+/g, ' ')).toContain('Free some space;');
    expect((await live.cli('tmux-status')).out).toBe('agtmux ?\n');

    rmSync(filler);
    await subscriber.state(agent.paneId, 'waiting_approval');
    expect(await live.cli('list', 'panes')).toMatchObject({ code: 0 });
    expect((await live.cli('status')).code).toBe(0);
    expect((await live.cli('alerts', '--all')).out).toContain('resolved by itself');
  });

  test.each([
    ['full', 'store_full', 'Free some space'],
    ['read-only', 'store_unwritable', 'read-only'],
  ])('at the start: a %s disk is named', async (kind, code, words) => {
    await using live = new LiveDaemon();
    using state = mountState(live, '1m');
    const { disk } = state;
    if (kind === 'full') fill(disk);
    else execFileSync('mount', ['-o', 'remount,ro', disk]);
    for (const command of [
      ['list', 'panes'],
      ['daemon', 'run'],
    ]) {
      const { code: exit, err } = await live.cli(...command);
      expect([exit, err]).toEqual([73, expect.stringContaining(`${code}: `)]);
      expect(err).toContain(disk);
      expect(err).toContain(words);
    }
  });

  test('at the start with a database that is there is named too', async () => {
    await using live = new LiveDaemon();
    using state = mountState(live, '4m');
    const { disk } = state;
    fakeAgent(live.tmux, 'codex', 'work');
    await live.start();
    await live.cli('daemon', 'stop');
    fill(disk);
    expect(await live.cli('daemon', 'run')).toMatchObject({
      code: 73,
      err: expect.stringContaining('store_full: '),
    });
  });
});

describe.skipIf(isTmuxMissing)('a state folder that is removed while the daemon runs', () => {
  test('is an alert with its remedy, and the remedy works', async () => {
    await using live = new LiveDaemon();
    fakeAgent(live.tmux, 'codex', 'work').show('codex/103-running');
    await live.start();
    // The daemon may write into the folder while it is removed.
    rmSync(join(live.folder, 'state', 'agtmux'), { recursive: true, maxRetries: 10 });
    await eventually(async () => (await live.cli('status')).code === 1, 'status says so');
    expect((await live.cli('list', 'panes')).out).toContain('store_gone');
    const { out } = await live.cli('alerts');
    expect(out.replaceAll(/\s+/g, ' ')).toContain('run agtmux daemon stop');
    expect((await live.cli('daemon', 'stop')).code).toBe(0);
    expect(await live.cli('list', 'panes')).toMatchObject({ code: 0, err: '' });
  });
});

describe.skipIf(isTmuxMissing)('daemon reset', () => {
  test('is the remedy that a damaged database names, and keeps a copy', async () => {
    await using live = new LiveDaemon();
    mkdirSync(join(live.folder, 'state', 'agtmux'), { mode: 0o700 });
    writeFileSync(database(live), 'not a database at all, but long enough to be one'.repeat(9));
    const { code, err } = await live.cli('list', 'panes');
    expect(code).not.toBe(0);
    expect(err).toContain('store_corrupt');
    expect(err).toContain('agtmux daemon reset --keep-copy');
    const reset = await live.cli('daemon', 'reset', '--keep-copy', '--yes');
    expect(reset).toMatchObject({ code: 0, err: '' });
    const copies = readdirSync(join(live.folder, 'state', 'agtmux')).filter((name) =>
      /^agtmux\.db\.\d{4}-/.test(name),
    );
    expect(copies).toHaveLength(1);
    expect(await live.cli('list', 'panes')).toMatchObject({ code: 0 });
  });

  test('refuses while a daemon runs, unless it may stop it; asks first', async () => {
    await using live = new LiveDaemon();
    fakeAgent(live.tmux, 'codex', 'work');
    await live.start();
    expect(await live.cli('daemon', 'reset', '--yes')).toMatchObject({
      code: 75,
      err: expect.stringContaining('--stop'),
    });
    expect(await live.cli('daemon', 'reset', '--stop')).toMatchObject({
      code: 64,
      err: expect.stringContaining('--yes'),
    });
    expect(existsSync(database(live))).toBe(true);
    expect((await live.cli('daemon', 'reset', '--stop', '--yes')).code).toBe(0);
    expect(existsSync(database(live))).toBe(false);
    expect((await live.cli('daemon', 'status')).code).toBe(3);
    expect((await live.cli('daemon', 'reset', '--yes')).out).toContain('There is no database');
  });
});
