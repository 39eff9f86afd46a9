// Slots and denials: what one source says about one thing, and what ends it for another.

import { describe, expect, test } from 'vitest';
import { about, claim, everyState, evidence, Run, runtimeId, T0 } from '../../../tests/scenario.ts';
import type { Claim, Evidence } from '../../schema/evidence.ts';
import type { State } from '../../schema/state.ts';
import { liveClaims } from '../state/verdict.ts';
import type { RuntimeRecord } from '../world.ts';
import { sameReading } from './slots.ts';

const runtimeOf = (run: Run): RuntimeRecord => {
  const runtime = run.world.runtimes.get(runtimeId(0));
  if (!runtime) throw new Error('no runtime');
  return runtime;
};
const ask = (requestId: string, changes: Partial<Claim> = {}) =>
  claim('waiting_approval', { about: about(requestId), ...changes });
const level = (
  name: string,
  atMs: number,
  claims: readonly Claim[],
  more: Partial<Evidence> = {},
) => evidence(name, atMs, claims, { kind: 'level', ...more });
const open = (run: Run) => run.row().attention.requests.map(({ requestId }) => requestId);
const liveSays = (run: Run) => liveClaims(runtimeOf(run)).map(({ claim: each }) => each.says);
const notApproval = everyState.filter((state) => state !== 'waiting_approval');

describe('a denial of one request', () => {
  test('ends that request and no other', () => {
    const run = new Run().see(evidence('hooks', T0, [ask('a'), ask('b')]));
    expect(open(run)).toEqual(['a', 'b']);
    run.see(evidence('osc', T0 + 1, [claim('running', { about: about('a') })]));
    expect(open(run)).toEqual(['b']);
    expect(run.row().state).toBe('waiting_approval');
  });

  test('leaves a later question under the same id alone', () => {
    const run = new Run().see(
      evidence('hooks', T0, [ask('a')]),
      evidence('osc', T0 + 1, [claim('running', { about: about('a') })]),
      evidence('hooks', T0 + 2, [ask('a')]),
    );
    expect(open(run)).toEqual(['a']);
  });

  test('also ends what arrives after it with an older stamp', () => {
    const run = new Run().see(
      evidence('osc', T0 + 10, [claim('running', { about: about('a') })]),
      evidence('hooks', T0 + 5, [ask('a')], { ingestedAtMs: T0 + 20 }),
    );
    expect(open(run)).toEqual([]);
    expect(run.row().state).toBe('running');
  });
});

describe('a denial of the turn', () => {
  test('ends every request of it', () => {
    const run = new Run().see(
      evidence('hooks', T0, [ask('a'), ask('b')]),
      evidence('osc', T0 + 1, [claim('completed')]),
    );
    expect(open(run).filter((each) => ['a', 'b'].includes(each))).toEqual([]);
    expect(run.row().state).toBe('completed');
  });

  test('by a source that cannot see approvals ends no approval', () => {
    const run = new Run().see(
      evidence('hooks', T0, [ask('a')]),
      evidence('transcript', T0 + 500, [claim('running', { covers: notApproval, rank: 0 })]),
    );
    expect(run.row().state).toBe('waiting_approval');
    expect(liveSays(run)).toEqual(['waiting_approval', 'running']);
  });

  test('is not made by a request of its own kind', () => {
    const run = new Run().see(
      evidence('hooks', T0, [ask('a')]),
      evidence('osc', T0 + 9, [ask('b')]),
    );
    expect(open(run)).toEqual(['a', 'b']);
  });

  test('an open request ends rest, and rest does not come back when it is answered', () => {
    const run = new Run().see(
      evidence('hooks', T0, [claim('completed')]),
      evidence('osc', T0 + 5, [ask('a', { covers: [] })]),
      evidence('osc', T0 + 9, [claim('running', { about: about('a') })]),
    );
    expect(liveSays(run)).toEqual(['running']);
  });
});

describe('at equal times', () => {
  const at = (name: string, rank: number, says: Claim['says'], covers: State[] = everyState) =>
    evidence(name, T0, [claim(says, { rank, covers })]);
  const bothOrders = (a: Evidence, b: Evidence) => [new Run().see(a, b), new Run().see(b, a)];

  test('only the better rank stays live', () => {
    for (const run of bothOrders(at('a', 1, 'running'), at('b', 2, 'waiting_input'))) {
      expect(liveSays(run)).toEqual(['running']);
    }
  });

  test('equal ranks both stay live, and precedence decides', () => {
    for (const run of bothOrders(at('a', 2, 'running'), at('b', 2, 'waiting_input'))) {
      expect(liveSays(run)).toEqual(['waiting_input', 'running']);
    }
  });

  test('a better rank that cannot see the end of the other ends nothing', () => {
    for (const run of bothOrders(at('a', 1, 'running', ['running']), at('b', 2, 'waiting_input'))) {
      expect(liveSays(run)[0]).toBe('waiting_input');
    }
  });

  test('the best of several denials counts, in any order', () => {
    const asks = evidence('hooks', T0, [claim('waiting_approval', { rank: 3 })]);
    const worse = at('a', 4, 'running');
    const better = at('b', 2, 'running');
    for (const order of [
      [asks, worse, better],
      [better, worse, asks],
      [worse, asks, better],
    ]) {
      expect(liveSays(new Run().see(...order))).not.toContain('waiting_approval');
    }
    expect(liveSays(new Run().see(asks, worse))).toContain('waiting_approval');
  });
});

describe('one source', () => {
  test('keeps its own order when its clock repeats or steps back', () => {
    const run = new Run().see(
      evidence('hooks', T0 + 10, [claim('waiting_approval')], { sourceSeq: 1 }),
      evidence('hooks', T0 + 10, [claim('running')], { sourceSeq: 2, dedupeKey: 'second' }),
    );
    expect(liveSays(run)).toEqual(['running']);
    run.see(evidence('hooks', T0 + 3, [claim('waiting_input')], { sourceSeq: 3 }));
    expect(liveSays(run)).toEqual(['waiting_input']);
  });

  test('has one slot for each subject', () => {
    const run = new Run().see(
      evidence('hooks', T0, [claim('running'), ask('a')]),
      evidence('hooks', T0 + 1, [claim('waiting_input', { covers: notApproval })]),
      evidence('osc', T0 + 2, [claim('waiting_input', { covers: notApproval })]),
    );
    const places = [...runtimeOf(run).slots.values()].map((slot) => `${slot.source} ${slot.about}`);
    expect(places.sort()).toEqual(['hooks a', 'hooks turn', 'osc turn']);
  });
});

describe('a level reading', () => {
  test('replaces the claim of its source', () => {
    const run = new Run().see(
      level('title', T0, [claim('running')]),
      level('title', T0 + 10, [claim('waiting_input')]),
    );
    expect(liveSays(run)).toEqual(['waiting_input']);
  });

  test('withdraws what it no longer mentions, and nothing of another source', () => {
    const run = new Run().see(
      level('screen', T0, [ask('a'), ask('b')]),
      evidence('hooks', T0, [ask('c')]),
      level('screen', T0 + 10, [ask('b')]),
    );
    expect(open(run)).toEqual(['b', 'c']);
    run.see(level('screen', T0 + 20, []));
    expect(open(run)).toEqual(['c']);
  });

  test('an event without claims withdraws nothing', () => {
    const run = new Run().see(
      evidence('hooks', T0, [ask('a')]),
      evidence('hooks', T0 + 1, [], { activity: { tool: 'Bash' } }),
    );
    expect(open(run)).toEqual(['a']);
  });

  test('of the same value keeps the stamp of its change', () => {
    const run = new Run().see(
      level('file', T0, [claim('running')]),
      level('file', T0 + 700, [claim('running')], { activity: { tool: 'Bash' } }),
    );
    expect(run.row().evidence.atMs).toBe(T0);
  });

  const asks = (selected: number) =>
    claim('waiting_approval', {
      request: {
        kind: 'approval',
        command: 'make',
        options: ['Yes', 'No'].map((label, at) => ({ label, selected: at === selected })),
      },
    });

  test('in which the mark has moved is the same question, as old as it was', () => {
    const run = new Run().see(level('screen', T0, [asks(0)]));
    const before = open(run);
    run.see(level('screen', T0 + 700, [asks(1)]));
    expect(open(run)).toEqual(before);
    const [request] = run.row().attention.requests;
    expect(request).toMatchObject({ sinceMs: T0, detail: { options: asks(1).request?.options } });
  });

  test('with the mark elsewhere is a new question once the one before was answered', () => {
    const run = new Run().see(
      level('screen', T0, [asks(1)]),
      evidence('hooks', T0 + 2_000, [claim('running')]),
    );
    expect(open(run)).toEqual([]);
    run.see(level('screen', T0 + 4_000, [asks(0)]));
    expect(open(run)).toEqual([`dialog@${T0 + 4_000}`]);
  });

  test('of the same value is no event', () => {
    const run = new Run().see(level('file', T0, [claim('running')]));
    const before = run.events.length;
    for (let atMs = T0 + 1; atMs < T0 + 20; atMs += 1)
      run.see(level('file', atMs, [claim('running')]));
    expect(run.events).toHaveLength(before);
    run.see(level('file', T0 + 30, [claim('waiting_input')]));
    expect(run.events).toHaveLength(before + 1);
  });
});

describe('two readings are the same', () => {
  const base = claim('waiting_approval', {
    reason: 'startup_dialog',
    rule: 'r1',
    request: { kind: 'approval', command: 'ls' },
  });
  test('when all their visible fields are equal', () => {
    expect(sameReading(base, { ...base, request: { kind: 'approval', command: 'ls' } })).toBe(true);
  });

  const changes: Partial<Claim>[] = [
    { says: 'running' },
    { about: about('a') },
    { reason: 'dialog_open' },
    { untilMs: T0 },
    { rule: 'r2' },
    { basis: 'anchored' },
    { request: { kind: 'approval', command: 'rm' } },
  ];
  test.each(changes)('and differ by %j', (change) => {
    expect(sameReading(base, { ...base, ...change })).toBe(false);
  });
});

describe('tables stay bounded', () => {
  test('requests answered one by one leave no slots and few denials', () => {
    const run = new Run();
    for (let index = 0; index < 600; index += 1) {
      const atMs = T0 + index * 2;
      run.see(
        evidence('hooks', atMs, [ask(`a${index}`)]),
        evidence('osc', atMs + 1, [claim('running', { about: about(`a${index}`) })]),
      );
    }
    const { denials, slots, sources } = runtimeOf(run);
    expect(denials.requests.size).toBeLessThanOrEqual(256);
    expect([...slots.values()].filter((slot) => slot.claim?.says === 'waiting_approval')).toEqual(
      [],
    );
    expect([...sources.values()].every(({ recentKeys }) => recentKeys.length <= 128)).toBe(true);
  });

  test('and the newest denials are the ones that stay', () => {
    const run = new Run();
    for (let index = 0; index < 600; index += 1) {
      run.see(evidence('osc', T0 + index, [claim('running', { about: about(`a${index}`) })]));
    }
    run.see(evidence('hooks', T0 + 1, [ask('a599')], { ingestedAtMs: T0 + 700 }));
    expect(open(run)).toEqual([]);
  });
});
