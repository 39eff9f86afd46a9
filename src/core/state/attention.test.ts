// What needs a person, request by request, and what stops asking once it was seen.

import { describe, expect, test } from 'vitest';
import {
  about,
  agents,
  claim,
  config,
  evidence,
  paneKey,
  Run,
  runtimeId,
  runtimeStarts,
  T0,
} from '../../../tests/scenario.ts';
import type { EventDraft } from '../../schema/event.ts';
import type { Claim } from '../../schema/evidence.ts';
import type { RequestId } from '../../schema/ids.ts';
import type { AttentionKind, Says } from '../../schema/state.ts';

const ask = (requestId: string, says: Says = 'waiting_approval', changes: Partial<Claim> = {}) =>
  claim(says, { about: about(requestId), ...changes });
const kinds = (run: Run): readonly AttentionKind[] => run.row().attention.kinds;
const ids = (run: Run): readonly RequestId[] =>
  run.row().attention.requests.map(({ requestId }) => requestId);
const see = (run: Run, requestIds: readonly RequestId[], atMs = T0 + 50) =>
  run.apply({ type: 'attention.seen', atMs, paneKey: paneKey(0), requestIds: [...requestIds] });
const done = (atMs = T0) =>
  new Run().see(
    evidence('hooks', atMs, [claim('running')]),
    evidence('hooks', atMs + 10, [claim('completed')]),
  );

describe('open requests', () => {
  test('are listed each with its kind, its start and its details, oldest first', () => {
    const detail = { kind: 'approval' as const, command: 'rm -r build' };
    const run = new Run().see(
      evidence('hooks', T0 + 9, [ask('late', 'waiting_input')]),
      evidence('osc', T0 + 3, [ask('early', 'waiting_approval', { request: detail })]),
    );
    expect(run.row().attention).toEqual({
      kinds: ['approval', 'question'],
      sinceMs: T0 + 3,
      requests: [
        { requestId: 'early', kind: 'approval', sinceMs: T0 + 3, seen: false, detail },
        { requestId: 'late', kind: 'question', sinceMs: T0 + 9, seen: false },
      ],
    });
  });

  test('reported by two sources are one request, since the earlier report', () => {
    const run = new Run().see(
      evidence('hooks', T0 + 9, [ask('a')]),
      evidence('osc', T0 + 4, [ask('a')], { ingestedAtMs: T0 + 12 }),
    );
    expect(run.row().attention.requests).toMatchObject([{ requestId: 'a', sinceMs: T0 + 4 }]);
  });

  test('what the better source could not read comes from the next one', () => {
    const options = [{ label: 'Yes', selected: true }];
    const screen = { kind: 'approval' as const, command: 'ls', text: 'Run it?', options };
    const run = new Run().see(
      evidence('hooks', T0, [
        claim('waiting_approval', { rank: 0, request: { kind: 'approval', command: 'ls -l' } }),
      ]),
      evidence('screen', T0 + 1, [claim('waiting_approval', { rank: 5, request: screen })]),
    );
    expect(run.row().attention.requests[0]?.detail).toEqual({ ...screen, command: 'ls -l' });
  });

  test('of two that are open, neither takes what the screen shows of one', () => {
    const screen = { kind: 'approval' as const, command: 'ls' };
    const run = new Run().see(
      evidence('hooks', T0, [ask('a'), ask('b')]),
      evidence('screen', T0 + 1, [claim('waiting_approval', { request: screen })]),
    );
    expect(run.row().attention.requests.map(({ detail }) => detail)).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('a dialog that nobody named is one request of the turn', () => {
    const run = new Run().see(
      evidence('title', T0 + 5, [claim('waiting_approval')], { kind: 'level' }),
      evidence('screen', T0 + 8, [claim('waiting_approval', { basis: 'anchored' })], {
        kind: 'level',
      }),
    );
    expect(ids(run)).toHaveLength(1);
    expect(run.row().attention).toMatchObject({ kinds: ['approval'], sinceMs: T0 + 5 });
  });

  test('a dialog that a source named is not listed a second time without its name', () => {
    const run = new Run().see(
      evidence('title', T0 + 5, [claim('waiting_approval')], { kind: 'level' }),
      evidence('hooks', T0 + 6, [ask('a')]),
    );
    expect(ids(run)).toEqual(['a']);
  });

  const asks = (command: string) => ({ request: { kind: 'approval' as const, command } });
  const shown = (command: string) =>
    new Run().see(
      evidence('screen', T0, [claim('waiting_approval', { ...asks(command), basis: 'anchored' })], {
        kind: 'level',
      }),
    );

  test('a dialog that gets a name stays the one that was shown', () => {
    const run = shown('rm -r build');
    const { stateVersion } = run.row();
    const [first] = ids(run);
    run.see(evidence('hooks', T0 + 6, [ask('a', 'waiting_approval', asks('rm -r build'))]));
    expect(run.row().attention.requests).toMatchObject([{ requestId: 'a', earlierIds: [first] }]);
    expect(run.row().stateVersion).toBe(stateVersion);
  });

  test('a dialog that gets the name of another command is not the one that was shown', () => {
    const run = shown('rm -r build');
    const { stateVersion } = run.row();
    run.see(evidence('hooks', T0 + 6, [ask('a', 'waiting_approval', asks('rm -r /'))]));
    expect(run.row().attention.requests[0]).not.toHaveProperty('earlierIds');
    expect(run.row().stateVersion).toBe(stateVersion + 1);
  });

  test('the next unnamed dialog is another request', () => {
    const run = new Run().see(evidence('hooks', T0, [claim('waiting_approval')]));
    const first = ids(run);
    run.see(
      evidence('hooks', T0 + 100, [claim('running')]),
      evidence('hooks', T0 + 200, [claim('waiting_approval')]),
    );
    expect(ids(run)).toHaveLength(1);
    expect(ids(run)).not.toEqual(first);
  });

  test('end when they are answered, and with the turn', () => {
    const run = new Run().see(evidence('hooks', T0, [ask('a'), ask('b')]));
    run.see(evidence('hooks', T0 + 1, [claim('running', { about: about('a') })]));
    expect(ids(run)).toEqual(['b']);
    run.see(evidence('hooks', T0 + 2, [claim('interrupted')]));
    expect(ids(run)).toEqual([]);
  });

  test('that a person opened need a person to close them', () => {
    const dialog = claim('waiting_input', { reason: 'dialog_open' });
    const run = new Run().see(evidence('screen', T0, [dialog], { kind: 'level' }));
    expect(run.row()).toMatchObject({
      state: 'waiting_input',
      attention: { kinds: ['question'], requests: [{ kind: 'question' }] },
    });
  });

  test('at the start of an agent need attention', () => {
    const dialog = claim('waiting_input', { reason: 'startup_dialog' });
    expect(kinds(new Run().see(evidence('screen', T0, [dialog])))).toEqual(['question']);
  });
});

describe('seen', () => {
  test('is set per request, and answers none: an approval asks until it is answered', () => {
    const run = see(new Run().see(evidence('hooks', T0, [ask('a'), ask('b')])), [about('a')]);
    expect(run.row().attention).toMatchObject({
      kinds: ['approval'],
      requests: [
        { requestId: 'a', seen: true },
        { requestId: 'b', seen: false },
      ],
    });
    expect(kinds(see(run, [about('b')]))).toEqual(['approval']);
    expect(run.row().attention.sinceMs).toBe(T0);
    run.see(evidence('hooks', T0 + 60, [claim('running')]));
    expect(run.row().attention).toEqual({ kinds: [], sinceMs: null, requests: [] });
  });

  test('does not end a question without an id either', () => {
    const run = new Run().see(evidence('screen', T0, [claim('waiting_input')], { kind: 'level' }));
    expect(kinds(see(run, ids(run)))).toEqual(['question']);
    expect(run.row().attention.requests).toMatchObject([{ seen: true }]);
  });

  test('of a request that is not open yet is remembered, and of another pane is ignored', () => {
    const run = see(new Run(agents(2)), [about('a')]);
    run.see(
      evidence('hooks', T0 + 60, [ask('a')]),
      evidence('hooks', T0 + 60, [ask('a')], { runtimeId: runtimeId(1) }),
    );
    expect(run.row(0).attention.requests).toMatchObject([{ seen: true }]);
    expect(run.row(1).attention.requests).toMatchObject([{ seen: false }]);
  });
});

describe('a completion', () => {
  test('asks until it is seen', () => {
    const run = done();
    expect(kinds(run)).toEqual(['completion']);
    expect(see(run, ids(run)).row().attention).toEqual({ kinds: [], sinceMs: null, requests: [] });
  });

  test('goes on asking after its demotion to idle', () => {
    const run = done().pass(T0, T0 + 130_000, ['hooks']);
    expect(run.row().state).toBe('idle');
    expect(kinds(run)).toEqual(['completion']);
    expect(kinds(see(run, ids(run), T0 + 140_000))).toEqual([]);
  });

  test('stops asking when work goes on, and the next one asks again', () => {
    const run = done();
    const first = ids(run);
    see(run, first);
    run.see(evidence('hooks', T0 + 100, [claim('running')]));
    expect(kinds(run)).toEqual([]);
    run.see(evidence('hooks', T0 + 200, [claim('completed')]));
    expect(kinds(run)).toEqual(['completion']);
    expect(ids(run)).not.toEqual(first);
  });

  test('that two sources report counts once', () => {
    const run = done().see(evidence('osc', T0 + 40, [claim('completed')]));
    expect(ids(run)).toHaveLength(1);
  });

  test('that was seen stays seen when a second source reports it', () => {
    const run = see(done(), ids(done())).see(evidence('osc', T0 + 90, [claim('completed')]));
    expect(kinds(run)).toEqual([]);
  });

  test('is not raised by an interruption, nor by an agent that never worked', () => {
    const stopped = new Run().see(
      evidence('hooks', T0, [claim('running')]),
      evidence('hooks', T0 + 1, [claim('interrupted')]),
    );
    expect(kinds(stopped)).toEqual([]);
    const fresh = new Run().see(evidence('file', T0, [claim('at_rest')], { kind: 'level' }));
    expect(kinds(fresh)).toEqual([]);
  });

  test('from before the daemon is not news', () => {
    const run = new Run().see(
      evidence('hooks', T0 - 9_000, [claim('completed')], { backfill: true, ingestedAtMs: T0 }),
    );
    expect(run.row()).toMatchObject({ state: 'completed', attention: { kinds: [] } });
  });
});

describe('a failure', () => {
  test('asks, once, until it is seen or work goes on', () => {
    const run = new Run().see(evidence('hooks', T0, [claim('error', { reason: 'api_error' })]));
    expect(kinds(run)).toEqual(['error']);
    expect(kinds(see(run, ids(run)))).toEqual([]);
    run.see(evidence('hooks', T0 + 60, [claim('running')]));
    expect(ids(run)).toEqual([]);
    run.see(evidence('hooks', T0 + 70, [claim('error', { reason: 'api_error' })]));
    expect(kinds(run)).toEqual(['error']);
  });

  test('is never also a completion', () => {
    const run = done().see(evidence('osc', T0 + 12, [claim('error')]));
    expect(kinds(run)).toEqual(['error']);
  });
});

describe('a crash', () => {
  const crashed = (...before: EventDraft[]) =>
    new Run().see(evidence('hooks', T0, [claim('running')])).apply(...before, {
      type: 'runtime.ended',
      atMs: T0 + 5,
      runtimeId: runtimeId(0),
      reason: 'process_gone',
      exitCode: 139,
      crashed: true,
    });

  test('is the state of the pane, although its runtime is over', () => {
    expect(crashed().row()).toMatchObject({
      presence: 'unmanaged',
      runtimeId: null,
      agent: 'claude',
      state: 'error',
      reasonCode: 'crashed',
      evidence: { source: 'process', rule: 'ended with exit code 139', confidence: 'high' },
      attention: { kinds: ['crash'], sinceMs: T0 + 5 },
    });
  });

  test('asks and stays the state until it is seen', () => {
    const run = crashed();
    expect(kinds(see(run, [about('other')]))).toEqual(['crash']);
    expect(kinds(see(run, ids(run)))).toEqual([]);
    expect(run.row()).toMatchObject({ state: 'unknown', reasonCode: 'no_agent', agent: null });
  });

  test('stays the state however old it is', () => {
    expect(
      crashed()
        .tick(T0 + 86_400_000)
        .row(),
    ).toMatchObject({ reasonCode: 'crashed' });
  });

  test('is no news any more once an agent runs there again', () => {
    expect(kinds(crashed().apply(runtimeStarts(0, 2, T0 + 90)))).toEqual([]);
  });

  test.each([false, true])('asks nobody once its pane is gone; snoozed before: %s', (isSnoozed) => {
    const run = crashed();
    const ofPane = { atMs: T0 + 10, paneKey: paneKey(0) };
    if (isSnoozed) run.apply({ type: 'attention.snoozed', ...ofPane, untilMs: T0 + 1_000 });
    run.apply({ type: 'pane.gone', ...ofPane, reason: 'server_gone' }).tick(T0 + 2_000);
    expect(run.row()).toMatchObject({ presence: 'missing', attention: { requests: [] } });
  });

  test.each([
    [60_000, 'unknown', []],
    [60_001, 'error', ['crash']],
  ] as const)('%i ms after a kill that a person asked for: %s', (afterMs, state, asks) => {
    const killed = { type: 'runtime.killed', atMs: T0 + 5 - afterMs } as const;
    const run = crashed({ ...killed, runtimeId: runtimeId(0) });
    expect([run.row().state, kinds(run)]).toEqual([state, asks]);
  });

  test('needs attention, and a clean exit does not', () => {
    const run = new Run().apply({
      type: 'runtime.ended',
      atMs: T0 + 5,
      runtimeId: runtimeId(0),
      reason: 'process_gone',
      exitCode: 0,
      crashed: false,
    });
    expect(kinds(run)).toEqual([]);
  });
});

describe('a program that ended under agtmux run', () => {
  const ended = (exitCode: number, crashed: boolean) =>
    new Run().see(evidence('hooks', T0, [claim('running')])).apply({
      type: 'runtime.ended',
      atMs: T0 + 5,
      runtimeId: runtimeId(0),
      reason: 'process_gone',
      exitCode,
      crashed,
      wrapped: true,
    });
  const word = (run: Run) => `${run.row().state}/${run.row().reasonCode}`;

  test('with 0 is completed, and news of that kind', () => {
    const run = ended(0, false);
    expect(run.row()).toMatchObject({
      presence: 'unmanaged',
      agent: 'claude',
      state: 'completed',
      reasonCode: 'exited',
      attention: { kinds: ['completion'], requests: [{ note: 'claude ended with exit code 0' }] },
    });
  });

  test('with another exit code is an error', () => {
    expect(ended(3, true).row()).toMatchObject({ state: 'error', reasonCode: 'crashed' });
  });

  test('stays completed after it was seen, as long as that is news', () => {
    const run = ended(0, false);
    see(run, ids(run));
    expect(kinds(run)).toEqual([]);
    expect(word(run)).toBe('completed/exited');
    expect(word(run.tick(T0 + config.completedMs))).toBe('completed/exited');
    expect(word(run.tick(T0 + 5 + config.completedMs))).toBe('unknown/no_agent');
    expect(run.tick(T0 + 2 * config.completedMs).eventTypes()).toHaveLength(run.events.length);
  });

  test('asks to be seen after its completion is no longer the state', () => {
    const run = ended(0, false).tick(T0 + 5 + config.completedMs);
    expect(word(run)).toBe('unknown/no_agent');
    expect(kinds(run)).toEqual(['completion']);
    expect(kinds(see(run, ids(run)))).toEqual([]);
  });

  test('leaves nothing once another one runs there', () => {
    const run = ended(0, false).apply(runtimeStarts(0, 2, T0 + 90));
    expect(kinds(run)).toEqual([]);
    expect(word(run)).toBe('unknown/no_evidence');
  });
});

describe('a stuck agent', () => {
  const stuck = () =>
    new Run()
      .see(evidence('hooks', T0, [claim('running')]))
      .beat('hooks', T0 + config.stuckMs)
      .tick(T0 + config.stuckMs);

  test('asks, and is still running', () => {
    expect(stuck().row()).toMatchObject({
      state: 'running',
      attention: { kinds: ['stuck'], sinceMs: T0 + config.stuckMs },
    });
  });

  test('stops asking when it tells anything', () => {
    const run = stuck().see(evidence('hooks', T0 + config.stuckMs + 1, [claim('running')]));
    expect(kinds(run)).toEqual([]);
  });

  test('stays quiet once it was seen', () => {
    const run = stuck();
    expect(kinds(see(run, ids(run)))).toEqual([]);
  });

  test('is not raised for one that waits for a person', () => {
    const run = new Run().see(evidence('hooks', T0, [ask('a')]));
    run.beat('hooks', T0 + config.stuckMs).tick(T0 + config.stuckMs);
    expect(kinds(run)).toEqual(['approval']);
  });
});

test('kinds come in the order of their urgency', () => {
  const run = new Run().see(
    evidence('a', T0, [
      ask('q', 'waiting_input', { covers: [] }),
      ask('p', 'waiting_approval', { covers: [] }),
    ]),
    evidence('b', T0 + 1, [claim('error', { covers: [] })]),
  );
  expect(kinds(run)).toEqual(['error', 'approval', 'question']);
});
