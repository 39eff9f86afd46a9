// Events that programs hand in, on their way into the loop: each becomes evidence, all of them one
// commit, and for each there is a result.

import { adapterOf } from '../../agents/registry.ts';
import type { Observation } from '../../core/ingest.ts';
import { redactEvidence } from '../../core/redact.ts';
import { resolveRef } from '../../core/view/resolve-ref.ts';
import { addressOf, liveRuntime, type PaneRecord } from '../../core/world.ts';
import type { IngestEvent, IngestResult } from '../../schema/api/ingest.ts';
import { type Evidence, evidenceSchema } from '../../schema/evidence.ts';
import { type ChannelName, type EventId, id, type RuntimeId } from '../../schema/ids.ts';
import { type Outcome, ok } from '../../schema/outcome.ts';
import type { ServerAddress } from '../../sources/known-pane.ts';
import { isSelfDeclared } from '../../sources/pane-agent.ts';
import { endOfSpeaker } from '../../sources/processes/self-declared.ts';
import {
  type EventOrigin,
  type EventReading,
  readIngestEvent,
  WRAPPER,
} from '../../sources/spool/event-evidence.ts';
import type { PaneHint } from '../../sources/watch/pane-hints.ts';
import type { AppliedBatch } from './engine.ts';
import type { Loop } from './loop.ts';
import { type WrappedEnd, wrappedEndOf } from './wrapped-ends.ts';

/** Events that come by the socket, not from a source of their own. */
export const API_CHANNEL = id<ChannelName>('api@local');

export interface IngestOptions extends EventOrigin {
  readonly loop: Loop;
  /** The servers that are watched: a bare `%3` is enough where there is one. */
  readonly socketPaths: readonly string[];
  /** An event named a pane of this server. */
  readonly onPaneHint: (server: ServerAddress, hint: PaneHint) => void;
  /** A program under `agtmux run` has ended. */
  readonly onWrappedEnd: (end: WrappedEnd) => void;
}

/** Applies events in their order. Throws what the store throws: then nothing was applied. */
export function ingestEvents(
  events: readonly IngestEvent[],
  channel: ChannelName,
  options: IngestOptions,
): readonly IngestResult[] {
  const readings = events.map((event) => readEvent(event, channel, options));
  const observations = readings.flatMap((reading): readonly Observation[] =>
    reading.kind === 'evidence' ? [{ kind: 'evidence', evidence: reading.evidence }] : [],
  );
  const applied = observations.length === 0 ? null : options.loop.submit(observations);
  return events.map((event, index) => {
    const reading = readings[index] ?? quarantined;
    if (reading.kind === 'evidence') followUp(event, reading, applied, options);
    return resultOf(event, reading, applied);
  });
}

/** An event that crashed the daemon twice is not parsed again. */
function readEvent(event: IngestEvent, channel: ChannelName, options: IngestOptions): EventReading {
  const { event_id: eventId } = event;
  const read = () => readAdmitted(event, channel, options);
  // An event without an id is not sent again, so it crashes the daemon once at most.
  if (eventId === undefined) return read();
  return options.loop.read(id<EventId>(eventId), read) ?? quarantined;
}

const quarantined: EventReading = {
  kind: 'refused',
  code: 'invalid_source_event',
  reason: 'it ended the daemon twice and is not read any more',
};

function readAdmitted(
  event: IngestEvent,
  channel: ChannelName,
  options: IngestOptions,
): EventReading {
  const { targetId, loop } = options;
  const found = paneOf(event, options);
  if (!found.ok) {
    const { code, message } = found.refusal;
    return { kind: 'refused', code, reason: message };
  }
  const pane = found.value;
  const agent = pane && (liveRuntime(loop.world, pane.runtimeId)?.agent ?? null);
  const reading = readIngestEvent(event, {
    ...options,
    channel,
    // An event that names a pane of another machine belongs to that machine.
    targetId: pane?.targetId ?? targetId,
    pane: pane && { paneKey: pane.paneKey, agent },
  });
  return reading.kind === 'evidence' ? asStorable(reading) : reading;
}

/**
 * What strangers hand in is kept only if it can be read again: one stored event that nobody can
 * read would keep the next daemon from its start. It is checked as it is stored, its texts cut and
 * without its payload, which is no part of a replay.
 */
function asStorable(reading: Extract<EventReading, { kind: 'evidence' }>): EventReading {
  const { payload: _payload, ...evidence } = reading.evidence;
  const { error } = evidenceSchema.safeParse(redactEvidence(evidence));
  if (error === undefined) return reading;
  const { path, message } = error.issues[0] ?? { path: [], message: 'invalid' };
  const reason = `its ${path.join('.')} cannot be stored: ${message}`;
  return { kind: 'refused', code: 'invalid_source_event', reason };
}

/** Effects of an event after it is applied: read its pane, start or end an agent. */
function followUp(
  event: IngestEvent,
  { evidence, agent, ended }: Extract<EventReading, { kind: 'evidence' }>,
  applied: AppliedBatch | null,
  options: IngestOptions,
): void {
  const { loop, daemon, registry } = options;
  const stored = storedOf(evidence.eventId, applied);
  const end = stored && event.source === WRAPPER ? wrappedEndOf(event, evidence) : null;
  if (end) {
    options.onWrappedEnd(end);
    return;
  }
  const record = paneOfHint(evidence, options);
  if (!record?.facts) return;
  const { targetId, server, paneId, opaque } = record.facts;
  const runtime = liveRuntime(loop.world, record.runtimeId);
  if (ended && stored?.disposition === 'apply') {
    const isOwn = runtime !== null && stored.evidence.runtimeId === runtime.runtimeId;
    const isOver = isOwn && (runtime.pid === null || isSelfDeclared(runtime));
    if (isOver) loop.submit([endOfSpeaker(runtime.runtimeId, daemon.nowMs())]);
    return;
  }
  // An event alone does not start an agent that a process scan can find.
  const isFindable = adapterOf(registry(), agent) !== undefined && agent !== 'generic' && !opaque;
  const isNews = stored?.disposition === 'pending_bind' && !evidence.backfill;
  const mayStart = isNews && evidence.claims.length > 0 && !isFindable;
  options.onPaneHint({ targetId, server }, { paneId, agent: mayStart ? agent : null });
}

/**
 * The pane that an event names: by a runtime, by tmux's id and its server, by a reference. Null
 * where it names none, or one that is not listed yet; refused where it can name none, or several.
 */
function paneOf(event: IngestEvent, options: IngestOptions): Outcome<PaneRecord | null> {
  const { world } = options.loop;
  const { targetId } = options;
  if (event.runtime !== undefined) {
    const paneKey = world.runtimes.get(id<RuntimeId>(event.runtime))?.paneKey;
    return ok(paneKey === undefined ? null : (world.panes.get(paneKey) ?? null));
  }
  // A script reports on its own pane; for a hook the adapter decides.
  const isScript = event.source === 'emit';
  const paneId = event.pane ?? (isScript ? event.env?.['TMUX_PANE'] : undefined);
  const isPaneId = paneId !== undefined && /^%\d{1,9}$/.test(paneId);
  const server = isPaneId ? serverOf(event, options) : null;
  if (isPaneId && server !== null) {
    const paneKey = world.addresses.get(addressOf({ targetId, server, paneId }));
    return ok(paneKey ? (world.panes.get(paneKey) ?? null) : null);
  }
  return event.pane === undefined ? ok(null) : resolveRef(world, event.pane, 'act');
}

function serverOf(event: IngestEvent, { socketPaths, canonical }: IngestOptions): string | null {
  const named = event.server ?? event.env?.['TMUX']?.split(',')[0];
  if (named !== undefined) return canonical(named);
  const [only, ...others] = socketPaths;
  return others.length === 0 ? (only ?? null) : null;
}

/** The pane that an event or its adapter names. */
function paneOfHint({ bind }: Evidence, { loop, targetId }: IngestOptions): PaneRecord | null {
  const { server, paneId } = bind ?? {};
  const isPlaced = server !== undefined && paneId !== undefined;
  const address = isPlaced ? addressOf({ targetId, server, paneId }) : null;
  const paneKey = bind?.paneKey ?? (address && loop.world.addresses.get(address));
  return paneKey ? (loop.world.panes.get(paneKey) ?? null) : null;
}

function storedOf(eventId: EventId, applied: AppliedBatch | null) {
  const stored = applied?.events.find((each) => each.eventId === eventId);
  return stored?.type === 'evidence.observed' ? stored : null;
}

function resultOf(
  event: IngestEvent,
  reading: EventReading,
  applied: AppliedBatch | null,
): IngestResult {
  if (reading.kind !== 'evidence') {
    const isRefused = reading.kind === 'refused';
    return {
      event_id: event.event_id ?? '',
      outcome: reading.kind,
      code: isRefused ? reading.code : null,
      detail: reading.reason,
    };
  }
  const { eventId } = reading.evidence;
  const disposition = storedOf(eventId, applied)?.disposition ?? 'duplicate';
  const outcome = disposition === 'apply' ? 'applied' : disposition;
  const code =
    outcome === 'late' ? 'late_event' : outcome === 'duplicate' ? 'duplicate_event' : null;
  return { event_id: eventId, outcome, code, detail: null };
}
