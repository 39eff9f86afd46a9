// A tap of a session on this machine, as the daemon asks for it.

import { localHost } from '../../src/tmux/host.ts';
import { attachArguments } from '../../src/tmux/invocation.ts';
import { TAP_FLAGS, type WantedTap } from '../../src/tmux/taps.ts';

export async function wantedTap(socketPath: string, sessionId: string): Promise<WantedTap> {
  const args = attachArguments({ socketPath, sessionId }, TAP_FLAGS);
  const { launch } = await localHost.open('tap', args);
  return { server: socketPath, sessionId, launch };
}
