// From a signal of an agent's own source to evidence about one runtime, for every source of this
// folder. It uses the agent's adapter as it is now, which may have been switched off.

import { createHash } from 'node:crypto';
import type { NormaliseContext, NormalisedSignal } from '../../agents/adapter.ts';
import type { Evidence } from '../../schema/evidence.ts';
import type { ChannelName, RuntimeId } from '../../schema/ids.ts';
import { evidenceOf, normalise, sourceOf } from '../../sources/evidence.ts';
import type { AgentFilesContext } from './agent-files-source.ts';

const ID_DIGITS = 32;

/** Normalises a signal; null where it says nothing about the state. */
export function readSignal(
  { adapter, daemon }: AgentFilesContext,
  source: string,
  { raw, ...moment }: { readonly raw: unknown } & Pick<NormaliseContext, 'previous' | 'sessionKey'>,
): NormalisedSignal | null {
  const currentAdapter = adapter();
  const spec = currentAdapter && sourceOf(currentAdapter, source);
  if (currentAdapter === null || spec === null) return null;
  const signal = normalise(currentAdapter, spec, raw, { nowMs: daemon.nowMs(), ...moment });
  return signal?.kind === 'claims' ? signal : null;
}

/** Facts that do not come from the signal itself. */
export interface EvidenceFacts {
  readonly source: string;
  readonly runtimeId: RuntimeId;
  /** Set when it differs from the source's channel. */
  readonly channel?: ChannelName;
  readonly dedupeKey?: string;
  /** Set when the time alone does not show whether it is backfill. */
  readonly backfill?: boolean;
}

/** The evidence of a signal; null where the source has been switched off. */
export function evidenceOfSignal(
  { adapter, daemon, channel }: AgentFilesContext,
  signal: NormalisedSignal,
  { source, ...facts }: EvidenceFacts,
): Evidence | null {
  const currentAdapter = adapter();
  const spec = currentAdapter && sourceOf(currentAdapter, source);
  if (spec === null) return null;
  const nowMs = daemon.nowMs();
  const isOld = (signal.eventTimeMs ?? nowMs) < daemon.startedAtMs;
  const eventId = stableId(source, facts) ?? daemon.nextEventId();
  const reading = { channel: channel(source), backfill: isOld, ...facts };
  return evidenceOf(signal, { ...reading, spec, bind: null, nowMs, eventId });
}

/** Stable across restarts, so quarantine recognises the line. Null for a signal without a key. */
function stableId(
  source: string,
  { runtimeId, dedupeKey }: Pick<EvidenceFacts, 'runtimeId' | 'dedupeKey'>,
): string | null {
  if (dedupeKey === undefined) return null;
  const name = `${runtimeId}\n${source}\n${dedupeKey}`;
  return createHash('sha256').update(name).digest('hex').slice(0, ID_DIGITS);
}
