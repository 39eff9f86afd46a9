// `spawn_agent`: off by default, never any program, and who was started by an agent is not answered
// by it.

import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fakeAgent, LivePane } from '../daemon-live/live-agents.ts';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { TeamLab } from '../teams/team-lab.ts';
import { McpHost } from './mcp-host.ts';

const WAIT_MS = 20_000;
const LONG_MS = 120_000;

describe.skipIf(isTmuxMissing)('spawn_agent', () => {
  let lab: TeamLab;
  let host: McpHost;
  let colleague: McpHost;
  const sessions = (): readonly string[] =>
    lab.live.tmux.run('list-sessions', '-F', '#{session_name}').split('\n').toSorted();
  const open = async (name: string): Promise<McpHost> => {
    const opened = await McpHost.below(lab.live, fakeAgent(lab.live.tmux, name, name));
    const isKnown = async () => !(await opened.call('whoami')).isError;
    await eventually(isKnown, `${name} is recognised`, WAIT_MS);
    return opened;
  };
  const grant = async (): Promise<void> => {
    lab.live.configure('[acting]\nagents_may_answer = true\n');
    await eventually(
      async () => (await host.call('list_requests')).data['you_may_answer'],
      'the grant is in force',
      WAIT_MS,
    );
  };

  beforeAll(async () => {
    lab = new TeamLab();
    const bin = join(lab.live.folder, 'bin');
    mkdirSync(bin, { recursive: true });
    // A shell under the name of an agent: it stays, and shows what is written to its terminal.
    copyFileSync('/bin/dash', join(bin, 'codex'));
    lab.live.env['PATH'] = `${bin}:${lab.live.env['PATH']}`;
    lab.live.tmux.run('set-environment', '-g', 'PATH', lab.live.env['PATH']);
    lab.bundle('pair', [['one', 'stay']]);
    await lab.live.start();
    host = await open('gemini');
    colleague = await open('qwen');
  }, LONG_MS);
  afterAll(async () => {
    await host?.[Symbol.asyncDispose]();
    await colleague?.[Symbol.asyncDispose]();
    await lab?.[Symbol.asyncDispose]();
  });

  test('is refused by the daemon where nobody has granted it, and nothing is started', async () => {
    const before = sessions();
    for (const input of [{ agent: 'codex' }, { member: 'pair/one' }]) {
      const refused = await host.call('spawn_agent', input);
      expect(refused).toMatchObject({ isError: true });
      expect(refused.text).toMatch(/^E_NOT_PERMITTED: .*agents_may_answer/);
    }
    expect(sessions()).toEqual(before);
    expect(lab.sessions(lab.socket('pair'))).toEqual([]);
  });

  test(
    'starts an agent that its starter cannot answer for, and others can',
    async () => {
      await grant();
      const started = await host.call('spawn_agent', { agent: 'codex', directory: lab.work });
      expect(started).toMatchObject({ isError: false, data: { session: 'codex', name: 'codex' } });
      expect(JSON.parse(started.text)).toEqual(started.data);
      const pane = LivePane.of(lab.live.tmux, 'codex');
      expect(started.data['pane_id']).toBe(pane.paneId);
      expect(pane.format('#{pane_current_path}')).toBe(lab.work);
      pane.show('codex/111-waiting_approval');
      const about = await eventually(
        async () => {
          const { data } = await host.call('list_requests');
          const listed = data['requests'] as readonly Record<string, unknown>[];
          const found = listed.find((each) => each['pane_id'] === pane.paneId);
          return (
            found && {
              ref: found['ref'],
              request_id: found['request_id'],
              version: found['version'],
            }
          );
        },
        'it asks',
        WAIT_MS,
      );
      for (const tool of ['approve', 'deny']) {
        const answer = await host.call(tool, about);
        expect(answer.text).toMatch(/E_NOT_PERMITTED: .*has started the other/);
      }
      // The recorded dialog takes no keys: that it was tried is what counts.
      const other = await colleague.call('deny', about);
      expect(other.text).not.toContain('E_NOT_PERMITTED');
    },
    LONG_MS,
  );

  test(
    'starts a member of a bundle, and no program that is no agent',
    async () => {
      await grant();
      const started = await host.call('spawn_agent', { member: 'pair/one' });
      expect(started.data).toEqual({ member: 'pair/one', started: true });
      expect(lab.sessions(lab.socket('pair'))).toEqual(['one owned']);
      const again = await host.call('spawn_agent', { member: 'pair/one' });
      expect(again.data).toEqual({ member: 'pair/one', started: false });
      const before = sessions();
      const program = await host.call('spawn_agent', { agent: 'sh' });
      expect(program.text).toMatch(/^E_AGENT_UNKNOWN/);
      for (const input of [{}, { agent: 'codex', member: 'pair/one' }]) {
        expect((await host.call('spawn_agent', input)).text).toMatch(/^E_INPUT_INVALID/);
      }
      const words = await host.call('spawn_agent', { agent: 'codex; touch hit' });
      expect(words.isError).toBe(true);
      expect(sessions()).toEqual(before);
    },
    LONG_MS,
  );
});
