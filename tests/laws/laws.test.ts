// The ten laws of the state model as properties over random streams. A failure prints the seed and
// path that replay it (see streams.ts).

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { phaseOf } from '../../src/core/phase.ts';
import { liveClaims } from '../../src/core/state/verdict.ts';
import type { Evidence } from '../../src/schema/evidence.ts';
import { id } from '../../src/schema/ids.ts';
import type { State } from '../../src/schema/state.ts';
import {
  about,
  agents,
  claim,
  config,
  currentWorld,
  everyState,
  evidence,
  local,
  paneKey,
  Run,
  runtimeId,
  runtimeStarts,
  source,
  T0,
} from '../scenario.ts';
import {
  allStreams,
  interleave,
  options,
  someChoices,
  streamOf,
  tellers,
  withRepeats,
} from './streams.ts';

const live = (run: Run) => {
  const runtime = run.world.runtimes.get(runtimeId(0));
  if (!runtime) throw new Error('no runtime');
  return runtime;
};

const lastOf = (pieces: readonly Evidence[]): number =>
  Math.max(T0, ...pieces.map((piece) => piece.ingestedAtMs));

describe('law 1: the same evidence gives the same world', () => {
  test('in any interleaving of sources, with any repeats', () => {
    fc.assert(
      fc.property(allStreams(), someChoices, someChoices, someChoices, (streams, a, b, marks) => {
        const plain = new Run().see(...interleave(streams, a));
        const repeated = streams.map((stream) => withRepeats(stream, marks));
        const other = new Run().see(...interleave(repeated, b));
        expect(currentWorld(other.world)).toEqual(currentWorld(plain.world));
      }),
      options,
    );
  });

  test('whether the runtime is known before its evidence or after', () => {
    fc.assert(
      fc.property(allStreams(), someChoices, fc.nat(30), (streams, choices, at) => {
        const pieces = interleave(streams, choices).map((piece) => ({
          ...piece,
          runtimeId: null,
          bind: { targetId: local, paneKey: paneKey(0) },
        }));
        const [start] = agents().slice(-1);
        const before = agents().slice(0, -1);
        const early = new Run().see(...pieces);
        const cut = at % (pieces.length + 1);
        const late = new Run(before).see(...pieces.slice(0, cut));
        if (start) late.apply(start);
        late.see(...pieces.slice(cut));
        expect(currentWorld(late.world)).toEqual(currentWorld(early.world));
      }),
      options,
    );
  });

  test('older evidence than the cursor is kept as late and changes nothing', () => {
    const newer = evidence('hooks', T0 + 20, [claim('running')], { sourceSeq: 2 });
    const older = evidence('hooks', T0 + 30, [claim('error')], { sourceSeq: 1 });
    const run = new Run().see(newer, older);
    expect(run.row().state).toBe('running');
    expect(run.events.at(-1)).toMatchObject({ type: 'evidence.observed', disposition: 'late' });
  });

  test('an event time out of all reason is taken for the moment of arrival', () => {
    const wild = evidence('hooks', T0 + 50, [claim('waiting_approval')], {
      eventTimeMs: T0 + 3_600_000,
    });
    const answered = evidence('osc', T0 + 60, [claim('running')]);
    expect(new Run().see(wild, answered).row().state).toBe('running');
  });
});

describe('law 2: an old runtime never changes a newer one', () => {
  test('by evidence that names it, at any time', () => {
    fc.assert(
      fc.property(allStreams(), allStreams(runtimeId(0, 2)), someChoices, (old, young, choices) => {
        const start = [...agents(), runtimeStarts(0, 2, T0 + 1)];
        const alone = new Run(start).see(...interleave(young, choices));
        const both = new Run(start).see(...interleave([...young, ...old], choices));
        const { rowSeq: _a, updatedAtMs: _b, sinceMs: _c, stateVersion: _d, ...now } = both.row();
        expect(alone.row()).toMatchObject(now);
      }),
      options,
    );
  });

  test('nor by evidence without a name from before its start', () => {
    const start = [...agents(), runtimeStarts(0, 2, T0 + 60_000)];
    const stray = evidence('hooks', T0 + 50_000, [claim('error')], {
      runtimeId: null,
      bind: { targetId: local, paneKey: paneKey(0) },
      ingestedAtMs: T0 + 60_000,
      eventTimeMs: T0 + 50_001,
    });
    const run = new Run(start).see(stray);
    expect(run.row().reasonCode).toBe('no_evidence');
    expect(run.world.pending.size).toBe(1);
    run.tick(T0 + 60_000 + config.pendingBindMs);
    expect(run.world.pending.size).toBe(0);
    expect(run.eventTypes()).toContain('evidence.dropped');
  });

  test('a process id in the hint decides, whatever the time says', () => {
    const hint = (pid: number) =>
      evidence('hooks', T0 + 10, [claim('running')], {
        runtimeId: null,
        bind: { targetId: local, paneKey: paneKey(0), pid },
      });
    expect(new Run().see(hint(2_001)).row().state).toBe('running');
    expect(new Run().see(hint(4_711)).row().state).toBe('unknown');
  });
});

describe('law 3: silence is not evidence', () => {
  test('nothing active becomes idle, completed, failed or gone because nothing came', () => {
    const active: State[] = ['running', 'waiting_approval', 'waiting_input'];
    fc.assert(
      fc.property(
        allStreams(),
        someChoices,
        fc.subarray(tellers.map(({ name }) => name)),
        (streams, choices, beating) => {
          const pieces = interleave(streams, choices);
          const run = new Run().see(...pieces);
          const fromMs = lastOf(pieces);
          // Rest that is still undecided is no silence: a source said that the turn is over.
          run.tick(fromMs + config.restSilenceMs).tick(fromMs + 2 * config.restSilenceMs);
          const before = run.row().state;
          const saysRest = liveClaims(live(run)).some(
            ({ claim: each }) => phaseOf(each.says) === 'rest',
          );
          run.pass(fromMs + 1_001, fromMs + 80_000, beating, 4_000);
          expect(run.row().presence).toBe('managed');
          if (active.includes(before) && !saysRest)
            expect([...active, 'unknown']).toContain(run.row().state);
        },
      ),
      { ...options, numRuns: Math.ceil(options.numRuns / 4) },
    );
  });

  test('a dead channel gives unknown with its reason after the time allowed', () => {
    const run = new Run().see(evidence('hooks', T0, [claim('running')]));
    run.pass(T0, T0 + 60_000, []);
    expect(run.row()).toMatchObject({
      state: 'unknown',
      reasonCode: 'stale_signal',
      presence: 'managed',
    });
  });

  test('an unreachable target is not an absent agent', () => {
    const target = { targetId: local, name: 'local', kind: 'local', connectionRef: null } as const;
    const run = new Run().see(evidence('hooks', T0, [claim('running')]));
    run.apply({ type: 'target.changed', atMs: T0 + 1, target: { ...target, health: 'down' } });
    expect(run.row()).toMatchObject({
      presence: 'managed',
      runtimeId: runtimeId(0),
      state: 'unknown',
      reasonCode: 'target_unreachable',
    });
    run.apply({ type: 'target.changed', atMs: T0 + 2, target: { ...target, health: 'ok' } });
    // Nobody knows what it did meanwhile, before it was seen again.
    expect(run.row()).toMatchObject({ presence: 'managed', reasonCode: 'reconfirming' });
    run.apply({ type: 'runtime.found', atMs: T0 + 3, runtimeId: runtimeId(0) });
    expect(run.tick(T0 + 3_000).row().state).toBe('running');
  });
});

describe('law 4: unknown before wrong', () => {
  test('a known state has a claim behind it, and unknown has a reason', () => {
    const proofs: Record<State, readonly string[]> = {
      running: ['running', 'at_rest', 'began', 'completed', 'interrupted'],
      waiting_approval: ['waiting_approval'],
      waiting_input: ['waiting_input'],
      error: ['error'],
      completed: ['completed', 'at_rest', 'began', 'interrupted'],
      idle: ['at_rest', 'began', 'interrupted', 'completed'],
      unknown: [],
    };
    fc.assert(
      fc.property(allStreams(), someChoices, (streams, choices) => {
        const pieces = interleave(streams, choices);
        const run = new Run().see(...pieces);
        const { state, reasonCode, evidence: shown } = run.row();
        if (state === 'unknown') {
          expect(reasonCode).not.toBeNull();
          return;
        }
        const own = pieces.filter((piece) => piece.source === shown.source);
        const words = own.flatMap((piece) => piece.claims.map((each) => each.says));
        expect(words.some((each) => proofs[state].includes(each))).toBe(true);
      }),
      options,
    );
  });

  test('a guess with no rule behind it never says that a person is asked or that it failed', () => {
    const guess = fc.record({
      says: fc.constantFrom('waiting_approval', 'waiting_input', 'error' as const),
      times: fc.integer({ min: 1, max: 10 }),
    });
    fc.assert(
      fc.property(guess, ({ says, times }) => {
        const run = new Run();
        for (let index = 0; index < times; index += 1) {
          const atMs = T0 + index * 5_000;
          const guessed = claim(says as 'error', {
            basis: 'unanchored',
            lastInteractionAtMs: atMs,
          });
          run.see(evidence('screen', atMs, [guessed], { kind: 'level', tier: 'heuristic' }));
        }
        expect(run.row().state).toBe('unknown');
      }),
      options,
    );
  });
});

describe('law 5: channel health is not state', () => {
  test('heartbeats keep a channel fresh and never renew a claim', () => {
    const run = new Run().see(evidence('file', T0, [claim('running')], { kind: 'level' }));
    run.pass(T0, T0 + config.staleSignalMs - 1_000, ['file']);
    expect(run.row().state).toBe('running');
    run.pass(T0 + config.staleSignalMs, T0 + config.staleSignalMs + 2_000, ['file']);
    expect(run.row()).toMatchObject({ state: 'unknown', reasonCode: 'stale_signal' });
    expect([...run.world.channels.values()]).toMatchObject([{ status: 'fresh' }]);
  });

  test('a beat moves no row', () => {
    fc.assert(
      fc.property(allStreams(), someChoices, (streams, choices) => {
        const pieces = interleave(streams, choices);
        const run = new Run().see(...pieces);
        const { rowSeq: _a, ...before } = run.row();
        const names = tellers.map(({ name }) => name);
        const atMs = lastOf(pieces);
        for (const name of names) run.beat(name, atMs + 1);
        const { rowSeq: _b, ...after } = run.row();
        expect(after).toEqual(before);
      }),
      options,
    );
  });

  test('fresh for 3 s, stale until 15 s, then down', () => {
    const run = new Run().see(evidence('hooks', T0, [claim('running')]));
    const status = () => run.world.channels.get(id('hooks@local'))?.status;
    run.tick(T0 + 3_000);
    expect(status()).toBe('fresh');
    run.tick(T0 + 3_001);
    expect(status()).toBe('stale');
    run.tick(T0 + 15_001);
    expect(status()).toBe('down');
    run.beat('hooks', T0 + 16_000);
    expect(status()).toBe('fresh');
  });
});

describe('law 6: newer evidence of a source that can see a transition wins', () => {
  const state = fc.constantFrom('error', 'waiting_approval', 'waiting_input', 'running' as const);

  test('whatever the precedence of what it ends', () => {
    fc.assert(
      fc.property(state, state, fc.integer({ min: 1, max: 5_000 }), (before, after, laterMs) => {
        fc.pre(before !== after);
        const run = new Run().see(
          evidence('hooks', T0, [claim(before as 'error', { about: about('ask-1') })]),
          evidence('file', T0 + laterMs, [claim(after as 'error')], { kind: 'level' }),
        );
        expect(run.row().state).toBe(after);
      }),
      options,
    );
  });

  test('and a source that cannot see it ends nothing', () => {
    const precedence = (each: string) => everyState.indexOf(each as State);
    fc.assert(
      fc.property(state, state, (before, after) => {
        fc.pre(precedence(before) < precedence(after));
        const covers = everyState.filter((each) => each !== before);
        const run = new Run().see(
          evidence('hooks', T0, [claim(before as 'error')]),
          evidence('transcript', T0 + 900, [claim(after as 'error', { covers, rank: 0 })]),
        );
        expect(run.row().state).toBe(before);
      }),
      options,
    );
  });

  test('what fell never rises again', () => {
    const run = new Run().see(
      evidence('hooks', T0, [claim('waiting_approval')]),
      evidence('file', T0 + 10, [claim('running')], { kind: 'level' }),
    );
    run.see(evidence('file', T0 + 20, [], { kind: 'level' }));
    expect(run.row().state).toBe('unknown');
  });

  test('a better level source that still says otherwise a second later settles it', () => {
    const file = (atMs: number, ingestedAtMs: number) =>
      evidence('file', atMs, [claim('running', { rank: 0 })], {
        kind: 'level',
        ingestedAtMs,
        dedupeKey: 'same',
      });
    const run = new Run().see(
      file(T0, T0),
      evidence('hooks', T0 + 100, [claim('waiting_approval')]),
    );
    expect(run.row().state).toBe('waiting_approval');
    run.see(file(T0, T0 + 1_000)).tick(T0 + 1_000);
    expect(run.row().state).toBe('waiting_approval');
    run.see(file(T0, T0 + 1_150)).tick(T0 + 1_200);
    expect(run.row().state).toBe('running');
    expect(run.eventTypes()).toContain('claim.settled');
  });
});

describe('law 7: waiting and running count at once, rest on a screen needs a second look', () => {
  const look = (
    says: 'running' | 'at_rest' | 'completed' | 'waiting_approval',
    atMs: number,
    sinceMs = atMs,
  ) =>
    evidence('screen', atMs, [claim(says, { basis: 'anchored' })], {
      kind: 'level',
      tier: 'heuristic',
      eventTimeMs: sinceMs,
    });

  test('for any stream before it', () => {
    const others = fc.tuple(...tellers.slice(0, 4).map((teller) => streamOf(teller)));
    fc.assert(
      fc.property(others, someChoices, fc.boolean(), (streams, choices, isRest) => {
        const pieces = interleave(streams, choices);
        // Later than a frame that was drawn before the last event.
        const atMs = lastOf(pieces) + 1_000;
        const run = new Run().see(...pieces);
        const { rowSeq: _a, ...before } = run.row();
        run.see(look(isRest ? 'at_rest' : 'waiting_approval', atMs));
        const { rowSeq: _b, ...once } = run.row();
        if (!isRest) {
          expect(['waiting_approval', 'error']).toContain(run.row().state);
          return;
        }
        const { updatedAtMs: _u, sinceMs: _s, stateVersion: _v, reasonCode: _r, ...same } = before;
        // The first look is noted (stale_signal instead of no_evidence) and answers nothing.
        expect(once).toMatchObject(same);
        run.see(look('at_rest', atMs + 250, atMs));
        expect(run.row().state).not.toBe('waiting_approval');
        expect(run.row().state).not.toBe('unknown');
      }),
      options,
    );
  });

  test('the same look delivered twice is one look', () => {
    const run = new Run().see(
      look('running', T0),
      look('at_rest', T0 + 100),
      look('at_rest', T0 + 100),
    );
    expect(run.row().state).toBe('running');
    run.see(look('at_rest', T0 + 350, T0 + 100));
    expect(run.row().state).toBe('completed');
  });

  test('a guess must hold for seconds', () => {
    const guess = (says: 'running' | 'at_rest', atMs: number, sinceMs: number, touchedMs: number) =>
      evidence(
        'screen',
        atMs,
        [claim(says, { basis: 'unanchored', lastInteractionAtMs: touchedMs })],
        {
          kind: 'level',
          tier: 'heuristic',
          eventTimeMs: sinceMs,
        },
      );
    const run = new Run().see(guess('running', T0, T0, T0 - 9_000));
    expect(run.row().state).toBe('unknown');
    run.see(guess('running', T0 + 1_000, T0, T0 - 7_000));
    expect(run.row().state).toBe('running');
    run.see(guess('at_rest', T0 + 2_000, T0 + 2_000, T0 - 44_000));
    run.see(guess('at_rest', T0 + 5_900, T0 + 2_000, T0 - 44_000));
    expect(run.row().state).toBe('running');
    run.see(guess('at_rest', T0 + 6_000, T0 + 2_000, T0 - 44_000));
    expect(run.row().state).toBe('completed');
  });
});

describe('law 8: completed is news for 120 s', () => {
  test('counted from its arrival, and the demotion is an event', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9_000 }), (lagMs) => {
        const done = evidence('hooks', T0, [claim('completed')], { ingestedAtMs: T0 + lagMs });
        const run = new Run().see(evidence('hooks', T0 - 10, [claim('running')]), done);
        run.pass(T0 + lagMs, T0 + lagMs + 119_000, ['hooks'], 2_000);
        run.tick(T0 + lagMs + 119_999);
        expect(run.row().state).toBe('completed');
        run.beat('hooks', T0 + lagMs + 120_000).tick(T0 + lagMs + 120_000);
        expect(run.row().state).toBe('idle');
        expect(run.eventTypes().filter((type) => type === 'state.demoted')).toHaveLength(1);
      }),
      { ...options, numRuns: Math.ceil(options.numRuns / 20) },
    );
  });

  test('and it never touches a turn that began meanwhile, nor another runtime', () => {
    const start = new Run().see(
      evidence('hooks', T0, [claim('running')]),
      evidence('hooks', T0 + 1, [claim('completed')]),
    );
    const { stateVersion } = start.row();
    const demoted = {
      type: 'state.demoted',
      atMs: T0 + 120_001,
      paneKey: paneKey(0),
      runtimeId: runtimeId(0),
      stateVersion,
    } as const;
    start.see(evidence('hooks', T0 + 2, [claim('running')]));
    start.see(evidence('hooks', T0 + 3, [claim('completed')]));
    start.apply(demoted);
    expect(start.row().state).toBe('completed');
    start.apply({ ...demoted, stateVersion: start.row().stateVersion, runtimeId: runtimeId(9) });
    expect(start.row().state).toBe('completed');
    start.apply({ ...demoted, stateVersion: start.row().stateVersion });
    expect(start.row().state).toBe('idle');
  });
});

describe('law 9: a change of tier never changes presence', () => {
  test('whichever sources speak, fall silent and speak again', () => {
    fc.assert(
      fc.property(
        allStreams(),
        someChoices,
        fc.subarray(tellers.map(({ name }) => name)),
        (streams, choices, beating) => {
          const run = new Run();
          const pieces = interleave(streams, choices);
          for (const piece of pieces) {
            run.see(piece);
            expect(run.row()).toMatchObject({ presence: 'managed', runtimeId: runtimeId(0) });
          }
          const fromMs = lastOf(pieces);
          run.pass(fromMs, fromMs + 50_000, beating, 5_000);
          expect(run.row()).toMatchObject({ presence: 'managed', runtimeId: runtimeId(0) });
          const newEvidence = evidence('hooks', fromMs + 60_000, [claim('running', { rank: 0 })], {
            sessionKey: id('s-1'),
          });
          run.see(newEvidence);
          expect(run.row()).toMatchObject({
            presence: 'managed',
            binding: 'managed_deterministic_fresh',
          });
          const others = run.row().evidence.mode;
          if (run.row().state === 'running') expect(others).toBe('deterministic');
        },
      ),
      { ...options, numRuns: Math.ceil(options.numRuns / 4) },
    );
  });
});

describe('law 10: what goes stale in one pane touches no other', () => {
  test('while another pane is read and beats', () => {
    const other = (streams: Evidence[][]) =>
      streams.map((stream) =>
        stream.map((piece) => ({
          ...piece,
          source: source(`b-${piece.source}`),
          channel: id<Evidence['channel']>(`b-${piece.channel}`),
        })),
      );
    fc.assert(
      fc.property(allStreams(), allStreams(runtimeId(1)), someChoices, (first, second, choices) => {
        const quiet = interleave(first, choices);
        const pieces = interleave(other(second), choices);
        const fromMs = Math.max(lastOf(quiet), lastOf(pieces));
        const beating = tellers.map(({ name }) => `b-${name}`);
        const alone = new Run(agents(2))
          .see(...pieces)
          .pass(fromMs, fromMs + 40_000, beating, 5_000);
        const both = new Run(agents(2))
          .see(...quiet, ...pieces)
          .pass(fromMs, fromMs + 40_000, beating, 5_000);
        const { rowSeq: _a, ...expected } = alone.row(1);
        const { rowSeq: _b, ...actual } = both.row(1);
        expect(actual).toEqual(expected);
      }),
      { ...options, numRuns: Math.ceil(options.numRuns / 4) },
    );
  });
});
