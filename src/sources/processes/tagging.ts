// A person's word for the agent in a pane whose processes cannot be seen.

import type { Observation } from '../../core/ingest.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { KnownPane } from '../known-pane.ts';
import type { PresenceSource } from './presence-source.ts';
import { endOfSpeaker } from './self-declared.ts';

export interface Tagging {
  readonly paneId: string;
  /** Undefined takes the word back. */
  readonly agent: string | undefined;
  readonly presence: PresenceSource;
  readonly known: () => KnownPane | null;
  readonly submit: (observations: readonly Observation[]) => unknown;
  readonly nowMs: number;
}

/** Refused where the processes can be seen and say otherwise. */
export function tagPane({ paneId, agent, presence, known, submit, nowMs }: Tagging): Outcome<null> {
  presence.tag(paneId, agent);
  submit(presence.scan(nowMs));
  const runtime = known()?.runtime ?? null;
  if (agent === undefined) {
    if (runtime?.basis === 'tag') submit([endOfSpeaker(runtime.runtimeId, nowMs)]);
    return ok(null);
  }
  if (runtime?.agent === agent) return ok(null);
  // What was refused must not count later, when somebody has forgotten it.
  presence.tag(paneId, undefined);
  const why = `the processes of ${paneId} can be seen, and no ${agent} is among them`;
  return refuse('E_TAG_REFUSED', why);
}
