// Random streams of evidence for the laws: several sources of every kind, clocks that repeat and
// step back, requests, resets, duplicates. fast-check prints the seed that replays a failure.

import fc from 'fast-check';
import type { Claim, Evidence } from '../../src/schema/evidence.ts';
import { type EventId, id, type RuntimeId } from '../../src/schema/ids.ts';
import { says } from '../../src/schema/state.ts';
import { channel, everyState, runtimeId, source, T0 } from '../scenario.ts';

const { LAW_RUNS = '2000', LAW_SEED, LAW_PATH } = process.env;

/**
 * Streams tried for each law. LAW_RUNS searches longer; LAW_SEED and LAW_PATH, together with `-t`
 * and the name of the test, replay the failure that printed them.
 */
export const options: fc.Parameters<unknown> & { numRuns: number } = {
  numRuns: Number(LAW_RUNS),
  ...(LAW_SEED === undefined ? {} : { seed: Number(LAW_SEED) }),
  ...(LAW_PATH === undefined ? {} : { path: LAW_PATH }),
};

export interface Teller {
  readonly name: string;
  readonly kind: Evidence['kind'];
  readonly tier: Evidence['tier'];
  readonly rank: number;
  readonly basis: Claim['basis'];
}

/** Five sources as real agents have them; ranks collide on purpose. */
export const tellers: readonly Teller[] = [
  { name: 'file', kind: 'level', tier: 'deterministic', rank: 0, basis: 'signal' },
  { name: 'hooks', kind: 'edge', tier: 'deterministic', rank: 1, basis: 'signal' },
  { name: 'osc', kind: 'edge', tier: 'deterministic', rank: 1, basis: 'signal' },
  { name: 'title', kind: 'level', tier: 'heuristic', rank: 2, basis: 'signal' },
  { name: 'screen', kind: 'level', tier: 'heuristic', rank: 4, basis: 'anchored' },
];

const aClaim = (teller: Teller): fc.Arbitrary<Claim> =>
  fc.record({
    about: fc.constantFrom('turn', 'turn', 'turn', 'ask-1', 'ask-2') as fc.Arbitrary<
      Claim['about']
    >,
    says: fc.constantFrom(...says),
    covers: fc.subarray(everyState),
    rank: fc.constant(teller.rank),
    basis: fc.constant(teller.basis),
  });

/** The evidence of one source in its own order. Steps of zero and below: clocks do that. */
export function streamOf(
  teller: Teller,
  runtime: RuntimeId = runtimeId(0),
): fc.Arbitrary<Evidence[]> {
  const step = fc.record({
    stepMs: fc.constantFrom(0, 1, 40, 300, 900, 2_500, -200),
    lagMs: fc.constantFrom(0, 1, 30, 400, 45_000),
    withSeq: fc.boolean(),
    claims: fc.uniqueArray(aClaim(teller), { maxLength: 2, selector: (claim) => claim.about }),
    title: fc.option(fc.constantFrom('one', 'two'), { nil: undefined }),
    session: fc.option(fc.constantFrom('s-1', 's-2'), { nil: undefined }),
  });
  return fc.array(step, { maxLength: 6 }).map((steps) => {
    let nowMs = T0;
    let ingestedAtMs = T0;
    return steps.map((each, index): Evidence => {
      nowMs += each.stepMs;
      ingestedAtMs = Math.max(ingestedAtMs + 1, nowMs + each.lagMs);
      const key = `${teller.name}-${runtime}-${index}`;
      return {
        eventId: id<EventId>(key),
        source: source(teller.name),
        channel: channel(`${teller.name}@local`),
        tier: teller.tier,
        kind: teller.kind,
        type: 'told',
        runtimeId: runtime,
        bind: null,
        dedupeKey: key,
        ...(each.withSeq ? { sourceSeq: index } : {}),
        eventTimeMs: nowMs,
        ingestedAtMs,
        backfill: false,
        claims: each.claims,
        ...(each.title === undefined ? {} : { activity: { title: each.title } }),
        ...(each.session === undefined ? {} : { sessionKey: id(each.session) }),
      };
    });
  });
}

/** One stream for each of the five sources. */
export const allStreams = (runtime?: RuntimeId): fc.Arbitrary<Evidence[][]> =>
  fc.tuple(...tellers.map((teller) => streamOf(teller, runtime)));

/** Merges streams by a list of choices, so that each stream keeps its own order. */
export function interleave<Each>(
  streams: readonly (readonly Each[])[],
  choices: readonly number[],
): Each[] {
  const rest = streams.map((stream) => [...stream]);
  const merged: Each[] = [];
  for (let turn = 0; rest.some((stream) => stream.length > 0); turn += 1) {
    const open = rest.filter((stream) => stream.length > 0);
    const pick = open[(choices[turn % Math.max(1, choices.length)] ?? 0) % open.length];
    const next = pick?.shift();
    if (next !== undefined) merged.push(next);
  }
  return merged;
}

export const someChoices: fc.Arbitrary<number[]> = fc.array(fc.nat(4), {
  minLength: 1,
  maxLength: 40,
});

/** Repeats some pieces right away or later, as two channels and a spool read twice do. */
export function withRepeats(stream: readonly Evidence[], marks: readonly number[]): Evidence[] {
  const repeated = stream.flatMap((piece, index) =>
    (marks[index % Math.max(1, marks.length)] ?? 0) % 3 === 0 ? [piece, piece] : [piece],
  );
  const later = stream.filter(
    (_, index) => (marks[(index + 1) % Math.max(1, marks.length)] ?? 0) % 4 === 1,
  );
  return [...repeated, ...later];
}
