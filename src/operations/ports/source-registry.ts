// The life of a third-party source, as data: registered, active, silent, revoked; how far it was
// read and committed; which deliveries wait for an acknowledgement; where to rewind to. Pure: time
// is an argument, and the state of a source is a function of its record and the time.

import type { SourceHello, SourceItem, SourceState } from '../../schema/api/sources.ts';
import { type ChannelName, sourceChannel } from '../../schema/ids.ts';
import { isoOf } from './iso-time.ts';

/** How often a source sends a heartbeat. It is stale when its channel would be down. */
export const HEARTBEAT_INTERVAL_MS = 3_000;
/** Timeout and attempts of one acknowledgement. */
export const ACK_TIMEOUT_MS = 2_000;
export const ACK_ATTEMPTS_MAX = 5;
/** How often a checkpoint is taken, by time or by events, and how long one is kept. */
const CHECKPOINT_MS = 30_000;
const CHECKPOINT_EVENTS = 500;
const REWIND_MS = 10 * 60_000;
const REWIND_EVENTS = 10_000;
/** After this many refused cursors within the window, all is read again from the beginning. */
const RESYNC_STREAK = 3;
const RESYNC_WINDOW_MS = 60_000;
/** Deliveries that wait for their acknowledgement; older ones are given up. */
const DELIVERIES_MAX = 64;
export const SOURCES_MAX = 64;

export interface Checkpoint {
  readonly cursor: string;
  readonly atMs: number;
  /** How many events the source had delivered by then. */
  readonly events: number;
}

export interface RegisteredSource {
  readonly sourceId: string;
  readonly sourceKind: string;
  readonly agent: string;
  readonly mode: 'push' | 'pull';
  readonly socketPath: string | null;
  readonly channel: ChannelName;
  readonly registeredAtMs: number;
  /** Null: it has sent nothing since it registered. */
  readonly lastContactAtMs: number | null;
  readonly isRevoked: boolean;
  /** Set while acknowledgements do not arrive, or the source cannot be reached. */
  readonly trouble: string | null;
  readonly isAckLost: boolean;
  /** Read, and maybe not yet in the store. Never behind `committed`. */
  readonly fetched: string | null;
  readonly committed: string | null;
  readonly events: number;
  readonly checkpoints: readonly Checkpoint[];
  readonly refusedAtMs: readonly number[];
  /** Tokens that were handed out and not given back, oldest first. */
  readonly waiting: readonly string[];
  /** The newest acknowledged tokens: acknowledging one twice is not an error. */
  readonly acknowledgedTokens: readonly string[];
}

/** The time for which a state is computed, and how long a source may be silent. */
export interface SourceMoment {
  readonly nowMs: number;
  readonly channelDownMs: number;
}

/** A source that says hello: new, back again, or moved to another socket. */
export function register(
  before: RegisteredSource | undefined,
  hello: SourceHello,
  at: { readonly nowMs: number; readonly committed: string | null },
): RegisteredSource {
  const isSame = before?.mode === hello.mode && before.agent === hello.agent;
  const committed = before?.committed ?? at.committed;
  return {
    sourceId: hello.source_id,
    sourceKind: hello.source_kind,
    agent: hello.agent,
    mode: hello.mode,
    socketPath: hello.socket_path ?? null,
    channel: sourceChannel(hello.source_id),
    registeredAtMs: at.nowMs,
    // The hello of a push source is its first message; a pull source must answer a pull first.
    lastContactAtMs: hello.mode === 'push' ? at.nowMs : null,
    isRevoked: false,
    trouble: null,
    isAckLost: false,
    fetched: committed,
    committed,
    events: before?.events ?? 0,
    checkpoints: isSame ? (before?.checkpoints ?? []) : [],
    refusedAtMs: isSame ? (before?.refusedAtMs ?? []) : [],
    waiting: [],
    acknowledgedTokens: isSame ? (before?.acknowledgedTokens ?? []) : [],
  };
}

export function sourceState(
  record: RegisteredSource,
  { nowMs, channelDownMs }: SourceMoment,
): SourceState {
  if (record.isRevoked) return 'revoked';
  if (record.lastContactAtMs === null) return 'pending';
  if (record.isAckLost || nowMs - record.lastContactAtMs > channelDownMs) return 'stale';
  return 'active';
}

/** It sent something: a heartbeat, a delivery, a reply. */
export const noteContact = (record: RegisteredSource, nowMs: number): RegisteredSource => ({
  ...record,
  lastContactAtMs: nowMs,
  trouble: record.isAckLost ? record.trouble : null,
});

/** It could not be reached or understood. Only time makes it stale. */
export const noteTrouble = (record: RegisteredSource, trouble: string): RegisteredSource => ({
  ...record,
  trouble,
});

export const setRevoked = (record: RegisteredSource, isRevoked: boolean): RegisteredSource => ({
  ...record,
  isRevoked,
  waiting: [],
  lastContactAtMs: isRevoked ? record.lastContactAtMs : null,
});

/** Events were read up to here and are about to be stored. */
export const noteFetched = (record: RegisteredSource, cursor: string | null): RegisteredSource => ({
  ...record,
  fetched: cursor,
});

/** What was read could not be stored: it is read again from what was. */
export const undoFetch = (record: RegisteredSource): RegisteredSource => ({
  ...record,
  fetched: record.committed,
});

/** Everything up to the cursor is in the store. */
export function noteCommitted(
  record: RegisteredSource,
  cursor: string | null,
  delivery: { readonly events: number; readonly nowMs: number },
): RegisteredSource {
  const events = record.events + delivery.events;
  const committed = cursor ?? record.committed;
  const last = record.checkpoints.at(-1);
  const isDue =
    committed !== null &&
    (!last ||
      delivery.nowMs - last.atMs >= CHECKPOINT_MS ||
      events - last.events >= CHECKPOINT_EVENTS);
  const added = isDue ? [{ cursor: committed, atMs: delivery.nowMs, events }] : [];
  const checkpoints = [...record.checkpoints, ...added].filter(
    (each) => delivery.nowMs - each.atMs <= REWIND_MS && events - each.events <= REWIND_EVENTS,
  );
  return { ...record, events, committed, fetched: committed, checkpoints };
}

/** The receipt of a delivery carries this token. */
export function noteDelivery(record: RegisteredSource, token: string): RegisteredSource {
  return { ...record, waiting: [...record.waiting, token].slice(-DELIVERIES_MAX) };
}

/** Null when the token is not one of ours. */
export function acknowledge(record: RegisteredSource, token: string): RegisteredSource | null {
  if (record.acknowledgedTokens.includes(token)) return record;
  const at = record.waiting.indexOf(token);
  if (at < 0) return null;
  // An acknowledgement covers the deliveries before it.
  const done = record.waiting.slice(0, at + 1);
  return {
    ...record,
    isAckLost: false,
    trouble: null,
    waiting: record.waiting.slice(at + 1),
    acknowledgedTokens: [...record.acknowledgedTokens, ...done].slice(-DELIVERIES_MAX),
  };
}

/** No acknowledgement came through in all attempts. */
export const noteAckLost = (record: RegisteredSource): RegisteredSource => ({
  ...record,
  isAckLost: true,
  trouble: 'ack_retry_exhausted',
});

export interface Rewind {
  readonly record: RegisteredSource;
  readonly how: 'rewind' | 'resync';
}

/** Back to the last checkpoint that was not refused; to the start at the third refusal a minute. */
export function rewind(record: RegisteredSource, nowMs: number): Rewind {
  const refusedAtMs = [
    ...record.refusedAtMs.filter((atMs) => nowMs - atMs < RESYNC_WINDOW_MS),
    nowMs,
  ];
  const kept = record.checkpoints.filter(
    ({ cursor, atMs, events }) =>
      cursor !== record.fetched &&
      nowMs - atMs <= REWIND_MS &&
      record.events - events <= REWIND_EVENTS,
  );
  const last = kept.at(-1);
  if (!last || refusedAtMs.length >= RESYNC_STREAK) {
    const start = { fetched: null, committed: null, checkpoints: [], refusedAtMs: [] };
    return { how: 'resync', record: { ...record, ...start } };
  }
  const back = { fetched: last.cursor, committed: last.cursor };
  return { how: 'rewind', record: { ...record, ...back, checkpoints: kept, refusedAtMs } };
}

/** The record as clients see it. */
export function sourceItem(record: RegisteredSource, moment: SourceMoment): SourceItem {
  return {
    source_id: record.sourceId,
    source_kind: record.sourceKind,
    agent: record.agent,
    mode: record.mode,
    socket_path: record.socketPath,
    state: sourceState(record, moment),
    detail: record.trouble,
    channel: record.channel,
    registered_at: isoOf(record.registeredAtMs),
    last_heard_at: record.lastContactAtMs === null ? null : isoOf(record.lastContactAtMs),
    fetched_cursor: record.fetched,
    committed_cursor: record.committed,
    unacknowledged: record.waiting.length,
    events: record.events,
  };
}
