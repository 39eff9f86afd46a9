// Queued prompts on real panes: typed once when the agent rests, over restarts of the daemon, past
// drafts and people at the keys, and never to another runtime.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PaneControl } from '../../src/acting/pane-control.ts';
import type { DeliveryItem } from '../../src/schema/api/acting.ts';
import { localHost } from '../../src/tmux/host.ts';
import { runPlain } from '../../src/tmux/plain/plain-run.ts';
import { eventually } from '../live/tmux-server.ts';
import { ActingLab } from './acting-lab.ts';

let lab: ActingLab;
let daemonPid = 0;
beforeAll(async () => {
  lab = await ActingLab.open();
  daemonPid = (await lab.client.call('daemon_info', {})).pid;
}, 60_000);
afterAll(() => lab[Symbol.asyncDispose]());

let sessionCount = 0;
async function openAgent(options?: { isLooped: boolean }) {
  sessionCount += 1;
  const ref = lab.openShell(`queued-${sessionCount}`);
  const { pid } = await lab.startAgent(ref, options);
  return { ref, pid: pid ?? 0 };
}

const key = (ref: string, name: string) => lab.live.tmux.run('send-keys', '-t', ref, name);
const timesReceived = (text: string) =>
  lab.received().filter(({ submitted }) => submitted === text).length;

async function deliveryOf(ref: string): Promise<DeliveryItem | undefined> {
  const input = { ref, include_settled: true };
  return (await lab.client.call('list_deliveries', input)).deliveries[0];
}

const untilStatus = (ref: string, status: DeliveryItem['status']) =>
  eventually(async () => (await deliveryOf(ref))?.status === status, status, 30_000).catch(
    async (error: Error) => {
      const delivery = JSON.stringify(await deliveryOf(ref));
      throw new Error(`${error.message}; it is ${delivery}:\n${lab.screen(ref)}`);
    },
  );

async function restartDaemon(): Promise<void> {
  await lab.live.kill(daemonPid, 'SIGKILL');
  daemonPid = await lab.live.start();
  lab.client = await lab.live.client(90_000);
}

describe('a prompt with --when-idle', () => {
  it('is typed once when the turn is over, also if the daemon was killed meanwhile', async () => {
    const { ref } = await openAgent();
    await lab.client.call('send', { ref, text: 'work' });
    await lab.untilState(ref, ['running']);
    const { code, out } = await lab.live.cli('send', ref, '--text', 'after work', '--when-idle');
    expect(out).toContain('queued: delivery ');
    expect(code).toBe(0);
    await restartDaemon();
    for (const words of [
      ['deliveries'],
      ['list', 'deliveries'],
      ['list', 'deliveries', '--json'],
    ]) {
      expect((await lab.live.cli(...words)).out).toContain('after work');
    }
    expect(timesReceived('after work')).toBe(0);
    key(ref, 'Escape');
    await untilStatus(ref, 'delivered');
    expect(timesReceived('after work')).toBe(1);
  });

  it('waits for a draft to go and for the person to stop typing', async () => {
    const { ref } = await openAgent();
    lab.live.tmux.run('send-keys', '-t', ref, '-l', 'half a thought');
    await eventually(() => lab.screen(ref).includes('half a thought'), 'the draft', 20_000);
    await lab.client.call('send', { ref, text: 'after the draft', when: 'idle' });
    const waits = 'somebody has typed into the input box';
    await eventually(async () => (await deliveryOf(ref))?.detail === waits, waits, 20_000);
    expect(lab.screen(ref)).not.toContain('after the draft');
    key(ref, 'Enter');
    await untilStatus(ref, 'delivered');
    expect(lab.received().map(({ submitted }) => submitted)).toContain('half a thought');
    expect(timesReceived('after the draft')).toBe(1);
  });

  it('does not go to the agent that took the place of its own', async () => {
    const { ref, pid } = await openAgent({ isLooped: true });
    await lab.client.call('send', { ref, text: 'work' });
    await lab.untilState(ref, ['running']);
    await lab.client.call('send', { ref, text: 'for the first one', when: 'idle' });
    process.kill(pid, 'SIGTERM');
    await untilStatus(ref, 'refused');
    expect(await deliveryOf(ref)).toMatchObject({ text: '' });
    await lab.untilState(ref, ['idle', 'completed']);
    expect(timesReceived('for the first one')).toBe(0);
    expect(lab.screen(ref)).not.toContain('for the first one');
  });

  it('is not typed into a dialog, and follows when that is answered', async () => {
    const { ref } = await openAgent();
    await lab.client.call('send', { ref, text: 'ask' });
    await lab.untilState(ref, ['waiting_approval']);
    await lab.client.call('send', { ref, text: 'after the dialog', when: 'idle' });
    await eventually(
      async () => (await deliveryOf(ref))?.detail === 'the agent is waiting_approval',
      'the delivery waits for the dialog',
      20_000,
    );
    expect(lab.screen(ref)).toContain('❯ 1. Yes');
    key(ref, 'Escape');
    await untilStatus(ref, 'delivered');
    expect(timesReceived('after the dialog')).toBe(1);
    expect(lab.received().filter(({ chosen }) => chosen === 'Yes')).toEqual([]);
  });

  it('is typed at most once by a daemon that is killed while it types', async () => {
    const { ref } = await openAgent();
    await lab.client.call('send', { ref, text: 'slow', when: 'idle' });
    await eventually(() => lab.screen(ref).includes('❯ slow'), 'the paste', 30_000);
    await restartDaemon();
    await untilStatus(ref, 'unconfirmed');
    const { actions } = await lab.client.call('list_actions', { ref, limit: 1 });
    expect(actions).toMatchObject([{ result: 'unconfirmed', kind: 'send' }]);
    expect(timesReceived('slow')).toBeLessThanOrEqual(1);
    const shown = lab.screen(ref).split('❯ slow').length - 1;
    expect(shown).toBe(1);
  });
});

it('a prompt with --at is typed at its time, and can be cancelled until then', async () => {
  const { ref } = await openAgent();
  const cancelled = await lab.live.cli('send', ref, '--text', 'never', '--at', '1h');
  const [id = ''] = /[0-9a-f]{12}/.exec(cancelled.out) ?? [];
  expect((await lab.live.cli('deliveries', 'cancel', id)).code).toBe(0);
  expect((await lab.live.cli('deliveries', 'cancel', id)).code).toBe(75);
  expect((await lab.live.cli('deliveries', 'cancel', 'nothing')).code).toBe(66);
  const startMs = Date.now();
  await lab.live.cli('send', ref, '--text', 'in a moment', '--at', '4s');
  await eventually(() => timesReceived('in a moment') === 1, 'the prompt', 30_000);
  expect(Date.now() - startMs).toBeGreaterThan(3_900);
  await untilStatus(ref, 'delivered');
  expect(timesReceived('never')).toBe(0);
});

it('keys of a person are noticed in the pane that is shown, and in no other', async () => {
  const { ref } = await openAgent();
  const { ref: other } = await openAgent();
  const outer = lab.openShell('terminal');
  const attach = `tmux -S '${lab.live.tmux.socketPath}' attach -t queued-${sessionCount - 1}`;
  lab.typeLine(outer, `env -u TMUX ${attach}`);
  const server = { socketPath: lab.live.tmux.socketPath, host: localHost };
  const controlOf = (paneId: string) =>
    new PaneControl({
      link: { run: (commands, options) => runPlain(server, commands, options) },
      paneId,
      commandTimeoutMs: 10_000,
    });
  const pane = controlOf(ref);
  const typingIn = async (control: PaneControl, withinMs: number) =>
    (await control.peopleAtKeys(withinMs)).isTyping;
  await eventually(() => typingIn(pane, 60_000), 'the terminal', 20_000);
  await eventually(async () => !(await typingIn(pane, 1_000)), 'no more keys', 20_000);
  lab.live.tmux.run('send-keys', '-t', outer, 'x');
  await eventually(() => typingIn(pane, 1_000), 'a key', 20_000);
  expect(await typingIn(controlOf(other), 60_000)).toBe(false);
  expect(await controlOf(other).isServerUsed(60_000)).toBe(true);
});

it('a prompt with --at reset is refused where no limit has an end', async () => {
  const { ref } = await openAgent();
  const { code, err } = await lab.live.cli('send', ref, '--text', 'go on', '--at', 'reset');
  expect(err).toContain('E_PRECONDITION_FAILED');
  expect(code).toBe(75);
});
