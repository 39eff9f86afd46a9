// The store as one resource: an open database with every statement prepared once. Made by
// `openStore`; the daemon's loop is its only writer.

import { rmSync, statSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { Fault } from '../platform/fault.ts';
import { type CommitResult, type EventBatch, prepareCommit } from './commit.ts';
import { type EndedAgentsReader, prepareEndedAgentsReader } from './readers/ended-agents.ts';
import { type EventReader, prepareEventReader } from './readers/events.ts';
import { type HistoryReader, prepareHistoryReader } from './readers/history.ts';
import { prepareRuntimeEventReader, type RuntimeEventReader } from './readers/runtime-events.ts';
import { prepareTimelineReader, type TimelineReader } from './readers/timeline.ts';
import { prepareRetention, type RetentionOptions, type RetentionReport } from './retention.ts';
import { prepareSnapshots, type Snapshots } from './snapshots.ts';
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
  /** Events after a seq, in batches. Throws `rewind_window_exceeded` after retention. */
  readonly eventsAfter: EventReader;
  /** Keeps the newest three worlds, and the rows about older ones until retention. */
  readonly saveSnapshot: Snapshots['save'];
  /** The newest snapshot whose checksum holds. */
  readonly latestSnapshot: Snapshots['latest'];
  /** One small batch of retention; call again while `more`. */
  readonly runRetention: (options: RetentionOptions) => RetentionReport;
  /** Steps of one pane or of all, newest first, at most `limit`. */
  readonly history: HistoryReader;
  /** The newest events of a runtime first; of old ones, only each source's last applied one. */
  readonly eventsOfRuntime: RuntimeEventReader;
  /** Agents that have ended, newest first. */
  readonly endedAgents: EndedAgentsReader;
  readonly #db: DatabaseSync;
  readonly #file: string | null;
  readonly #meta: Meta;
  readonly #commit: (batch: EventBatch) => CommitResult;

  /** `db` is open, of the newest schema, and this store's own from now on. */
  constructor(db: DatabaseSync, path: string) {
    this.path = path;
    this.#db = db;
    this.#file = fileIdOf(path);
    this.#meta = prepareMeta(db);
    this.#commit = prepareCommit(db, this.#meta);
    this.eventsAfter = prepareEventReader(db, path, this.#meta);
    const snapshots = prepareSnapshots(db, path, this.#meta);
    this.saveSnapshot = snapshots.save;
    this.latestSnapshot = snapshots.latest;
    this.runRetention = prepareRetention(db, path, this.#meta);
    this.history = prepareHistoryReader(db, path);
    this.eventsOfRuntime = prepareRuntimeEventReader(db, path, this.#meta);
    this.endedAgents = prepareEndedAgentsReader(db, path);
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
