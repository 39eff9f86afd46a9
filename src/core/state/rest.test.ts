// How a turn ended (rule 7 of docs/laws.md), line by line, for every order of reports.

import { describe, expect, test } from 'vitest';
import { claim, config, evidence, Run, runtimeId, T0 } from '../../../tests/scenario.ts';
import type { Claim, Evidence } from '../../schema/evidence.ts';
import type { Says, State } from '../../schema/state.ts';
import { restOf, turnStart } from './rest.ts';

const hook = (
  atMs: number,
  says: Says,
  changes: Partial<Claim> = {},
  more: Partial<Evidence> = {},
) => evidence('hooks', atMs, [claim(says, changes)], more);
const file = (atMs: number, says: Says, changes: Partial<Claim> = {}) =>
  evidence('file', atMs, [claim(says, { rank: 0, ...changes })], { kind: 'level' });
/** A title that sees work begin and end, and no events beside it. */
const title = (atMs: number, says: Says) =>
  evidence('title', atMs, [claim(says)], { kind: 'level' });
const blindToCompletion: State[] = ['running', 'waiting_approval', 'waiting_input'];

const restIn = (run: Run) => {
  const runtime = run.world.runtimes.get(runtimeId(0));
  if (!runtime) throw new Error('no runtime');
  return restOf(runtime, run.world.channels);
};

describe('when rest wins', () => {
  const cases: [string, readonly Evidence[], State, string | null][] = [
    [
      'a turn end is completed',
      [hook(T0, 'running'), hook(T0 + 9, 'completed')],
      'completed',
      null,
    ],
    [
      'a session that began after it is idle',
      [hook(T0, 'running'), hook(T0 + 9, 'completed'), file(T0 + 20, 'began')],
      'idle',
      null,
    ],
    [
      'a session that began after a failure is idle, also when the failure arrives late',
      [
        file(T0 + 20, 'began'),
        hook(T0, 'running'),
        hook(T0 + 9, 'error', { reason: 'api_error' }),
        file(T0 + 30, 'at_rest'),
      ],
      'idle',
      null,
    ],
    [
      'a turn of a session that began is completed',
      [hook(T0, 'began'), hook(T0 + 5, 'running'), hook(T0 + 9, 'completed')],
      'completed',
      null,
    ],
    [
      'a dialog that the person opened is no turn',
      [
        hook(T0, 'running'),
        hook(T0 + 9, 'completed'),
        file(T0 + 5_000, 'waiting_input', { reason: 'dialog_open' }),
        file(T0 + 9_000, 'at_rest'),
      ],
      'completed',
      null,
    ],
    [
      'an interruption is idle',
      [hook(T0, 'running'), hook(T0 + 9, 'interrupted')],
      'idle',
      'interrupted',
    ],
    [
      'a failure is an error also after the file says at rest',
      [
        hook(T0, 'running'),
        hook(T0 + 9, 'error', { reason: 'api_error' }),
        file(T0 + 20, 'at_rest'),
      ],
      'error',
      'api_error',
    ],
    [
      'a failure and a completion in one turn are an error',
      [
        hook(T0, 'running'),
        hook(T0 + 5, 'error', { reason: 'api_error' }),
        hook(T0 + 9, 'completed'),
      ],
      'error',
      'api_error',
    ],
    [
      'a completion before the failure changes nothing',
      [hook(T0, 'running'), evidence('osc', T0 + 5, [claim('completed')]), hook(T0 + 9, 'error')],
      'error',
      null,
    ],
    [
      'an interruption beats a completion of the same turn',
      [
        hook(T0, 'running'),
        evidence('osc', T0 + 5, [claim('interrupted')]),
        hook(T0 + 9, 'completed'),
      ],
      'idle',
      'interrupted',
    ],
    [
      'a retry after a failure starts anew',
      [
        hook(T0, 'running'),
        hook(T0 + 2_000, 'error', { reason: 'api_error' }),
        hook(T0 + 4_000, 'running', { reason: 'retrying' }),
        hook(T0 + 9_000, 'completed'),
      ],
      'completed',
      null,
    ],
    [
      'an interruption of the turn before is forgotten',
      [
        hook(T0, 'running'),
        hook(T0 + 1, 'interrupted'),
        hook(T0 + 2, 'running'),
        hook(T0 + 3, 'completed'),
      ],
      'completed',
      null,
    ],
    [
      'a completion without any work seen is a completion',
      [hook(T0, 'completed')],
      'completed',
      null,
    ],
    ['rest with no work seen in this runtime is idle', [file(T0, 'at_rest')], 'idle', null],
    [
      'work that nobody could tell the end of is completed',
      [title(T0, 'running'), title(T0 + 900, 'at_rest')],
      'completed',
      null,
    ],
    [
      'waiting counts as work too',
      [title(T0, 'waiting_input'), title(T0 + 900, 'at_rest')],
      'completed',
      null,
    ],
    [
      'an event source that cannot tell a completion is not waited for',
      [
        evidence('osc', T0, [claim('running', { covers: blindToCompletion })]),
        file(T0 + 900, 'at_rest'),
      ],
      'completed',
      null,
    ],
  ];
  test.each(cases)('%s', (_name, pieces, state, reasonCode) => {
    expect(new Run().see(...pieces).row()).toMatchObject({ state, reasonCode });
  });

  test('a reported completion is certain, an inferred one is not', () => {
    const sure = new Run().see(hook(T0, 'running'), hook(T0 + 9, 'completed'));
    expect(sure.row().evidence.confidence).toBe('high');
    const inferred = new Run().see(title(T0, 'running'), title(T0 + 900, 'at_rest'));
    expect(inferred.row().evidence.confidence).toBe('low');
  });
});

describe('an event source that reports completions', () => {
  const stopped = () => new Run().see(hook(T0, 'running'), file(T0 + 5_000, 'at_rest'));

  test('is given 500 ms, and its silence is an interruption', () => {
    const run = stopped().tick(T0 + 5_000 + config.restSilenceMs - 1);
    expect(restIn(run).how).toBe('undecided');
    expect(run.row()).toMatchObject({ state: 'running', evidence: { confidence: 'low' } });
    run.tick(T0 + 5_000 + config.restSilenceMs);
    expect(run.row()).toMatchObject({ state: 'idle', reasonCode: 'interrupted' });
  });

  test('may tell the completion within that time', () => {
    const run = stopped()
      .see(hook(T0 + 5_300, 'completed'))
      .tick(T0 + 6_000);
    expect(run.row()).toMatchObject({ state: 'completed', reasonCode: null });
    expect(run.eventTypes()).not.toContain('rest.judged');
  });

  test('is still believed when it tells after its silence was judged', () => {
    const run = stopped()
      .tick(T0 + 5_600)
      .see(hook(T0 + 7_000, 'completed'));
    expect(run.row()).toMatchObject({ state: 'completed' });
  });

  test('is not waited for when its channel is down', () => {
    const run = new Run()
      .see(hook(T0, 'running'))
      .tick(T0 + 3_001)
      .tick(T0 + 15_001);
    run.see(file(T0 + 16_000, 'at_rest'));
    expect(run.row()).toMatchObject({ state: 'completed', evidence: { confidence: 'low' } });
  });

  test('a turn judged once is judged anew after the next work', () => {
    const run = stopped().tick(T0 + 5_600);
    run.see(hook(T0 + 8_000, 'running'), file(T0 + 8_001, 'running'), file(T0 + 9_000, 'at_rest'));
    expect(restIn(run).how).toBe('undecided');
    run.tick(T0 + 9_500);
    expect(run.row().reasonCode).toBe('interrupted');
  });
});

describe('a short turn', () => {
  const shortTurn = (lagMs: number) =>
    new Run().see(
      hook(T0, 'running'),
      hook(T0 + 100, 'error', { reason: 'api_error' }),
      // The first look at the work comes after the event that ended it.
      file(T0 + 100 + lagMs, 'running'),
      file(T0 + 100 + lagMs + 900, 'at_rest'),
    );

  test('keeps its end when the work is seen up to a second late', () => {
    expect(shortTurn(1_000).row()).toMatchObject({ state: 'error', reasonCode: 'api_error' });
  });

  test('and work that is seen later than that is another turn', () => {
    expect(
      shortTurn(1_001)
        .tick(T0 + 9_000)
        .row(),
    ).toMatchObject({
      state: 'idle',
      reasonCode: 'interrupted',
    });
  });
});

describe('the start of a turn', () => {
  test('is the latest sign of work, in any order of arrival', () => {
    const pieces = [hook(T0, 'running'), title(T0 + 40, 'waiting_input'), file(T0 + 20, 'running')];
    for (const order of [pieces, pieces.toReversed()]) {
      const runtime = new Run().see(...order).world.runtimes.get(runtimeId(0));
      expect(runtime && turnStart(runtime.marks)).toBe(T0 + 40);
    }
  });

  test('is before all time when there was no work', () => {
    const runtime = new Run().see(hook(T0, 'completed')).world.runtimes.get(runtimeId(0));
    expect(runtime && turnStart(runtime.marks)).toBe(Number.NEGATIVE_INFINITY);
  });
});

describe('what was read from before the start', () => {
  const old = (agoMs: number) => {
    const cases = (atMs: number, says: Says) =>
      evidence('transcript', atMs, [claim(says)], {
        backfill: true,
        ingestedAtMs: T0 + says.length,
      });
    return new Run().see(cases(T0 - agoMs - 10, 'running'), cases(T0 - agoMs, 'completed'));
  };

  test('is idle at once when the turn ended over 120 s ago', () => {
    expect(old(120_001).row()).toMatchObject({ state: 'idle', attention: { kinds: [] } });
  });

  test('is completed when it ended a minute ago, until 120 s after it ended', () => {
    const run = old(60_000);
    expect(run.row()).toMatchObject({ state: 'completed', attention: { kinds: [] } });
    run.beat('transcript', T0 + 59_999).tick(T0 + 59_999);
    expect(run.row().state).toBe('completed');
    run.tick(T0 + 60_000);
    expect(run.row().state).toBe('idle');
  });

  test('does not make a later turn old', () => {
    const run = old(600_000).see(
      evidence('transcript', T0 + 100, [claim('running')]),
      evidence('transcript', T0 + 200, [claim('completed')]),
    );
    expect(run.row()).toMatchObject({ state: 'completed', attention: { kinds: ['completion'] } });
  });
});
