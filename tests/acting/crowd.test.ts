// Many callers for one pane at once, and one caller for many panes: texts never interleave, whoever
// was overtaken is refused by name, and a send by filter reaches whom it showed and nobody else.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../live/tmux-server.ts';
import { ActingLab } from './acting-lab.ts';

const SENDS = 200;

let lab: ActingLab;
beforeAll(async () => {
  lab = await ActingLab.open();
}, 60_000);
afterAll(() => lab[Symbol.asyncDispose]());

let sessionCount = 0;
async function openAgent(name?: string) {
  sessionCount += 1;
  const session = name ?? `crowd-${sessionCount}`;
  const ref = lab.openShell(session);
  const pane = await lab.startAgent(ref);
  return { ref, pane, session };
}

const timesReceived = (text: string) =>
  lab.received().filter(({ submitted }) => submitted === text).length;

it('200 sends to one pane at once are never mixed, and the overtaken ones are named', async () => {
  const { ref } = await openAgent();
  // One of them begins a turn that does not end: whoever comes after it meets another state.
  const texts = Array.from({ length: SENDS }, (_, at) =>
    at === SENDS / 2 ? 'work on\nand on' : `prompt ${at} of the crowd\nand its end ${at}`,
  );
  const outcomes = await Promise.all(
    texts.map((text) =>
      lab.client.call('send', { ref, text }).then(
        ({ result }) => result ?? 'running',
        ({ code }) => String(code),
      ),
    ),
  );
  const submitted = lab.received().flatMap((each) => each.submitted ?? []);
  expect(submitted.filter((text) => !texts.includes(text))).toEqual([]);
  expect(new Set(submitted).size).toBe(submitted.length);
  const delivered = texts.filter((_, at) => outcomes[at] === 'delivered');
  expect(delivered.length).toBeGreaterThan(0);
  expect(delivered.filter((text) => timesReceived(text) !== 1)).toEqual([]);
  const untyped = texts.filter((_, at) => outcomes[at]?.startsWith('E_'));
  expect(untyped.filter((text) => timesReceived(text) > 0)).toEqual([]);
  const others = outcomes.filter(
    (each) => !['delivered', 'unconfirmed', 'E_ACTION_OVERTAKEN'].includes(each),
  );
  expect(others).toEqual([]);
  expect(outcomes).toContain('E_ACTION_OVERTAKEN');
}, 180_000);

describe('agtmux send with filters', () => {
  it('sends to every agent that they find, each with a result of its own', async () => {
    const first = await openAgent('many-a');
    const second = await openAgent('many-b');
    const working = await openAgent('many-c');
    await lab.client.call('send', { ref: working.ref, text: 'work' });
    await lab.untilState(working.ref, ['running']);
    lab.live.tmux.run('send-keys', '-t', second.ref, '-l', 'a draft');
    await eventually(() => lab.screen(second.ref).includes('❯ a draft'), 'a draft', 20_000);
    const filter = ['--agent', 'claude', '--state', 'idle,completed'];
    const { code, out } = await lab.live.cli(
      'send',
      ...filter,
      '--text',
      'to all',
      '--yes',
      '--json',
    );
    const { results } = JSON.parse(out) as {
      results: { name: string; result: string; code: string }[];
    };
    const byName = Object.fromEntries(results.map((each) => [each.name, each]));
    expect(byName['many-a:0.0']).toMatchObject({ result: 'delivered', code: null });
    expect(byName['many-b:0.0']).toMatchObject({ result: 'refused', code: 'E_DRAFT_PRESENT' });
    expect(byName['many-c:0.0']).toBeUndefined();
    expect(code).toBe(75);
    const pids = lab
      .received()
      .filter(({ submitted }) => submitted === 'to all')
      .map(({ pid }) => pid);
    expect(pids).toContain(first.pane.pid);
    expect(pids).not.toContain(second.pane.pid);
    expect(pids).not.toContain(working.pane.pid);
  });

  it('leaves out the pane that it is called from', async () => {
    const { ref, pane } = await openAgent('own');
    const env = { TMUX: `${lab.live.tmux.socketPath},1,0`, TMUX_PANE: ref };
    const words = ['send', '--session', 'own', '--text', 'to myself', '--yes'];
    const { code, err } = await lab.live.cliWith(env, ...words);
    expect(err).toContain('E_REF_NOT_FOUND: No agent matches the filter.');
    expect(code).toBe(66);
    expect(timesReceived('to myself')).toBe(0);
    const named = await lab.live.cliWith(env, 'send', pane.ref, '--text', 'to myself');
    expect(named.out).toContain('delivered');
  });

  it('asks first, and without a terminal needs --yes', async () => {
    const { session } = await openAgent();
    const { code, out, err } = await lab.live.cli(
      'send',
      '--session',
      session,
      '--text',
      'unasked',
    );
    expect(out).toContain(`${session}:0.0`);
    expect(err).toContain('--yes');
    expect(code).toBe(64);
    expect(timesReceived('unasked')).toBe(0);
  });

  it('tries everything and types nothing with --dry-run', async () => {
    const { session } = await openAgent();
    const words = ['send', '--session', session, '--text', 'dry', '--dry-run'];
    const { code, out } = await lab.live.cli(...words);
    expect(out).toContain('dry_run');
    expect(code).toBe(0);
    expect(timesReceived('dry')).toBe(0);
  });

  it.each([
    [['--text', 'x']],
    [['%1', '--state', 'idle', '--text', 'x']],
    [['--state', 'idle', '--text', 'x', '--request-ref', 'r', '--yes']],
    [['%1', '--key', 'Enter', '--when-idle']],
    [['%1', '--text', 'x', '--at', 'yesterday']],
    [['%1', '--text', 'x', '--at', '5m', '--when-idle']],
  ])('refuses %j as a usage error', async (words) => {
    const { code, err } = await lab.live.cli('send', ...words);
    expect(err).toContain('E_INPUT_INVALID');
    expect(code).toBe(64);
  });
});
