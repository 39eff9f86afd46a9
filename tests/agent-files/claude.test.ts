// End to end: a fake Claude Code in a real pane that writes the files which the real one writes,
// and prints nothing. What a subscriber receives comes from those files alone.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PaneItem } from '../../src/schema/api/panes.ts';
import { fakeAgent, type LivePane } from '../daemon-live/live-agents.ts';
import { LiveDaemon, Subscriber, wordOf } from '../daemon-live/live-daemon.ts';
import { isTmuxMissing } from '../live/tmux-server.ts';
import { FakeClaude } from './fake-claude.ts';

function claudeIn(live: LiveDaemon, pane: LivePane, sessionId: string): FakeClaude {
  const config = join(live.tmux.folder, '.claude');
  const cwd = join(live.tmux.folder, 'my.project');
  mkdirSync(cwd, { recursive: true });
  return new FakeClaude({ config, pid: pane.pid, cwd, sessionId });
}

describe.skipIf(isTmuxMissing)('the files of Claude Code', () => {
  test('give the state at each step, for two agents in one directory', async () => {
    await using live = new LiveDaemon();
    const pane = fakeAgent(live.tmux, 'claude', 'one');
    const other = fakeAgent(live.tmux, 'claude', 'two');
    const claude = claudeIn(live, pane, 'session-a');
    const neighbour = claudeIn(live, other, 'session-b');
    neighbour.status('idle');
    await live.start();
    using subscriber = new Subscriber(await live.client());
    const until = (word: string, source: string) =>
      subscriber.until(
        pane.paneId,
        (row) => wordOf(row) === word && row.evidence.source?.startsWith(source) === true,
        `${word} by ${source}`,
      );
    claude.status('idle');
    await until('idle', 'claude-session-file');

    claude.prompt('remove the build');
    claude.status('busy');
    await until('running', 'claude-');
    const isPrompt = (row: PaneItem): boolean => row.activity.prompt === 'remove the build';
    await subscriber.until(pane.paneId, isPrompt, 'the prompt is published');

    const version = subscriber.row(pane.paneId)?.state_version;
    const secret = `sk-ant-api03-${'a'.repeat(80)}`;
    claude.says({ type: 'text', text: `\n  The key is ${secret}\u001b[31m.\nMore of it.` });
    const isMessage = (row: PaneItem): boolean => row.activity.message !== null;
    const words = await subscriber.until(pane.paneId, isMessage, 'the message is published');
    expect(words.activity.message).toMatch(/^The key is \S+/);
    expect(JSON.stringify(words)).not.toContain(secret.slice(0, 24));
    expect(words.activity.message).not.toContain('More');
    expect(words.state_version).toBe(version);

    claude.tool();
    claude.waits();
    await until('waiting_approval', 'claude-session-file');
    claude.status('busy');
    await until('running', 'claude-');

    claude.turnEnds();
    claude.status('idle');
    await until('completed', 'claude-transcript');

    claude.prompt('and again');
    claude.status('busy');
    await until('running', 'claude-');
    claude.interrupted();
    claude.status('idle');
    await until('idle/interrupted', 'claude-transcript');

    claude.prompt('once more');
    claude.status('busy');
    await until('running', 'claude-');
    claude.failed();
    claude.status('idle');
    const failed = await until('error/api_error', 'claude-transcript');
    expect(failed.agent).toBe('claude');

    claude.sessionId = 'session-c';
    claude.status('idle');
    await until('idle', 'claude-session-file');
    claude.status('busy');
    claude.prompt('in a cleared session');
    await until('running', 'claude-');
    claude.turnEnds();
    claude.status('idle');
    await until('completed', 'claude-transcript');

    const beside = subscriber.states.filter(({ paneId }) => paneId === other.paneId);
    expect(beside.filter(({ state }) => !/^(?:unknown|idle$)/.test(state))).toEqual([]);
  });
});
