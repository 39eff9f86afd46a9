// `watch` as a process of its own: events and tables, the daemon's restart, signals, a real
// terminal in tmux, and a pipe whose reader goes away.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shellQuoteAll } from '../../src/platform/text/shell-quote.ts';
import { builtProgram } from '../built-program.ts';
import { eventually } from '../live/tmux-server.ts';
import { NOW, paneItem, paneList, SmallDaemon, summaryOf } from './fixture.ts';

const hasNoTmux = (process.env['AGTMUX_MISSING'] ?? '').split(',').includes('tmux');
const WAIT_MS = 30_000;

let daemon: SmallDaemon;
let panes = [paneItem(), paneItem({ index: 1, target: 'vm1', state: 'idle' })];
const children: ChildProcess[] = [];

beforeEach(async () => {
  panes = [paneItem(), paneItem({ index: 1, target: 'vm1', state: 'idle' })];
  daemon = new SmallDaemon();
  daemon.handlers['list_panes'] = () => paneList(panes);
  daemon.handlers['list_windows'] = () => ({ ...paneList([]), windows: windowItems() });
  daemon.handlers['subscribe'] = (_params, socket) => {
    const data = { ...stamp(1), reason: 'start', panes, summary: summaryOf(panes) };
    setImmediate(() => {
      socket.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'snapshot', params: data })}\n`);
    });
    return { subscription: 's', resumed: false, cursor: 'n:0' };
  };
  await daemon.start();
});

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
  await daemon[Symbol.asyncDispose]();
});

const stamp = (seq: number) => ({ subscription: 's', cursor: `n:${seq}`, generated_at: NOW });

const windowItems = () =>
  panes.map((pane) => ({
    identity: {
      target: pane.target,
      server: 's',
      session_name: 'main',
      window_id: '@1',
      window_index: 1,
    },
    window_name: 'w',
    panes: 1,
    agents: 1,
    by_state: summaryOf([pane]).by_state,
    needs_action: 0,
    top_state: pane.state,
    waiting: 0,
    running: 0,
  }));

const nodeArgs = (...args: readonly string[]): readonly string[] => [
  ...builtProgram,
  ...args,
  ...['-s', daemon.socketPath],
];

/** The whole command line, for a shell. */
const quotedLine = (...args: readonly string[]): string =>
  shellQuoteAll([process.execPath, ...nodeArgs(...args)]);

interface Started {
  readonly child: ChildProcess;
  readonly output: { out: string; err: string };
}

function start(...args: readonly string[]): Started {
  const child = spawn(process.execPath, nodeArgs('watch', ...args), {
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  });
  children.push(child);
  const output = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    output.out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    output.err += text;
  });
  return { child, output };
}

const until = (what: string, isSo: () => boolean): Promise<true> => eventually(isSo, what, WAIT_MS);

const events = ({ output }: Started) =>
  output.out
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
const types = (started: Started): readonly string[] => events(started).map(({ type }) => type);

async function interrupt({ child }: Started): Promise<number | null> {
  child.kill('SIGINT');
  if (child.exitCode === null) await once(child, 'close');
  return child.exitCode;
}

describe('watch --format jsonl', () => {
  it('prints the state of every pane, then each change, with the same fields', async () => {
    const started = start('--format', 'jsonl');
    await until('the snapshot', () => types(started).includes('summary_changed'));
    daemon.push('state_changed', {
      ...stamp(2),
      panes: [paneItem({ state: 'error', title: '\x1b]52;c;x\x07\u202e' })],
      removed: [panes[1]!.pane_key],
    });
    await until('the change', () => types(started).length === 5);
    expect(types(started)).toEqual([
      'state_changed',
      'state_changed',
      'summary_changed',
      'pane_removed',
      'state_changed',
    ]);
    for (const event of events(started)) {
      expect(event).toMatchObject({ schema_version: 1, at: NOW, cursor: expect.any(String) });
      expect(event).toHaveProperty('identity');
    }
    const all = events(started);
    expect(all[0]).toMatchObject({ initial: true, identity: { target: 'local', pane_id: '%0' } });
    expect(all[3]).toMatchObject({ identity: { target: 'vm1', pane_id: '%1' } });
    expect(all[4]).toMatchObject({ initial: false, pane: { state: 'error' } });
    expect(started.output.out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(await interrupt(started)).toBe(130);
  });

  it('keeps to one target', async () => {
    const started = start('--format', 'jsonl', '--target', 'vm1', '--once');
    await once(started.child, 'close');
    expect(events(started)).toMatchObject([{ type: 'state_changed', identity: { target: 'vm1' } }]);
  });

  it('keeps to one server of a target', async () => {
    panes = [paneItem(), paneItem({ index: 1, server: '/tmp/tmux-0/work' })];
    const started = start('--format', 'jsonl', '--target', 'local+work', '--once');
    await once(started.child, 'close');
    expect(events(started)).toMatchObject([{ identity: { server: '/tmp/tmux-0/work' } }]);
  });

  it('says that the daemon does not answer and back, and goes on at its cursor', async () => {
    const started = start('--json');
    await until('the snapshot', () => types(started).includes('summary_changed'));
    await daemon.stop();
    await until('the loss', () => types(started).includes('link_changed'));
    daemon.asked.length = 0;
    daemon.handlers['subscribe'] = () => ({ subscription: 's', resumed: true, cursor: 'n:1' });
    await daemon.start();
    await until(
      'the return',
      () => types(started).filter((each) => each === 'link_changed').length === 2,
    );
    expect(daemon.asked.find(({ method }) => method === 'subscribe')?.params).toEqual({
      cursor: 'n:1',
    });
    daemon.push('state_changed', { ...stamp(2), panes: [paneItem()], removed: [] });
    await until('the change', () => types(started).at(-1) === 'state_changed');
    expect(await interrupt(started)).toBe(130);
  });

  it('replays what happened since a time first, the oldest first', async () => {
    const entry = (at: string, state: string) => ({ at, state, pane_key: panes[0]!.pane_key });
    daemon.handlers['history'] = () => ({
      schema_version: 1,
      generated_at: NOW,
      filters: {},
      entries: [entry(NOW, 'idle'), entry('2026-01-31T11:00:00.000Z', 'running')],
    });
    const started = start('--json', '--since', '2026-01-31T10:00:00Z', '--once');
    await once(started.child, 'close');
    expect(started.child.exitCode).toBe(0);
    expect(events(started).slice(0, 3)).toMatchObject([
      { type: 'history', identity: { pane_id: '%0' }, entry: { state: 'running' } },
      { type: 'history', entry: { state: 'idle' } },
      { type: 'state_changed' },
    ]);
  });

  it('lists windows that changed, and no other', async () => {
    const started = start('--json', '--scope', 'windows', '--interval', '100ms');
    await until('the windows', () => types(started).length === 2);
    panes = [panes[0]!, paneItem({ index: 1, target: 'vm1', state: 'error' })];
    daemon.push('state_changed', { ...stamp(2), panes: [panes[1]], removed: [] });
    await until('the change', () => types(started).length === 3);
    expect(events(started)[2]).toMatchObject({
      type: 'window_changed',
      initial: false,
      identity: { target: 'vm1', window_id: '@1' },
      window: { top_state: 'error' },
    });
    panes = [panes[0]!];
    daemon.push('state_changed', { ...stamp(3), panes: [], removed: [] });
    await until('the removal', () => types(started).at(-1) === 'window_removed');
    expect(await interrupt(started)).toBe(130);
  });

  it('prints windows once with --once', async () => {
    const started = start('--json', '--scope', 'windows', '--once');
    await once(started.child, 'close');
    expect(types(started)).toEqual(['window_changed', 'window_changed']);
    expect(started.child.exitCode).toBe(0);
  });
});

describe('watch as a table', () => {
  it('prints anew at each change off a terminal, and reports a lost daemon on stderr', async () => {
    const started = start('--interval', '100ms');
    await until('the table', () => started.output.out.includes('2 agents in 2 panes'));
    panes = [panes[0]!];
    daemon.push('state_changed', { ...stamp(2), panes: [], removed: [] });
    await until('the next', () => started.output.out.includes('1 agent in 1 pane'));
    expect(started.output.out).not.toContain('\x1b');
    await daemon.stop();
    await until('the loss', () => started.output.err.includes('The daemon does not answer'));
    await daemon.start();
    await until('the return', () => started.output.err.includes('The daemon is back.'));
    expect(await interrupt(started)).toBe(130);
  });

  it('ends with 143 and 129 by the other signals', async () => {
    for (const [signal, code] of [
      ['SIGTERM', 143],
      ['SIGHUP', 129],
    ] as const) {
      const started = start();
      await until('the table', () => started.output.out.includes('2 agents'));
      started.child.kill(signal);
      await once(started.child, 'close');
      expect(started.child.exitCode).toBe(code);
    }
  });
});

describe.skipIf(hasNoTmux)('watch on a terminal', () => {
  const tmux = (...args: readonly string[]): string => {
    const socket = join(daemon.folder, 'tmux');
    return execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], { encoding: 'utf8' });
  };

  it('ends with 129 when the terminal is closed', async () => {
    const quoted = quotedLine('watch', '--interval', '100ms');
    const [ended, words] = [join(daemon.folder, 'ended'), join(daemon.folder, 'words')];
    // The shell outlives its terminal to tell how it went.
    const script = `echo $? >${ended}.new; mv ${ended}.new ${ended}`;
    const shell = `trap '' HUP; ${quoted} 2>${words}; ${script}`;
    tmux('new-session', '-d', '-x', '100', '-y', '20', shell);
    try {
      await until('the table', () => tmux('capture-pane', '-p').includes('2 agents in 2 panes'));
    } finally {
      tmux('kill-server');
    }
    await until('its end', () => existsSync(ended));
    expect(readFileSync(words, 'utf8')).toBe('');
    expect(readFileSync(ended, 'utf8')).toBe('129\n');
  });

  it('redraws in place, fits a new size, and gives the screen back on Ctrl-C', async () => {
    const quoted = quotedLine('watch', '--interval', '100ms');
    const shell = `echo BEFORE; LC_ALL=C.UTF-8 ${quoted}; echo "code $?"; exec sleep 60`;
    tmux('new-session', '-d', '-x', '100', '-y', '20', shell);
    const screen = (): string => tmux('capture-pane', '-p');
    try {
      await until('the table', () => screen().includes('2 agents in 2 panes'));
      expect(screen()).not.toContain('BEFORE');
      panes = [paneItem({ state: 'error' })];
      daemon.push('state_changed', { ...stamp(2), panes: [], removed: [] });
      await until('the change', () => screen().includes('✗ error'));
      expect(screen()).not.toContain('2 agents');
      expect(screen()).toContain('BRANCH');
      tmux('resize-window', '-x', '30', '-y', '10');
      await until('the new size', () => !screen().includes('BRANCH'));
      tmux('send-keys', 'C-c');
      await until('the end', () => screen().includes('code 130'));
      expect(screen()).toMatch(/^BEFORE\n/);
      expect(tmux('display-message', '-p', '#{alternate_on} #{cursor_flag}').trim()).toBe('0 1');
    } finally {
      tmux('kill-server');
    }
  });
});

describe('a pipe whose reader is gone', () => {
  it('ends the command quietly', async () => {
    panes = Array.from({ length: 800 }, (_, index) => paneItem({ index }));
    const quoted = quotedLine('list', 'panes');
    const child = spawn('bash', ['-c', `${quoted} | head -1; echo "\${PIPESTATUS[0]}"`]);
    children.push(child);
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      err += text;
    });
    await once(child, 'close');
    expect(err).toBe('');
    expect(out).toMatch(/^STATE .*\n0\n$/);
  });
});
