// The store as one resource: an open database with every statement prepared once. Made by
// `openStore`; the daemon's loop is its only writer.

import type { DatabaseSync } from 'node:sqlite';
import type { PaneKey } from '../schema/ids.ts';
import type { Row } from '../schema/pane.ts';
import { type Batch, type CommitResult, prepareCommit } from './commit.ts';
import { type EventReader, prepareEventReader, type StoredEvent } from './events.ts';
import { checkRestore, type Rebuild, type RestoreReport } from './restore.ts';
import { prepareRetention, type RetentionOptions, type RetentionReport } from './retention.ts';
import {
  type LatestSnapshot,
  prepareSnapshots,
  type Snapshot,
  type Snapshots,
} from './snapshots.ts';
import { guarded } from './sqlite-fault.ts';
import { type Meta, prepareMeta } from './tables/meta.ts';
import { prepareRowReader } from './tables/states.ts';

export class Store {
  readonly path: string;
  readonly #db: DatabaseSync;
  readonly #meta: Meta;
  readonly #commit: (batch: Batch) => CommitResult;
  readonly #events: EventReader;
  readonly #rows: () => ReadonlyMap<PaneKey, Row>;
  readonly #snapshots: Snapshots;
  readonly #retention: (options: RetentionOptions) => RetentionReport;

  /** `db` is open, of the newest schema, and this store's own from now on. */
  constructor(db: DatabaseSync, path: string) {
    this.path = path;
    this.#db = db;
    this.#meta = prepareMeta(db);
    this.#commit = prepareCommit(db, this.#meta);
    this.#events = prepareEventReader(db, path, this.#meta);
    this.#rows = prepareRowReader(db, path);
    this.#snapshots = prepareSnapshots(db, path, this.#meta);
    this.#retention = prepareRetention(db, path, this.#meta);
  }

  /**
   * Stores the events and what they changed, all or nothing. Throws `binding_cas_conflict` when a
   * stored row is not at the version that its change expects.
   */
  commit(batch: Batch): CommitResult {
    return guarded(this.path, () => this.#commit(batch));
  }

  /** The place of the last stored event; 0 when there is none. */
  lastSeq(): number {
    return guarded(this.path, () => this.#meta.read('lastSeq'));
  }

  /**
   * Events after `seq` in order, read in batches while they are taken. Throws
   * `rewind_window_exceeded` when retention has deleted some of them.
   */
  eventsAfter(seq: number, limit?: number): Generator<StoredEvent, void> {
    return this.#events.eventsAfter(seq, limit);
  }

  /** The stored answer for every pane. */
  rows(): ReadonlyMap<PaneKey, Row> {
    return guarded(this.path, () => this.#rows());
  }

  /** Keeps the newest three worlds, and what is known about older ones until retention. */
  saveSnapshot(snapshot: Snapshot): void {
    this.#snapshots.save(snapshot);
  }

  /** The newest snapshot whose checksum holds. */
  latestSnapshot(): LatestSnapshot {
    return this.#snapshots.latest();
  }

  /** Dry run of a restore: rebuilds the rows and compares them with the stored ones. */
  checkRestore(rebuild: Rebuild): RestoreReport {
    const parts = { snapshots: this.#snapshots, events: this.#events, rows: this.#rows };
    return guarded(this.path, () => checkRestore(this.#db, parts, rebuild));
  }

  /** One small batch of retention; call again while `more`. */
  runRetention(options: RetentionOptions): RetentionReport {
    return this.#retention(options);
  }

  /** The last connection to close copies its log into the file and removes it. */
  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }
}
