// The sockets of tmux servers as paths. The same server is always the same path: a hook inside it
// names it by $TMUX, a person by an option, and both must mean one thing.

import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { mainSockets, type SocketChoice } from './tmux-socket-choice.ts';

/** The sockets to watch, the main one first; those of the configuration last. */
export function tmuxSocketPaths(choice: SocketChoice): readonly string[] {
  const paths = [...mainSockets(choice), ...choice.configured].map(canonicalSocketPath);
  return [...new Set(paths)];
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
