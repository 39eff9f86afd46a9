// A program under `agtmux run` that no adapter knows is running for as long as its process lives:
// nothing else reports what it does. Any signal that it sends itself ends this claim.

import { adapterOf, type Registry } from '../../agents/registry.ts';
import type { FoundAgent } from '../../core/identity/presence.ts';
import type { Observation } from '../../core/ingest.ts';
import { type Claim, TURN } from '../../schema/evidence.ts';
import { type ChannelName, id, type SourceName } from '../../schema/ids.ts';
import { paneEvidence, sourceOf } from '../evidence.ts';
import type { Daemon } from '../known-pane.ts';
import { WRAPPER } from '../spool/event-evidence.ts';

/** Not the source of the wrapper's own events: those may be read later and are of another time. */
const PROCESS = id<SourceName>('process');

export interface WrappedWorkContext {
  readonly daemon: Pick<Daemon, 'nextEventId'>;
  readonly registry: Registry;
  readonly channel: ChannelName;
  readonly nowMs: number;
}

/** That a wrapped program runs, since its process started; none where an adapter speaks for it. */
export function wrappedWork(
  { agent, runtimeId, pid, startedAtMs }: FoundAgent,
  { daemon, registry, channel, nowMs }: WrappedWorkContext,
): readonly Observation[] {
  const generic = adapterOf(registry, 'generic');
  const spec = generic && sourceOf(generic, WRAPPER);
  if (!spec || adapterOf(registry, agent) !== undefined) return [];
  const claim: Claim = {
    about: TURN,
    says: 'running',
    covers: ['running'],
    rank: spec.rank,
    basis: 'signal',
    rule: 'agtmux run',
  };
  const evidence = paneEvidence({ kind: 'claims', type: 'runs', claims: [claim] }, daemon, {
    channel,
    spec: { ...spec, name: PROCESS },
    runtimeId,
    nowMs,
    atMs: Math.min(nowMs, startedAtMs),
    dedupeKey: `runs ${pid} ${startedAtMs}`,
  });
  return [{ kind: 'evidence', evidence }];
}
