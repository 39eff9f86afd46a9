// Whose row an event changes, with a real daemon and real processes: that of the agent whose hook
// it is, whatever pane the environment of the hook names.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fakeAgent, fakeCommand, type LivePane } from '../daemon-live/live-agents.ts';
import { LiveDaemon, Subscriber } from '../daemon-live/live-daemon.ts';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';

const TEST_MS = 120_000;

describe.skipIf(isTmuxMissing)('an event of a hook', () => {
  test(
    'is of the agent that ran it, and of nobody else',
    async () => {
      await using live = new LiveDaemon();
      const [first, second] = [
        fakeAgent(live.tmux, 'gemini', 'first'),
        fakeAgent(live.tmux, 'gemini', 'second'),
      ];
      // The copy that hooks run, brought up to date by the daemon's start.
      const installed = await live.cli('hooks', 'install', 'gemini', '--json');
      const { emitter } = JSON.parse(installed.out);
      writeFileSync(emitter.path, '#!/bin/sh\n# older\n');
      await live.start();
      await eventually(
        () => !readFileSync(emitter.path, 'utf8').includes('older'),
        'the emitter is brought up to date',
      );
      using subscriber = new Subscriber(await live.client());
      for (const pane of [first, second]) {
        await subscriber.until(pane.paneId, ({ agent }) => agent === 'gemini', 'it is found');
      }
      const state = `XDG_STATE_HOME='${live.env['XDG_STATE_HOME']}'`;
      const emit = `${state} '${emitter.path}' --source gemini-hooks --agent gemini`;
      const asks = emitOf(live, emit, 'asks', {
        hook_event_name: 'Notification',
        notification_type: 'ToolPermission',
        details: { type: 'exec', command: 'x' },
        session_id: 'inner',
      });
      const works = (name: string) =>
        emitOf(live, emit, name, {
          hook_event_name: 'BeforeAgent',
          prompt: name,
          session_id: name,
        });

      // An agent that the first one runs as a tool, by a shell that stays above it.
      const inner = fakeCommand(live.tmux, 'gemini').replace(/^exec ('[^']+').*$/, '$1');
      const nested = join(live.folder, 'nested.sh');
      writeFileSync(nested, `${inner} -c "${asks}; true"\n: >'${live.folder}/nested-done'\n`);
      first.type(`run sh '${nested}'`);
      await eventually(() => existsSync(join(live.folder, 'nested-done')), 'the tool has run');

      // Somebody who is in no pane, and says that this one is theirs.
      execFileSync('sh', ['-c', asks], {
        env: { ...live.env, TMUX: `${live.tmux.socketPath},1,0`, TMUX_PANE: first.paneId },
      });

      // A hook of the second one with the pane of the first in its environment.
      second.type(`run TMUX_PANE='${first.paneId}' ${works('stale')}`);
      await isRunning(subscriber, second);

      first.type(`run ${works('own')}`);
      await isRunning(subscriber, first);

      const states = await statesOf(live, first);
      expect(states).not.toContain('waiting_approval');
      expect(subscriber.row(first.paneId)?.session_key).toBe('own');
      expect(subscriber.row(second.paneId)?.session_key).toBe('stale');
    },
    TEST_MS,
  );
});

/** A command that tells one event. */
function emitOf(live: LiveDaemon, emit: string, name: string, payload: object): string {
  const file = join(live.folder, `payload-${name}`);
  writeFileSync(file, JSON.stringify(payload));
  return `${emit} <'${file}'`;
}

const isRunning = (subscriber: Subscriber, { paneId }: LivePane) =>
  subscriber.until(
    paneId,
    ({ state, evidence }) => state === 'running' && evidence.source === 'gemini-hooks',
    'its own event changes it',
  );

async function statesOf(live: LiveDaemon, { paneId }: LivePane): Promise<readonly string[]> {
  const client = await live.client();
  const { entries } = await client.call('history', { ref: paneId, limit: 100 });
  return entries.map(({ state }) => state);
}
