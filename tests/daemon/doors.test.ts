// The doors of a daemon: they open again after a cleaner came by, and nothing that changes in a
// quiet pane stays untold.

import { chmodSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { connectDaemon } from '../../src/client/client.ts';
import type { EventDraft } from '../../src/schema/event.ts';
import { id, paneKeyOf, type TargetId } from '../../src/schema/ids.ts';
import {
  channel,
  claim,
  evidence,
  paneAppears,
  paneFacts,
  paneKey,
  runtimeId,
  runtimeStarts,
} from '../scenario.ts';
import { inside } from './inside.ts';

async function connect(socketPath: string) {
  const client = await connectDaemon({ socketPath });
  onTestFinished(() => client.close());
  return client;
}

describe('the socket', () => {
  it('is made again with its folder, and nobody else may reach into it', async () => {
    const { place, doors, defects } = await inside();
    await doors.open();
    rmSync(dirname(place.socketPath), { recursive: true });
    await doors.keepOpen();
    const client = await connect(place.socketPath);
    expect((await client.call('daemon_info', {})).pid).toBe(process.pid);
    expect(statSync(dirname(place.socketPath)).mode & 0o777).toBe(0o700);
    expect(defects).toEqual([]);
  });

  it('is not made in a folder that others may change, and is as soon as they may not', async () => {
    const { place, doors } = await inside();
    await doors.open();
    const folder = dirname(place.socketPath);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    await doors.keepOpen();
    await expect(connectDaemon({ socketPath: place.socketPath })).rejects.toThrow();
    chmodSync(folder, 0o700);
    await doors.keepOpen();
    await connect(place.socketPath);
  });

  it('that is somebody else’s is left alone', async () => {
    const { place, doors } = await inside();
    await doors.open();
    rmSync(place.socketPath);
    writeFileSync(place.socketPath, 'mine');
    await doors.keepOpen();
    expect(statSync(place.socketPath).isFile()).toBe(true);
  });

  it('is not made again while the daemon ends', async () => {
    const { place, doors } = await inside();
    await doors.open();
    await doors[Symbol.asyncDispose]();
    await doors.keepOpen();
    expect(existsSync(place.socketPath)).toBe(false);
  });
});

it('a branch that changes in a quiet pane is published', async () => {
  const { folder, place, base, doors } = await inside();
  const project = join(folder, 'project');
  const checkOut = (branch: string) =>
    writeFileSync(join(project, '.git', 'HEAD'), `ref: refs/heads/${branch}\n`);
  mkdirSync(join(project, '.git'), { recursive: true });
  checkOut('main');
  const facts = paneFacts(0, { path: project });
  const fact = { type: 'pane.appeared', atMs: base.nowMs(), paneKey: paneKey(0), facts } as const;
  base.loop.submit([{ kind: 'fact', fact }]);
  await doors.open();
  const client = await connect(place.socketPath);
  const branches: (string | null)[] = [];
  const reading = (async () => {
    for await (const message of client.subscribe({}, { resume: false })) {
      if (message.type !== 'snapshot' && message.type !== 'state_changed') continue;
      for (const pane of message.data.panes) branches.push(pane.git_branch);
    }
  })().catch(() => null);
  await vi.waitFor(() => expect(branches.at(-1)).toBe('main'), 5_000);
  checkOut('other');
  // What was just read is not read again for some seconds.
  await vi.waitFor(
    () => {
      doors.readBranches();
      expect(branches.at(-1)).toBe('other');
    },
    { timeout: 15_000, interval: 100 },
  );
  client.close();
  await reading;
}, 30_000);

it('a folder of another machine is not looked for on this one', async () => {
  const { folder, place, base, doors } = await inside();
  const project = join(folder, 'project');
  mkdirSync(join(project, '.git'), { recursive: true });
  writeFileSync(join(project, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  const near = paneFacts(0, { path: project });
  const far = paneFacts(1, { path: project, targetId: id<TargetId>('vm1') });
  for (const facts of [near, far]) {
    const paneKey = paneKeyOf(facts);
    const fact = { type: 'pane.appeared', atMs: base.nowMs(), paneKey, facts } as const;
    base.loop.submit([{ kind: 'fact', fact }]);
  }
  await doors.open();
  const client = await connect(place.socketPath);
  const branches = async () => {
    const { panes } = await client.call('list_panes', {});
    return Object.fromEntries(panes.map(({ target, git_branch }) => [target, git_branch]));
  };
  await vi.waitFor(async () => expect((await branches())['local']).toBe('main'), 5_000);
  doors.readBranches();
  expect(await branches()).toEqual({ local: 'main', vm1: null });
});

it('a channel that falls silent is an alert until its last agent has ended', async () => {
  const { base } = await inside();
  const tell = (fact: EventDraft) => base.loop.submit([{ kind: 'fact', fact }]);
  const open = () =>
    base.store.alerts
      .list({ includeResolved: false })
      .flatMap(({ code, about }) => (code === 'source_silent' ? about : []));
  const atMs = base.nowMs();
  tell(paneAppears(0, atMs));
  tell(runtimeStarts(0, 1, atMs));
  base.loop.submit([{ kind: 'evidence', evidence: evidence('rollout', atMs, [claim('running')]) }]);
  tell({ type: 'channel.changed', atMs, channel: channel('rollout@local'), status: 'down' });
  expect(open()).toEqual(['rollout@local']);
  const ended = { reason: 'process_gone', exitCode: null, crashed: false } as const;
  tell({ type: 'runtime.ended', atMs, runtimeId: runtimeId(0), ...ended });
  expect(open()).toEqual([]);
});
