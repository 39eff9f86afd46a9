// A change of config.toml while the daemon runs: what takes effect at once, and what is marked as
// waiting for the next start.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { connectDaemon } from '../../src/client/client.ts';
import { replay } from '../../src/core/replay.ts';
import { type Inside, inside } from './inside.ts';

function configure({ folder, base }: Inside, toml: string): void {
  mkdirSync(join(folder, 'config', 'agtmux'), { recursive: true });
  writeFileSync(join(folder, 'config', 'agtmux', 'config.toml'), toml, { mode: 0o600 });
  base.reload();
}

it('a changed engine setting is in force at once, and a replay of the events agrees', async () => {
  const daemon = await inside();
  const { base } = daemon;
  configure(daemon, '[engine]\ncompleted = "7s"\n');
  expect(base.engine.world.config.completedMs).toBe(7_000);
  const events = [...base.store.eventsAfter(0)].map(({ event }) => event);
  expect(events.filter(({ type }) => type === 'config.changed')).toHaveLength(1);
  expect(replay(events).config).toEqual(base.engine.world.config);
  base.reload();
  expect([...base.store.eventsAfter(0)]).toHaveLength(events.length);
});

it('--poll-interval stays in force over the file', async () => {
  const daemon = await inside({ pollIntervalMs: 300 });
  configure(daemon, '[engine]\npoll_interval = "9s"\n');
  expect(daemon.base.engine.world.config.pollIntervalMs).toBe(300);
});

it('sockets of the file are watched at once, and no longer when they leave it', async () => {
  const daemon = await inside();
  const { gathering, folder } = daemon;
  gathering.start();
  const second = join(folder, 'second');
  const watched = () => gathering.watchers.info().map(({ server }) => server);
  configure(daemon, `[tmux]\nsockets = ["${second}"]\n`);
  expect(watched()).toEqual([join(folder, 'tmux'), second]);
  expect(gathering.ingestOptions.socketPaths).toEqual(watched());
  configure(daemon, '');
  expect(watched()).toEqual([join(folder, 'tmux')]);
});

it('a change has servers listed at once, which opens and closes taps', async () => {
  const daemon = await inside();
  const { gathering } = daemon;
  gathering.start();
  const asked = vi.spyOn(gathering.watchers, 'askAll');
  configure(daemon, '[tmux]\ntap = "never"\n');
  expect(asked).toHaveBeenCalledOnce();
});

it('the alert of a server that is absent ends when the server leaves the file', async () => {
  const daemon = await inside();
  const { gathering, folder, base } = daemon;
  gathering.start();
  const second = join(folder, 'second');
  const alerts = () => base.store.alerts.list({ includeResolved: false }).map(({ about }) => about);
  configure(daemon, `[tmux]\nsockets = ["${second}"]\n`);
  await expect.poll(alerts).toContain(`local:${second}`);
  configure(daemon, '');
  expect(alerts()).not.toContain(`local:${second}`);
});

it('a reload reads the rule files too, at once', async () => {
  const { folder, base } = await inside();
  const agents = join(folder, 'config', 'agtmux', 'agents');
  mkdirSync(agents, { recursive: true });
  const rules = ['name = "robo"', 'contract_version = "1"', '[identify]', 'executables = ["robo"]'];
  writeFileSync(join(agents, 'robo.toml'), rules.join('\n'));
  base.reload();
  expect(base.adapters.registry.adapters.map(({ agent }) => agent)).toContain('robo');
});

it('limits count for connections that are made after the change', async () => {
  const daemon = await inside();
  await daemon.doors.open();
  configure(daemon, '[limits]\nrequest_bytes_max = 200\n');
  const client = await connectDaemon({ socketPath: daemon.place.socketPath });
  onTestFinished(() => client.close());
  await client.call('hello', {});
  const reason = 'x'.repeat(190);
  await expect(client.call('daemon_stop', { reason })).rejects.toThrow(/more than 200 bytes/);
});

it('a changed ssh configuration file is reported as waiting for the next start', async () => {
  const daemon = await inside();
  await daemon.doors.open();
  configure(daemon, '[ssh]\nconfig_file = "/new"\n');
  const client = await connectDaemon({ socketPath: daemon.place.socketPath });
  onTestFinished(() => client.close());
  const shown = await client.call('show_config', {});
  expect([shown.in_force.ssh.configFile, shown.waiting]).toEqual(['', ['ssh.config_file']]);
});
