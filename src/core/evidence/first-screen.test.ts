// The first screen of a young runtime against what deterministic sources say: an earlier run in the
// same pane may have drawn it.

import { describe, expect, test } from 'vitest';
import { claim, currentWorld, evidence, Run, runtimeStarts, T0 } from '../../../tests/scenario.ts';
import type { Claim, Evidence } from '../../schema/evidence.ts';

const screen = (atMs: number, says: Claim['says'], changes: Partial<Claim> = {}) =>
  evidence('screen', atMs, [claim(says, { rank: 5, basis: 'anchored', ...changes })], {
    kind: 'level',
    tier: 'heuristic',
  });
const hook = (atMs: number, says: Claim['says'], changes: Partial<Evidence> = {}) =>
  evidence('hooks', atMs, [claim(says, { rank: 1 })], changes);
/** A session file: it cannot see how a turn ended. */
const file = (atMs: number, says: Claim['says']) =>
  evidence('file', atMs, [claim(says, { rank: 0, covers: ['running', 'idle'] })], {
    kind: 'level',
  });
const answer = (run: Run) => [run.row().state, run.row().reasonCode];

const drawn = ['error', 'running', 'interrupted', 'completed'] as const;
const rests = [
  ['a hook that a session began', (atMs: number) => hook(atMs, 'began')],
  ['a session file at rest', (atMs: number) => file(atMs, 'at_rest')],
] as const;

describe.each(rests)('%s, reported after the process started', (_name, rest) => {
  test.each(drawn)('ends %s on the first screen, whichever of the two comes first', (says) => {
    const pieces = [rest(T0 + 500), screen(T0 + 900, says), screen(T0 + 1_900, says)];
    const late = [...pieces.slice(1), { ...pieces[0], ingestedAtMs: T0 + 2_000 } as Evidence];
    for (const order of [pieces, late])
      expect(answer(new Run().see(...order))).toEqual(['idle', null]);
  });

  test.each(drawn)('still counts after a minute in which the screen shows %s', (says) => {
    const run = new Run().see(rest(T0 + 500));
    for (let atMs = T0 + 900; atMs < T0 + 60_000; atMs += 1_000) {
      run.see(screen(atMs, says)).beat('hooks', atMs).beat('file', atMs).beat('screen', atMs);
      if (rest === rests[1][1]) run.see(file(atMs + 1, 'at_rest'));
      run.tick(atMs + 2);
    }
    expect(answer(run)).toEqual(['idle', null]);
  });

  test('leaves no error behind once the screen shows rest', () => {
    const run = new Run().see(rest(T0 + 500), screen(T0 + 900, 'error'));
    run.see(screen(T0 + 2_000, 'at_rest'), screen(T0 + 3_000, 'at_rest'));
    expect(answer(run)).toEqual(['idle', null]);
  });

  test('ends nothing that the screen shows later', () => {
    const run = new Run().see(rest(T0 + 500), screen(T0 + 900, 'error'));
    run.see(screen(T0 + 2_000, 'running'));
    expect(run.row().state).toBe('running');
    run.see(screen(T0 + 9_000, 'error'));
    expect(run.row().state).toBe('error');
  });

  test('ends no dialog: to miss one would be worse', () => {
    const run = new Run().see(rest(T0 + 500), screen(T0 + 900, 'waiting_approval'));
    expect(run.row().state).toBe('waiting_approval');
  });
});

describe('the first screen', () => {
  const orders = [
    ['before', [0, 1, 2]],
    ['after', [1, 2, 0]],
  ] as const;
  test.each(orders)('counts when it is read %s the signals of a turn', (_name, order) => {
    const pieces = [
      screen(T0 + 2_500, 'error'),
      hook(T0 + 500, 'began'),
      hook(T0 + 900, 'running'),
    ];
    const run = new Run().see(...order.map((index) => pieces[index] as Evidence));
    expect(run.row().state).toBe('error');
  });

  test('counts where no deterministic source speaks', () => {
    const title = evidence('title', T0 + 900, [claim('at_rest', { covers: ['running'] })], {
      kind: 'level',
      tier: 'heuristic',
    });
    const run = new Run().see(title, screen(T0 + 1_000, 'error'));
    expect(run.row().state).toBe('error');
  });

  test('counts against a rest from before the process started', () => {
    const run = new Run([]);
    run.apply(...new Run().events.slice(0, 2), runtimeStarts(0, 1, T0 + 5_000));
    run.see(file(T0 + 4_000, 'at_rest'), screen(T0 + 6_000, 'error'));
    expect(run.row().state).toBe('error');
  });

  test('counts against a source that sees no work', () => {
    const blind = evidence('notify', T0 + 500, [claim('at_rest', { covers: ['idle'] })]);
    const run = new Run().see(blind, screen(T0 + 900, 'running'));
    expect(run.row().state).toBe('running');
  });

  test('counts where the agent is old enough to have drawn it', () => {
    const run = new Run().see(file(T0 + 500, 'at_rest'), screen(T0 + 40_000, 'error'));
    expect(run.row().state).toBe('error');
  });

  test('leads to one world in any order of sources', () => {
    const [a, b, c] = [
      hook(T0 + 400, 'began'),
      screen(T0 + 900, 'running'),
      file(T0 + 600, 'at_rest'),
    ];
    const worlds = [
      [a, b, c],
      [b, a, c],
      [c, b, a],
      [b, c, a],
    ].map((order) => currentWorld(new Run().see(...(order as Evidence[])).world));
    for (const world of worlds) expect(world).toEqual(worlds[0]);
  });
});
