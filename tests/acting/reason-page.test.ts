// Dialogs of Kilo, whose option that refuses opens a page for the reason, through the real daemon.

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ChooseInput } from '../../src/schema/api/acting.ts';
import { ActingLab } from './acting-lab.ts';

let lab: ActingLab;
let ref: string;
beforeAll(async () => {
  lab = await ActingLab.open();
  ref = lab.openShell('kilo');
  await lab.startAgent(ref, { program: 'kilo', script: 'fake-opencode.mjs' });
}, 60_000);
afterAll(() => lab[Symbol.asyncDispose]());

it.each<[ChooseInput['choice'], object]>([
  [{ role: 'approve' }, { chosen: 'once' }],
  [{ role: 'deny' }, { chosen: 'reject', message: '' }],
  [{ label: 'Reject' }, { chosen: 'reject', message: '' }],
  [
    { role: 'deny', text: 'use the copy in staging' },
    { chosen: 'reject', message: 'use the copy in staging' },
  ],
  [{ role: 'deny', text: 'x y '.repeat(60).trim() }, { message: 'x y '.repeat(60).trim() }],
])('Kilo takes %j as %j, and the prompt after it', async (choice, taken) => {
  await lab.untilState(ref, ['idle', 'completed']);
  const prompt = `ask: make ${lab.received().length}`;
  const sent = await lab.client.call('send', { ref, text: prompt });
  expect(sent.result, sent.detail ?? '').toBe('delivered');
  await lab.untilState(ref, ['waiting_approval']);
  const report = await lab.client.call('choose', { ref, choice });
  expect(report.result, `${report.detail}\n${lab.screen(ref)}`).toBe('delivered');
  expect(lab.received().at(-1)).toMatchObject({ ...taken, how: 'keys', command: prompt.slice(5) });
});

it('a reason of several lines is refused, and nothing is pressed', async () => {
  await lab.untilState(ref, ['idle', 'completed']);
  await lab.client.call('send', { ref, text: 'ask: make all' });
  await lab.untilState(ref, ['waiting_approval']);
  const choice = { role: 'deny', text: 'one\ntwo' } as const;
  const refusal = lab.client.call('choose', { ref, choice });
  await expect(refusal).rejects.toMatchObject({ code: 'E_TEXT_REFUSED' });
  expect(lab.screen(ref)).toContain('Allow once');
});
