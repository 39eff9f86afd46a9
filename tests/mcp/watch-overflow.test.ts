// A window with more changes than one reply holds: they come in pages, each change once.

import { expect, test } from 'vitest';
import type { AgentCall } from '../../src/mcp/daemon-calls.ts';
import { RESULT_BYTES_MAX } from '../../src/mcp/tool-result.ts';
import { watchTools } from '../../src/mcp/tools/watch-tools.ts';
import { Inside } from '../api/fixture.ts';

const CHANGES = 700;

test('watch_agents returns every one of 700 changes, in pages and in order', async () => {
  const inside = await new Inside().serve();
  const client = await inside.connect();
  const [watch] = watchTools;
  const call: AgentCall = (name, input, options) => client.call(name, input, options);
  const run = async (input: object) => {
    const { signal } = new AbortController();
    const parts = { call, signal, self: {}, prove: null, env: {} };
    const reply = await watch?.run(parts as never, { timeout_s: 0, ...input } as never);
    return reply?.structuredContent ?? {};
  };
  let since = (await run({}))['next'];
  for (let index = 0; index < CHANGES; index += 1) {
    inside.says(0, index % 2 === 0 ? 'running' : 'completed');
  }
  const found: unknown[] = [];
  let pages = 0;
  for (;;) {
    const data = await run({ since });
    expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThanOrEqual(RESULT_BYTES_MAX);
    found.push(...(data['transitions'] as { after: string }[]).map(({ after }) => after));
    pages += 1;
    since = data['next'];
    if (data['left_out'] === undefined) break;
  }
  expect(pages).toBeGreaterThan(5);
  // The first may be the state that it had.
  const wanted = Array.from({ length: CHANGES }, (_, index) =>
    index % 2 === 0 ? 'running' : 'completed',
  );
  expect(found.slice(-CHANGES + 1)).toEqual(wanted.slice(1));
  expect(found.length).toBeGreaterThanOrEqual(CHANGES - 1);
  expect((await run({ since }))['transitions']).toEqual([]);
});
