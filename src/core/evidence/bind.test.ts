// Which runtime evidence belongs to: by session, pane instance or address; never by a guess.

import { describe, expect, test } from 'vitest';
import {
  agents,
  claim,
  config,
  evidence,
  local,
  paneAppears,
  paneFacts,
  paneKey,
  Run,
  runtimeId,
  runtimeStarts,
  T0,
} from '../../../tests/scenario.ts';
import type { BindHint, Evidence } from '../../schema/evidence.ts';
import { id, paneKeyOf } from '../../schema/ids.ts';
import { findRuntime } from './bind.ts';

const boundBy = (bind: Partial<BindHint> | null, changes: Partial<Evidence> = {}): Evidence =>
  evidence('hooks', T0 + 10, [claim('running')], {
    runtimeId: null,
    bind: bind && { targetId: local, ...bind },
    ...changes,
  });

/** Two panes with an agent each; evidence of the second one has named session s-1. */
const twoAgents = () =>
  new Run(agents(2)).see(
    evidence('hooks', T0 + 1, [], { runtimeId: runtimeId(1), sessionKey: id('s-1') }),
  );

const bound = (run: Run, piece: Evidence) => findRuntime(run.world, piece)?.runtimeId ?? null;

describe('evidence belongs to', () => {
  const cases: [string, Partial<BindHint> | null, string | null][] = [
    ['the runtime of its session', { sessionKey: id('s-1') }, runtimeId(1)],
    ['the runtime in its pane instance', { paneKey: paneKey(1) }, runtimeId(1)],
    ['the runtime at its address', { server: 'default', paneId: '%1' }, runtimeId(1)],
    ['the runtime of its process', { paneKey: paneKey(1), pid: 2_011 }, runtimeId(1)],
    [
      'the runtime in its pane while its session is not known yet',
      { sessionKey: id('s-9'), paneKey: paneKey(0) },
      runtimeId(0),
    ],
    ['the runtime that it descends from', { paneKey: paneKey(1), pids: [9, 2_011] }, runtimeId(1)],
    [
      'the runtime that it descends from when it names the pane of another',
      { paneKey: paneKey(0), pids: [9, 2_011] },
      runtimeId(1),
    ],
    ['the runtime that it descends from when it names no pane', { pids: [2_011] }, runtimeId(1)],
    ['the nearest of two', { pids: [2_011, 2_001] }, runtimeId(1)],
    [
      'the runtime of its session when a shared daemon tells it',
      { sessionKey: id('s-1'), pids: [77] },
      runtimeId(1),
    ],
    ['a wrapper of the process that it names', { pid: 9, pids: [9, 2_011] }, runtimeId(1)],
    ['nobody when it descends from another', { paneKey: paneKey(1), pids: [9] }, null],
    [
      'nobody when it descends from another and tells a session of that pane',
      { paneKey: paneKey(1), sessionKey: id('s-1'), pids: [9] },
      null,
    ],
    ['nobody when it descends from another agent', { pids: [2_011], agent: id('codex') }, null],
    ['its agent', { paneKey: paneKey(1), agent: id('claude') }, runtimeId(1)],
    ['nobody without a hint', null, null],
    ['nobody by a target alone', {}, null],
    ['nobody by an agent alone', { agent: id('claude') }, null],
    ['nobody by a process id alone', { pid: 2_001 }, null],
    ['nobody by an unknown session', { sessionKey: id('s-9') }, null],
    ['nobody in a pane that is not known', { paneKey: paneKey(7) }, null],
    ['nobody by a pane id without its server', { paneId: '%1' }, null],
    ['nobody on another server', { server: 'other', paneId: '%1' }, null],
    ['nobody when the pane holds another agent', { paneKey: paneKey(1), agent: id('codex') }, null],
    ['nobody when the pane holds another process', { paneKey: paneKey(1), pid: 2_001 }, null],
    [
      'nobody when the process id was reused',
      { paneKey: paneKey(1), pid: 2_011, processStartedAtMs: T0 - 1 },
      null,
    ],
    [
      'nobody when the session runs another agent',
      { sessionKey: id('s-1'), agent: id('pi') },
      null,
    ],
    ['nobody on another target', { targetId: id('vm1'), paneKey: paneKey(1) }, null],
    [
      'nobody when the session is named on another target',
      { targetId: id('vm1'), sessionKey: id('s-1') },
      null,
    ],
  ];
  test.each(cases)('%s', (_name, hint, expected) => {
    expect(bound(twoAgents(), boundBy(hint))).toBe(expected);
  });

  test('the process that started exactly when the hint says', () => {
    const hint = { paneKey: paneKey(1), pid: 2_011, processStartedAtMs: T0 };
    expect(bound(twoAgents(), boundBy(hint))).toBe(runtimeId(1));
  });
});

describe('a named runtime', () => {
  test('is the runtime of the evidence', () => {
    expect(bound(twoAgents(), boundBy(null, { runtimeId: runtimeId(1) }))).toBe(runtimeId(1));
  });

  test('is nobody when it is over, whatever the hint says', () => {
    const run = new Run([...agents(), runtimeStarts(0, 2, T0 + 1)]);
    const piece = boundBy({ paneKey: paneKey(0) }, { runtimeId: runtimeId(0) });
    expect(bound(run, piece)).toBeNull();
  });
});

describe('without a process id, time decides', () => {
  const start = T0 + 60_000;
  const run = () => new Run([...agents(), runtimeStarts(0, 2, start)]);
  const at = (atMs: number) =>
    boundBy({ paneKey: paneKey(0) }, { eventTimeMs: atMs, ingestedAtMs: start });

  test('evidence from within the bind window before the start belongs to the runtime', () => {
    expect(bound(run(), at(start - config.bindWindowMs))).toBe(runtimeId(0, 2));
  });

  test('evidence from before the bind window belongs to the runtime before', () => {
    expect(bound(run(), at(start - config.bindWindowMs - 1))).toBeNull();
  });

  test('a matching process id binds evidence from before the window', () => {
    const { bind, ...rest } = at(start - config.bindWindowMs - 1);
    expect(bound(run(), { ...rest, bind: bind && { ...bind, pid: 2_002 } })).toBe(runtimeId(0, 2));
  });

  test('a process id says nothing about a runtime whose process is not visible', () => {
    const blind = new Run([
      ...agents().slice(0, -1),
      { ...runtimeStarts(0), pid: null, basis: 'option' } as ReturnType<typeof runtimeStarts>,
    ]);
    expect(bound(blind, boundBy({ paneKey: paneKey(0), pid: 77 }))).toBe(runtimeId(0));
  });
});

describe('a reused pane id', () => {
  const newborn = paneFacts(0, { birth: { pid: 5_000, startedAtMs: T0 + 100 } });
  const run = () =>
    new Run().apply(
      { type: 'pane.gone', atMs: T0 + 100, paneKey: paneKey(0), reason: 'respawned' },
      { type: 'pane.appeared', atMs: T0 + 100, paneKey: paneKeyOf(newborn), facts: newborn },
    );

  test('does not lead to the pane that had it before', () => {
    expect(bound(run(), boundBy({ server: 'default', paneId: '%0' }))).toBeNull();
    expect(bound(run(), boundBy({ paneKey: paneKey(0) }))).toBeNull();
  });

  test('leads to the new runtime at the same address', () => {
    const second = { ...runtimeStarts(0, 2, T0 + 200), paneKey: paneKeyOf(newborn) };
    const again = run().apply(second as ReturnType<typeof runtimeStarts>);
    const piece = boundBy({ server: 'default', paneId: '%0' });
    expect(bound(again, { ...piece, eventTimeMs: T0 + 300, ingestedAtMs: T0 + 300 })).toBe(
      runtimeId(0, 2),
    );
  });
});

test('a session belongs to the runtime whose evidence named it last', () => {
  const run = twoAgents().see(
    evidence('hooks', T0 + 20, [], { runtimeId: runtimeId(0), sessionKey: id('s-1') }),
  );
  expect(bound(run, boundBy({ sessionKey: id('s-1') }))).toBe(runtimeId(0));
});

test('a session of the same id on another machine takes nothing from it', () => {
  const far = paneFacts(7, { targetId: id('vm1') });
  const run = twoAgents().apply(
    { type: 'pane.appeared', atMs: T0, paneKey: paneKeyOf(far), facts: far },
    { ...runtimeStarts(7), paneKey: paneKeyOf(far) } as ReturnType<typeof runtimeStarts>,
  );
  run.see(evidence('hooks', T0 + 20, [], { runtimeId: runtimeId(7), sessionKey: id('s-1') }));
  expect(bound(run, boundBy({ sessionKey: id('s-1') }))).toBe(runtimeId(1));
  expect(bound(run, boundBy({ sessionKey: id('s-1'), targetId: id('vm1') }))).toBe(runtimeId(7));
});

describe('a start by a clock that was set back since', () => {
  /** Found at T0 + 2, with a start that says T0 + 90 s. */
  const found = () =>
    new Run([...agents(0), paneAppears(0), { ...runtimeStarts(0, 1, T0 + 90_000), atMs: T0 + 2 }]);
  const pid = 2_001;

  test('keeps no event of that process from it, however old the event is', () => {
    const old = boundBy({ pids: [9, pid] }, { eventTimeMs: T0 - 60_000 });
    expect(bound(found(), old)).toBe(runtimeId(0));
  });

  test('keeps no event from it that came after it was found', () => {
    expect(bound(found(), boundBy({ paneKey: paneKey(0) }))).toBe(runtimeId(0));
    const old = boundBy({ paneKey: paneKey(0) }, { eventTimeMs: T0 - 60_000 });
    expect(bound(found(), old)).toBeNull();
  });
});
