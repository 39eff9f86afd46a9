// The adapters in force, with a store that cannot be written: files and configuration still count.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { AdapterSwitch } from '../../src/daemon/engine/adapter-switch.ts';
import { Fault } from '../../src/platform/fault.ts';
import { openStore } from '../../src/store/open.ts';
import { makeFolder } from './program.ts';

function setUp() {
  const folder = makeFolder();
  const userFolder = join(folder, 'agents');
  mkdirSync(userFolder);
  const store = openStore({ path: join(folder, 'agtmux.db') });
  onTestFinished(() => store[Symbol.dispose]());
  const disk = { isFull: false };
  const faults: string[] = [];
  const problems: string[] = [];
  const adapters = new AdapterSwitch({
    userFolder,
    store: {
      save: (rows, atMs) => {
        if (disk.isFull) throw new Fault('store_full', { about: 'db' });
        store.adapters.save(rows, atMs);
      },
      disabled: () => store.adapters.disabled(),
      setEnabled: (agent, enabled, atMs) => store.adapters.setEnabled(agent, enabled, atMs),
    },
    nowMs: () => 1_800_000_000_000,
    disabledByConfig: () => [],
    onProblems: (each) => {
      problems.splice(0, problems.length, ...each.map(({ file }) => file));
    },
    onFault: ({ code }) => faults.push(code),
  });
  onTestFinished(() => adapters[Symbol.dispose]());
  const healthOf = (agent: string) =>
    adapters.registry.adapters.find((each) => each.agent === agent)?.health.status;
  return { adapters, disk, faults, problems, userFolder, healthOf };
}

it('a file edited while the disk is full takes effect, and the fault is reported', async () => {
  const { disk, faults, problems, userFolder } = setUp();
  disk.isFull = true;
  writeFileSync(join(userFolder, 'broken.toml'), 'this is no rule file');
  await vi.waitFor(() => expect(problems).toEqual([expect.stringContaining('broken.toml')]), 5_000);
  expect(faults).toEqual(['store_full']);
});

it('what a person has switched off stays off while the disk is full', () => {
  const { adapters, disk, healthOf } = setUp();
  adapters.setEnabled('codex', false);
  disk.isFull = true;
  adapters.refresh();
  expect([healthOf('codex'), healthOf('claude')]).toEqual(['disabled', 'ok']);
});
