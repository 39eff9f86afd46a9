// Outcomes on real panes are honest: nothing is submitted to a successor of the agent, nothing is
// delivered without proof of its own, and no dialog is answered that is not the one that was meant.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chooseOption } from '../../src/acting/dialogs/choose-option.ts';
import { PaneControl } from '../../src/acting/pane-control.ts';
import { adapterOf } from '../../src/agents/registry.ts';
import { builtInFolder, loadRegistry } from '../../src/sources/rule-files.ts';
import { localHost } from '../../src/tmux/host.ts';
import { runPlain } from '../../src/tmux/plain/plain-run.ts';
import { builtProgram } from '../built-program.ts';
import { eventually } from '../live/tmux-server.ts';
import { ActingLab } from './acting-lab.ts';

let lab: ActingLab;
beforeAll(async () => {
  lab = await ActingLab.open();
}, 60_000);
afterAll(() => lab[Symbol.asyncDispose]());

let sessionCount = 0;
async function openAgent(options?: { isLooped: boolean }) {
  sessionCount += 1;
  const ref = lab.openShell(`honest-${sessionCount}`);
  const { pid } = await lab.startAgent(ref, options);
  return { ref, pid: pid ?? 0 };
}

/** By plain commands. */
function paneOf(ref: string): PaneControl {
  const server = { socketPath: lab.live.tmux.socketPath, host: localHost };
  return new PaneControl({
    link: { run: (commands, options) => runPlain(server, commands, options) },
    paneId: ref,
    commandTimeoutMs: 10_000,
  });
}

describe('send', () => {
  it('presses no Enter in an agent that took the place of the one it pasted to', async () => {
    const { ref, pid } = await openAgent({ isLooped: true });
    // It stops reading and ends; what it left unread is read by its successor.
    process.kill(pid, 'SIGUSR2');
    const report = await lab.client.call('send', { ref, text: 'meant for the first' });
    expect(report).toMatchObject({ result: 'unconfirmed' });
    await eventually(() => lab.screen(ref).includes('meant for the first'), 'a draft', 20_000);
    expect(lab.received().filter(({ submitted }) => submitted !== undefined)).toEqual([]);
  });

  it('is unconfirmed where the text left the box and only an earlier one is above', async () => {
    const { ref } = await openAgent();
    const send = (text: string) => lab.client.call('send', { ref, text });
    expect((await send('only once')).result).toBe('delivered');
    expect((await send('only once')).result).toBe('unconfirmed');
    expect((await send('work')).result).toBe('delivered');
    await lab.untilState(ref, ['running']);
    expect((await send('only once')).result).toBe('unconfirmed');
  });

  it('of several lines is refused where they may be submitted one by one', async () => {
    const ref = lab.live.tmux.run('list-panes', '-t', 'home', '-F', '#{pane_id}').trim();
    const input = { ref, text: 'one\ntwo', force: true };
    await expect(lab.client.call('send', input)).rejects.toMatchObject({ code: 'E_TEXT_REFUSED' });
    expect(lab.screen(ref)).not.toContain('one');
  });
});

it('choose answers no dialog in place of a request that is over', async () => {
  const { ref } = await openAgent();
  await lab.client.call('send', { ref, text: 'ask' });
  await lab.untilState(ref, ['waiting_approval']);
  const input = { ref, choice: { role: 'approve' }, request_id: 'an earlier one' } as const;
  await expect(lab.client.call('choose', input)).rejects.toMatchObject({ code: 'E_NO_DIALOG' });
  expect(lab.screen(ref)).toContain('❯ 1. Yes');
});

it('choose is refused to a process of the agent itself, and not to others', async () => {
  const { ref, pid } = await openAgent();
  await lab.client.call('send', { ref, text: 'ask' });
  await lab.untilState(ref, ['waiting_approval']);
  const choose = (caller_pid: number) =>
    lab.client.call('choose', { ref, choice: { role: 'approve' }, caller_pid });
  await expect(choose(pid)).rejects.toMatchObject({ code: 'E_NOT_PERMITTED' });
  expect(lab.screen(ref)).toContain('❯ 1. Yes');
  expect(await choose(process.pid)).toMatchObject({ result: 'delivered' });
});

it('approve is refused to a command of an agent behind nohup and setsid', async () => {
  const { ref } = await openAgent();
  await lab.client.call('send', { ref, text: 'ask' });
  await lab.untilState(ref, ['waiting_approval']);
  const other = await openAgent();
  const settings = Object.entries(lab.live.env).map(([name, value]) => `${name}='${value}'`);
  const { requests } = await lab.client.call('list_requests', { ref });
  const words = ['approve', ref, '--request', `'${requests[0]?.request_id}'`];
  const command = [process.execPath, ...builtProgram, ...words].join(' ');
  const file = join(lab.live.folder, 'answer');
  const line = `env ${settings.join(' ')} nohup ${command} >${file} 2>&1; echo over >>${file}`;
  await lab.client.call('send', { ref: other.ref, text: `run ${line}` });
  const printed = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  await eventually(() => printed().includes('over'), 'its end', 30_000);
  expect(printed()).toContain('E_NOT_PERMITTED');
  expect(lab.screen(ref)).toContain('❯ 1. Yes');
});

it('approve without a terminal answers only a request that is named', async () => {
  const { ref } = await openAgent();
  await lab.client.call('send', { ref, text: 'ask' });
  await lab.untilState(ref, ['waiting_approval']);
  const bare = await lab.live.cli('approve', ref);
  expect([bare.code, bare.err]).toEqual([64, expect.stringContaining('--request')]);
  expect((await lab.live.cli('approve', ref, '--yes')).code).toBe(64);
  expect(lab.screen(ref)).toContain('❯ 1. Yes');
  const { requests } = await lab.client.call('list_requests', { ref });
  const again = [ref, '--request', requests[0]?.request_id ?? '', '--request-ref', 'once'];
  const named = await lab.live.cli('approve', ...again);
  expect(named).toMatchObject({ code: 0, err: '' });
  await lab.untilState(ref, ['idle', 'completed', 'running']);
  // Its outcome is fetched when the request is over, and not by another answer.
  expect(await lab.live.cli('approve', ...again)).toEqual(named);
  const other = await lab.live.cli('deny', ...again);
  expect(other.err).toContain('E_IDEMPOTENCY_CONFLICT');
  const elsewhere = await openAgent();
  const there = await lab.live.cli('approve', elsewhere.ref, ...again.slice(1));
  expect(there.err).toContain('E_IDEMPOTENCY_CONFLICT');
});

it('the audit trail names the pane of each action, and begins where it is asked to', async () => {
  const { ref } = await openAgent();
  await lab.client.call('interrupt', { ref }).catch(() => {});
  const { out } = await lab.live.cli('history', '--actions', '--limit', '1');
  expect(out).toMatch(/PANE.*\n.* interrupt +honest-\d+:0\.0 +refused/);
  expect((await lab.live.cli('history', '--actions', '--since', '1h')).out).toContain('interrupt');
  const none = await lab.live.cli('history', '--actions', '--since', '2999-01-01');
  expect(none.out).toBe('No actions.\n');
});

it('an answer for one command or tool is refused by a dialog that shows another', async () => {
  const { ref, pid } = await openAgent();
  process.kill(pid, 'SIGUSR1');
  await eventually(() => lab.screen(ref).includes('touch file a'), 'a dialog', 20_000);
  const pane = paneOf(ref);
  const look = await pane.look();
  const adapter = adapterOf(loadRegistry({ builtIn: builtInFolder() }), 'claude');
  if (!look || !adapter) throw new Error('no pane');
  const agent = {
    ...{ panePid: look.screen.panePid, command: look.command },
    ...{ isAlive: () => true, refresh: async () => {} },
  };
  const request = { adapter, agent, expected: null, commit: () => true } as const;
  const choice = { role: 'approve' } as const;
  const other = await chooseOption(pane, { ...request, choice, command: 'touch file' });
  expect(other).toMatchObject({ result: 'refused', code: 'E_SCREEN_CHANGED' });
  // Of two open requests an agent may have reported the one that it does not show yet.
  const expected = { kind: 'approval', tool: 'mcp__lab__deploy' } as const;
  const tool = await chooseOption(pane, { ...request, choice, expected });
  expect(tool).toMatchObject({ result: 'refused', code: 'E_SCREEN_CHANGED' });
  expect(lab.screen(ref)).toContain('❯ 1. Yes');
  const same = await chooseOption(pane, { ...request, choice, command: 'touch file a' });
  expect(same.result).toBe('delivered');
});

it('interrupt is unconfirmed where a dialog opened in place of the rest', async () => {
  const { ref } = await openAgent();
  await lab.client.call('send', { ref, text: 'work and ask' });
  await lab.untilState(ref, ['running']);
  const report = await lab.client.call('interrupt', { ref });
  expect(report).toMatchObject({ result: 'unconfirmed' });
  expect(lab.screen(ref)).toContain('❯ 1. Yes');
});

describe('a key, by plain commands', () => {
  const changed = { isDone: false, guard: 'screen_changed' };

  it('is held back where the same text is still elsewhere', async () => {
    const { ref, pid } = await openAgent();
    await lab.client.call('send', { ref, text: 'only once' });
    await lab.client.call('send', { ref, text: 'only once', enter: false });
    const pane = paneOf(ref);
    const look = await pane.look();
    if (!look) throw new Error('no pane');
    const rows = [look.view.lines.findLastIndex((line) => line.includes('only once'))];
    process.kill(pid, 'SIGUSR1');
    await eventually(() => lab.screen(ref).includes('Do you want to proceed?'), 'a dialog', 20_000);
    expect(lab.screen(ref)).toContain('only once');
    expect(await pane.press(['Enter'], look, { rows, isSteady: false })).toEqual(changed);
    expect(lab.screen(ref)).toContain('❯ 1. Yes');
  });

  it('is held back in a dialog that differs in one letter from the one that was read', async () => {
    const { ref, pid } = await openAgent();
    process.kill(pid, 'SIGUSR1');
    await eventually(() => lab.screen(ref).includes('touch file a'), 'a dialog', 20_000);
    const pane = paneOf(ref);
    const look = await pane.look();
    if (!look) throw new Error('no pane');
    process.kill(pid, 'SIGHUP');
    await eventually(() => lab.screen(ref).includes('touch file b'), 'another', 20_000);
    const rows = look.view.lines.map((_, index) => index);
    expect(await pane.press(['Enter'], look, { rows, isSteady: true })).toEqual(changed);
    expect(lab.screen(ref)).toContain('❯ 1. Yes');
    const now = await pane.look();
    if (!now) throw new Error('no pane');
    expect(await pane.press(['Enter'], now, { rows, isSteady: true })).toEqual({ isDone: true });
  });

  it('is pressed where rows of every sign are as they were', async () => {
    const signs = String.raw`#{pane_id} ,}{ [a] (b)* c+ d? e|f ^g$ h\i`;
    const others = `%j 'k' "l" ~ ;; : / é日本語 👩‍💻🇩🇪 ─│❯`;
    const ref = lab.openShell('signs');
    lab.typeLine(ref, `cat <<'EOF'\n`);
    lab.live.tmux.run('send-keys', '-t', ref, '-l', `${signs} ${others}\nEOF\n`);
    const isPrinted = () => /EOF\n(?:.*\n)+\$\s*$/.test(lab.screen(ref));
    await eventually(isPrinted, 'the signs', 20_000);
    const pane = paneOf(ref);
    const look = await pane.look();
    if (!look) throw new Error('no pane');
    const rows = look.view.lines.map((_, index) => index);
    expect(await pane.press(['x'], look, { rows, isSteady: false })).toEqual({ isDone: true });
  });
});
