// Agents that other agents have started: in which place, by whom. A place is a pane of one life of
// a tmux server, or a member without a pane; tmux gives no pane id twice.

import type { DatabaseSync } from 'node:sqlite';
import { guarded } from '../sqlite/sqlite-fault.ts';
import { inTransaction } from '../sqlite/transaction.ts';

export interface AgentStart {
  /** Each of the names by which those who started it are known again. */
  readonly starters: readonly string[];
  readonly startedAtMs: number;
}

export interface StartedAgentTable {
  /** Adds to those who are known: nobody can take the start of another agent upon itself. */
  add(place: string, starters: readonly string[], atMs: number): void;
  find(place: string): AgentStart | null;
  /** A person has started it anew. */
  remove(place: string): void;
}

/** Far more than live at a time. */
const KEPT_MAX = 10_000;
/** Of one place; one start has three. */
const STARTERS_MAX = 60;

const addSql = `
  INSERT INTO started_agents (place, starters, started_at) VALUES (?1, ?2, ?3)
  ON CONFLICT (place) DO UPDATE SET starters = ?2, started_at = ?3`;
const pruneSql = `
  DELETE FROM started_agents WHERE started_at < (SELECT started_at FROM started_agents
    WHERE started_at >= 0 ORDER BY started_at DESC LIMIT 1 OFFSET ${KEPT_MAX})`;

export function prepareStartedAgents(db: DatabaseSync, path: string): StartedAgentTable {
  const add = db.prepare(addSql);
  const find = db.prepare('SELECT starters, started_at FROM started_agents WHERE place = ?');
  const remove = db.prepare('DELETE FROM started_agents WHERE place = ?');
  const prune = db.prepare(pruneSql);
  const read = (place: string): AgentStart | null => {
    const row = find.get(place);
    if (!row) return null;
    const starters = JSON.parse(String(row['starters'])) as readonly string[];
    return { starters, startedAtMs: Number(row['started_at']) };
  };
  return {
    add: (place, starters, atMs) =>
      guarded(path, () =>
        inTransaction(db, () => {
          const all = new Set([...(read(place)?.starters ?? []), ...starters]);
          add.run(place, JSON.stringify([...all].slice(0, STARTERS_MAX)), atMs);
          prune.run();
        }),
      ),
    find: (place) => guarded(path, () => read(place)),
    remove: (place) => guarded(path, () => void remove.run(place)),
  };
}
