// Whether the daemon watches the tmux server that a command means: the one around it, or the usual
// one. A daemon that was started elsewhere need not, and its panes would be missing without a word.

import type { DaemonClient } from '../../../client/client.ts';
import { mainSockets } from '../../../platform/files/tmux-socket-choice.ts';
import type { Call } from '../../command.ts';

/** Says that the tmux server that is meant is not watched; null when it is, or is not there. */
export async function unwatchedServerNote(
  { io: { env } }: Call,
  client: DaemonClient,
): Promise<string | null> {
  const [meant = ''] = mainSockets({ named: [], env, uid: process.getuid?.() ?? 0 });
  // It is a remark: where the daemon does not say, the command itself goes on.
  const info = await client.call('daemon_info', {}).catch(() => null);
  if (info === null) return null;
  const watched = info.servers
    .filter(({ target }) => target === 'local')
    .map(({ server }) => server);
  if (watched.includes(meant)) return null;
  // These import node:fs, which takes 3 ms, and are seldom needed.
  const { existsSync } = await import('node:fs');
  const { canonicalSocketPath } = await import('../../../platform/files/tmux-sockets.ts');
  if (watched.includes(canonicalSocketPath(meant)) || !existsSync(meant)) return null;
  const isAround = env['TMUX']?.startsWith(`${meant},`) ?? false;
  const which = isAround ? 'this tmux server' : 'your tmux server';
  const remedy = `Add "${meant}" to sockets under [tmux] in config.toml.`;
  return `The daemon does not watch ${which} (${meant}). ${remedy}`;
}
