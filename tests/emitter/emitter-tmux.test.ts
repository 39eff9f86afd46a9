import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseOsc3008 } from '../../src/agents/shared/osc-3008.ts';
import { EmitterLab, emitter, until, wasQuiet } from './emitter-run.ts';

const missing = (process.env['AGTMUX_MISSING'] ?? '').split(',');

describe.skipIf(missing.includes('tmux'))('the emitter on a tmux server', () => {
  let lab: EmitterLab;
  let socket: string;
  let serverPid: number;

  const tmux = (...args: readonly string[]): string =>
    spawnSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], { timeout: 10_000 })
      .stdout.toString()
      .trim();
  const option = (name: string): string => tmux('show-options', '-pqv', '-t', '%0', name);
  const inPane = (): Record<string, string> => ({
    // Another process than the pane's runs the emitter, as from a container: its /proc has no
    // such server, so TMUX_PANE is believed.
    TMUX: `${socket},0,0`,
    TMUX_PANE: '%0',
  });

  beforeEach(() => {
    lab = new EmitterLab();
    socket = join(lab.folder, 'sock');
    tmux('new-session', '-d', '-s', 'work', 'sleep 1000');
    serverPid = Number(tmux('display-message', '-p', '#{pid}'));
  });
  afterEach(() => {
    process.kill(serverPid, 'SIGCONT');
    tmux('kill-server');
    lab[Symbol.dispose]();
  });

  it('sets the options of the pane with the id of the file, and wakes who waits', async () => {
    const waiter = spawn('tmux', ['-S', socket, 'wait-for', 'agtmux-wake']);
    const woken = new Promise((resolve) => waiter.on('exit', resolve));
    const args = ['--source', 'claude-hooks', '--agent', 'claude', '--event', 'PermissionRequest'];
    const state = ['--state', 'awaiting_input', '--kind', 'permission'];
    expect(wasQuiet(lab.run({ args: [...args, ...state], env: inPane() }))).toBe(true);
    expect(await woken).toBe(0);
    const [event] = lab.events();
    expect(option('@agent_state')).toBe('awaiting_input');
    expect(option('@agent_kind')).toBe('permission');
    expect(option('@agent_name')).toBe('claude');
    expect(option('@agent_event')).toBe(`${event?.event_id}:claude-hooks:${event?.source_seq}`);
  });

  it('changes nothing on a pane that a stale TMUX_PANE names', async () => {
    tmux('set-option', '-p', '-t', '%0', '@agent_state', 'awaiting_input');
    tmux('set-option', '-p', '-t', '%0', '@agent_event', 'before');
    const runs = `AGTMUX_SPOOL='${lab.spool}' '${emitter}' --source s --state done </dev/null`;
    // The wake-up comes after the options.
    tmux('new-window', '-d', `TMUX_PANE=%0 ${runs}; sleep 1000`);
    tmux('wait-for', 'agtmux-wake');
    expect(lab.events()).toMatchObject([{ env: { TMUX_PANE: '%0' } }]);
    expect([option('@agent_state'), option('@agent_event')]).toEqual(['awaiting_input', 'before']);
    tmux('new-window', '-d', `${runs}; sleep 1000`);
    tmux('wait-for', 'agtmux-wake');
    expect(tmux('show-options', '-pqv', '-t', '%2', '@agent_state')).toBe('done');
  });

  it("wakes, and sets nothing on a pane that is anybody's", async () => {
    const waiter = spawn('tmux', ['-S', socket, 'wait-for', 'agtmux-wake']);
    const woken = new Promise((resolve) => waiter.on('exit', resolve));
    const args = ['--source', 'codex-hooks', '--agent', 'codex', '--shared', 'yes'];
    expect(wasQuiet(lab.run({ args, env: inPane() }))).toBe(true);
    expect(await woken).toBe(0);
    expect(lab.events()).toHaveLength(1);
    expect(option('@agent_event') + option('@agent_name')).toBe('');
  });

  it('leaves the state alone without --state, and a later state has no old kind', async () => {
    const args = ['--source', 's', '--state', 'awaiting_input', '--kind', 'permission'];
    lab.run({ args, env: inPane() });
    await until('the first state', () => option('@agent_state') === 'awaiting_input');
    lab.run({ args: ['--source', 'second'], env: inPane() });
    await until('the second event', () => option('@agent_event').includes(':second:'));
    expect(option('@agent_state')).toBe('awaiting_input');
    lab.run({ args: ['--source', 's', '--state', 'running'], env: inPane() });
    await until('the next state', () => option('@agent_state') === 'running');
    expect(option('@agent_kind')).toBe('');
  });

  it('lets no word become a command, and refuses states that it does not know', async () => {
    const evil = ['x; kill-server', '#{pid}', '$(kill 1)', 'x;', 'a\nkill-server', '-u'];
    for (const word of evil) {
      const args = ['--source', 's', '--agent', word, '--state', word, '--kind', word];
      expect(wasQuiet(lab.run({ args, env: inPane() }))).toBe(true);
      expect(wasQuiet(lab.run({ args: ['--source', word], env: inPane() }))).toBe(true);
    }
    lab.run({ args: ['--source', 'last'], env: inPane() });
    await until('the last event', () => option('@agent_event').includes(':last:'));
    expect(option('@agent_state')).toBe('');
    expect(option('@agent_name')).toBe('');
    expect(Number(tmux('display-message', '-p', '#{pid}'))).toBe(serverPid);
  });

  it('keeps the event of a pane that is dead, and touches no other pane', async () => {
    expect(wasQuiet(lab.run({ env: { ...inPane(), TMUX_PANE: '%99' } }))).toBe(true);
    expect(lab.events()).toMatchObject([{ env: { TMUX_PANE: '%99' } }]);
    lab.run({ args: ['--source', 'after'], env: inPane() });
    await until('the event after', () => option('@agent_event').includes(':after:'));
    expect(option('@agent_name')).toBe('');
  });

  it('neither hangs with a server that hangs nor leaves its tmux waiting for ever', async () => {
    process.kill(serverPid, 'SIGSTOP');
    // It would run into the deadline of the lab if it waited for the server.
    expect(wasQuiet(lab.run({ env: inPane() }))).toBe(true);
    expect(lab.names()).toHaveLength(1);
    const clients = (): string => spawnSync('ps', ['-eo', 'args']).stdout.toString();
    await until('the client is gone', () => !clients().includes(`tmux -S ${socket} set-option`));
  });

  it('brings no dead server back', () => {
    tmux('kill-server');
    expect(existsSync(socket)).toBe(true);
    expect(wasQuiet(lab.run({ env: inPane() }))).toBe(true);
    expect(lab.names()).toHaveLength(1);
    expect(tmux('list-sessions')).toBe('');
    tmux('new-session', '-d', 'sleep 1000');
    serverPid = Number(tmux('display-message', '-p', '#{pid}'));
  });

  it('writes an OSC 3008 to the terminal where there is no tmux', async () => {
    const log = join(lab.folder, 'terminal');
    // A pane is the terminal here; the emitter inside knows of no tmux, as behind ssh.
    const clean = `env -i PATH=/usr/bin:/bin AGTMUX_SPOOL='${lab.spool}'`;
    const args = '--source s --agent claude --state awaiting_input --kind permission --session s-1';
    tmux('new-window', '-d', '-n', 'far', 'sleep 1000');
    tmux('pipe-pane', '-t', 'work:far', `cat >'${log}'`);
    tmux(
      'respawn-pane',
      '-k',
      '-t',
      'work:far',
      `${clean} ${emitter} ${args} </dev/null; sleep 99`,
    );
    const written = (): string => (existsSync(log) ? readFileSync(log, 'latin1') : '');
    const [start, end] = ['\u001b]3008;', '\u001b\\'];
    await until('the sequence', () => written().includes(end));
    const [, sequence = ''] = written().split(start);
    const fields = Object.fromEntries(parseOsc3008(sequence.split(end)[0] ?? ''));
    const [event] = lab.events();
    expect(fields).toEqual({
      state: 'awaiting_input',
      kind: 'permission',
      name: 'claude',
      event: event?.event_id,
      session: 's-1',
    });
  });
});
