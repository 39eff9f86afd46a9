// The binding of a pane to an agent: four states, and each transition by its name.

import { describe, expect, test } from 'vitest';
import {
  agents,
  claim,
  evidence,
  paneAppears,
  paneKey,
  Run,
  runtimeId,
  runtimeStarts,
  T0,
} from '../../../tests/scenario.ts';
import type { BindingTransition, Change } from '../../schema/change.ts';
import type { EventDraft, WorldEvent } from '../../schema/event.ts';
import { id } from '../../schema/ids.ts';
import { type BindingState, bindingStateSchema } from '../../schema/state.ts';
import { reduceAll } from '../reduce.ts';
import { type BindingStateInput, bindingState, transitionOf } from './binding.ts';

const [U, H, F, S]: BindingState[] = [
  'unmanaged',
  'managed_heuristic',
  'managed_deterministic_fresh',
  'managed_deterministic_stale',
];
const input = (
  managed: boolean,
  hasHandshake: boolean,
  deterministicFresh: boolean,
): BindingStateInput => ({
  managed,
  hasHandshake,
  deterministicFresh,
});

function bindingStep(
  from: BindingState,
  given: BindingStateInput,
  endedBy: 'no_agent_twice' | 'process_gone' = 'process_gone',
) {
  const to = bindingState(given);
  return { to, transition: transitionOf(from, to, endedBy) };
}
const gone = input(false, false, false);
const read = input(true, false, false);
const handshake = input(true, true, true);
const quiet = input(true, true, false);

describe('each state with each input', () => {
  const table: [BindingState, BindingStateInput, BindingState, BindingTransition | null][] = [
    [U!, gone, U!, null],
    [U!, read, H!, 'heuristic_signature'],
    [U!, handshake, F!, 'deterministic_handshake'],
    [U!, quiet, S!, 'freshness_exceeded'],
    [H!, gone, U!, 'process_gone'],
    [H!, read, H!, null],
    [H!, handshake, F!, 'deterministic_handshake'],
    [H!, quiet, S!, 'freshness_exceeded'],
    [F!, gone, U!, 'process_gone'],
    [F!, read, H!, 'pane_reused'],
    [F!, handshake, F!, null],
    [F!, quiet, S!, 'freshness_exceeded'],
    [S!, gone, U!, 'process_gone'],
    [S!, read, H!, 'pane_reused'],
    [S!, handshake, F!, 'deterministic_return'],
    [S!, quiet, S!, null],
  ];
  test.each(table)('%s with %j is %s by %s', (from, given, to, transition) => {
    expect(bindingStep(from, given)).toEqual({ to, transition });
  });

  test('two scans without an agent have their own state', () => {
    expect(bindingStep(H!, gone, 'no_agent_twice')).toEqual({
      to: 'unmanaged',
      transition: 'no_agent_twice',
    });
  });

  test('a fresh channel alone, without a handshake, is managed_heuristic', () => {
    expect(bindingStep(U!, input(true, false, true)).to).toBe('managed_heuristic');
  });

  test('an agent that is there is never unmanaged, and one that is not never managed', () => {
    for (const from of bindingStateSchema.options) {
      for (let bits = 0; bits < 8; bits += 1) {
        const given = input((bits & 1) !== 0, (bits & 2) !== 0, (bits & 4) !== 0);
        expect(bindingStep(from, given).to === 'unmanaged').toBe(!given.managed);
      }
    }
  });
});

describe('a pane goes through its bindings', () => {
  /** Replays a run and returns the names of the transitions it noted. */
  const transitions = (run: Run): readonly BindingTransition[] => {
    const { changes } = reduceAll(new Run([]).world, run.events as readonly WorldEvent[]);
    return changes
      .filter((change): change is Extract<Change, { kind: 'binding' }> => change.kind === 'binding')
      .map(({ transition }) => transition);
  };
  const tells = (atMs: number) =>
    evidence('hooks', atMs, [claim('running')], { sessionKey: id('s-1') });
  const ended: EventDraft = {
    type: 'runtime.ended',
    atMs: T0 + 90_000,
    runtimeId: runtimeId(0),
    reason: 'process_gone',
    exitCode: 0,
    crashed: false,
  };

  test('each transition is recorded once: found, handshake, silent, back, gone', () => {
    const run = new Run().see(tells(T0)).tick(T0 + 3_001);
    expect(run.row()).toMatchObject({ binding: 'managed_deterministic_stale', state: 'running' });
    run.see(tells(T0 + 5_000)).apply(ended);
    expect(transitions(run)).toEqual([
      'heuristic_signature',
      'deterministic_handshake',
      'freshness_exceeded',
      'deterministic_return',
      'process_gone',
    ]);
  });

  test('looked for twice in vain', () => {
    const missed: EventDraft = { type: 'runtime.missed', atMs: T0 + 1, runtimeId: runtimeId(0) };
    const run = new Run().apply(missed, missed, { ...ended, reason: 'no_agent' } as EventDraft);
    expect(transitions(run)).toEqual(['heuristic_signature', 'no_agent_twice']);
  });

  test('looked for once in vain, and then ended by its process', () => {
    const missed: EventDraft = { type: 'runtime.missed', atMs: T0 + 1, runtimeId: runtimeId(0) };
    expect(transitions(new Run().apply(missed, ended)).at(-1)).toBe('process_gone');
  });

  test('taken over by another agent', () => {
    const run = new Run().see(tells(T0)).apply(runtimeStarts(0, 2, T0 + 10));
    expect(transitions(run)).toEqual([
      'heuristic_signature',
      'deterministic_handshake',
      'pane_reused',
    ]);
    expect(run.row()).toMatchObject({ binding: 'managed_heuristic', runtimeId: runtimeId(0, 2) });
  });

  test('a source that only reads the pane makes no handshake', () => {
    const run = new Run().see({ ...tells(T0), tier: 'heuristic' });
    expect(run.row().binding).toBe('managed_heuristic');
    expect(run.row().signature.class).toBe('heuristic');
  });

  test('never bound while there is no agent', () => {
    expect(transitions(new Run([agents()[0]!, paneAppears(0)]))).toEqual([]);
    expect(new Run([agents()[0]!, paneAppears(0)]).row().binding).toBe('unmanaged');
  });

  test('one that goes stale keeps its presence and its state version', () => {
    const run = new Run().see(tells(T0));
    const before = run.row();
    run.tick(T0 + 3_001);
    expect(run.row().binding).not.toBe(before.binding);
    expect(run.row()).toMatchObject({
      presence: 'managed',
      stateVersion: before.stateVersion,
      runtimeId: runtimeId(0),
    });
    expect(run.world.panes.get(paneKey(0))?.runtimeId).toBe(runtimeId(0));
  });
});
