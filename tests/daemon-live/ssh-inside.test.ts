// An agent inside ssh in a pane of this machine: nothing of its host is known here but what its
// terminal carries, and the emitter of its hooks writes there what it would tell tmux.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import { eventually } from '../live/tmux-server.ts';
import { isSshdMissing } from '../ssh/sshd.ts';
import { LivePane } from './live-agents.ts';
import { LiveDaemon, Subscriber } from './live-daemon.ts';
import { introduce, RemoteHost } from './remote-host.ts';

const emitter = join(root, 'emitter', 'agtmux-emit');

describe.skipIf(isSshdMissing)('an agent inside ssh in a local pane', () => {
  test('is seen by its hooks, through its terminal', async () => {
    await using remote = await RemoteHost.start();
    await using live = new LiveDaemon({ attach: 'always' });
    introduce(live, { vm1: remote });
    const config = join(live.folder, 'ssh_config');
    live.tmux.newSession('far', `exec ssh -tt -F '${config}' vm1 'stty -echo; exec sh'`);
    const paneId = live.tmux.run('list-panes', '-t', '=far:', '-F', '#{pane_id}');
    const pane = new LivePane(live.tmux, paneId);
    await live.start();
    using subscriber = new Subscriber(await live.client());
    await subscriber.until(paneId, (row) => row.opaque, 'it cannot be looked into');
    const hook = (payload: object): void => {
      const call = `'${emitter}' --source claude-hooks --agent claude`;
      const words = `printf %s '${JSON.stringify(payload)}' | ${call}`;
      live.tmux.run('send-keys', '-t', pane.paneId, '-l', '--', words);
      live.tmux.run('send-keys', '-t', pane.paneId, 'Enter');
    };
    const runHook = async (payload: object, state: string): Promise<void> => {
      await eventually(() => {
        hook(payload);
        return subscriber.row(paneId)?.state === state;
      }, `it is ${state}`);
    };
    await runHook({ hook_event_name: 'UserPromptSubmit', prompt: 'go' }, 'running');
    expect(subscriber.row(paneId)).toMatchObject({ agent: 'claude', presence: 'managed' });
    await runHook({ hook_event_name: 'PermissionRequest', tool_name: 'Bash' }, 'waiting_approval');
    await runHook(
      { tool_name: 'AskUserQuestion', hook_event_name: 'PermissionRequest' },
      'waiting_input',
    );
    await runHook({ hook_event_name: 'Stop' }, 'completed');
    expect(remote.spoolFiles().length).toBeGreaterThan(0);
  });
});
