// Random observations from a seed, the same on every machine: panes with agents in them, and
// evidence that says anything at all of them.

import type { Observation } from '../../src/core/ingest.ts';
import type { Claim } from '../../src/schema/evidence.ts';
import { says } from '../../src/schema/state.ts';
import { claim, everyState, evidence, paneAppears, runtimeId, runtimeStarts } from '../scenario.ts';

/** A small generator (mulberry32): the same seed gives the same numbers on every machine. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const pick = <Each>(random: () => number, list: readonly Each[]): Each =>
  list[Math.floor(random() * list.length)] as Each;

/** Panes with an agent in each, as the first batch of a stream. */
export function firstBatch(panes: number, atMs: number): Observation[] {
  return Array.from({ length: panes }, (_, index) => index).flatMap((index): Observation[] => [
    { kind: 'fact', fact: paneAppears(index, atMs) },
    { kind: 'fact', fact: runtimeStarts(index, 1, atMs) },
  ]);
}

/** One piece of evidence of a random agent. `serial` makes its key its own. */
export function randomEvidence(
  random: () => number,
  { panes, serial, atMs }: { panes: number; serial: number; atMs: number },
): Observation {
  const index = Math.floor(random() * panes);
  const isLevel = random() < 0.3;
  const name = isLevel ? 'file' : pick(random, ['hooks', 'osc', 'transcript']);
  const word: Claim['says'] = pick(random, says);
  const isAsk = word === 'waiting_approval' || word === 'waiting_input';
  const about = isAsk ? { about: `ask-${serial % 7}` as Claim['about'] } : {};
  const newClaim = claim(word, {
    covers: everyState,
    rank: isLevel ? 0 : 2,
    rule: `rule-${serial}`,
    ...about,
  });
  return {
    kind: 'evidence',
    evidence: evidence(name, atMs, [newClaim], {
      runtimeId: runtimeId(index),
      kind: isLevel ? 'level' : 'edge',
      eventId: `${name}-${serial}` as never,
      dedupeKey: `${name}-${serial}`,
      sourceSeq: serial,
      payload: { hook_event_name: 'PreToolUse', tool_name: 'Bash', cwd: '/home/someone/project' },
    }),
  };
}
