// The store's own counters: how far the timeline goes and how far retention has come.

import type { DatabaseSync } from 'node:sqlite';

const keys = { lastSeq: 'last_seq', prunedSeq: 'pruned_seq', clearedSeq: 'payloads_cleared_seq' };
type Counter = keyof typeof keys;

export interface Meta {
  read(counter: Counter): number;
  write(counter: Counter, value: number): void;
}

export function prepareMeta(db: DatabaseSync): Meta {
  const select = db.prepare('SELECT value FROM meta WHERE key = ?');
  const update = db.prepare('UPDATE meta SET value = ? WHERE key = ?');
  return {
    read: (counter) => Number(select.get(keys[counter])?.['value']),
    write: (counter, value) => {
      update.run(value, keys[counter]);
    },
  };
}
