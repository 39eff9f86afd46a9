// Which adapters there are and which the user has switched off. The rule files say what an adapter
// is; only the switch is decided here, and it outlives an adapter that is away for a while.

import type { DatabaseSync } from 'node:sqlite';
import { guarded } from '../sqlite/sqlite-fault.ts';
import { inTransaction } from '../sqlite/transaction.ts';

export interface StoredAdapter {
  readonly name: string;
  readonly agent: string;
  readonly version: string;
  readonly capabilities: Readonly<Record<string, boolean>>;
}

export interface AdapterTable {
  /** Writes the current adapters; a new one is enabled, an existing one keeps its switch. */
  save(adapters: readonly StoredAdapter[], atMs: number): void;
  /** False: no such adapter was ever saved. */
  setEnabled(name: string, enabled: boolean, atMs: number): boolean;
  disabled(): readonly string[];
}

const saveSql = `
  INSERT INTO adapters (adapter_name, agent_type, version, capabilities, enabled, updated_at)
  VALUES (?, ?, ?, ?, 1, ?)
  ON CONFLICT (adapter_name) DO UPDATE SET agent_type = excluded.agent_type,
    version = excluded.version, capabilities = excluded.capabilities,
    updated_at = excluded.updated_at`;

export function prepareAdapterTable(db: DatabaseSync, path: string): AdapterTable {
  const save = db.prepare(saveSql);
  const setEnabled = db.prepare(
    'UPDATE adapters SET enabled = ?, updated_at = ? WHERE adapter_name = ?',
  );
  const selectDisabled = db.prepare(
    'SELECT adapter_name FROM adapters WHERE enabled = 0 ORDER BY adapter_name',
  );
  return {
    save: (adapters, atMs) =>
      guarded(path, () =>
        inTransaction(db, () => {
          for (const { name, agent, version, capabilities } of adapters) {
            save.run(name, agent, version, JSON.stringify(capabilities), atMs);
          }
        }),
      ),
    setEnabled: (name, enabled, atMs) =>
      guarded(path, () => Number(setEnabled.run(Number(enabled), atMs, name).changes) > 0),
    disabled: () =>
      guarded(path, () => selectDisabled.all().map((row) => String(row['adapter_name']))),
  };
}
