// Events that programs tell the daemon (a hook's file, `agtmux emit`, a third-party source) as
// evidence. Which agent it is and whether that source may speak for it, the adapter says.

import type { Adapter, SourceSpec } from '../../agents/adapter.ts';
import { adapterOf, type Registry } from '../../agents/registry.ts';
import type { IngestEvent } from '../../schema/api/ingest.ts';
import type { BindHint, Evidence } from '../../schema/evidence.ts';
import {
  type AgentName,
  type ChannelName,
  id,
  type PaneKey,
  type RuntimeId,
  type SessionKey,
  type TargetId,
} from '../../schema/ids.ts';
import type { ProblemCode } from '../../schema/problem.ts';
import { evidenceOf, normalise, sourceOf } from '../evidence.ts';
import type { Daemon } from '../known-pane.ts';

export interface EventContext {
  readonly channel: ChannelName;
  readonly targetId: TargetId;
  /** One spelling for one socket of that target. */
  readonly canonical: (socketPath: string) => string;
  /** What makes a time by the clock of that target one by ours; 0 where it is not told. */
  readonly clockShiftMs?: number | undefined;
  readonly registry: Registry;
  readonly daemon: Daemon;
  /**
   * The pane that the teller names, where it could be found; it tells the agent if nobody did. The
   * environment of a hook names one too, and only the adapter knows whether that may be believed.
   */
  readonly pane: { readonly paneKey: PaneKey; readonly agent: AgentName | null } | null;
}

export type EventReading =
  | {
      readonly kind: 'evidence';
      readonly evidence: Evidence;
      readonly agent: AgentName;
      /** The agent said that it is over. */
      readonly ended: boolean;
    }
  | { readonly kind: 'ignored'; readonly reason: string }
  | { readonly kind: 'refused'; readonly code: ProblemCode; readonly reason: string };

/** The source of `agtmux run`. */
const WRAPPER = 'wrapper';

const refused = (code: ProblemCode, reason: string): EventReading => ({
  kind: 'refused',
  code,
  reason,
});

/** What one event comes to. It need not belong to a runtime yet. */
export function readIngestEvent(event: IngestEvent, context: EventContext): EventReading {
  const { daemon } = context;
  const speaker = speakerOf(event, context);
  if (typeof speaker === 'string') return refused('source_inadmissible', speaker);
  const { agent, adapter, spec } = speaker;
  const nowMs = daemon.nowMs();
  const sessionKey = event.session_key === undefined ? {} : { sessionKey: sessionOf(event) };
  const raw = { event: event.type, payload: event.payload ?? {}, env: event.env ?? {} };
  const told = normalise(adapter, spec, raw, { nowMs, ...sessionKey });
  if (told === null) return refused('source_inadmissible', `${event.source} cannot be read`);
  if (told.kind === 'unknown') return refused('invalid_source_event', told.reason);
  if (told.kind === 'ignored') return told;
  const toldMs = told.eventTimeMs ?? event.event_time_ms;
  const atMs = toldMs === undefined ? nowMs : Math.max(0, toldMs + (context.clockShiftMs ?? 0));
  const evidence = evidenceOf(
    { ...told, eventTimeMs: atMs },
    {
      channel: context.channel,
      spec,
      runtimeId: event.runtime === undefined ? null : id<RuntimeId>(event.runtime),
      bind: bindOf(event, agent, context, told.bind, told.sessionKey),
      nowMs,
      eventId: event.event_id ?? daemon.nextEventId(),
      dedupeKey: told.dedupeKey ?? event.dedupe_key,
      sourceSeq: event.source_seq,
      backfill: atMs < daemon.startedAtMs,
      payload: event.payload,
    },
  );
  return { kind: 'evidence', evidence, agent, ended: told.ended ?? false };
}

/** A pane that a script names may not be listed yet; of hooks the adapter knows what to trust. */
function namedPane(
  { source, pane, server }: IngestEvent,
  { canonical }: EventContext,
): Pick<BindHint, 'paneId' | 'server'> {
  const isPaneId = pane !== undefined && /^%\d{1,9}$/.test(pane);
  if (!isPaneId || server === undefined || source !== 'emit') return {};
  return { paneId: pane, server: canonical(server) };
}

interface Speaker {
  readonly agent: AgentName;
  readonly adapter: Adapter;
  readonly spec: SourceSpec;
}

/** Whose event it is and the source that it comes from, or why that source may not speak. */
function speakerOf(event: IngestEvent, { registry, pane }: EventContext): Speaker | string {
  const anybody = ['emit', WRAPPER].includes(event.source) ? 'generic' : null;
  const agent = event.agent ?? pane?.agent ?? anybody;
  if (agent === null) return 'it names no agent, nor does its pane';
  const adapter = adapterOf(registry, agent) ?? adapterOf(registry, 'generic');
  if (adapter?.health.status !== 'ok') return `the adapter of ${agent} is off`;
  const spec = sourceOf(adapter, event.source);
  if (spec === null) return `${event.source} does not speak for ${agent}`;
  return { agent: id<AgentName>(agent), adapter, spec };
}

const sessionOf = (event: IngestEvent): SessionKey => id<SessionKey>(event.session_key ?? '');

function bindOf(
  event: IngestEvent,
  agent: AgentName,
  context: EventContext,
  told: Partial<Omit<BindHint, 'targetId'>> | undefined,
  toldSession: SessionKey | undefined,
): BindHint {
  const sessionKey = event.session_key === undefined ? toldSession : sessionOf(event);
  const { targetId, pane, canonical } = context;
  const { server, ...rest } = told ?? {};
  return {
    targetId,
    ...rest,
    ...(server === undefined ? {} : { server: canonical(server) }),
    ...namedPane(event, context),
    ...(pane === null ? {} : { paneKey: pane.paneKey }),
    // A wrapper knows the process and not always what it is.
    ...(event.source === WRAPPER ? {} : { agent }),
    ...(event.pid === undefined ? {} : { pid: event.pid }),
    ...(sessionKey === undefined ? {} : { sessionKey }),
  };
}
