// Answers to dialogs that are more than one key, through the real daemon: a reason, an answer of
// one's own, several options, a plan, a folder to trust. The stand-in writes down what it took.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ChooseInput } from '../../src/schema/api/acting.ts';
import { eventually } from '../live/tmux-server.ts';
import { ActingLab } from './acting-lab.ts';

let lab: ActingLab;
let ref: string;
beforeAll(async () => {
  lab = await ActingLab.open();
  ref = lab.openShell('asker');
  await lab.startAgent(ref, { script: 'fake-asker.mjs' });
}, 60_000);
afterAll(() => lab[Symbol.asyncDispose]());
beforeEach(async () => {
  await lab.untilState(ref, ['idle', 'completed']);
});

const chosen = (): readonly (string | undefined)[] =>
  lab.received().flatMap((each) => (each.chosen === undefined ? [] : [each.chosen]));

let askCount = 0;
async function ask(name: string): Promise<void> {
  askCount += 1;
  await lab.client.call('send', { ref, text: `${name} ${askCount}` });
  await lab.untilState(ref, ['waiting_approval', 'waiting_input']);
}

/** The next question is listed once the screen was read again. */
const untilListed = (label: string): Promise<unknown> =>
  eventually(
    async () => {
      const { requests } = await lab.client.call('list_requests', { ref });
      return requests[0]?.detail?.options?.some((option) => option.label === label) ?? false;
    },
    `an option ${label}`,
    15_000,
  );

/** Answers the request that is listed; the outcome, or the code of the refusal. */
async function choose(choice: ChooseInput['choice']): Promise<string> {
  const { requests } = await lab.client.call('list_requests', { ref });
  const request_id = requests[0]?.request_id ?? '';
  return lab.client.call('choose', { ref, request_id, choice }).then(
    ({ result }) => result ?? '',
    ({ code }) => code,
  );
}

describe('an answer', () => {
  it.each<[string, ChooseInput['choice'], string]>([
    ['shell', { role: 'approve' }, 'Yes'],
    ['shell', { role: 'deny' }, 'No'],
    ['shell', { role: 'always' }, 'Yes, and don’t ask again for: touch'],
    ['shell', { role: 'deny', text: 'use make' }, 'No, use make'],
    ['torn', { role: 'deny' }, 'No'],
    ['plan', { role: 'approve' }, 'Yes, and switch to default (ask each time) for this session'],
    ['plan', { role: 'deny' }, 'No'],
    ['trust', { role: 'approve' }, 'Yes, I trust this folder'],
    ['trust', { role: 'deny' }, 'No, exit'],
    ['one', { label: 'SQLite' }, 'SQLite'],
    ['one', { role: 'own_answer', text: 'MariaDB 11' }, 'MariaDB 11'],
    ['many', { labels: ['Auth', 'Cache'] }, 'Auth, Cache'],
    ['many', { labels: ['Metrics'] }, 'Metrics'],
  ])('to %s with %j is taken as %j', async (name, choice, taken) => {
    await ask(name);
    const count = chosen().length;
    expect(await choose(choice)).toBe('delivered');
    expect(chosen().slice(count)).toEqual([taken]);
  });

  it('that refuses to trust a folder is proved by the end of the agent', async () => {
    const other = lab.openShell('leaver');
    await lab.startAgent(other, { script: 'fake-asker.mjs' });
    await lab.client.call('send', { ref: other, text: 'leave' });
    await lab.untilState(other, ['waiting_approval']);
    const { requests } = await lab.client.call('list_requests', { ref: other });
    const request_id = requests[0]?.request_id ?? '';
    const choice = { role: 'deny' } as const;
    const report = await lab.client.call('choose', { ref: other, request_id, choice });
    expect(report).toMatchObject({
      result: 'delivered',
      detail: 'chose "No, exit", and the agent has ended',
    });
  });

  it('to one of two questions leaves the next one open, then the page that submits', async () => {
    await ask('two');
    const count = chosen().length;
    for (const label of ['PostgreSQL', '81', 'Submit answers']) {
      await untilListed(label);
      expect(await choose({ label })).toBe('delivered');
    }
    expect(chosen().slice(count)).toEqual(['PostgreSQL; 81']);
  });

  it('with a reason where none is taken names what it pressed, and leaves it open', async () => {
    await ask('plan');
    const count = chosen().length;
    const { requests } = await lab.client.call('list_requests', { ref });
    const request_id = requests[0]?.request_id ?? '';
    const choice = { role: 'deny', text: 'not yet' } as const;
    const report = await lab.client.call('choose', { ref, request_id, choice });
    expect(report.result).toBe('unconfirmed');
    expect(report.detail).toMatch(/^the mark is on "No", and Tab was pressed; /);
    expect(report.detail).toMatch(/nothing is submitted$/);
    expect(chosen().length).toBe(count);
    // It is not taken for answered.
    expect(await choose({ label: 'No' })).toBe('delivered');
  });

  it.each<[string, ChooseInput['choice'], string]>([
    ['one', { labels: ['PostgreSQL', 'SQLite'] }, 'E_OPTION_UNKNOWN'],
    ['many', { labels: ['Auth', 'Nothing'] }, 'E_OPTION_UNKNOWN'],
    ['one', { role: 'own_answer', text: 'two\nlines' }, 'E_TEXT_REFUSED'],
  ])('to %s with %j is refused as %s, and nothing is taken', async (name, choice, code) => {
    await ask(name);
    const count = chosen().length;
    expect(await choose(choice)).toBe(code);
    expect(chosen().length).toBe(count);
    expect(
      await choose(name === 'many' ? { labels: ['Auth'] } : { label: named[name] ?? '' }),
    ).toBe('delivered');
  });
});

const named: Readonly<Record<string, string>> = { plan: 'No', one: 'SQLite' };
