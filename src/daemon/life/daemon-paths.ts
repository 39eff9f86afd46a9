// The paths of the daemon on this machine, and the lock that makes them its own. Whatever can be
// refused at a start is refused here, before anything is opened.

import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { type Paths, resolvePaths } from '../../platform/files/paths.ts';
import { type Outcome, ok } from '../../schema/outcome.ts';
import {
  checkSocketPath,
  type InstanceLock,
  prepareFolder,
  prepareSocket,
  waitForInstanceLock,
} from './instance-lock.ts';

export interface DaemonPaths {
  readonly paths: Paths;
  readonly socketPath: string;
  readonly logFile: string;
  readonly spoolFolder: string;
  readonly quarantineFile: string;
  readonly lock: InstanceLock;
}

/** Takes the lock and returns the paths, or says who holds it or what is wrong with a path. */
export async function claimDaemonPaths(
  socketPath: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Outcome<DaemonPaths>> {
  const uid = process.getuid?.() ?? 0;
  const paths = resolvePaths({ env, uid, home: homedir() });
  const { stateDir } = paths;
  const checked = checkSocketPath(socketPath);
  if (!checked.ok) return checked;
  for (const folder of [dirname(socketPath), stateDir]) {
    const prepared = prepareFolder(folder);
    if (!prepared.ok) return prepared;
  }
  // With the database, not with the socket: two daemons must never write one database.
  const locked = await waitForInstanceLock(join(stateDir, 'agtmuxd.lock'), socketPath);
  if (!locked.ok) return locked;
  const free = await prepareSocket(socketPath, locked.value);
  if (!free.ok) {
    locked.value[Symbol.dispose]();
    return free;
  }
  return ok({
    paths,
    socketPath,
    logFile: join(stateDir, 'agtmuxd.log'),
    spoolFolder: spoolFolderOf(env['AGTMUX_SPOOL'], stateDir),
    quarantineFile: join(stateDir, 'quarantine.json'),
    lock: locked.value,
  });
}

/** Same rule as the emitter: a relative path would differ for each reader. */
export function spoolFolderOf(configured: string | undefined, stateDir: string): string {
  return configured !== undefined && isAbsolute(configured) ? configured : join(stateDir, 'spool');
}
