// Facts about the store for `agtmux doctor`, read beside the daemon that writes it.

import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { guardedSchema } from '../sqlite/sqlite-fault.ts';

const BUSY_TIMEOUT_MS = 2_000;

/** Bytes of the database with its log; null when there is none. */
export function storeBytes(path: string): number | null {
  const sizes = [path, `${path}-wal`].map(
    (file) => statSync(file, { throwIfNoEntry: false })?.size,
  );
  return sizes[0] === undefined ? null : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
}

/** When the last snapshot was taken; null when there is none. Throws a Fault on a bad file. */
export function lastSnapshotAtMs(path: string): number | null {
  return guardedSchema(path, () => {
    const db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      const at = db.prepare('SELECT max(at) AS at FROM snapshots').get()?.['at'];
      return typeof at === 'number' ? at : null;
    } finally {
      db.close();
    }
  });
}
