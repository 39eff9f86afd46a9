// Options of panes between us and other tools, on a real tmux. What the daemon believes is there
// where it is switched on, right as the agents change, and gone when it is switched off or the
// daemon ends. What another tool says is read where a rule file declares it.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { fakeAgent } from './live-agents.ts';
import { LiveDaemon } from './live-daemon.ts';

const TEST_MS = 120_000;
const WAIT_MS = 20_000;
/** What a user writes to have another tool's option read. */
const otherTool = `name = "claude"
contract_version = "1"
[[options]]
name = "@other_tool"
map = { works = "running", asks = "waiting_approval" }
`;

describe.skipIf(isTmuxMissing)('published options', () => {
  test(
    'follow the agents while they are switched on, and go with them and with the daemon',
    async () => {
      await using live = new LiveDaemon();
      const { tmux } = live;
      const pane = fakeAgent(tmux, 'claude', 'agent');
      pane.show('claude/104-running');
      const own = (paneId: string): string =>
        tmux.run('show-options', '-pq', '-t', paneId).replace(/^@other_tool.*\n?/m, '');
      const says = (paneId: string, check: (text: string) => boolean, what: string) =>
        eventually(() => check(own(paneId)), what, WAIT_MS).catch((error: unknown) => {
          throw new Error(`${String(error)}; it is ${own(paneId)}`);
        });
      const shell = tmux.run('display-message', '-p', '-t', tmux.newSession('shell'), '#{pane_id}');
      tmux.run('set-option', '-p', '-t', shell, '@agtmux_state', 'left-behind');
      const config = (isOn: boolean): void => live.configure(`[tmux]\npublish_options = ${isOn}\n`);

      const agents = join(live.folder, 'config', 'agtmux', 'agents');
      mkdirSync(agents, { recursive: true });
      writeFileSync(join(agents, 'claude.toml'), otherTool);
      tmux.run('set-option', '-p', '-t', pane.paneId, '@other_tool', 'asks');

      config(true);
      await live.start();
      await says(pane.paneId, (text) => text.includes('@agtmux_state running'), 'it runs');
      expect(own(pane.paneId)).toMatch(/@agtmux_agent claude\n(?:.*\n)*@agtmux_since \d{10}\n/);
      await says(shell, (text) => text === '', 'what was left behind is gone');
      pane.show('claude/111-waiting_approval');
      await says(
        pane.paneId,
        (text) => /attention approval\n(?:.*\n)*@agtmux_state waiting_approval/.test(text),
        'it waits',
      );
      // What was published is no evidence: nothing but the screen speaks for the agent.
      const { out } = await live.cli('explain', pane.paneId, '--json');
      const claims: { readonly source: string }[] = JSON.parse(out).claims;
      expect(claims.map(({ source }) => source)).not.toContain('pane-option');

      // What stood there before counts only when it has changed, and then it is the tool's word.
      const client = await live.client();
      const readClaim = async (): Promise<string | null | undefined> => {
        const explanation = await client.call('explain', { ref: pane.paneId });
        return explanation.claims.find(({ source }) => source === 'option.other_tool')?.says;
      };
      expect(await readClaim()).toBeUndefined();
      tmux.run('set-option', '-p', '-t', pane.paneId, '@other_tool', 'works');
      await eventually(async () => (await readClaim()) === 'running', 'the tool says so', WAIT_MS);
      tmux.run('set-option', '-pu', '-t', pane.paneId, '@other_tool');
      await eventually(async () => (await readClaim()) == null, 'it says nothing', WAIT_MS);

      config(false);
      await says(pane.paneId, (text) => text === '', 'switched off');
      config(true);
      await says(pane.paneId, (text) => text.includes('waiting_approval'), 'on again');
      expect(await live.cli('daemon', 'stop')).toMatchObject({ code: 0 });
      expect(own(pane.paneId)).toBe('');
    },
    TEST_MS,
  );
});
