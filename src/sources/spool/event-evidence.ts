// Events that programs hand in (a hook's file, `agtmux emit`, a third-party source) as evidence. An
// agent's adapter says what its events mean and which sources may speak for it.

import type { Adapter, NormalisedSignal, SourceSpec } from '../../agents/adapter.ts';
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
  type SourceName,
  sourceChannel,
  type TargetId,
} from '../../schema/ids.ts';
import type { ProblemCode } from '../../schema/problem.ts';
import { evidenceOf, normalise, sourceOf } from '../evidence.ts';
import type { Daemon } from '../known-pane.ts';

/** Where events come from. */
export interface EventOrigin {
  readonly daemon: Daemon;
  readonly registry: () => Registry;
  readonly targetId: TargetId;
  /** One spelling for one socket of that target. */
  readonly canonical: (socketPath: string) => string;
  /** Turns a time of the clock of that target into one of the daemon's. */
  readonly toDaemonMs: (hostMs: number) => number;
}

export interface EventContext extends EventOrigin {
  readonly channel: ChannelName;
  /**
   * The pane that the event names, where it could be found: its agent counts where the event names
   * none. The environment of a hook names a pane too; only the adapter knows whether it is right.
   */
  readonly pane: { readonly paneKey: PaneKey; readonly agent: AgentName | null } | null;
}

/** What one event comes to. */
export type EventReading =
  | {
      readonly kind: 'evidence';
      readonly evidence: Evidence;
      readonly agent: AgentName;
      /** The event is the end of the agent. */
      readonly ended: boolean;
    }
  | { readonly kind: 'ignored'; readonly reason: string }
  | { readonly kind: 'refused'; readonly code: ProblemCode; readonly reason: string };

/** The source of `agtmux emit`. */
const EMIT = 'emit';
/** The source of `agtmux run`. */
export const WRAPPER = 'wrapper';

const refused = (code: ProblemCode, reason: string): EventReading => ({
  kind: 'refused',
  code,
  reason,
});

/** Reads an event. Its evidence need not belong to a runtime yet. */
export function readIngestEvent(event: IngestEvent, context: EventContext): EventReading {
  const { daemon, toDaemonMs } = context;
  const speaker = speakerOf(event, context);
  if (typeof speaker === 'string') return refused('source_inadmissible', speaker);
  const { agent, adapter, spec, reader } = speaker;
  const nowMs = daemon.nowMs();
  const hook = { event: event.type, payload: event.payload ?? {}, env: event.env ?? {} };
  const signal = normalise(adapter, reader, hook, { nowMs, sessionKey: sessionOf(event) });
  if (signal === null) return refused('source_inadmissible', `${event.source} cannot be read`);
  if (signal.kind === 'unknown') return refused('invalid_source_event', signal.reason);
  if (signal.kind === 'ignored') return signal;
  const hostMs = signal.eventTimeMs ?? event.event_time_ms;
  const atMs = hostMs === undefined ? nowMs : Math.max(0, toDaemonMs(hostMs));
  const evidence = evidenceOf(
    { ...signal, eventTimeMs: atMs },
    {
      channel: context.channel,
      spec,
      runtimeId: event.runtime === undefined ? null : id<RuntimeId>(event.runtime),
      bind: bindOf(event, agent, context, signal),
      nowMs,
      eventId: event.event_id ?? daemon.nextEventId(),
      dedupeKey: signal.dedupeKey ?? event.dedupe_key,
      sourceSeq: event.source_seq,
      backfill: atMs < daemon.startedAtMs,
      payload: event.payload,
    },
  );
  return { kind: 'evidence', evidence, agent, ended: signal.ended ?? false };
}

/** A script may name a pane that is not listed yet; for hooks the adapter decides. */
function namedPane(
  { source, pane, server }: IngestEvent,
  { canonical }: EventContext,
): Pick<BindHint, 'paneId' | 'server'> {
  const isPaneId = pane !== undefined && /^%\d{1,9}$/.test(pane);
  if (!isPaneId || server === undefined || source !== EMIT) return {};
  return { paneId: pane, server: canonical(server) };
}

interface Speaker {
  readonly agent: AgentName;
  readonly adapter: Adapter;
  readonly spec: SourceSpec;
  /** The agent whose normaliser reads its events. */
  readonly reader: SourceSpec;
}

/** The agent and the source of an event, or why the source is refused for the agent. */
function speakerOf(event: IngestEvent, context: EventContext): Speaker | string {
  const { registry, pane } = context;
  const anybody = [EMIT, WRAPPER].includes(event.source) ? 'generic' : null;
  const agent = event.agent ?? pane?.agent ?? anybody;
  if (agent === null) return 'it names no agent, nor does its pane';
  const adapter = adapterOf(registry(), agent) ?? adapterOf(registry(), 'generic');
  if (adapter?.health.status !== 'ok') return `the adapter of ${agent} is off`;
  const known = sourceOf(adapter, event.source);
  const reader = known ?? (isRegistered(event, context) ? sourceOf(adapter, EMIT) : null);
  if (reader === null) return `${event.source} does not speak for ${agent}`;
  const spec = known ?? { ...reader, name: id<SourceName>(event.source) };
  return { agent: id<AgentName>(agent), adapter, spec, reader };
}

/** A third-party source speaks under its own name, in the words of a script, on its own channel. */
const isRegistered = ({ source }: IngestEvent, { channel }: EventContext): boolean =>
  channel === sourceChannel(source);

/** An empty key names no session, as an absent one does. */
const sessionOf = ({ session_key: key }: IngestEvent): SessionKey | undefined =>
  key === undefined || key === '' ? undefined : id<SessionKey>(key);

function bindOf(
  event: IngestEvent,
  agent: AgentName,
  context: EventContext,
  signal: NormalisedSignal,
): BindHint {
  const sessionKey = sessionOf(event) ?? signal.sessionKey;
  const { targetId, pane, canonical } = context;
  const { server, ...hint } = signal.bind ?? {};
  return {
    targetId,
    ...hint,
    ...(server === undefined ? {} : { server: canonical(server) }),
    ...namedPane(event, context),
    ...(pane === null ? {} : { paneKey: pane.paneKey }),
    // A wrapper knows the process and not always its agent.
    ...(event.source === WRAPPER ? {} : { agent }),
    ...(event.pid === undefined ? {} : { pid: event.pid }),
    ...(sessionKey === undefined ? {} : { sessionKey }),
  };
}
