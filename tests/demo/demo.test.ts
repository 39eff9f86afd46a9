// `agtmux demo` as it runs: a real tmux, a real daemon, the recorded screens. Each state is reached in
// the daemon's own answers, and whatever ends it, nothing is left.

import { describe, expect, it } from 'vitest';
import { cast } from '../../src/demo/cast.ts';
import { wordOf } from '../daemon-live/live-daemon.ts';
import { eventually, isTmuxMissing, privateTmux } from '../live/tmux-server.ts';
import { DemoRun, program } from './demo-run.ts';

const SHOW_MS = 60_000;

/** In a pane of a tmux of the test's own, as a person at a terminal has it. */
function inPane(run: DemoRun, ...args: readonly string[]) {
  const tmux = privateTmux();
  const env = Object.entries(run.env).map(([name, value]) => `${name}=${value}`);
  const command = ['env', '-i', ...env, ...program, 'demo', ...args];
  tmux.run(
    ...['new-session', '-d', '-s', 'person', '-x', '100', '-y', '30', ...command],
    ...[';', 'set-option', '-w', 'remain-on-exit', 'on'],
  );
  return {
    tmux,
    screen: () => tmux.run('capture-pane', '-p', '-t', '=person:'),
    exitCode: () => tmux.run('display-message', '-p', '-t', '=person:', '#{pane_dead_status}'),
  };
}

describe.skipIf(isTmuxMissing)('the demo on a terminal', { timeout: 120_000 }, () => {
  it('walks through every state, shows its agents, and leaves nothing after q', async () => {
    await using run = new DemoRun();
    const pane = inPane(run);
    try {
      using rows = await run.subscribe();
      const seen = (): ReadonlySet<string> => new Set(rows.states.map(({ state }) => state));
      const wanted = [
        ...['running', 'waiting_approval', 'waiting_input', 'completed', 'idle'],
        ...['unknown/no_evidence', 'error/api_error', 'idle/interrupted'],
      ];
      await eventually(() => wanted.every((each) => seen().has(each)), 'every state', SHOW_MS);
      const agents = [...rows.rows.values()].filter(({ presence }) => presence === 'managed');
      expect(agents.map(({ agent }) => agent).sort()).toEqual(
        cast.map(({ agent }) => agent).sort(),
      );
      expect(agents.map(wordOf).filter((each) => each.startsWith('unknown/stale'))).toEqual([]);
      await eventually(() => /Clean up the build/.test(pane.screen()), 'the screen shows them');
      pane.tmux.run('send-keys', '-t', '=person:', 'q');
      await eventually(() => pane.exitCode() === '0', 'the demo has ended', SHOW_MS);
      await run.isClean();
    } finally {
      pane.tmux[Symbol.dispose]();
    }
  });

  it('ends by itself after its seconds', async () => {
    await using run = new DemoRun();
    const pane = inPane(run, '--seconds', '1');
    try {
      await eventually(() => pane.exitCode() === '0', 'the demo has ended', SHOW_MS);
      await run.isClean();
    } finally {
      pane.tmux[Symbol.dispose]();
    }
  });

  it('leaves nothing when its terminal is closed', async () => {
    await using run = new DemoRun();
    const pane = inPane(run);
    try {
      using _rows = await run.subscribe();
      await eventually(() => /Clean up the build/.test(pane.screen()), 'the screen shows them');
    } finally {
      pane.tmux[Symbol.dispose]();
    }
    await run.isClean();
  });
});

describe.skipIf(isTmuxMissing)('the demo without a terminal', { timeout: 120_000 }, () => {
  it('prints the pane table until its time is over', async () => {
    await using run = new DemoRun();
    const demo = run.start('--seconds', '1');
    expect(await demo.exited).toBe(0);
    expect(demo.output()).toMatch(/waiting_input .* claude .* Choose a database/);
    expect(demo.output()).toMatch(/^8 agents in 9 panes: /m);
    await run.isClean();
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('ends on %s with exit code %d and leaves nothing', async (signal, code) => {
    await using run = new DemoRun();
    const demo = run.start('--seconds', '60');
    await eventually(() => /agents in 9 panes/.test(demo.output()), 'it prints', SHOW_MS);
    demo.child.kill(signal);
    expect(await demo.exited).toBe(code);
    await run.isClean();
  });

  it('leaves nothing when it is killed, and when the reader of its output has gone', async () => {
    await using run = new DemoRun();
    const killed = run.start('--seconds', '60');
    await eventually(() => /agents in 9 panes/.test(killed.output()), 'it prints', SHOW_MS);
    killed.child.kill('SIGKILL');
    await run.isClean();
    const unread = run.start('--seconds', '60');
    await eventually(() => /agents in 9 panes/.test(unread.output()), 'it prints', SHOW_MS);
    unread.child.stdout?.destroy();
    await run.isClean();
  });

  it('says what it needs where there is no tmux, and leaves nothing', async () => {
    await using run = new DemoRun();
    run.env['PATH'] = '/nonexistent';
    const demo = run.start();
    expect(await demo.exited).toBe(69);
    expect(demo.output()).toMatch(/^E_DEMO_FAILED: .*tmux/);
    await run.isClean();
  });
});
