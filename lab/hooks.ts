// Installs our hooks into the agent's own configuration, as a user does.

import type { LiveDaemon } from '../tests/daemon-live/live-daemon.ts';

export async function installHooks(live: LiveDaemon, agent: string): Promise<void> {
  const { code, out, err } = await live.cli('hooks', 'install', agent);
  if (code !== 0) throw new Error(`no hooks for ${agent}: ${out}${err}`);
}
