// Which tmux servers are meant, as paths of their sockets. The same server is always the same path:
// a hook inside it names it by $TMUX, a person by an option, and both must mean one thing.

import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';

export interface SocketChoice {
  /** `--tmux-socket`, in the order given. */
  readonly named: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  /** More by configuration. */
  readonly configured: readonly string[];
}

/**
 * The sockets to watch, the main one first: what was asked for, else AGTMUX_TMUX_SOCKET_PATH, else
 * AGTMUX_TMUX_SOCKET_NAME, else the server that we run in, else tmux's default; then those of the
 * configuration.
 */
export function tmuxSocketPaths(choice: SocketChoice): readonly string[] {
  const paths = [...mainSockets(choice), ...choice.configured].map(canonicalSocketPath);
  return [...new Set(paths)];
}

/** Where `tmux -L NAME` has its sockets. */
export const tmuxSocketFolder = (env: SocketChoice['env'], uid: number): string =>
  join(env['TMUX_TMPDIR'] || '/tmp', `tmux-${uid}`);

function mainSockets({ named, env, uid }: SocketChoice): readonly string[] {
  if (named.length > 0) return named;
  const path = env['AGTMUX_TMUX_SOCKET_PATH'];
  if (path) return [path];
  const folder = tmuxSocketFolder(env, uid);
  const name = env['AGTMUX_TMUX_SOCKET_NAME'];
  if (name) return [join(folder, basename(name))];
  const [inside] = env['TMUX']?.split(',') ?? [];
  return inside && isAbsolute(inside) ? [inside] : [join(folder, 'default')];
}

/** One spelling for one socket. It may not be there yet, so its folder is resolved. */
export function canonicalSocketPath(path: string): string {
  const absolute = resolve(path);
  try {
    return join(realpathSync(dirname(absolute)), basename(absolute));
  } catch {
    return absolute;
  }
}
