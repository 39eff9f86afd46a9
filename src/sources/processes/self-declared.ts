// An agent that no adapter recognises and that declares itself by an OSC, an option or an event. In
// an opaque pane it is the program behind it; else the program in the foreground.

import type { NormalisedSignal } from '../../agents/adapter.ts';
import type { Observation } from '../../core/ingest.ts';
import type { EventOf } from '../../schema/event.ts';
import { type AgentName, id, type RuntimeId } from '../../schema/ids.ts';
import type { KnownPane } from '../known-pane.ts';
import type { PresenceSource } from './presence-source.ts';
import { selfDeclaredSignature, speakerIn, startOf } from './process-scan.ts';

export interface SelfStart {
  readonly observation: Observation;
  readonly runtimeId: RuntimeId;
}

/** The start of the agent that sent a signal; null where no program there can have sent it. */
export function startOfSpeaker(
  pane: KnownPane,
  signal: { readonly agent: AgentName } | NormalisedSignal,
  presence: PresenceSource,
  how: { readonly basis: 'osc' | 'option' | 'event'; readonly nowMs: number },
): SelfStart | null {
  if ('claims' in signal && signal.claims.length === 0) return null;
  const tree = presence.treeOf(pane);
  const process = tree === null || pane.facts.opaque ? null : speakerIn(tree);
  if (process === null && !pane.facts.opaque) return null;
  const named = 'claims' in signal ? signal.bind?.agent : signal.agent;
  const agent = named ?? id<AgentName>('generic');
  const fact = startOf(pane, { agent, process, signature: selfDeclaredSignature, ...how });
  return { observation: { kind: 'fact', fact }, runtimeId: fact.runtimeId };
}

/** The end of an agent without a process, declared by itself. */
export function endOfSpeaker(runtimeId: RuntimeId, atMs: number): Observation {
  const fact: Omit<EventOf<'runtime.ended'>, 'eventId'> = {
    type: 'runtime.ended',
    atMs,
    runtimeId,
    reason: 'no_agent',
    exitCode: null,
    crashed: false,
  };
  return { kind: 'fact', fact };
}
