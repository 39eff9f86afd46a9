// One request that two callers answer at the same time: it is answered once, and what the agent
// asks next, in the same words, is left for a person.

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenRequestItem } from '../../src/schema/api/acting.ts';
import { eventually } from '../live/tmux-server.ts';
import { ActingLab, AGENT_MS } from './acting-lab.ts';

let lab: ActingLab;
beforeAll(async () => {
  lab = await ActingLab.open();
}, 60_000);
afterAll(() => lab[Symbol.asyncDispose]());

const openRequest = (ref: string): Promise<OpenRequestItem> =>
  eventually(
    async () => (await lab.client.call('list_requests', { ref })).requests[0] ?? null,
    'the request is listed',
    AGENT_MS,
  );

it.each([100, 400, 1_500])(
  'a request that is approved twice at once is answered once; its like %i ms later stays open',
  async (againMs) => {
    const ref = lab.openShell(`twice-${againMs}`);
    const { pid } = await lab.startAgent(ref);
    await lab.client.call('send', { ref, text: `ask after ${againMs}: edit notes` });
    const { request_id, pane } = await openRequest(ref);
    const shown = { request_id, if_version: pane.state_version };
    const input = { ref, ...shown, choice: { role: 'approve' as const } };
    const outcomes = await Promise.allSettled([
      lab.client.call('choose', input),
      lab.client.call('choose', input),
    ]);
    const codes = outcomes.map((each) =>
      each.status === 'fulfilled' ? each.value.result : String(each.reason.code),
    );
    expect(codes[0]).toMatch(/delivered|unconfirmed/);
    expect(codes[1]).toMatch(/E_ACTION_OVERTAKEN|E_NO_DIALOG|E_PRECONDITION_FAILED/);
    await eventually(() => lab.screen(ref).includes('Do you want'), 'it asks again');
    const chosen = lab.received().filter((each) => each.pid === pid && each.chosen !== undefined);
    expect(chosen).toHaveLength(1);
  },
);

it('a request that a person answers in the pane first is not approved, nor its like', async () => {
  const ref = lab.openShell('by-hand');
  const { pid } = await lab.startAgent(ref);
  await lab.client.call('send', { ref, text: 'ask after 2000: edit notes' });
  const { request_id, pane } = await openRequest(ref);
  const shown = { request_id, if_version: pane.state_version };
  const chosen = () => lab.received().filter((each) => each.pid === pid && each.chosen);
  lab.typeKeys(ref, 'Enter');
  await eventually(() => chosen().length === 1, 'it was answered by hand');
  const approving = lab.client.call('choose', { ref, ...shown, choice: { role: 'approve' } });
  await expect(approving).rejects.toMatchObject({
    code: expect.stringMatching(/E_NO_DIALOG|E_PRECONDITION_FAILED/),
  });
  await eventually(() => lab.screen(ref).includes('Do you want'), 'it asks again');
  expect(chosen()).toHaveLength(1);
});
