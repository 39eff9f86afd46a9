// kill on real processes: who gets the signal, who ends, and what is said of it.

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtProgram } from '../built-program.ts';
import { eventually, isAlive } from '../live/tmux-server.ts';
import { ActingLab } from './acting-lab.ts';

/** A line for a shell: codex with a tool, and its daemon with a child of its own. */
function fakeCodex(): string {
  const program = join(lab.live.folder, 'bin', 'codex');
  copyFileSync('/bin/bash', program);
  const wait = 'sleep 1000 & wait';
  return `'${program}' -c "'${program}' -c '${wait}' app-server & ${wait}"`;
}

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

it.each([
  ['kill', async (ref: string) => void (await lab.client.call('kill', { ref, signal: 'KILL' }))],
  ['a signal from elsewhere', async (_: string, pid: number) => lab.live.kill(pid, 'SIGKILL')],
] as const)('an agent that works and is ended by %s', async (how, end) => {
  const ref = lab.openShell(`end-${how.split(' ')[0]}`);
  const { pid } = await lab.startAgent(ref);
  lab.typeLine(ref, 'work');
  await lab.untilState(ref, ['running']);
  await end(ref, pid ?? 0);
  await eventually(async () => (await lab.pane(ref))?.presence === 'unmanaged', 'no agent');
  const isCrash = how !== 'kill';
  expect(await lab.pane(ref)).toMatchObject({
    state: isCrash ? 'error' : 'unknown',
    reason_code: isCrash ? 'crashed' : 'no_agent',
    attention: { kinds: isCrash ? ['crash'] : [] },
  });
});

it('a program that is ended by kill under agtmux run leaves no crash and no news', async () => {
  const ref = lab.openShell('end-wrapped');
  const words = [
    process.execPath,
    ...builtProgram,
    'run',
    '--agent',
    'codex',
    '--',
    'sleep',
    '1000',
  ];
  const settings = Object.entries(lab.live.env).map(([name, value]) => `${name}='${value}'`);
  lab.typeLine(ref, `env ${settings.join(' ')} ${words.join(' ')}; echo left $((4 + 3))`);
  await eventually(async () => (await lab.pane(ref))?.presence === 'managed', 'it runs');
  expect((await lab.client.call('kill', { ref, signal: 'TERM' })).result).toBe('delivered');
  await eventually(() => lab.screen(ref).includes('left 7'), 'the wrapper has ended');
  await eventually(async () => (await lab.pane(ref))?.presence === 'unmanaged', 'no agent');
  expect(await lab.pane(ref)).toMatchObject({ state: 'unknown', attention: { kinds: [] } });
});

it('the screen that a dead agent leaves is taken away, and its shell is used again', async () => {
  const ref = lab.openShell('kill-screen');
  const { pid } = await lab.startAgent(ref);
  const tty = lab.live.tmux.run('display-message', '-p', '-t', ref, '#{pane_tty}');
  writeFileSync(tty, '\u001b[?1049h\u001b[?1000hleft over');
  const flags = (): string =>
    lab.live.tmux.run('display-message', '-p', '-t', ref, '#{alternate_on}#{mouse_any_flag}');
  await eventually(() => flags() === '11', 'the agent has a screen of its own');
  expect((await lab.client.call('kill', { ref, signal: 'KILL' })).result).toBe('delivered');
  await eventually(() => flags() === '00', 'the screen of the agent is left');
  expect(isAlive(pid ?? 0)).toBe(false);
  lab.typeLine(ref, 'echo it$((4 + 3))');
  await eventually(() => lab.screen(ref).includes('it7'), 'the shell takes a command');
});

it('a kill that was agreed to for one agent never ends its successor', async () => {
  const ref = lab.openShell('kill-looped');
  const first = await lab.startAgent(ref, { isLooped: true });
  const asker = lab.openShell('asker');
  const script = join(lab.live.folder, 'kill-by-hand');
  const settings = Object.entries(lab.live.env).map(([name, value]) => `${name}='${value}'`);
  const words = ['env', ...settings, process.execPath, ...builtProgram, 'kill', `'${ref}'`];
  writeFileSync(script, `${words.join(' ')}; echo code $?`);
  lab.typeLine(asker, `. '${script}'`);
  await eventually(() => lab.screen(asker).includes(`End claude in ${ref}`), 'the question');
  process.kill(first.pid ?? 0, 'SIGKILL');
  const next = await eventually(async () => {
    const found = await lab.pane(ref);
    return found?.pid && found.runtime_id !== first.runtime_id ? found : null;
  }, 'its successor');
  lab.typeLine(asker, 'y');
  await eventually(() => lab.screen(asker).includes('code '), 'the outcome', 20_000);
  expect(lab.screen(asker)).toContain('E_RUNTIME_STALE');
  expect(isAlive(next.pid ?? 0)).toBe(true);
});

it('a service that other panes use, and what runs in it, gets no signal', async () => {
  const ref = lab.openShell('kill-shared');
  lab.typeLine(ref, fakeCodex());
  const pane = await eventually(async () => {
    const found = await lab.pane(ref);
    return found?.agent === 'codex' ? found : null;
  }, 'codex is seen');
  await eventually(async () => {
    const would = await lab.client.call('kill', { ref, signal: 'KILL', dry_run: true });
    return /left alone: .*, /.test(would.detail ?? '');
  }, 'its service runs a program');
  const report = await lab.client.call('kill', { ref, signal: 'KILL' });
  expect(report.result).toBe('delivered');
  expect(report.detail).toContain(`(${pane.pid})`);
  const spared = [
    ...(/left alone: (.*)$/.exec(report.detail ?? '')?.[1]?.matchAll(/\((\d+)\)/g) ?? []),
  ];
  expect(spared).toHaveLength(2);
  for (const [, pid] of spared) {
    expect(isAlive(Number(pid))).toBe(true);
    process.kill(Number(pid), 'SIGKILL');
  }
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

it('a daemon that an agent started gets no signal, and goes on', async () => {
  const ref = lab.openShell('kill-starter');
  const { pid } = await lab.startAgent(ref);
  await lab.live.kill((await lab.client.call('daemon_info', {})).pid, 'SIGTERM');
  const settings = Object.entries(lab.live.env).map(([name, value]) => `${name}='${value}'`);
  const words = ['exec env', ...settings, process.execPath, ...builtProgram, 'daemon run'];
  const script = join(lab.live.folder, 'daemon-of-agent');
  writeFileSync(script, `${words.join(' ')} >/dev/null 2>&1`);
  lab.typeLine(ref, `run . '${script}'`);
  const client = await eventually(() => lab.live.client().catch(() => null), 'its daemon');
  lab.client = client;
  await lab.untilState(ref, ['idle', 'completed']);
  const daemonPid = (await client.call('daemon_info', {})).pid;
  expect(readFileSync(`/proc/${daemonPid}/stat`, 'utf8').split(' ')[3]).toBe(`${pid}`);
  const report = await client.call('kill', { ref, signal: 'KILL' });
  expect(report).toMatchObject({
    result: 'delivered',
    detail: expect.stringMatching(new RegExp(`left alone: .*\\(${daemonPid}\\)`)),
  });
  expect(isAlive(pid ?? 0)).toBe(false);
  expect((await client.call('daemon_info', {})).pid).toBe(daemonPid);
});
