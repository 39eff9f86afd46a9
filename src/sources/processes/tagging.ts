// The agent that a person names for a pane whose processes cannot be seen.

import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { Batches, KnownPane } from '../known-pane.ts';
import type { PresenceSource } from './presence-source.ts';
import { endOfSpeaker } from './self-declared.ts';

export interface Tag {
  readonly paneId: string;
  /** Undefined removes the tag. */
  readonly agent: string | undefined;
  readonly paneOf: (paneId: string) => KnownPane | null;
  readonly nowMs: number;
}

/** Refused where the processes can be seen and no such agent is among them. */
export function* tagPane(presence: PresenceSource, tag: Tag): Batches<Outcome<null>> {
  const { paneId, agent, nowMs } = tag;
  presence.tag(paneId, agent);
  yield presence.scan(nowMs);
  const runtime = tag.paneOf(paneId)?.runtime ?? null;
  if (agent === undefined) {
    if (runtime?.basis === 'tag') yield [endOfSpeaker(runtime.runtimeId, nowMs)];
    return ok(null);
  }
  if (runtime?.agent === agent) return ok(null);
  // A tag that was refused must not count later, when the person has forgotten it.
  presence.tag(paneId, undefined);
  const why = `the processes of ${paneId} can be seen, and no ${agent} is among them`;
  return refuse('E_TAG_REFUSED', why);
}
