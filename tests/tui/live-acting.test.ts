// The keys that act, in a view in a real tmux, on stand-ins for Claude Code in panes of their own:
// what each receives, and that nothing is typed into one that changed.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ActingLab } from '../acting/acting-lab.ts';
import { eventually, isAlive, isTmuxMissing } from '../live/tmux-server.ts';
import { LiveTui } from './live-tui.ts';

/** Between two keys of a person. */
const PACE_MS = 700;

describe.skipIf(isTmuxMissing)('keys that act', () => {
  let lab: ActingLab;
  let tui: LiveTui;
  let agentCount = 0;

  beforeAll(async () => {
    lab = await ActingLab.open();
    tui = new LiveTui(lab.live, { columns: 110, rows: 34 });
    await tui.shows('local/home');
  }, 60_000);
  afterAll(() => lab?.[Symbol.asyncDispose]());

  async function openAgent(prompt?: string): Promise<{ ref: string; name: string; pid: number }> {
    agentCount += 1;
    const name = `agent-${agentCount}`;
    const ref = lab.openShell(name);
    const { pid } = await lab.startAgent(ref);
    if (prompt !== undefined) {
      await lab.client.call('send', { ref, text: prompt });
      await lab.untilState(ref, [prompt === 'ask' ? 'waiting_approval' : 'running']);
    }
    return { ref, name, pid: pid ?? 0 };
  }

  const received = (pid: number) => lab.received().filter((each) => each.pid === pid);
  const last = (pid: number) => received(pid).at(-1);

  /** The list with the agent selected, and nothing else in it. */
  async function select({ name }: { name: string }): Promise<void> {
    tui.keys('Escape');
    tui.type('/');
    tui.type(name);
    tui.keys('Enter');
    await tui.shows(`[/${name}]`);
    await tui.until(
      (screen) => screen.split('\n').some((line) => line.startsWith('▸') && line.includes(name)),
      `${name} is selected`,
    );
  }

  /** Presses a key in the inbox; one that came too soon again, at the pace of a person. */
  async function answer(key: string, until: () => boolean, what: string): Promise<void> {
    let pressedAtMs = Number.NEGATIVE_INFINITY;
    await tui.until((screen) => {
      const isRefused = pressedAtMs < 0 || screen.includes('this has just come up');
      if (isRefused && performance.now() - pressedAtMs > PACE_MS) {
        tui.type(key);
        pressedAtMs = performance.now();
      }
      return until();
    }, what);
  }

  it('answer one request after the other in the inbox', async () => {
    const first = await openAgent('ask');
    const second = await openAgent('ask');
    const third = await openAgent('ask');
    tui.type('i');
    await tui.shows(`claude ${first.name}:0.0 approval for`);
    expect(tui.screen()).toMatch(/^ {3}touch file [a-z]$/m);
    expect(tui.screen()).toContain(" 2.  Yes, and don't ask again for touch commands\n");
    await answer('a', () => last(first.pid)?.chosen === 'Yes', 'the first is approved');
    await tui.shows(`claude ${second.name}:0.0 approval for`);
    await answer('d', () => last(second.pid)?.chosen === 'No', 'the second is denied');
    await tui.shows(`claude ${third.name}:0.0 approval for`);
    await answer('2', () => last(third.pid)?.chosen?.startsWith('Yes, and') ?? false, 'the third');
    await tui.shows(`claude ${third.name}:0.0: delivered`);
    await tui.shows('Nothing is asked.');
    for (const { pid } of [first, second, third]) {
      expect(received(pid).filter(({ chosen }) => chosen !== undefined)).toHaveLength(1);
    }
    tui.keys('Escape');
    await tui.shows('local/home');
  }, 90_000);

  it.each([
    ['the view has yet to hear of it', true],
    ['nobody has seen it yet', false],
  ])(
    'type nothing into a dialog that changed before Enter, where %s',
    async (_what, isSeen) => {
      const agent = await openAgent('ask');
      const command = () => /touch file [a-z]/.exec(lab.screen(agent.ref))?.[0] ?? '';
      const before = command();
      await select(agent);
      tui.type('A');
      await tui.shows(`Approve this for claude in local/${agent.name}:0.0, once?`);
      expect(tui.screen()).toContain(`   ${before}\n`);
      if (isSeen) process.kill(tui.pid, 'SIGSTOP');
      process.kill(agent.pid, 'SIGHUP');
      await eventually(() => command() !== before, 'another dialog is there');
      if (isSeen) {
        await eventually(async () => {
          const { requests } = await lab.client.call('list_requests', { ref: agent.ref });
          return requests[0]?.detail?.command === command();
        }, 'the daemon knows the other dialog');
      }
      tui.keys('Enter');
      if (isSeen) process.kill(tui.pid, 'SIGCONT');
      const refusal = /Nothing was done: the agent has changed|refused:/;
      await tui.until((screen) => refusal.test(screen), 'the key was refused');
      expect(lab.screen(agent.ref)).toContain('❯ 1. Yes');
      expect(received(agent.pid).filter(({ chosen }) => chosen !== undefined)).toEqual([]);
      lab.typeKeys(agent.ref, 'Escape');
      await lab.untilState(agent.ref, ['idle', 'completed']);
    },
    90_000,
  );

  it('send a prompt, stop a turn, and end an agent only after Enter', async () => {
    const agent = await openAgent();
    await select(agent);
    tui.type('s');
    await tui.shows('Prompt:');
    tui.type('work on it');
    tui.keys('Enter');
    await tui.shows(`claude ${agent.name}:0.0: delivered: the text left the input box`);
    expect(last(agent.pid)?.submitted).toBe('work on it');
    await lab.untilState(agent.ref, ['running']);

    await tui.until((screen) => /^▸ > running/m.test(screen), 'the row is running');
    tui.type('X');
    await tui.shows('Stop the turn of claude');
    tui.keys('Enter');
    await tui.shows(`claude ${agent.name}:0.0: delivered: the turn has stopped.`);
    expect(lab.screen(agent.ref)).not.toContain('esc to interrupt');
    await lab.untilState(agent.ref, ['idle', 'completed']);

    const killQuestion = (signal: string) => `Send ${signal} to claude in local/${agent.name}:0.0`;
    tui.type('K');
    await tui.shows(killQuestion('SIGINT'));
    tui.keys('Escape');
    await tui.hides('Send SIGINT');
    expect(isAlive(agent.pid)).toBe(true);
    tui.type('K');
    await tui.shows(killQuestion('SIGINT'));
    tui.keys('Tab');
    await tui.shows(killQuestion('SIGTERM'));
    await tui.shows(`pid ${agent.pid}`);
    tui.keys('Enter');
    await tui.shows(`claude ${agent.name}:0.0: delivered: ended`);
    expect(isAlive(agent.pid)).toBe(false);
  }, 90_000);
});
