// The last prompt and message of an agent, as its row goes on the wire.

import { expect, test } from 'vitest';
import { evidence } from '../scenario.ts';
import { Inside } from './fixture.ts';

test('the last words are one line each, without secrets, and no change of the state', async () => {
  const inside = new Inside();
  await inside.serve();
  const client = await inside.connect();
  const listed = async () => (await client.call('list_panes', {})).panes[0];
  const say = (activity: object) => {
    inside.nowMs += 5;
    inside.see(evidence('words', inside.nowMs, [], { activity }));
  };
  const before = await listed();
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  say({ prompt: '\n deploy\twith the token\nand no questions', message: `${secret} is set\nok` });
  const after = await listed();
  expect(after?.activity).toMatchObject({ prompt: 'deploy with the token' });
  expect(after?.activity.message).toMatch(/ is set$/);
  expect(JSON.stringify(after)).not.toContain(secret);
  say({ message: 'x'.repeat(4_000) });
  const last = await listed();
  expect(last?.activity).toMatchObject({
    prompt: 'deploy with the token',
    message: 'x'.repeat(300),
  });
  expect(last?.row_seq).toBeGreaterThan(after?.row_seq ?? 0);
  expect(last?.state_version).toBe(before?.state_version);
  expect(last?.state).toBe(before?.state);
});
