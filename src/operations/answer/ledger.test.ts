// The ledger never disagrees with the answer, over random streams of evidence.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allStreams, interleave, someChoices } from '../../../tests/laws/streams.ts';
import { agents, claim, evidence, paneKey, Run, runtimeId, T0 } from '../../../tests/scenario.ts';
import { withFirstScreen } from '../../core/evidence/first-screen.ts';
import { phaseOf } from '../../core/phase.ts';
import { liveClaims } from '../../core/state/verdict.ts';
import { type LedgerClaim, ledgerClaimSchema } from '../../schema/api/ledger.ts';
import { ledgerClaims, whyOf } from './ledger.ts';

function explainAt(run: Run, nowMs: number) {
  const { world, sightings } = run;
  const pane = world.panes.get(paneKey(0));
  const runtime = world.runtimes.get(runtimeId(0));
  if (!pane || !runtime) throw new Error('the agent is not there');
  return { pane, runtime, claims: ledgerClaims({ world, sightings, pane, runtime, nowMs }) };
}

const names = (claims: readonly LedgerClaim[]): [string, string][] =>
  claims.map(({ source, outcome }) => [source, outcome]);

function checkWinner({ pane, runtime, claims }: ReturnType<typeof explainAt>): void {
  for (const each of claims) ledgerClaimSchema.parse(each);
  const [winner, ...others] = claims.filter(({ outcome }) => outcome === 'won');
  const live = liveClaims(withFirstScreen(runtime));
  expect(others).toEqual([]);
  expect(winner !== undefined).toBe(pane.row.evidence.mode !== 'none' && live.length > 0);
  if (!winner?.says) return;
  const phase = phaseOf(winner.says);
  expect(phase).toBe(phaseOf(live[0]?.claim.says ?? 'running'));
  if (phase !== 'rest') expect(pane.row.state).toBe(phase);
  const tellers = live.filter((each) => phaseOf(each.claim.says) === phase);
  const isTeller = tellers.some(({ source }) => source === pane.row.evidence.source);
  if (isTeller) expect(winner.source).toBe(pane.row.evidence.source);
}

describe('over random streams', () => {
  test('a claim has won exactly when the row has its state and names it as evidence', () => {
    fc.assert(
      fc.property(allStreams(), someChoices, (streams, choices) => {
        const pieces = interleave(streams, choices);
        const run = new Run(agents()).see(...pieces);
        const nowMs = Math.max(T0, ...pieces.map(({ ingestedAtMs }) => ingestedAtMs));
        checkWinner(explainAt(run.tick(nowMs), nowMs));
      }),
      { numRuns: 300 },
    );
  });

  test('every source with evidence is listed, with a reason', () => {
    fc.assert(
      fc.property(allStreams(), someChoices, (streams, choices) => {
        const run = new Run(agents()).see(...interleave(streams, choices));
        const { runtime, claims, pane } = explainAt(run, T0 + 60_000);
        const listed = new Set(claims.map(({ source }) => source));
        expect([...runtime.sources.keys()].filter((source) => !listed.has(source))).toEqual([]);
        expect(claims.filter(({ why }) => why === '')).toEqual([]);
        expect(whyOf(pane, T0)).toContain(pane.row.state);
      }),
      { numRuns: 100 },
    );
  });
});

describe('in words', () => {
  test('the source that knows how the turn ended wins over one that only sees its end', () => {
    const run = new Run().see(
      evidence('hooks', T0 + 10, [claim('running')]),
      evidence('hooks', T0 + 20, [claim('completed')]),
      evidence('file', T0 + 25, [claim('at_rest', { rank: 0 })], { kind: 'level' }),
    );
    const { claims, pane } = explainAt(run, T0 + 30);
    expect(pane.row.state).toBe('completed');
    expect(names(claims)).toEqual([
      ['hooks', 'won'],
      ['file', 'supports'],
    ]);
  });

  test('a claim that needs a second reading is pending', () => {
    const changes = { kind: 'level', tier: 'heuristic' } as const;
    const run = new Run().see(
      evidence('screen', T0 + 10, [claim('at_rest', { basis: 'anchored' })], changes),
    );
    const { claims } = explainAt(run, T0 + 20);
    expect(claims).toMatchObject([
      { outcome: 'pending', why: 'it was seen once and waits for a second look', age_ms: 10 },
    ]);
  });

  test('while the process is stopped no claim wins, and the reason is shown', () => {
    const run = new Run().see(evidence('hooks', T0 + 10, [claim('running')]));
    run.apply({
      type: 'runtime.suspended',
      atMs: T0 + 20,
      runtimeId: runtimeId(0),
      suspended: true,
    });
    const { claims, pane } = explainAt(run, T0 + 30);
    expect(names(claims)).toEqual([['hooks', 'pending']]);
    expect(claims[0]?.why).toContain('the process is stopped');
    expect(whyOf(pane, T0 + 30)).toBe('unknown: the process is stopped');
  });

  test('an interruption wins over a completion of any source', () => {
    const ended = (name: string, says: 'completed' | 'interrupted', rank: number) =>
      evidence(name, T0 + 20, [claim(says, { rank, covers: [] })]);
    const run = new Run().see(
      ended('a', 'completed', 1),
      ended('b', 'interrupted', 5),
      ended('c', 'interrupted', 6),
    );
    const { claims, pane } = explainAt(run, T0 + 30);
    expect(pane.row).toMatchObject({ state: 'idle', reasonCode: 'interrupted' });
    expect(names(claims)).toEqual([
      ['b', 'won'],
      ['c', 'supports'],
      ['a', 'lost_precedence'],
    ]);
  });

  test('an interruption of an earlier turn was denied by the work that followed', () => {
    const run = new Run().see(
      evidence('a', T0 + 10, [claim('interrupted', { covers: [] })]),
      evidence('b', T0 + 20, [claim('running', { covers: [] })]),
      evidence('b', T0 + 30, [claim('completed', { covers: ['running'] })]),
    );
    const { claims, pane } = explainAt(run, T0 + 40);
    expect(pane.row.state).toBe('completed');
    expect(names(claims)).toEqual([
      ['b', 'won'],
      ['a', 'denied'],
    ]);
  });
});

test('a first screen that an earlier run has drawn is listed as denied, with the reason', () => {
  const drawn = claim('error', { basis: 'anchored', rank: 5 });
  const run = new Run().see(
    evidence('hooks', T0 + 500, [claim('began')]),
    evidence('screen', T0 + 900, [drawn], { kind: 'level', tier: 'heuristic' }),
  );
  const { claims } = explainAt(run, T0 + 1_000);
  expect(names(claims)).toEqual([
    ['hooks', 'won'],
    ['screen', 'denied'],
  ]);
  expect(claims[1]).toMatchObject({ says: 'error', why: expect.stringContaining('earlier run') });
});
