// The name of the user that this process runs as.

import { userInfo } from 'node:os';

/** Empty where the system knows none: in a container the user's id may have no entry. */
export function userName(read = () => userInfo().username, env = process.env): string {
  try {
    return read();
  } catch {
    return env['USER'] ?? env['LOGNAME'] ?? '';
  }
}
