// Actions on real panes through the real daemon: what is typed arrives whole and once, and whatever
// stands against it is refused by name with nothing typed.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repeats } from '../length.ts';
import { eventually } from '../live/tmux-server.ts';
import { ActingLab } from './acting-lab.ts';

let lab: ActingLab;
beforeAll(async () => {
  lab = await ActingLab.open();
}, 60_000);
afterAll(() => lab[Symbol.asyncDispose]());

const tmux = (...args: readonly string[]): string => lab.live.tmux.run(...args);
const submitted = (): readonly (string | undefined)[] =>
  lab.received().map((each) => each.submitted);

const COUNT = repeats(200);
let sessionCount = 0;
async function openAgent(): Promise<string> {
  sessionCount += 1;
  const ref = lab.openShell(`agent-${sessionCount}`);
  await lab.startAgent(ref);
  return ref;
}

const refusalOf = (ref: string, more: object = {}): Promise<string> =>
  lab.client.call('send', { ref, text: 'never', ...more }).then(
    ({ result }) => `${result}`,
    ({ code }) => code,
  );

describe('send', () => {
  it('submits a text of several lines with quotes, formats and emoji once', async () => {
    const ref = await openAgent();
    const text = 'one "two" \'three\'\n#{pane_id} $HOME ~ \\ ;\n\n日本語 👩‍💻 end;';
    const report = await lab.client.call('send', { ref, text });
    expect(report).toMatchObject({ result: 'delivered' });
    expect(submitted().filter((each) => each === text)).toEqual([text]);
  });

  it('without Enter leaves the text in the box, and is refused where a draft is', async () => {
    const ref = await openAgent();
    const report = await lab.client.call('send', { ref, text: 'half a thought', enter: false });
    expect(report.result).toBe('delivered');
    expect(lab.screen(ref)).toContain('❯ half a thought');
    expect(await refusalOf(ref)).toBe('E_DRAFT_PRESENT');
  });

  it.each([
    ['E_DIALOG_OPEN', (pid: number, _ref: string) => process.kill(pid, 'SIGUSR1')],
    ['E_PANE_MODE', (_pid: number, ref: string) => tmux('copy-mode', '-t', ref)],
    ['E_PANE_INPUT_OFF', (_pid: number, ref: string) => tmux('select-pane', '-d', '-t', ref)],
    [
      'E_PANE_SYNCHRONIZED',
      (_pid: number, ref: string) => tmux('set-option', '-w', '-t', ref, 'synchronize-panes', 'on'),
    ],
  ])('is refused as %s, and nothing is typed', async (code, prepare) => {
    const ref = await openAgent();
    const { pid } = (await lab.pane(ref)) ?? {};
    prepare(pid ?? 0, ref);
    await eventually(
      async () => {
        const found = await refusalOf(ref);
        // The row may still be about to follow the screen.
        return found === code;
      },
      code,
      15_000,
    );
    expect(submitted()).not.toContain('never');
  });

  it('types nothing into a shell that the agent left', async () => {
    const ref = await openAgent();
    const { pid } = (await lab.pane(ref)) ?? {};
    process.kill(pid ?? 0, 'SIGTERM');
    const text = lab.hitText('left');
    await eventually(() => lab.screen(ref).includes('$'), 'the shell is back', 15_000);
    const code = await refusalOf(ref, { text });
    expect(['E_NO_AGENT', 'E_RUNTIME_STALE', 'E_PRECONDITION_FAILED']).toContain(code);
    expect(lab.screen(ref)).not.toContain('touch');
    expect(lab.wasRunByShell('left')).toBe(false);
  });

  it('many at once to one agent never interleave, and those overtaken are refused', async () => {
    const ref = await openAgent();
    const texts = Array.from({ length: COUNT }, (_, at) => `prompt number ${at} of many`);
    const results = await Promise.all(
      texts.map((text) =>
        lab.client.call('send', { ref, text }).then(
          ({ result }) => result,
          ({ code }) => code as string,
        ),
      ),
    );
    const sent = submitted().filter((each) => each?.includes('of many'));
    expect(sent.every((each) => each !== undefined && texts.includes(each))).toBe(true);
    expect(new Set(sent).size).toBe(sent.length);
    expect(results.filter((each) => each === 'delivered').length).toBe(sent.length);
    expect(new Set(results.filter((each) => each !== 'delivered'))).toEqual(
      new Set(sent.length === COUNT ? [] : ['E_PRECONDITION_FAILED']),
    );
  }, 240_000);
});

describe('choose', () => {
  it.each([
    [{ role: 'approve' } as const, 'Yes'],
    [{ role: 'deny' } as const, 'No'],
    [{ label: "Yes, and don't" }, "Yes, and don't ask again for touch commands"],
  ])('finds the option %o by its label', async (choice, label) => {
    const ref = await openAgent();
    await lab.client.call('send', { ref, text: 'ask' });
    await lab.untilState(ref, ['waiting_approval']);
    const report = await lab.client.call('choose', { ref, choice });
    expect(report).toMatchObject({ result: 'delivered' });
    expect(lab.received().at(-1)?.chosen).toBe(label);
  });

  it('is refused without a dialog, and for a label that no option has', async () => {
    const ref = await openAgent();
    const choose = (choice: { role: 'approve' } | { label: string }) =>
      lab.client.call('choose', { ref, choice });
    await expect(choose({ role: 'approve' })).rejects.toMatchObject({ code: 'E_NO_DIALOG' });
    await lab.client.call('send', { ref, text: 'ask' });
    await lab.untilState(ref, ['waiting_approval']);
    await expect(choose({ label: 'Maybe' })).rejects.toMatchObject({ code: 'E_OPTION_UNKNOWN' });
    expect(lab.screen(ref)).toContain('❯ 1. Yes');
  });
});

it('interrupt stops a turn, and presses nothing in an agent at rest', async () => {
  const ref = await openAgent();
  await expect(lab.client.call('interrupt', { ref })).rejects.toMatchObject({
    code: 'E_PRECONDITION_FAILED',
  });
  await lab.client.call('send', { ref, text: 'work' });
  await lab.untilState(ref, ['running']);
  expect(await lab.client.call('interrupt', { ref })).toMatchObject({ result: 'delivered' });
  expect(lab.screen(ref)).not.toContain('esc to interrupt');
});
