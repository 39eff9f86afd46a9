import { describe, expect, test } from 'vitest';
import {
  agents,
  claim,
  evidence,
  local,
  processSignature,
  Run,
  T0,
} from '../../../tests/scenario.ts';
import {
  type AgentName,
  id,
  isPanelessKeyOf,
  panelessKeyOf,
  type RuntimeId,
} from '../../schema/ids.ts';
import { summarize } from '../view/summary.ts';
import type { PanelessAgent } from './paneless-agents.ts';

const claude = id<AgentName>('claude');

const seat = (session: string, pid = 50): PanelessAgent => ({
  runtimeId: id<RuntimeId>(`seat-${session}-${pid}`),
  agent: claude,
  pid,
  startedAtMs: T0 - 60_000,
  suspended: false,
  signature: processSignature,
  sessionKey: id(session),
  path: '/home/dev/project',
});

const look = (run: Run, atMs: number, ...seats: PanelessAgent[]) =>
  run.observe({
    kind: 'paneless',
    listing: { targetId: local, agent: claude, agents: seats, atMs },
  });

const keyOf = (session: string) => panelessKeyOf(local, claude, id(session));

describe('agents without a pane', () => {
  test('come, stay and go as they are looked at', () => {
    const run = look(new Run([]), T0, seat('a'), seat('b', 51));
    const started = run.eventTypes();
    expect(started.slice(-2)).toEqual(['runtime.started', 'runtime.started']);
    look(run, T0 + 1, seat('a'), seat('b', 51));
    expect(run.eventTypes()).toEqual(started);
    look(run, T0 + 2, seat('b', 51));
    expect(run.eventTypes()).toEqual([...started, 'pane.gone']);
    expect(run.world.panes.get(keyOf('a'))?.row).toMatchObject({ presence: 'missing' });
    expect(run.world.panes.get(keyOf('b'))).toMatchObject({
      facts: null,
      seatPath: '/home/dev/project',
      row: { presence: 'managed', agent: 'claude', state: 'unknown' },
    });
    expect(summarize(run.world.panes.values())).toMatchObject({ panes: 0, agents: 1 });
    run.tick(T0 + 1_000_000);
    expect(run.world.panes.has(keyOf('a'))).toBe(false);
  });

  test('that come back before they are forgotten keep their row', () => {
    const run = look(look(new Run([]), T0, seat('a')), T0 + 1);
    look(run, T0 + 2, seat('a'));
    expect(run.world.panes.get(keyOf('a'))?.row.presence).toBe('managed');
    look(run, T0 + 3, seat('a', 99));
    expect(run.world.panes.get(keyOf('a'))?.row.runtimeId).toBe('seat-a-99');
  });

  test('are confirmed after a start of the daemon by a look and their file', () => {
    const run = look(new Run([]), T0, seat('a'));
    const { runtimeId } = seat('a');
    const running = claim('running');
    run.see(evidence('file', T0 + 1, [running], { kind: 'level', runtimeId }));
    run.apply({ type: 'daemon.started', atMs: T0 + 10, config: run.world.config });
    expect(run.world.panes.get(keyOf('a'))?.row.reasonCode).toBe('reconfirming');
    look(run, T0 + 20, seat('a'));
    run.see(evidence('file', T0 + 21, [running], { kind: 'level', runtimeId }));
    expect(run.world.panes.get(keyOf('a'))?.row.state).toBe('running');
  });

  test('leave panes, and agents of other kinds, alone', () => {
    const run = look(new Run(agents()), T0 + 5);
    expect(run.row().presence).toBe('managed');
    expect(isPanelessKeyOf(panelessKeyOf(local, id('claude-2'), id('a')), local, claude)).toBe(
      false,
    );
  });
});
