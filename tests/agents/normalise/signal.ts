// Feeds raw signals to the normalisers of an agent's sources, and what they say to the engine.

import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { NormalisedSignal, NormaliserResult } from '../../../src/agents/adapter.ts';
import { normaliseSignal, sourceOrder } from '../../../src/agents/agent-sources.ts';
import { activityPatchSchema, type Claim, claimSchema } from '../../../src/schema/evidence.ts';
import { evidence, type Run, T0 } from '../../scenario.ts';

const samples = new URL('../../fixtures/samples/', import.meta.url);

export const sampleText = (name: string): string => readFileSync(new URL(name, samples), 'utf8');
export const sampleLines = (name: string): string[] =>
  sampleText(name)
    .split('\n')
    .filter((line) => line.trim() !== '');

/** The answer of a source: claims and activity fit their schemas, the rank is the source's. */
export function normalise(
  agent: string,
  source: string,
  raw: unknown,
  previous?: unknown,
): NormaliserResult {
  const normalised = normaliseSignal(agent, source, raw, { nowMs: T0, previous });
  if (normalised.kind === 'claims') checkSignal(normalised, rankOf(agent, source));
  else expect(normalised.reason).not.toBe('');
  return normalised;
}

const rankOf = (agent: string, source: string): number =>
  sourceOrder(agent).findIndex(({ name }) => name === source);

function checkSignal({ claims, activity, type }: NormalisedSignal, rank: number): void {
  expect(type).not.toBe('');
  for (const claim of claims) expect(claimSchema.parse(claim).rank).toBe(rank);
  const abouts = claims.map(({ about }) => about);
  expect(new Set(abouts).size).toBe(abouts.length);
  if (activity !== undefined) activityPatchSchema.parse(activity);
}

/** As `normalise`, for signals that must say something. */
export function normaliseClaims(
  agent: string,
  source: string,
  raw: unknown,
  previous?: unknown,
): NormalisedSignal {
  const normalised = normalise(agent, source, raw, previous);
  if (normalised.kind !== 'claims') throw new Error(`${normalised.kind}: ${normalised.reason}`);
  return normalised;
}

/** A signal in few words: `running`, `running/retrying`, `-` for no claim, `ended`, `ignored`. */
export function brief(normalised: NormaliserResult): string {
  if (normalised.kind !== 'claims') return normalised.kind;
  if (normalised.ended) return 'ended';
  if (normalised.claims.length === 0) return '-';
  return normalised.claims.map(briefClaim).join(' ');
}

const briefClaim = ({ says, reason, about }: Claim): string =>
  `${says}${reason === undefined ? '' : `/${reason}`}${about === 'turn' ? '' : '@'}`;

/** An event as our emitter hands it over. */
export const event = (name: string, payload: object = {}): object => ({ event: name, payload });

export interface Step {
  readonly agent: string;
  readonly source: string;
  readonly raw: unknown;
  readonly previous?: unknown;
}

/** Tells the engine what a source says at a moment after T0. Ignored signals tell nothing. */
export function tell(run: Run, atMs: number, { agent, source, raw, previous }: Step): Run {
  const normalised = normalise(agent, source, raw, previous);
  if (normalised.kind !== 'claims') return run;
  const kind = sourceOrder(agent).find(({ name }) => name === source)?.kind ?? 'edge';
  const tier = source === 'title' ? 'heuristic' : 'deterministic';
  const { claims, type, activity, sessionKey } = normalised;
  run.see(
    evidence(source, T0 + atMs, claims, {
      kind,
      tier,
      type,
      ...(activity === undefined ? {} : { activity }),
      ...(sessionKey === undefined ? {} : { sessionKey }),
    }),
  );
  return run;
}

/** The state and its reason, as `idle/interrupted`. */
export const stateOf = (run: Run): string => {
  const { state, reasonCode } = run.row();
  return reasonCode === null ? state : `${state}/${reasonCode}`;
};
