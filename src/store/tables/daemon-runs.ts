// When a daemon ran: one row for each stretch, from its start to its last sign of life. A stretch
// without one (the daemon was down, or the machine slept) is no time in which agents were watched.

import type { DatabaseSync } from 'node:sqlite';
import type { TimeSpan } from '../../schema/history.ts';
import { guarded } from '../sqlite/sqlite-fault.ts';

/** How often a running daemon gives a sign of life: what a kill -9 leaves uncounted at most. */
export const SIGN_OF_LIFE_MS = 60_000;
/** A longer silence is a sleep of the machine, or a clock that was set. */
const SILENCE_MS_MAX = 150_000;
/** Enough for two weeks of a laptop that sleeps often. */
const RUNS_MAX = 5_000;

export interface DaemonRuns {
  /** Notes that this daemon runs now. */
  signOfLife(nowMs: number): void;
  /** When a daemon ran, in the order of time and without overlaps; this one runs until `nowMs`. */
  spans(nowMs: number): readonly TimeSpan[];
}

export function prepareDaemonRuns(db: DatabaseSync, path: string): DaemonRuns {
  const insert = db.prepare('INSERT INTO daemon_runs (started_at, alive_at) VALUES (?1, ?1)');
  const update = db.prepare('UPDATE daemon_runs SET alive_at = ? WHERE id = ?');
  const select = db.prepare(
    'SELECT id, started_at, alive_at FROM daemon_runs ORDER BY id DESC LIMIT ?',
  );
  let run: { readonly id: number; readonly aliveAtMs: number } | null = null;
  const isGoingOn = (nowMs: number): boolean =>
    run !== null && nowMs >= run.aliveAtMs && nowMs - run.aliveAtMs <= SILENCE_MS_MAX;

  return {
    signOfLife: (nowMs) =>
      guarded(path, () => {
        if (run !== null && isGoingOn(nowMs)) {
          update.run(nowMs, run.id);
          run = { id: run.id, aliveAtMs: nowMs };
        } else {
          run = { id: Number(insert.run(nowMs).lastInsertRowid), aliveAtMs: nowMs };
        }
      }),
    spans: (nowMs) =>
      guarded(path, () => {
        const spans = select.all(RUNS_MAX).map((row): TimeSpan => {
          const isThis = Number(row['id']) === run?.id && isGoingOn(nowMs);
          const toMs = isThis ? nowMs : Number(row['alive_at']);
          return { fromMs: Number(row['started_at']), toMs: Math.min(toMs, nowMs) };
        });
        return withoutOverlaps(spans);
      }),
  };
}

/** The same time as spans that follow each other: a clock that was set back makes them overlap. */
function withoutOverlaps(spans: readonly TimeSpan[]): readonly TimeSpan[] {
  const joined: TimeSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = joined.at(-1);
    if (span.toMs <= span.fromMs) continue;
    if (last && span.fromMs <= last.toMs) {
      joined[joined.length - 1] = { ...last, toMs: Math.max(last.toMs, span.toMs) };
    } else joined.push(span);
  }
  return joined;
}
