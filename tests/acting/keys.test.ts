// Keys by name on real panes: what is pressed, what is refused by name, and where a list of keys
// stops.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../live/tmux-server.ts';
import { ActingLab } from './acting-lab.ts';

let lab: ActingLab;
beforeAll(async () => {
  lab = await ActingLab.open();
}, 60_000);
afterAll(() => lab[Symbol.asyncDispose]());

let sessionCount = 0;
async function openAgent() {
  sessionCount += 1;
  const ref = lab.openShell(`keys-${sessionCount}`);
  const { pid } = await lab.startAgent(ref);
  return { ref, pid: pid ?? 0 };
}

const press = (ref: string, keys: string[], more: object = {}) =>
  lab.client.call('press', { ref, keys, ...more });
const outcomeOf = (ref: string, keys: string[], more: object = {}): Promise<string> =>
  press(ref, keys, more).then(
    ({ result }) => `${result}`,
    ({ code }) => code,
  );
const chosen = () => lab.received().flatMap((each) => each.chosen ?? []);

describe('press', () => {
  it('is delivered where the screen shows it, and refused once that is a draft', async () => {
    const { ref } = await openAgent();
    expect(await press(ref, ['a', 'b'])).toMatchObject({ kind: 'press', result: 'delivered' });
    expect(lab.screen(ref)).toContain('❯ ab');
    expect(await outcomeOf(ref, ['Enter'])).toBe('E_DRAFT_PRESENT');
    expect(await outcomeOf(ref, ['Enter'], { force: true })).toBe('delivered');
    expect(lab.received().at(-1)?.submitted).toBe('ab');
  });

  it('is unconfirmed where nothing on the screen changes', async () => {
    const { ref } = await openAgent();
    const report = await press(ref, ['Escape']);
    expect(report).toMatchObject({ result: 'unconfirmed' });
    expect(report.detail).toContain('did not change');
  });

  it('answers no dialog unless it is forced', async () => {
    const { ref } = await openAgent();
    await lab.client.call('send', { ref, text: 'ask' });
    await lab.untilState(ref, ['waiting_approval']);
    expect(await outcomeOf(ref, ['Down', 'Enter'])).toBe('E_DIALOG_OPEN');
    expect(chosen()).toEqual([]);
    expect(await outcomeOf(ref, ['Down', 'Down', 'Enter'], { force: true })).toBe('delivered');
    expect(chosen()).toEqual(['No']);
  });

  it('stops at the key that opened a dialog', async () => {
    const { ref } = await openAgent();
    await lab.client.call('send', { ref, text: 'work and ask' });
    await lab.untilState(ref, ['running']);
    const before = chosen().length;
    const report = await press(ref, ['Escape', 'Enter']);
    expect(report).toMatchObject({ result: 'unconfirmed' });
    expect(report.detail).toBe('pressed 1 of 2 keys: a dialog is open');
    expect(lab.screen(ref)).toContain('❯ 1. Yes');
    expect(chosen()).toHaveLength(before);
  });

  it('refuses keys that end the agent, and words that are no keys', async () => {
    const { ref } = await openAgent();
    expect(await outcomeOf(ref, ['C-c'])).toBe('E_KEY_REFUSED');
    expect(await outcomeOf(ref, ['Escape', 'C-d'])).toBe('E_KEY_REFUSED');
    for (const word of ['Return', 'hello', 'C-C', ';', '-X', 'Enter ']) {
      expect(await outcomeOf(ref, [word])).toBe('E_INPUT_INVALID');
    }
    expect(lab.screen(ref)).toMatch(/❯ *\n/);
  });

  it.each([
    ['E_PANE_MODE', ['copy-mode']],
    ['E_PANE_INPUT_OFF', ['select-pane', '-d']],
    ['E_PANE_SYNCHRONIZED', ['set-option', '-w', 'synchronize-panes', 'on']],
  ])('is refused as %s even if it is forced', async (code, [command = '', ...words]) => {
    const { ref } = await openAgent();
    lab.live.tmux.run(command, '-t', ref, ...words);
    expect(await outcomeOf(ref, ['a'], { force: true })).toBe(code);
    expect(lab.screen(ref)).not.toContain('❯ a');
  });

  it('reaches a shell only if it is forced', async () => {
    const ref = lab.openShell('keys-shell');
    await eventually(() => lab.screen(ref).includes('$'), 'a shell', 15_000);
    await eventually(async () => (await lab.pane(ref)) !== undefined, 'its row', 15_000);
    expect(await outcomeOf(ref, ['x'])).toBe('E_NO_AGENT');
    expect(await outcomeOf(ref, ['x'], { force: true })).toBe('delivered');
    expect(lab.screen(ref)).toContain('$ x');
  });

  it('presses nothing in a dry run', async () => {
    const { ref } = await openAgent();
    const report = await press(ref, ['a'], { dry_run: true });
    expect(report).toMatchObject({ result: 'dry_run', detail: 'would press a' });
    expect(lab.screen(ref)).not.toContain('❯ a');
  });
});

describe('agtmux send', () => {
  it('takes keys as words and adds an Enter', async () => {
    const { ref } = await openAgent();
    const { code, out } = await lab.live.cli('send', ref, '--key', 'o k', '--enter');
    expect(code).toBe(0);
    expect(out).toContain('delivered: pressed o k Enter');
    expect(lab.received().at(-1)?.submitted).toBe('ok');
  });

  it.each([
    [['--text', 'a', '--key', 'b'], 'one of --text TEXT, --stdin and --key KEY'],
    [[], 'one of --text TEXT, --stdin and --key KEY'],
    [['--text', 'a', '--enter', '--no-enter'], 'contradict'],
    [['--key', 'a', '--paste'], 'keys are pressed'],
    [['--key', 'Return'], 'is not a key'],
  ])('is a usage error with %j', async (words, message) => {
    const { code, err } = await lab.live.cli('send', 'anything', ...words);
    expect(code).toBe(64);
    expect(err).toContain(message);
  });
});
