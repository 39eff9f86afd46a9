// The store as one resource: an open database with every statement prepared once. Made by
// `openStore`; the daemon's loop is its only writer.

import { rmSync, statSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { Fault } from '../platform/fault.ts';
import type { LedgerEvent } from '../schema/api/ledger.ts';
import type { EndedAgent, HistoryQuery, HistoryStep } from '../schema/history.ts';
import type { PaneKey, RuntimeId } from '../schema/ids.ts';
import type { PaneRow } from '../schema/pane.ts';
import { type CommitResult, type EventBatch, prepareCommit } from './commit.ts';
import {
  type EndedAgentsQuery,
  type EndedAgentsReader,
  prepareEndedAgentsReader,
} from './readers/ended-agents.ts';
import { type EventReader, prepareEventReader, type StoredEvent } from './readers/events.ts';
import { type BindingStep, type HistoryReader, prepareHistoryReader } from './readers/history.ts';
import { prepareRuntimeEventReader, type RuntimeEventReader } from './readers/runtime-events.ts';
import { prepareTimelineReader, type TimelineReader } from './readers/timeline.ts';
import { checkRestore, type Rebuild, type RestoreReport } from './restore.ts';
import { prepareRetention, type RetentionOptions, type RetentionReport } from './retention.ts';
import {
  type LatestSnapshot,
  type NewSnapshot,
  prepareSnapshots,
  type Snapshots,
} from './snapshots.ts';
import { guarded, isDiskFull } from './sqlite/sqlite-fault.ts';
import { type ActionTable, prepareActionTable } from './tables/actions.ts';
import { type AdapterTable, prepareAdapterTable } from './tables/adapters.ts';
import { type AlertTable, prepareAlertTable } from './tables/alerts.ts';
import { type DaemonRuns, prepareDaemonRuns } from './tables/daemon-runs.ts';
import { type DeliveryTable, prepareDeliveryTable } from './tables/deliveries.ts';
import { type MessageTable, prepareMessageTable } from './tables/messages.ts';
import { type Meta, prepareMeta } from './tables/meta.ts';
import { type NotifyTable, prepareNotifyTable } from './tables/notify.ts';
import { prepareRepeatRules, type RepeatRuleTable } from './tables/repeat-rules.ts';
import { prepareSourceCursors, type SourceCursors } from './tables/source-cursors.ts';
import { prepareRowReader } from './tables/states.ts';
import { type AcpMemberTable, prepareAcpMembers } from './teams/acp-members.ts';
import { type BundleTable, prepareBundles } from './teams/bundles.ts';
import { prepareStartedAgents, type StartedAgentTable } from './teams/started-agents.ts';

/** Larger than what is left in the last block of a file. */
const PROBE_BYTES = 8_192;

export class Store {
  readonly path: string;
  readonly alerts: AlertTable;
  readonly adapters: AdapterTable;
  readonly actions: ActionTable;
  readonly deliveries: DeliveryTable;
  readonly messages: MessageTable;
  readonly repeatRules: RepeatRuleTable;
  readonly bundles: BundleTable;
  readonly acpMembers: AcpMemberTable;
  readonly startedAgents: StartedAgentTable;
  readonly sourceCursors: SourceCursors;
  readonly timeline: TimelineReader;
  readonly daemonRuns: DaemonRuns;
  readonly notify: NotifyTable;
  readonly #db: DatabaseSync;
  readonly #file: string | null;
  readonly #meta: Meta;
  readonly #commit: (batch: EventBatch) => CommitResult;
  readonly #events: EventReader;
  readonly #rows: () => ReadonlyMap<PaneKey, PaneRow>;
  readonly #snapshots: Snapshots;
  readonly #retention: (options: RetentionOptions) => RetentionReport;
  readonly #history: HistoryReader;
  readonly #runtimeEvents: RuntimeEventReader;
  readonly #endedAgents: EndedAgentsReader;

  /** `db` is open, of the newest schema, and this store's own from now on. */
  constructor(db: DatabaseSync, path: string) {
    this.path = path;
    this.#db = db;
    this.#file = fileIdOf(path);
    this.#meta = prepareMeta(db);
    this.#commit = prepareCommit(db, this.#meta);
    this.#events = prepareEventReader(db, path, this.#meta);
    this.#rows = prepareRowReader(db, path);
    this.#snapshots = prepareSnapshots(db, path, this.#meta);
    this.#retention = prepareRetention(db, path, this.#meta);
    this.#history = prepareHistoryReader(db, path);
    this.#runtimeEvents = prepareRuntimeEventReader(db, path, this.#meta);
    this.#endedAgents = prepareEndedAgentsReader(db, path);
    this.alerts = prepareAlertTable(db, path);
    this.adapters = prepareAdapterTable(db, path);
    this.actions = prepareActionTable(db, path);
    this.deliveries = prepareDeliveryTable(db, path);
    this.messages = prepareMessageTable(db, path);
    this.repeatRules = prepareRepeatRules(db, path);
    this.bundles = prepareBundles(db, path);
    this.acpMembers = prepareAcpMembers(db, path);
    this.startedAgents = prepareStartedAgents(db, path);
    this.sourceCursors = prepareSourceCursors(db, path);
    this.timeline = prepareTimelineReader(db, path);
    this.daemonRuns = prepareDaemonRuns(db, path);
    this.notify = prepareNotifyTable(db, path);
  }

  /**
   * Stores the events and what they changed, all or nothing. Throws `binding_cas_conflict` when a
   * stored row is not at the version that its change expects, `store_gone` as `checkPlace` does.
   */
  commit(batch: EventBatch): CommitResult {
    this.checkPlace();
    return guarded(this.path, () => this.#commit(batch));
  }

  /** Throws `store_gone` when the open file has no name any more: what is written to it is lost. */
  checkPlace(): void {
    if (fileIdOf(this.path) !== this.#file) throw new Fault('store_gone', { about: this.path });
  }

  /**
   * Throws `store_gone`, or `store_full` though a commit may still fit into the log: hooks cannot
   * leave their events on such a disk either.
   */
  checkWritable(): void {
    this.checkPlace();
    if (!isDiskFull(this.path)) return;
    const probe = `${this.path}.probe`;
    try {
      guarded(this.path, () => writeFileSync(probe, Buffer.alloc(PROBE_BYTES), { mode: 0o600 }));
    } finally {
      rmSync(probe, { force: true });
    }
  }

  /** The place of the last stored event; 0 when there is none. */
  lastSeq(): number {
    return guarded(this.path, () => this.#meta.read('lastSeq'));
  }

  /** Events after `seq`, in batches. Throws `rewind_window_exceeded` after retention. */
  eventsAfter(seq: number, limit?: number): Generator<StoredEvent, void> {
    return this.#events.eventsAfter(seq, limit);
  }

  /** The stored answer for every pane. */
  rows(): ReadonlyMap<PaneKey, PaneRow> {
    return guarded(this.path, () => this.#rows());
  }

  /** Keeps the newest three worlds, and the rows about older ones until retention. */
  saveSnapshot(snapshot: NewSnapshot): void {
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

  /** Steps of one pane or of all, newest first, at most `limit`. */
  history(query: HistoryQuery): readonly HistoryStep[] {
    return this.#history.history(query);
  }

  /** How a pane was bound to agents, newest first. */
  bindings(paneKey: PaneKey, limit: number): readonly BindingStep[] {
    return this.#history.bindings(paneKey, limit);
  }

  /** The newest events of a runtime first; of old ones, only each source's last applied one. */
  eventsOfRuntime(runtimeId: RuntimeId, limit: number): readonly LedgerEvent[] {
    return this.#runtimeEvents(runtimeId, limit);
  }

  /** Agents that have ended, newest first. */
  endedAgents(query: EndedAgentsQuery): readonly EndedAgent[] {
    return this.#endedAgents(query);
  }

  /** The last connection to close copies its log into the file and removes it. */
  [Symbol.dispose](): void {
    if (this.#db.isOpen) this.#db.close();
  }
}

/** Which file is at a path; null where there is none, or its folder cannot be read. */
function fileIdOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}
