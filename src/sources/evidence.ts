// Normalised signals as evidence. Every source that reads a signal of an agent ends here, so that
// times, ids and ranks are given in one place.

import type { Adapter, NormaliseContext, NormalisedSignal, SourceSpec } from '../agents/adapter.ts';
import type { BindHint, Evidence } from '../schema/evidence.ts';
import { type ChannelName, type EventId, id, type RuntimeId } from '../schema/ids.ts';
import type { Daemon } from './known-pane.ts';

/** The facts around a signal. */
export interface Reading {
  readonly channel: ChannelName;
  readonly spec: SourceSpec;
  readonly runtimeId: RuntimeId | null;
  readonly bind: BindHint | null;
  /** Now, by the daemon's clock. */
  readonly nowMs: number;
  readonly eventId: string;
  /** The signal's own moment where its content has none: when a file was written. */
  readonly atMs?: number | undefined;
  readonly dedupeKey?: string | undefined;
  readonly sourceSeq?: number | undefined;
  readonly backfill?: boolean;
  readonly payload?: unknown;
}

export function evidenceOf(signal: NormalisedSignal, reading: Reading): Evidence {
  const { spec, nowMs, eventId } = reading;
  const sourceSeq = reading.sourceSeq ?? signal.sourceSeq;
  return {
    eventId: id<EventId>(eventId),
    source: spec.name,
    channel: reading.channel,
    tier: spec.tier,
    kind: spec.kind,
    type: signal.type,
    runtimeId: reading.runtimeId,
    bind: reading.bind,
    dedupeKey: reading.dedupeKey ?? signal.dedupeKey ?? eventId,
    ...(sourceSeq === undefined ? {} : { sourceSeq }),
    eventTimeMs: signal.eventTimeMs ?? reading.atMs ?? nowMs,
    ingestedAtMs: nowMs,
    backfill: reading.backfill ?? false,
    claims: [...signal.claims],
    ...(signal.activity === undefined ? {} : { activity: signal.activity }),
    ...(signal.sessionKey === undefined ? {} : { sessionKey: signal.sessionKey }),
    ...(signal.ended ? { ended: true } : {}),
    ...(reading.payload === undefined ? {} : { payload: reading.payload }),
  };
}

/** The evidence of a signal that was read off the pane of a runtime. */
export const paneEvidence = (
  signal: NormalisedSignal,
  daemon: Pick<Daemon, 'nextEventId'>,
  reading: Omit<Reading, 'bind' | 'eventId'>,
): Evidence => evidenceOf(signal, { ...reading, bind: null, eventId: daemon.nextEventId() });

/** The declaration of a source in an agent's adapter, or null. */
export function sourceOf(adapter: Adapter, source: string): SourceSpec | null {
  return adapter.sources.find(({ name }) => name === source) ?? null;
}

/** What a normaliser makes of a signal; null where the agent has no such source. */
export function normalise(
  adapter: Adapter,
  spec: SourceSpec,
  raw: unknown,
  moment: Pick<NormaliseContext, 'nowMs' | 'previous' | 'sessionKey'>,
): ReturnType<NonNullable<Adapter['normalisers'][string]>> | null {
  const normaliser = adapter.normalisers[spec.name];
  return normaliser ? normaliser(raw, { agent: adapter.agent, source: spec, ...moment }) : null;
}
