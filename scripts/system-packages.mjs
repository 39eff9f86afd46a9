// The programs outside npm that tests need. As root on Debian, apt-get installs them; elsewhere one
// line names them and their suites are skipped. Plain JavaScript for Node 18 and newer.

import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runChild } from './run-child.mjs';

/**
 * One row a program: the command looked for, the Debian package that has it, and a folder where it
 * may be that is not on everybody's PATH.
 *
 * @type {readonly { command: string, debian: string, folder?: string }[]}
 */
export const systemPackages = [
  { command: 'tmux', debian: 'tmux' },
  { command: 'ssh', debian: 'openssh-client' },
  { command: 'sshd', debian: 'openssh-server', folder: '/usr/sbin' },
  { command: 'fish', debian: 'fish' },
  { command: 'tcsh', debian: 'tcsh' },
  { command: 'busybox', debian: 'busybox' },
  { command: 'dbus-daemon', debian: 'dbus' },
  { command: 'notify-send', debian: 'libnotify-bin' },
  { command: 'chromium', debian: 'chromium' },
];

/**
 * @param {string} command
 * @param {string} [path] the PATH to search
 */
export function isOnPath(command, path = process.env['PATH'] ?? '') {
  return path.split(delimiter).some((folder) => {
    if (folder === '') return false;
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** @param {string} [path] the PATH to search, and nothing else then */
export function missingPackages(path) {
  return systemPackages.filter(({ command, folder }) => {
    const isElsewhere = path === undefined && folder !== undefined && isOnPath(command, folder);
    return !isElsewhere && !isOnPath(command, path);
  });
}

/** @param {readonly { command: string, debian: string }[]} missing */
export function missingLine(missing) {
  const commands = missing.map((row) => row.command).join(', ');
  const debian = missing.map((row) => row.debian).join(' ');
  return (
    `missing on this machine: ${commands}; the suites that need them are skipped ` +
    `(Debian: apt-get install ${debian})`
  );
}

/** @param {readonly { debian: string }[]} missing */
async function aptInstall(missing) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await runChild('apt-get', ['update', '-qq'], { env, capture: true });
  const names = missing.map((row) => row.debian);
  await runChild('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], {
    env,
    capture: true,
  });
}

// Installs what it can of the missing ones and returns those that are still missing.
/**
 * @param {(line: string) => void} say
 * @param {(row: { command: string }) => boolean} [isWanted] all of them by default
 */
export async function installMissing(say, isWanted = () => true) {
  const missing = missingPackages().filter(isWanted);
  if (missing.length === 0) return [];
  if (process.getuid?.() === 0 && isOnPath('apt-get')) {
    say(`      installing ${missing.map((row) => row.debian).join(' ')} with apt-get ...`);
    await aptInstall(missing);
  }
  return missingPackages().filter(isWanted);
}

// For the tests: installs what it can and returns the commands that are still missing.
/** @param {(line: string) => void} say */
export async function installSystemPackages(say) {
  const left = await installMissing(say);
  if (left.length > 0) say(`      ${missingLine(left)}`);
  return left.map((row) => row.command);
}
