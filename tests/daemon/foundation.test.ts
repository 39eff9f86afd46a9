// What a daemon is started with: options over the configuration, and where its spool is.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { spoolFolderOf } from '../../src/daemon/life/daemon-paths.ts';
import { runDaemon } from '../../src/daemon/main.ts';
import { problemOf } from '../../src/schema/problem.ts';
import { inside } from './inside.ts';
import { makeFolder } from './program.ts';

describe('--poll-interval', () => {
  it('sets how often panes are listed, also after the configuration was read again', async () => {
    const { base } = await inside({ pollIntervalMs: 400 });
    expect(base.config.tmux.sweepMs).toBe(400);
    expect(base.loop.world.config.pollIntervalMs).toBe(400);
    base.configFile.reload();
    expect(base.config.tmux.sweepMs).toBe(400);
  });

  it.each([0, 5, 2_501])('of %i ms is refused, as in the configuration', async (pollIntervalMs) => {
    const socketPath = join(makeFolder(), 'agtmuxd.sock');
    const exitCode = await runDaemon({ socketPath, tmuxSockets: [], pollIntervalMs });
    expect(exitCode).toBe(problemOf('E_INPUT_INVALID').exitCode);
  });
});

it.each([
  [undefined, '/state/spool'],
  ['', '/state/spool'],
  ['relative/path', '/state/spool'],
  ['/elsewhere', '/elsewhere'],
])('AGTMUX_SPOOL as %j is taken as the emitter takes it', (asked, folder) => {
  expect(spoolFolderOf(asked, '/state')).toBe(folder);
});
