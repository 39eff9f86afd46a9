// `agtmux record` on a real pane: what it writes is a record of the corpus that `classify` reads
// back to the same answer, and nothing private is in it.

import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordSchema } from '../../src/schema/record.ts';
import { isTmuxMissing } from '../live/tmux-server.ts';
import { fakeAgent } from './live-agents.ts';
import { LiveDaemon, Subscriber } from './live-daemon.ts';

const TEST_MS = 120_000;
const secret = `sk-ant-${'a1B2'.repeat(6)}`;

async function classified(live: LiveDaemon, file: string, ...flags: readonly string[]) {
  const { code, out } = await live.cli('classify', ...flags, file);
  expect(code).toBe(0);
  return JSON.parse(out);
}

describe.skipIf(isTmuxMissing)('a recording of a pane', () => {
  let live: LiveDaemon;
  beforeAll(async () => {
    live = new LiveDaemon();
    live.tmux.newSession('plain', 'cat');
    await live.start();
  });
  afterAll(() => live[Symbol.asyncDispose]());

  for (const [name, agent] of [
    ['claude/111-waiting_approval', 'claude'],
    ['claude/104-running', 'claude'],
    ['codex/0.148.0-111-waiting_approval', 'codex'],
  ] as const) {
    test(
      `of ${name} replays to the same answer`,
      async () => {
        const session = name.replaceAll(/[^a-z0-9]/g, '-');
        const pane = fakeAgent(live.tmux, agent, session);
        const state = pane.show(name);
        using subscriber = new Subscriber(await live.client());
        await subscriber.state(pane.paneId, state);
        const file = join(live.folder, `${session}.json`);
        expect(await live.cli('record', pane.paneId, '--output', file)).toMatchObject({ code: 0 });
        expect(statSync(file).mode & 0o777).toBe(0o600);
        const record = recordSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
        expect(record).toMatchObject({ agent, state });
        expect(await classified(live, file)).toMatchObject({ agent, state, presence: 'managed' });
        expect(await classified(live, file, '--with-signals')).toMatchObject({ agent, state });
        const again = await live.cli('record', pane.paneId, '--output', file);
        expect(again).toMatchObject({ code: 64, err: expect.stringContaining('exists already') });
      },
      TEST_MS,
    );
  }

  test(
    'holds the events of its hooks, the label that was given, and nothing private',
    async () => {
      const pane = fakeAgent(live.tmux, 'claude', 'hooked');
      using subscriber = new Subscriber(await live.client());
      await subscriber.until(pane.paneId, ({ agent }) => agent === 'claude', 'the agent is known');
      const hook = (type: string, payload: object): Promise<unknown> =>
        live.cliWith(
          { TMUX: `${live.tmux.socketPath},0,0`, TMUX_PANE: pane.paneId },
          ...['emit', '--source', 'claude-hooks', '--agent', 'claude', '--type', type],
          ...['--payload', JSON.stringify({ hook_event_name: type, ...payload })],
        );
      await hook('UserPromptSubmit', { prompt: `use ${secret}` });
      await hook('PreToolUse', { tool_name: 'Bash', tool_input: { command: `echo ${secret}` } });
      await subscriber.state(pane.paneId, 'running');
      const home = live.env['HOME'] ?? '';
      pane.print(`\u001b[2J\u001b[HAPI_KEY=${secret} in ${home}/work on ${hostname()}\r\n`);
      const { code, out, err } = await live.cli('record', pane.paneId, '--label', 'error');
      expect({ code, err }).toEqual({ code: 0, err: '' });
      for (const word of [secret, secret.slice(0, 12), home]) expect(out).not.toContain(word);
      const record = recordSchema.parse(JSON.parse(out));
      expect(record.state).toBe('error');
      expect(record.hook_events_seen).toMatchObject([
        { event: 'UserPromptSubmit', dt: 0 },
        { event: 'PreToolUse', tool_name: 'Bash' },
      ]);
      expect(record.capture[0]).toContain('API_KEY=[redacted]');
      expect(record.notes).toContain('label given by a person');
      const file = join(live.folder, 'label.json');
      await live.cli('record', pane.paneId, '--label', 'error', '--output', file);
      expect(await classified(live, file, '--with-signals')).toMatchObject({ state: 'running' });
    },
    TEST_MS,
  );

  test(
    'of a pane without an agent is a negative one',
    async () => {
      const file = join(live.folder, 'plain.json');
      expect(await live.cli('record', '%0', '--output', file)).toMatchObject({ code: 0 });
      expect(JSON.parse(readFileSync(file, 'utf8')).state).toBe('no_agent');
      expect(await classified(live, file)).toMatchObject({ presence: 'unmanaged' });
      // It must be a file that other tools read too.
      expect(execFileSync('head', ['-c', '2', file], { encoding: 'utf8' })).toBe('{\n');
    },
    TEST_MS,
  );
});
