// Whether the daemon watches the tmux server in which a command runs. A daemon that was started
// elsewhere need not know of it, and its panes would be missing without a word.

import type { DaemonClient } from '../../../client/client.ts';
import type { Call } from '../../command.ts';

/** Says that the tmux server around us is not watched; null when it is, or there is none. */
export async function unwatchedServerNote(
  { io }: Call,
  client: DaemonClient,
): Promise<string | null> {
  const { TMUX: inside, AGTMUX_TMUX_SOCKET_PATH: path, AGTMUX_TMUX_SOCKET_NAME: name } = io.env;
  const [socketPath = ''] = inside?.split(',') ?? [];
  // Whoever names a server does not mean the one around them.
  if (!socketPath.startsWith('/') || path || name) return null;
  const { servers } = await client.call('daemon_info', {});
  const watched = servers.filter(({ target }) => target === 'local').map(({ server }) => server);
  if (watched.includes(socketPath)) return null;
  // It imports node:fs, which takes 3 ms, and is seldom needed.
  const { canonicalSocketPath } = await import('../../../platform/files/tmux-sockets.ts');
  if (watched.includes(canonicalSocketPath(socketPath))) return null;
  const remedy = 'Add it to tmux.sockets in config.toml.';
  return `The daemon does not watch this tmux server (${socketPath}). ${remedy}`;
}
