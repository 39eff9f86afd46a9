// Which tmux server somebody means, by what they said and where they run. Reads no file, so that a
// command may ask at its start.

import { basename, isAbsolute, join } from 'node:path';

export interface SocketChoice {
  /** `--tmux-socket`, in the order given. */
  readonly named: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  /** More by configuration. */
  readonly configured: readonly string[];
}

/** Where `tmux -L NAME` has its sockets. */
export const tmuxSocketFolder = (env: SocketChoice['env'], uid: number): string =>
  join(env['TMUX_TMPDIR'] || '/tmp', `tmux-${uid}`);

/**
 * What was asked for, else AGTMUX_TMUX_SOCKET_PATH, else AGTMUX_TMUX_SOCKET_NAME, else the server
 * that we run in and tmux's default. The default is among them wherever the first command ran:
 * most agents are there.
 */
export function mainSockets({
  named,
  env,
  uid,
}: Omit<SocketChoice, 'configured'>): readonly string[] {
  if (named.length > 0) return named;
  const path = env['AGTMUX_TMUX_SOCKET_PATH'];
  if (path) return [path];
  const folder = tmuxSocketFolder(env, uid);
  const name = env['AGTMUX_TMUX_SOCKET_NAME'];
  if (name) return [join(folder, basename(name))];
  const [inside] = env['TMUX']?.split(',') ?? [];
  const usual = join(folder, 'default');
  return inside && isAbsolute(inside) ? [inside, usual] : [usual];
}
