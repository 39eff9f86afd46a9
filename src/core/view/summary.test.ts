// Rollups: by state, agent, target, session and window. A pane counts once.

import { describe, expect, test } from 'vitest';
import {
  claim,
  evidence,
  local,
  paneFacts,
  Run,
  runtimeId,
  runtimeStarts,
  T0,
} from '../../../tests/scenario.ts';
import type { EventDraft } from '../../schema/event.ts';
import { type AgentName, id, paneKeyOf, type TargetId } from '../../schema/ids.ts';
import type { PaneFacts, PaneLocation } from '../../schema/pane.ts';
import type { Says } from '../../schema/state.ts';
import { states } from '../../text/state-words.ts';
import { summarize, summarizeSessions, summarizeWindows } from './summary.ts';

interface Shown {
  readonly facts?: Partial<PaneFacts>;
  readonly says?: Says;
  readonly agent?: string | null;
}
const place = (changes: Partial<PaneLocation> = {}): PaneLocation => ({
  sessionId: '$1',
  sessionName: 'work',
  windowId: '@1',
  windowIndex: 1,
  windowName: 'code',
  paneIndex: 0,
  active: true,
  ...changes,
});

/** Panes as they are described; each one with an agent unless it says null. */
function panes(...shown: readonly Shown[]) {
  const run = new Run([]);
  shown.forEach(({ facts: changes, says, agent = 'claude' }, index) => {
    const facts = paneFacts(index, { locations: [place()], ...changes });
    const paneKey = paneKeyOf(facts);
    run.apply({ type: 'pane.appeared', atMs: T0, paneKey, facts });
    if (agent === null) return;
    const start = { ...runtimeStarts(index), paneKey, agent: id<AgentName>(agent) };
    run.apply(start as EventDraft);
    if (says) run.see(evidence('hooks', T0, [claim(says)], { runtimeId: runtimeId(index) }));
  });
  return [...run.world.panes.values()];
}
const vm1 = { targetId: id<TargetId>('vm1') };
const twoSessions = { locations: [place(), place({ sessionId: '$2', sessionName: 'linked' })] };

test('an agent that crashed counts as an error until another one runs in its pane', () => {
  const run = new Run().apply({
    type: 'runtime.ended',
    atMs: T0 + 5,
    runtimeId: runtimeId(0),
    reason: 'process_gone',
    exitCode: 139,
    crashed: true,
  });
  const counts = () => summarize(run.world.panes.values());
  expect(counts()).toMatchObject({ agents: 1, byState: { error: 1 }, byAgent: { claude: 1 } });
  expect(summarizeWindows(run.world.panes.values())).toMatchObject([{ topState: 'error' }]);
  run.apply(runtimeStarts(0, 2, T0 + 90));
  expect(counts()).toMatchObject({ agents: 1, byState: { error: 0, unknown: 1 } });
});

describe('the global summary', () => {
  test('counts by state, agent and target', () => {
    const summary = summarize(
      panes(
        { says: 'running' },
        { says: 'running', agent: 'codex' },
        { says: 'waiting_input', facts: vm1 },
        { facts: vm1 },
      ),
    );
    expect(summary).toMatchObject({
      panes: 4,
      agents: 4,
      byState: { running: 2, waiting_input: 1, unknown: 1, error: 0 },
      byAgent: { claude: 3, codex: 1 },
      byTarget: {
        [local]: { agents: 2, byState: { running: 2, unknown: 0 } },
        vm1: { agents: 2, byState: { waiting_input: 1, unknown: 1 } },
      },
    });
  });

  test('counts a pane without an agent as a pane and under no state', () => {
    const summary = summarize(panes({ agent: null }, { says: 'error' }));
    expect(summary).toMatchObject({ panes: 2, agents: 1 });
    expect(summary.byState).toEqual({
      ...Object.fromEntries(states.map((state) => [state, 0])),
      error: 1,
    });
    expect(Object.values(summary.byAgent)).toEqual([1]);
  });

  test('counts a pane in two sessions once', () => {
    expect(summarize(panes({ says: 'running', facts: twoSessions }))).toMatchObject({
      panes: 1,
      agents: 1,
      byState: { running: 1 },
    });
  });

  test('does not count a pane that is gone', () => {
    const run = new Run();
    const [paneKey] = run.world.panes.keys();
    if (!paneKey) throw new Error('no pane');
    run.apply({ type: 'pane.gone', atMs: T0 + 1, paneKey, reason: 'closed' });
    expect(summarize(run.world.panes.values())).toMatchObject({
      panes: 0,
      agents: 0,
      byTarget: {},
    });
  });

  test('of nothing is zero everywhere', () => {
    const summary = summarize([]);
    expect(summary.agents + summary.panes).toBe(0);
    expect(Object.keys(summary.byState).sort()).toEqual([...states].sort());
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'counts an agent, a target and a session called %s like any other',
    (name) => {
      const shown = panes(
        {
          agent: name,
          says: 'running',
          facts: { targetId: id<TargetId>(name), locations: [place({ sessionName: name })] },
        },
        { says: 'running' },
      );
      const summary = summarize(shown);
      expect(Object.entries(summary.byAgent).sort()).toEqual(
        [
          [name, 1],
          ['claude', 1],
        ].sort(),
      );
      expect(Object.keys(summary.byTarget).sort()).toEqual([name, 'local'].sort());
      const [session] = summarizeSessions(shown, 'session-name').filter(
        (each) => each.sessionName === name,
      );
      expect(Object.keys(session?.byTarget ?? {})).toEqual([name]);
    },
  );
});

describe('sessions', () => {
  const shown = () =>
    panes(
      { says: 'running' },
      { says: 'waiting_approval' },
      { says: 'running', facts: vm1 },
      { says: 'error', facts: { locations: [place({ sessionName: 'other' })] } },
      { agent: null },
    );

  test('are kept apart by target unless they are merged', () => {
    const rows = summarizeSessions(shown(), 'target-session');
    const named = rows.map(({ targetId, sessionName, panes: count, agents, topState }) => [
      ...[targetId, sessionName, count, agents, topState],
    ]);
    expect(named).toEqual([
      [local, 'work', 3, 2, 'waiting_approval'],
      ['vm1', 'work', 1, 1, 'running'],
      [local, 'other', 1, 1, 'error'],
    ]);
  });

  test('of one name are merged by session-name, with the counts of each target', () => {
    const rows = summarizeSessions(shown(), 'session-name');
    expect(rows.map(({ sessionName }) => sessionName)).toEqual(['work', 'other']);
    expect(rows[0]).toMatchObject({
      targetId: null,
      server: null,
      panes: 4,
      agents: 3,
      byState: { running: 2, waiting_approval: 1 },
      topState: 'waiting_approval',
      byTarget: {
        [local]: { agents: 2, byState: { running: 1, waiting_approval: 1 } },
        vm1: { agents: 1, byState: { running: 1 } },
      },
    });
  });

  test('on two servers of one target are two', () => {
    const rows = summarizeSessions(
      panes({ says: 'running' }, { says: 'error', facts: { server: 'second' } }),
      'target-session',
    );
    expect(rows.map(({ server, topState }) => [server, topState])).toEqual([
      ['default', 'running'],
      ['second', 'error'],
    ]);
  });

  test('that show the same pane each count it once', () => {
    const rows = summarizeSessions(
      panes({ says: 'running', facts: twoSessions }),
      'target-session',
    );
    expect(rows.map(({ sessionName, agents }) => [sessionName, agents])).toEqual([
      ['work', 1],
      ['linked', 1],
    ]);
  });

  test('of one name that show the same pane twice count it once when merged', () => {
    const grouped = { locations: [place(), place({ sessionId: '$2', windowIndex: 4 })] };
    const rows = summarizeSessions(panes({ says: 'running', facts: grouped }), 'session-name');
    expect(rows).toMatchObject([{ panes: 1, agents: 1, byState: { running: 1 } }]);
  });

  test('without an agent have no state', () => {
    const rows = summarizeSessions(panes({ agent: null }), 'target-session');
    expect(rows).toMatchObject([{ panes: 1, agents: 0, topState: 'unknown' }]);
  });

  test('names cannot forge another session', () => {
    const rows = summarizeSessions(
      panes(
        { facts: { targetId: id<TargetId>('a'), server: 'b"],["c' } },
        {
          facts: {
            targetId: id<TargetId>('a'),
            server: 'b',
            locations: [place({ sessionName: '","' })],
          },
        },
      ),
      'target-session',
    );
    expect(rows).toHaveLength(2);
  });
});

describe('windows', () => {
  test('have a top state by precedence and count who waits and who runs', () => {
    const other = { locations: [place({ windowId: '@2', windowName: 'logs' })] };
    const rows = summarizeWindows(
      panes(
        { says: 'running' },
        { says: 'waiting_input' },
        { says: 'waiting_approval' },
        { agent: null },
        { says: 'running', facts: other },
      ),
    );
    expect(rows).toMatchObject([
      { windowId: '@1', windowName: 'code', topState: 'waiting_approval', waiting: 2, running: 1 },
      { windowId: '@2', windowName: 'logs', topState: 'running', waiting: 0, running: 1 },
    ]);
    expect(rows[0]).toMatchObject({ panes: 4, agents: 3, targetId: local, sessionName: 'work' });
  });

  test('take the highest of every two states', () => {
    const order: Says[] = ['error', 'waiting_approval', 'waiting_input', 'running', 'completed'];
    for (const [index, high] of order.entries()) {
      for (const low of order.slice(index + 1)) {
        const [row] = summarizeWindows(panes({ says: low }, { says: high }));
        expect(row?.topState).toBe(high);
      }
    }
  });

  test('that two sessions share are a row in each', () => {
    const rows = summarizeWindows(panes({ says: 'running', facts: twoSessions }));
    expect(rows.map(({ sessionName, windowId }) => [sessionName, windowId])).toEqual([
      ['work', '@1'],
      ['linked', '@1'],
    ]);
  });
});
