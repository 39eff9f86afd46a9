// `agtmux demo` as it runs: a real tmux, a real daemon, the recorded screens. Each state is
// reached in the daemon's own answers, and whatever ends it, nothing is left.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cast } from '../../src/demo/cast.ts';
import { wordOf } from '../daemon-live/live-daemon.ts';
import { eventually, isTmuxMissing, privateTmux } from '../live/tmux-server.ts';
import { isSshdMissing, makeSshdFolder } from '../ssh/sshd.ts';
import { DemoRun, program } from './demo-run.ts';

const SHOW_MS = 60_000;

/** A shell that starts the demo, and is still there when it has ended, by Ctrl-C too. */
const SHELL = ['sh', '-c', 'trap : INT; "$@"; echo "ended with $?"; exec cat', 'sh'];

/** In a pane of a tmux of the test's own, as a person at a terminal has it. */
function inPane(run: DemoRun, ...args: readonly string[]) {
  const tmux = privateTmux();
  const env = Object.entries(run.env).map(([name, value]) => `${name}=${value}`);
  const command = [...SHELL, 'env', '-i', ...env, ...program, 'demo', ...args];
  tmux.run('new-session', '-d', '-s', 'person', '-x', '100', '-y', '30', ...command);
  const format = (each: string): string =>
    tmux.run('display-message', '-p', '-t', '=person:', each);
  const screen = (): string => tmux.run('capture-pane', '-p', '-t', '=person:');
  return {
    tmux,
    format,
    showsAgents: () => eventually(() => /Clean up the build/.test(screen()), 'the view', SHOW_MS),
    ended: (code: number) => eventually(() => screen().includes(`ended with ${code}`), 'its end'),
    /** The process of the demo itself. */
    pid: () => {
      const shell = format('#{pane_pid}');
      return Number.parseInt(readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8'), 10);
    },
    [Symbol.dispose]: () => tmux[Symbol.dispose](),
  };
}

describe.skipIf(isTmuxMissing)('the demo on a terminal', { timeout: 120_000 }, () => {
  it('walks through every state, shows its agents, and leaves nothing after q', async () => {
    // The demo as root goes without a second machine where nobody has made the folder.
    if (!isSshdMissing) makeSshdFolder();
    await using run = new DemoRun();
    using pane = inPane(run);
    using rows = await run.subscribe();
    const everyState = [
      ...['running', 'waiting_approval', 'waiting_input', 'completed', 'idle'],
      ...['unknown/no_evidence', 'error/auth_required', 'idle/interrupted'],
    ];
    const isSeen = (word: string): boolean => rows.states.some(({ state }) => state === word);
    await eventually(() => everyState.every(isSeen), 'every state', SHOW_MS);
    const agents = [...rows.rows.values()].filter(({ presence }) => presence === 'managed');
    expect(agents.map(({ agent }) => agent).sort()).toEqual(cast.map(({ agent }) => agent).sort());
    const targets = new Set(agents.map(({ identity }) => identity?.target));
    expect([...targets].sort()).toEqual(isSshdMissing ? ['local'] : ['build-vm', 'local']);
    expect(agents.map(wordOf)).not.toContain('unknown/stale_signal');
    if (!isSshdMissing) expect(run.file('sshd_config')).toMatch(/^PermitUserRC no$/m);
    await pane.showsAgents();
    pane.tmux.run('send-keys', '-t', '=person:', 'q');
    await pane.ended(0);
    await run.isClean();
  });

  it('ends by itself after its seconds', async () => {
    await using run = new DemoRun();
    using pane = inPane(run, '--seconds', '3');
    await pane.showsAgents();
    await pane.ended(0);
    await run.isClean();
  });

  it('ends on Ctrl-C while it starts, with its programs', async () => {
    await using run = new DemoRun();
    using pane = inPane(run);
    const starts = (): boolean => run.processes().some((each) => each.includes('daemon run'));
    await eventually(starts, "the demo's daemon is started", SHOW_MS);
    pane.tmux.run('send-keys', '-t', '=person:', 'C-c');
    await pane.ended(130);
    expect(pane.tmux.run('capture-pane', '-p', '-t', '=person:')).not.toContain('E_');
    await run.isClean();
  });

  it('leaves nothing when it is killed, and the terminal is as it was', async () => {
    await using run = new DemoRun();
    using pane = inPane(run);
    await pane.showsAgents();
    process.kill(pane.pid(), 'SIGKILL');
    await run.isClean();
    expect(pane.format('#{alternate_on} #{cursor_flag}')).toBe('0 1');
  });

  it('leaves nothing when its terminal is closed', async () => {
    await using run = new DemoRun();
    {
      using pane = inPane(run);
      await pane.showsAgents();
    }
    await run.isClean();
  });
});
