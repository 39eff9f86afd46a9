// The shape of one step between two schemas. src/store/migrate.ts holds the list and applies it.

import type { DatabaseSync } from 'node:sqlite';

export interface Migration {
  /** The schema version that the file has afterwards: 1, 2, 3, without gaps. */
  readonly version: number;
  readonly name: string;
  /** Runs inside a transaction, so it must not begin or commit one. */
  readonly sql: string;
  /** What SQL cannot do; runs after it, in the same transaction. */
  readonly run?: (db: DatabaseSync) => void;
  /** The file is written anew afterwards: free pages may hold what was deleted before. */
  readonly isRewritten?: boolean;
}
