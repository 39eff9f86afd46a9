// What models get wrong when they call a tool. None of it reaches a daemon: none runs here.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LiveDaemon } from '../daemon-live/live-daemon.ts';
import { eras, McpHost } from './mcp-host.ts';

describe.each(eras)('a call of a tool that is not valid, in the %s era', (era) => {
  let live: LiveDaemon;
  let host: McpHost;
  beforeAll(async () => {
    live = new LiveDaemon();
    host = await McpHost.open(live.env, era);
  });
  afterAll(async () => {
    await host?.[Symbol.asyncDispose]();
    await live?.[Symbol.asyncDispose]();
  });

  const refusalOf = async (name: string, args: unknown): Promise<string> => {
    try {
      const answer = await host.call(name, args as Record<string, unknown>);
      return answer.isError ? answer.text : 'not refused';
    } catch (error) {
      return String(error);
    }
  };

  test.each([
    ['arguments as one string', 'wait_for', '{"ref":"%0"}', /expected record, received string/],
    ['a text for a number', 'look', { ref: '%0', lines: 'ten' }, /tool look: lines: .* number/],
    ['a missing field', 'look', {}, /tool look: ref: /],
    ['a sender', 'look', { ref: '%0', sender: 'operator:root' }, /Unrecognized key: "sender"/],
  ])('%s is refused with what is wrong, and the server goes on', async (_, name, args, refusal) => {
    expect(await refusalOf(name, args)).toMatch(refusal);
    expect((await host.call('help')).isError).toBe(false);
  });
});
