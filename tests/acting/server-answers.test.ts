// Answers through the server of opencode, in a real pane with a real server on loopback: which
// reply it gets, what proves it, and when the keys of the screen are used in its place.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChooseInput } from '../../src/schema/api/acting.ts';
import { ActingLab } from './acting-lab.ts';

let lab: ActingLab;
beforeAll(async () => {
  lab = await ActingLab.open();
}, 60_000);
afterAll(() => lab[Symbol.asyncDispose]());

let sessionCount = 0;
async function openAgent(more: string, program = 'opencode'): Promise<string> {
  sessionCount += 1;
  const ref = lab.openShell(`agent-${sessionCount}`);
  await lab.startAgent(ref, { program, script: 'fake-opencode.mjs', more });
  return ref;
}

async function ask(ref: string, prompt: string): Promise<string> {
  await lab.untilState(ref, ['idle', 'completed', 'interrupted']);
  await lab.client.call('send', { ref, text: prompt });
  await lab.untilState(ref, ['waiting_approval', 'waiting_input']);
  const { requests } = await lab.client.call('list_requests', { ref });
  expect(requests).toHaveLength(1);
  return requests[0]?.request_id ?? '';
}

const isOfServer = (requestId: string): boolean => /^(?:per|que)_/.test(requestId);

/** Asks, once the server is known, so that the request has the id that the server gave it. */
async function askKnown(ref: string, prompt: string): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    const requestId = await ask(ref, prompt);
    if (isOfServer(requestId)) return requestId;
    expect(tries).toBeLessThan(10);
    await lab.client.call('choose', { ref, choice: { label: first(prompt) } });
  }
}
const first = (prompt: string): string => (prompt === 'choose' ? 'PostgreSQL' : 'Allow once');

describe('a request of an opencode that listens is answered by its server', () => {
  let ref: string;
  beforeAll(async () => {
    ref = await openAgent('--port');
  }, 60_000);

  it.each<[string, ChooseInput['choice'], object]>([
    ['ask: make', { role: 'approve' }, { chosen: 'once' }],
    ['ask: make', { role: 'always' }, { chosen: 'always' }],
    ['ask: make', { role: 'deny' }, { chosen: 'reject' }],
    ['ask: make', { role: 'deny', text: 'not now' }, { chosen: 'reject', message: 'not now' }],
    ['choose', { label: 'SQLite' }, { chosen: 'SQLite' }],
    ['choose', { role: 'own_answer', text: 'MariaDB 11' }, { chosen: 'MariaDB 11' }],
  ])('%s with %j as %j', async (prompt, choice, taken) => {
    const request_id = await askKnown(ref, prompt);
    const report = await lab.client.call('choose', { ref, request_id, choice });
    expect(report.result, report.detail ?? '').toBe('delivered');
    expect(lab.received().at(-1)).toMatchObject({ ...taken, how: 'server' });
    const { actions } = await lab.client.call('list_actions', {});
    expect(actions[0]).toMatchObject({ action_id: report.action_id, detail: report.detail });
  });

  it('and by keys where the choice is a label of the screen', async () => {
    const request_id = await askKnown(ref, 'ask: make');
    const choice = { label: 'Allow once' };
    const report = await lab.client.call('choose', { ref, request_id, choice });
    expect(report.result).toBe('delivered');
    expect(lab.received().at(-1)).toMatchObject({ chosen: 'once', how: 'keys' });
  });

  it('and not at all where it is asked what would be done', async () => {
    const request_id = await askKnown(ref, 'ask: make');
    const count = lab.received().length;
    const choice = { role: 'approve' } as const;
    const report = await lab.client.call('choose', { ref, request_id, choice, dry_run: true });
    expect(report).toMatchObject({ result: 'dry_run', detail: 'would answer once, by its server' });
    expect(lab.received().length).toBe(count);
    expect(lab.screen(ref)).toContain('Allow once');
    await lab.client.call('choose', { ref, request_id, choice });
  });
});

it.each([
  ['deaf', []],
  ['other', [['reject', 'a person']]],
])('is unconfirmed with a server that is %s, and no key follows', async (way, taken) => {
  const ref = await openAgent(`--port ${way}`);
  const request_id = await askKnown(ref, 'ask: make');
  const count = lab.received().length;
  const choice = { role: 'approve' } as const;
  const report = await lab.client.call('choose', { ref, request_id, choice });
  expect(report.result).toBe('unconfirmed');
  const answers = lab
    .received()
    .slice(count)
    .filter(({ chosen }) => chosen !== undefined);
  expect(answers.map(({ chosen, how }) => [chosen, how])).toEqual(taken);
});

it.each(['', '--port locked'])('is given by keys with the server %j', async (more) => {
  const ref = await openAgent(more);
  const request_id = await ask(ref, 'ask: make');
  const choice = { role: 'approve' } as const;
  const report = await lab.client.call('choose', { ref, request_id, choice });
  expect(report.result).toBe('delivered');
  expect(lab.received().at(-1)).toMatchObject({ chosen: 'once', how: 'keys' });
});

it('goes to the server of its own process where two listen', async () => {
  const refs = [await openAgent('--port'), await openAgent('--port', 'kilo')];
  const ids = [];
  for (const ref of refs) ids.push(await askKnown(ref, `ask: make ${ref.slice(1)}`));
  const [ref = '', other = ''] = refs;
  const choice = { role: 'deny' } as const;
  // The id of the other one is no request of this pane.
  const wrong = lab.client.call('choose', { ref, request_id: ids[1] ?? '', choice });
  await expect(wrong).rejects.toMatchObject({ code: 'E_NO_DIALOG' });
  await lab.client.call('choose', { ref: other, request_id: ids[1] ?? '', choice });
  expect(lab.received().at(-1)).toMatchObject({ command: `make ${other.slice(1)}`, how: 'server' });
  expect(lab.screen(ref)).toContain('Allow once');
});
