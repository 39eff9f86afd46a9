// A store that takes nothing: while commits fail no row is shown as current, on any surface, and
// status and alerts say so from memory. It ends by itself when a commit succeeds.

import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { connectDaemon } from '../../src/client/client.ts';
import { Fault } from '../../src/platform/fault.ts';
import { claim, evidence, paneAppears, paneKey, runtimeId, runtimeStarts } from '../scenario.ts';
import { type Inside, inside } from './inside.ts';

const full = (): never => {
  throw new Fault('store_full', { about: 'agtmux.db' });
};

/** A daemon with one agent that runs, and a client of it. */
async function runningAgent() {
  const daemon = await inside();
  const { base, doors, place } = daemon;
  // Only the calls of the test reach the store.
  base.loop[Symbol.dispose]();
  const atMs = base.nowMs();
  for (const fact of [paneAppears(0, atMs), runtimeStarts(0, 1, atMs)]) {
    base.loop.submit([{ kind: 'fact', fact }]);
  }
  says(daemon, 'running');
  await doors.open();
  const client = await connectDaemon({ socketPath: place.socketPath });
  onTestFinished(() => client.close());
  const row = async () => (await client.call('list_panes', {})).panes[0];
  return { ...daemon, client, row };
}

function says({ base }: Pick<Inside, 'base'>, state: 'running' | 'waiting_approval'): void {
  const event = evidence('hooks', base.nowMs(), [claim(state)], { type: state });
  base.loop.submit([{ kind: 'evidence', evidence: event }]);
}

/** Until the test ends it or `mockRestore` is called, nothing can be written. */
function fillDisk({ base }: Pick<Inside, 'base'>): () => void {
  const spies = [
    vi.spyOn(base.store, 'commit').mockImplementation(full),
    vi.spyOn(base.store.alerts, 'open').mockImplementation(full),
    vi.spyOn(base.store.alerts, 'resolve').mockImplementation(full),
  ];
  const free = () => {
    for (const spy of spies) spy.mockRestore();
  };
  onTestFinished(free);
  return free;
}

describe('while commits fail', () => {
  it('rows are unknown/store_failed in listings, and their counts too', async () => {
    const daemon = await runningAgent();
    expect(await daemon.row()).toMatchObject({ state: 'running' });
    fillDisk(daemon);
    expect(() => says(daemon, 'waiting_approval')).toThrow(Fault);
    expect(await daemon.row()).toMatchObject({
      presence: 'managed',
      agent: 'claude',
      state: 'unknown',
      reason_code: 'store_failed',
      evidence: { mode: 'none' },
    });
    const { summary, store_error } = await daemon.client.call('list_sessions', {});
    expect(summary.by_state).toMatchObject({ running: 0, unknown: 1 });
    expect(store_error).toMatchObject({ code: 'store_full' });
    expect(store_error?.message).toContain('Free some space');
    const { why } = await daemon.client.call('explain', { ref: (await daemon.row())?.ref ?? '' });
    expect(why).toContain('cannot store');
  });

  it('a dialog that was open is not shown as open', async () => {
    const daemon = await runningAgent();
    says(daemon, 'waiting_approval');
    expect((await daemon.row())?.attention.kinds).toEqual(['approval']);
    fillDisk(daemon);
    expect(() => says(daemon, 'running')).toThrow(Fault);
    expect((await daemon.row())?.attention).toEqual({
      kinds: [],
      since: null,
      requests: [],
      snoozed_until: null,
    });
  });

  it('an alert is listed from memory, once', async () => {
    const daemon = await runningAgent();
    fillDisk(daemon);
    for (const _ of [1, 2]) expect(() => says(daemon, 'waiting_approval')).toThrow(Fault);
    const { alerts } = await daemon.client.call('list_alerts', {});
    expect(alerts).toMatchObject([{ code: 'store_fault', level: 'escalate', resolved_at: null }]);
    expect(alerts[0]?.detail).toContain('Free some space');
  });

  it('subscribers are sent the rows when it begins and when it ends', async () => {
    const daemon = await runningAgent();
    const states: string[] = [];
    const reading = (async () => {
      for await (const message of daemon.client.subscribe({}, { resume: false })) {
        if (message.type !== 'snapshot' && message.type !== 'state_changed') continue;
        for (const pane of message.data.panes) states.push(`${pane.state}/${pane.reason_code}`);
      }
    })().catch(() => null);
    await vi.waitFor(() => expect(states).toEqual(['running/null']));
    const free = fillDisk(daemon);
    expect(() => says(daemon, 'waiting_approval')).toThrow(Fault);
    await vi.waitFor(() => expect(states.at(-1)).toBe('unknown/store_failed'));
    free();
    daemon.base.checkStore();
    await vi.waitFor(() => expect(states.at(-1)).not.toBe('unknown/store_failed'));
    daemon.client.close();
    await reading;
  });

  it('a due event that cannot be stored counts as well', async () => {
    const daemon = await runningAgent();
    fillDisk(daemon);
    vi.spyOn(daemon.base.engine, 'tick').mockImplementationOnce(full);
    daemon.base.loop.tick();
    expect(await daemon.row()).toMatchObject({ reason_code: 'store_failed' });
  });
});

describe('when a commit succeeds again', () => {
  it('rows wait to be read again, and the alert is resolved', async () => {
    const daemon = await runningAgent();
    const free = fillDisk(daemon);
    expect(() => says(daemon, 'waiting_approval')).toThrow(Fault);
    expect(() => daemon.base.checkStore()).toThrow(Fault);
    free();
    daemon.base.checkStore();
    expect(await daemon.row()).toMatchObject({ state: 'unknown', reason_code: 'reconfirming' });
    expect((await daemon.client.call('list_panes', {})).store_error).toBeNull();
    expect((await daemon.client.call('list_alerts', {})).alerts).toEqual([]);
    const { alerts } = await daemon.client.call('list_alerts', { include_resolved: true });
    expect(alerts).toMatchObject([{ code: 'store_fault', resolved_by: 'auto' }]);
  });

  it('any commit ends it, and rows wait to be read again whichever it was', async () => {
    const daemon = await runningAgent();
    const free = fillDisk(daemon);
    expect(() => says(daemon, 'waiting_approval')).toThrow(Fault);
    free();
    const { base } = daemon;
    base.loop.submit([{ kind: 'fact', fact: paneAppears(1, base.nowMs()) }]);
    expect((await daemon.client.call('list_panes', {})).store_error).toBeNull();
    const row = await daemon.row();
    expect(row).toMatchObject({ state: 'unknown', reason_code: 'reconfirming' });
  });

  it('an event of that commit counts once the process was found and a level read', async () => {
    const daemon = await runningAgent();
    const free = fillDisk(daemon);
    expect(() => says(daemon, 'waiting_approval')).toThrow(Fault);
    free();
    says(daemon, 'waiting_approval');
    const { base } = daemon;
    const fact = { type: 'runtime.found', atMs: base.nowMs(), runtimeId: runtimeId(0) } as const;
    const title = evidence('title', base.nowMs(), [], { kind: 'level' });
    base.loop.submit([
      { kind: 'fact', fact },
      { kind: 'evidence', evidence: title },
    ]);
    expect(await daemon.row()).toMatchObject({ state: 'waiting_approval' });
  });
});

describe('a full disk on which nothing was committed yet', () => {
  it('is noticed, a small commit does not hide it, and room on the disk ends it', async () => {
    const daemon = await runningAgent();
    const check = vi.spyOn(daemon.base.store, 'checkWritable').mockImplementation(full);
    daemon.base.checkStore();
    expect(await daemon.row()).toMatchObject({ state: 'unknown', reason_code: 'store_failed' });
    says(daemon, 'waiting_approval');
    expect(await daemon.row()).toMatchObject({ state: 'unknown', reason_code: 'store_failed' });
    check.mockRestore();
    daemon.base.checkStore();
    expect((await daemon.row())?.reason_code).not.toBe('store_failed');
    expect((await daemon.client.call('list_alerts', {})).alerts).toEqual([]);
  });
});

describe('a state folder that is removed while the daemon runs', () => {
  it('is noticed without any event, and what is handed in stays with its source', async () => {
    const daemon = await runningAgent();
    rmSync(dirname(daemon.base.store.path), { recursive: true });
    daemon.base.checkStore();
    expect(await daemon.row()).toMatchObject({ state: 'unknown', reason_code: 'store_failed' });
    expect(() => says(daemon, 'waiting_approval')).toThrow(/removed or replaced/);
    const { alerts } = await daemon.client.call('list_alerts', {});
    expect(alerts[0]).toMatchObject({ code: 'store_fault', level: 'escalate' });
    expect(alerts[0]?.detail).toContain('agtmux daemon stop');
  });

  it('that is put back ends it; another database in its place does not', async () => {
    const daemon = await runningAgent();
    const folder = dirname(daemon.base.store.path);
    renameSync(folder, `${folder}.away`);
    daemon.base.checkStore();
    mkdirSync(folder);
    daemon.base.checkStore();
    expect(await daemon.row()).toMatchObject({ reason_code: 'store_failed' });
    rmSync(folder, { recursive: true });
    renameSync(`${folder}.away`, folder);
    daemon.base.checkStore();
    expect((await daemon.row())?.reason_code).not.toBe('store_failed');
    expect(daemon.base.engine.world.panes.has(paneKey(0))).toBe(true);
  });
});

describe('a damaged page that a check has found', () => {
  it('is an alert with its remedy, which commits do not end and a whole file does', async () => {
    const daemon = await runningAgent();
    const about = daemon.base.store.path;
    daemon.base.databaseChecked(new Fault('store_corrupt', { about, detail: 'page 7' }));
    says(daemon, 'waiting_approval');
    expect(await daemon.row()).toMatchObject({ state: 'waiting_approval' });
    const open = async () => (await daemon.client.call('list_alerts', {})).alerts;
    const [alert] = await open();
    expect(alert).toMatchObject({ code: 'store_fault', about: 'database', level: 'escalate' });
    expect(alert?.detail).toMatch(/page 7.*agtmux daemon reset --keep-copy/);
    daemon.base.databaseChecked(null);
    expect(await open()).toEqual([]);
  });
});
