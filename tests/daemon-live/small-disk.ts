// A state folder on a small file system of its own, which a test fills.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LiveDaemon } from './live-daemon.ts';

/** Whether this process may mount: it tries, because being root is not enough in a container. */
export function canMount(): boolean {
  const script = `d=$(mktemp -d) && mount -t tmpfs tmpfs "$d" && umount "$d"
    status=$?; rmdir "$d"; exit $status`;
  return spawnSync('sh', ['-c', script], { stdio: 'ignore' }).status === 0;
}

/** Makes the state folder a file system of its own; unmounted before the folder is removed. */
export function mountState(live: LiveDaemon, size: string): Disposable & { readonly disk: string } {
  const disk = join(live.folder, 'disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', disk]);
  live.env['XDG_STATE_HOME'] = disk;
  return { disk, [Symbol.dispose]: () => void execFileSync('umount', ['--lazy', disk]) };
}

/** Takes all the space that is left. */
export function fill(folder: string): string {
  const file = join(folder, 'fill');
  spawnSync('dd', ['if=/dev/zero', `of=${file}`, 'bs=1k', 'count=64000'], { stdio: 'ignore' });
  return file;
}
