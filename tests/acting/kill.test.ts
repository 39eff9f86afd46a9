// kill on real processes: who gets the signal, who ends, and what is said of it.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, isAlive } from '../live/tmux-server.ts';
import { ActingLab } from './acting-lab.ts';

let lab: ActingLab;
beforeAll(async () => {
  lab = await ActingLab.open();
}, 60_000);
afterAll(() => lab[Symbol.asyncDispose]());

it.each(['TERM', 'KILL'] as const)('SIG%s ends the agent and leaves its shell', async (signal) => {
  const ref = lab.openShell(`kill-${signal}`);
  const { pid } = await lab.startAgent(ref);
  const report = await lab.client.call('kill', { ref, signal });
  expect(report).toMatchObject({
    result: 'delivered',
    detail: expect.stringContaining(`(${pid})`),
  });
  expect(isAlive(pid ?? 0)).toBe(false);
  const shellPid = Number(lab.live.tmux.run('display-message', '-p', '-t', ref, '#{pane_pid}'));
  expect(isAlive(shellPid)).toBe(true);
  await eventually(async () => (await lab.pane(ref))?.presence === 'unmanaged', 'no agent');
});

it('an agent that ignores the signal is reported alive; nothing stronger follows', async () => {
  const ref = lab.openShell('kill-int');
  const { pid } = await lab.startAgent(ref);
  const report = await lab.client.call('kill', { ref });
  expect(report.result).toBe('unconfirmed');
  expect(report.detail).toContain('still alive');
  expect(isAlive(pid ?? 0)).toBe(true);
});

it('a dry run says who would get the signal, and sends none', async () => {
  const ref = lab.openShell('kill-dry');
  const { pid } = await lab.startAgent(ref);
  const report = await lab.client.call('kill', { ref, signal: 'KILL', dry_run: true });
  expect(report).toMatchObject({ result: 'dry_run', detail: expect.stringContaining(`(${pid})`) });
  expect(isAlive(pid ?? 0)).toBe(true);
});
