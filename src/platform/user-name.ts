// The name of the user that this process runs as.

import { userInfo } from 'node:os';

/** Empty when the user id has no entry, as in some containers. */
export function userName(read = () => userInfo().username, env = process.env): string {
  try {
    return read();
  } catch {
    return env['USER'] ?? env['LOGNAME'] ?? '';
  }
}
