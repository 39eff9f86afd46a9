// Reads a whole database in a thread of its own and reports its first damage. SQLite takes 2.4 s
// for each gigabyte, for which the daemon's loop must not stand still.

import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { Fault } from '../platform/fault.ts';
import { asFault } from './sqlite/sqlite-fault.ts';

/** What is wrong; null when nothing is. Throws where the file cannot be read at all. */
function damageOf(path: string): string | null {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    const [first] = db.prepare('PRAGMA quick_check(1)').all();
    const answer = String(first?.['quick_check']);
    return answer === 'ok' ? null : answer;
  } finally {
    db.close();
  }
}

function report(path: string): string | null {
  try {
    return damageOf(path);
  } catch (error) {
    const fault = asFault(error, path);
    if (fault instanceof Fault && fault.code === 'store_corrupt') return (error as Error).message;
    throw error;
  }
}

parentPort?.postMessage(report(String(workerData)));
