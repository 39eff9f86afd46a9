// ACP members as they are remembered: how each is started, its session, whether it was in a turn,
// and whether it is to run.

import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { guarded } from '../sqlite/sqlite-fault.ts';

export interface StoredAcpMember {
  readonly name: string;
  /** As the daemon wrote it. */
  readonly spec: unknown;
  readonly sessionId: string | null;
  readonly isInTurn: boolean;
  readonly isWanted: boolean;
}

export interface AcpMemberTable {
  /** In the order of their names. */
  list(): readonly (StoredAcpMember & { readonly updatedAtMs: number })[];
  save(member: StoredAcpMember, atMs: number): void;
  remove(name: string): void;
}

const saveSql = `
  INSERT INTO acp_members (name, spec, session_id, is_in_turn, is_wanted, updated_at)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6)
  ON CONFLICT (name) DO UPDATE
    SET spec = ?2, session_id = ?3, is_in_turn = ?4, is_wanted = ?5, updated_at = ?6`;

type Row = Record<string, SQLOutputValue>;

function memberOf(row: Row): ReturnType<AcpMemberTable['list']>[number] {
  const session = row['session_id'];
  return {
    name: String(row['name']),
    spec: JSON.parse(String(row['spec'])),
    sessionId: typeof session === 'string' ? session : null,
    isInTurn: row['is_in_turn'] === 1,
    isWanted: row['is_wanted'] === 1,
    updatedAtMs: Number(row['updated_at']),
  };
}

export function prepareAcpMembers(db: DatabaseSync, path: string): AcpMemberTable {
  const list = db.prepare('SELECT * FROM acp_members ORDER BY name');
  const save = db.prepare(saveSql);
  const remove = db.prepare('DELETE FROM acp_members WHERE name = ?');
  return {
    list: () => guarded(path, () => list.all().map(memberOf)),
    save: ({ name, spec, sessionId, isInTurn, isWanted }, atMs) =>
      guarded(path, () => {
        const flags = [Number(isInTurn), Number(isWanted)] as const;
        save.run(name, JSON.stringify(spec), sessionId, ...flags, atMs);
      }),
    remove: (name) => guarded(path, () => void remove.run(name)),
  };
}
