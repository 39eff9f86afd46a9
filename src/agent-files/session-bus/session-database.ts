// The database in which opencode and Kilo keep their sessions. It is theirs: it is opened to be
// read, for one question at a time, and never written to. Its contents are foreign, so it must have
// plain tables before anything is asked of it.

import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { MachineFiles } from '../files/machine-files.ts';

/** Readers wait for nobody where the log is written ahead; else the agent writes for less. */
const BUSY_MS = 50;
/** Longer texts are not read. */
const TEXT_BYTES_MAX = 8_000_000;
const tables: readonly string[] = ['event', 'message', 'part'];

export interface SessionEventRow {
  readonly seq: number;
  readonly type: string;
  /** Null where it is too long. */
  readonly data: string | null;
}

/** The questions that are asked of a session. */
export class SessionDatabase {
  readonly #message: StatementSync;
  readonly #part: StatementSync;
  readonly #after: StatementSync;
  readonly #before: StatementSync;
  readonly #last: StatementSync;
  readonly #later: StatementSync;

  constructor(db: DatabaseSync) {
    const text = `CASE WHEN octet_length(data) <= ${TEXT_BYTES_MAX} THEN data END AS data`;
    // Sessions are written anew as a whole with each step, and say nothing of a conversation.
    const events = `SELECT seq, type, ${text} FROM event
      WHERE aggregate_id = ? AND type >= 'message.' AND type < 'message/'`;
    this.#message = db.prepare(`SELECT ${text} FROM message WHERE id = ? AND session_id = ?`);
    this.#part = db.prepare(`SELECT ${text} FROM part WHERE id = ? AND session_id = ?`);
    this.#after = db.prepare(`${events} AND seq >= ? ORDER BY seq LIMIT ?`);
    this.#before = db.prepare(`${events} AND seq < ? ORDER BY seq DESC LIMIT ?`);
    this.#last = db.prepare('SELECT max(seq) AS seq FROM event WHERE aggregate_id = ?');
    this.#later = db.prepare(`SELECT 1 FROM message a JOIN message b
      ON b.session_id = a.session_id AND b.time_created > a.time_created
      WHERE a.id = ? AND a.session_id = ? LIMIT 1`);
  }

  /** Null where the session has none. */
  lastSeq(session: string): number | null {
    const seq = this.#last.get(session)?.['seq'];
    return typeof seq === 'number' ? seq : null;
  }

  after(session: string, seq: number, limit: number): readonly SessionEventRow[] {
    return this.#after.all(session, seq, limit).map(sessionEventRow);
  }

  /** In the order of the session. */
  before(session: string, seq: number, limit: number): readonly SessionEventRow[] {
    return this.#before.all(session, seq, limit).map(sessionEventRow).reverse();
  }

  message(session: string, id: string): string | null {
    return textIn(this.#message.get(id, session)?.['data']);
  }

  part(session: string, id: string): string | null {
    return textIn(this.#part.get(id, session)?.['data']);
  }

  /** Whether another message came after it. */
  isFollowed(session: string, messageId: string): boolean {
    return this.#later.get(messageId, session) !== undefined;
  }
}

const textIn = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const sessionEventRow = (row: Readonly<Record<string, unknown>>): SessionEventRow => ({
  seq: typeof row['seq'] === 'number' ? row['seq'] : -1,
  type: String(row['type']),
  data: textIn(row['data']),
});

/** The answer to a question; null where the database cannot be read. Closed again at once. */
export async function inSessionDatabase<Answer>(
  files: MachineFiles,
  path: string,
  question: (database: SessionDatabase) => Answer,
): Promise<Answer | null> {
  if ((await files.facts(path)) === null) return null;
  const url = pathToFileURL(path);
  // Where nobody has it open, a reader must not leave files beside it.
  if ((await files.facts(`${path}-wal`)) === null) url.searchParams.set('immutable', '1');
  let db: DatabaseSync | null = null;
  try {
    db = new DatabaseSync(url, { readOnly: true, timeout: BUSY_MS });
    db.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA cache_size = -512');
    return hasPlainTables(db) ? question(new SessionDatabase(db)) : null;
  } catch {
    // Busy, damaged, or of another kind.
    return null;
  } finally {
    db?.close();
  }
}

/** A view or a computed column could do anything, without end. */
function hasPlainTables(db: DatabaseSync): boolean {
  const rows = db.prepare("SELECT name, type, sql FROM sqlite_schema WHERE type <> 'index'").all();
  return tables.every((name) =>
    rows.some(
      (row) =>
        row['name'] === name &&
        row['type'] === 'table' &&
        /^CREATE TABLE (?![\s\S]*\bAS\s*\()/i.test(String(row['sql'])),
    ),
  );
}
