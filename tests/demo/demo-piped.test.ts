// `agtmux demo` without a terminal, as a script runs it: what it prints, and that nothing is left
// whatever ends it.

import { describe, expect, it } from 'vitest';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { DemoRun } from './demo-run.ts';

const SHOW_MS = 60_000;

describe.skipIf(isTmuxMissing)('the demo without a terminal', { timeout: 120_000 }, () => {
  it('prints the pane table until its time is over', async () => {
    await using run = new DemoRun();
    const demo = run.start('--seconds', '4');
    expect(await demo.exited).toBe(0);
    expect(demo.output()).toMatch(/waiting_input .* claude .* Choose a database/);
    expect(demo.output()).toMatch(/^8 agents in 9 panes, 1 needs you: /m);
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
