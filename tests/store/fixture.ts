// Builders for tests of the store: a folder of its own for each test, events and rows that fit
// their schemas, and a tiny engine whose whole world is the rows, so that replay can be compared.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import { Fault } from '../../src/platform/fault.ts';
import type { Change } from '../../src/schema/change.ts';
import type { EventOf, RedactedEvent, WorldEvent } from '../../src/schema/event.ts';
import type { Evidence } from '../../src/schema/evidence.ts';
import {
  type AgentName,
  type EventId,
  id,
  type PaneKey,
  type RuntimeId,
  type SourceName,
  type TargetId,
} from '../../src/schema/ids.ts';
import type { PaneRow } from '../../src/schema/pane.ts';
import { openStore, type StoreOptions } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { type Rows, storedRows } from './restore.ts';

export const T0 = 1_800_000_000_000;
export const DAY_MS = 86_400_000;
export const local = id<TargetId>('local');
export const hooks = id<SourceName>('claude-hooks');

/** A new folder that is gone after the test. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agtmux-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A store in its own folder, closed after the test. */
export function makeStore(options: Partial<StoreOptions> = {}): Store {
  const store = openStore({ path: join(makeFolder(), 'agtmux.db'), ...options });
  onTestFinished(() => store[Symbol.dispose]());
  return store;
}

/** Rows of a query by a connection of its own, as plain objects. */
export function query(path: string, sql: string, ...values: SQLInputValue[]) {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    return db
      .prepare(sql)
      .all(...values)
      .map((row) => ({ ...row }));
  } finally {
    db.close();
  }
}

/** Changes the file behind the store's back. */
export function tamper(path: string, sql: string): void {
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  try {
    db.exec(sql);
  } finally {
    db.close();
  }
}

/** The Fault that `work` throws. Anything else, and no throw at all, fails the test. */
export function faultOf(work: () => unknown): Fault {
  try {
    work();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error('expected a Fault, and nothing was thrown');
}

export const eventId = (n: number): EventId => id(`event-${n}`);
export const paneKey = (n: number): PaneKey => id(`local|default|1|${T0}|%25${n}|2|${T0}`);
export const runtimeId = (n: number): RuntimeId => id(`runtime-${n}`);

/** What the type asks for: in the product only core/redact makes one. */
export const redacted = (event: WorldEvent): RedactedEvent => event as RedactedEvent;

export interface EvidenceOptions {
  readonly pane?: number;
  readonly disposition?: EventOf<'evidence.observed'>['disposition'];
  readonly evidence?: Partial<Evidence>;
  readonly atMs?: number;
}

/** Evidence number `n`: applied, about pane 0, one millisecond after the one before. */
export function evidenceEvent(n: number, options: EvidenceOptions = {}): RedactedEvent {
  const { pane = 0, disposition = 'apply', atMs = T0 + n } = options;
  const evidence: Evidence = {
    eventId: eventId(n),
    source: hooks,
    channel: id('spool@local'),
    tier: 'deterministic',
    kind: 'edge',
    type: 'PreToolUse',
    runtimeId: runtimeId(pane),
    bind: null,
    dedupeKey: `key-${n}`,
    sourceSeq: n,
    eventTimeMs: atMs,
    ingestedAtMs: atMs,
    backfill: false,
    claims: [
      {
        about: 'turn',
        says: 'running',
        covers: ['running'],
        rank: 0,
        basis: 'signal',
        rule: 'tool',
      },
    ],
    ...options.evidence,
  };
  return redacted({
    eventId: evidence.eventId,
    atMs,
    type: 'evidence.observed',
    evidence,
    disposition,
  });
}

export function row(stateVersion: number, changes: Partial<PaneRow> = {}): PaneRow {
  return {
    presence: 'managed',
    runtimeId: runtimeId(0),
    agent: id<AgentName>('claude'),
    state: 'running',
    reasonCode: null,
    untilMs: null,
    evidence: {
      mode: 'deterministic',
      source: hooks,
      rule: 'tool',
      confidence: 'high',
      atMs: T0 + stateVersion,
    },
    signature: {
      class: 'deterministic',
      reason: 'process',
      confidence: 1,
      inputs: { providerHint: true, cmdMatch: true, pollerMatch: false, titleMatch: false },
    },
    activity: { lastAtMs: null },
    binding: 'managed_deterministic_fresh',
    attention: { kinds: [], sinceMs: null, requests: [] },
    stateVersion,
    rowSeq: stateVersion,
    sinceMs: T0,
    updatedAtMs: T0 + stateVersion,
    ...changes,
  };
}

export const paneChange = (n = 0, atMs = T0): Change => ({
  kind: 'pane',
  paneKey: paneKey(n),
  facts: {
    targetId: local,
    server: 'default',
    generation: { pid: 1, startedAtMs: T0 },
    paneId: `%${n}`,
    birth: { pid: 2, startedAtMs: T0 },
    locations: [
      {
        sessionId: '$1',
        sessionName: 'work',
        windowId: '@1',
        windowIndex: 0,
        windowName: 'shell',
        paneIndex: n,
        active: true,
      },
    ],
    title: 'a title',
    command: 'claude',
    path: '/home/someone',
    dead: false,
    opaque: false,
  },
  targetId: local,
  goneAtMs: null,
  atMs,
});

export const rowChange = (
  expectedVersion: number | null,
  value: PaneRow,
  { pane = 0, event = 1 } = {},
): Change => ({
  kind: 'row',
  paneKey: paneKey(pane),
  row: value,
  expectedVersion,
  eventId: eventId(event),
  atMs: value.updatedAtMs,
});

export const runtimeChange = (n = 0, endedAtMs: number | null = null): Change => ({
  kind: 'runtime',
  runtime: {
    runtimeId: runtimeId(n),
    targetId: local,
    paneKey: paneKey(n),
    paneEpoch: 1,
    agent: id<AgentName>('claude'),
    pid: 42,
    startedAtMs: T0,
    endedAtMs,
    endReason: endedAtMs === null ? null : 'process_gone',
    last: null,
  },
});

/** The rows after one event: every piece of evidence is one version more for its pane. */
export function tinyReduce(rows: Rows, event: WorldEvent): Rows {
  if (event.type !== 'evidence.observed') return rows;
  const pane = Number(event.evidence.runtimeId?.split('-')[1]);
  const version = (rows.get(paneKey(pane))?.stateVersion ?? 0) + 1;
  return new Map(rows).set(paneKey(pane), row(version, { updatedAtMs: event.atMs }));
}

export const encodeRows = (rows: Rows): string => JSON.stringify([...rows]);

/** The rebuild that goes with `tinyReduce`, for `rowDifferences`. */
export function tinyRebuild(world: string | null, tail: Iterable<{ event: WorldEvent }>): Rows {
  let rows: Rows = new Map(world === null ? [] : (JSON.parse(world) as [PaneKey, PaneRow][]));
  for (const { event } of tail) rows = tinyReduce(rows, event);
  return rows;
}

/** Commits events with what `tinyReduce` makes of them, on top of the rows that are stored. */
export function commitTiny(store: Store, events: readonly RedactedEvent[]): void {
  let rows = storedRows(store);
  const changes: Change[] = [];
  for (const event of events) {
    const next = tinyReduce(rows, event);
    for (const [key, value] of next) {
      const before = rows.get(key);
      if (before === value) continue;
      const pane = [0, 1, 2, 3].find((n) => paneKey(n) === key) ?? 0;
      if (!before) changes.push(paneChange(pane));
      changes.push({
        kind: 'row',
        paneKey: key,
        row: value,
        expectedVersion: before?.stateVersion ?? null,
        eventId: event.eventId,
        atMs: value.updatedAtMs,
      });
    }
    rows = next;
  }
  const result = store.commit({ events, changes });
  if (!result.ok) throw new Error(`duplicates: ${result.duplicates.join(' ')}`);
}

/** Evidence `from` to `to`, both included, spread over two panes. */
export const evidenceRange = (from: number, to: number, options: EvidenceOptions = {}) =>
  Array.from({ length: to - from + 1 }, (_, index) =>
    evidenceEvent(from + index, { pane: (from + index) % 2, ...options }),
  );
