// Machines and servers that are gone: which alerts they are, since when, and in which words.

import { describe, expect, test } from 'vitest';
import {
  agents,
  claim,
  evidence,
  paneFacts,
  paneKey,
  Run,
  runtimeId,
  T0,
} from '../../../tests/scenario.ts';
import type { AlertItem } from '../../schema/api/health.ts';
import { id, type TargetId } from '../../schema/ids.ts';
import type { AlertTable } from '../../store/tables/alerts.ts';
import { Alerts } from './alerts.ts';
import { endedServerSignals, outagesOf } from './outages.ts';

const box = id<TargetId>('build-box');
const iso = (atMs: number): string => new Date(atMs).toISOString();

/** Alerts over a table in memory. */
function openAlerts(at: { nowMs: number }) {
  const rows = new Map<string, AlertItem>();
  const store = {
    open: ({ code, about, level, detail, atMs }) => {
      const alert_id = `${code} ${about}`;
      const times = { opened_at: iso(atMs), updated_at: iso(atMs) };
      const rest = { acknowledged_at: null, resolved_at: null, resolved_by: null };
      const row: AlertItem = { alert_id, code, about, level, detail, ...times, ...rest };
      rows.set(alert_id, row);
      return row;
    },
    resolve: (alertId) => {
      const row = rows.get(alertId) ?? null;
      rows.delete(alertId);
      return row;
    },
    list: () => [...rows.values()],
  } as Partial<AlertTable> as AlertTable;
  const onFault = (error: unknown) => {
    throw error;
  };
  return new Alerts({ store, nowMs: () => at.nowMs, openMax: () => 100, onFault });
}

const world = () =>
  new Run([
    ...agents(2),
    {
      type: 'target.changed',
      atMs: T0,
      target: {
        targetId: id('local'),
        name: 'local',
        kind: 'local',
        connectionRef: null,
        health: 'ok',
      },
    },
  ]);

const down = (downSinceMs: number | null, hasTmux = true) =>
  ({ kind: 'target', targetId: box, downSinceMs, hasTmux, detail: 'no route' }) as const;

describe('a target', () => {
  test('that does not answer is an alert and an outage since its last answer', () => {
    const alerts = openAlerts({ nowMs: T0 + 120_000 });
    alerts.signal(down(T0));
    expect(alerts.list({ includeResolved: false })).toMatchObject([
      { code: 'target_unreachable', about: 'build-box', level: 'degraded', opened_at: iso(T0) },
    ]);
    expect(outagesOf(world().world, alerts.standing())).toEqual([
      {
        code: 'target_unreachable',
        target: 'build-box',
        server: null,
        since: iso(T0),
        text: 'build-box down',
        detail: 'no route',
      },
    ]);
    alerts.signal(down(null));
    expect(alerts.standing()).toEqual([]);
  });

  test('without tmux says so, also when it is this machine', () => {
    const alerts = openAlerts({ nowMs: T0 });
    alerts.signal(down(null, false));
    alerts.signal({ ...down(null, false), targetId: id('local') });
    const texts = outagesOf(world().world, alerts.standing()).map(({ text }) => text);
    expect(texts.sort()).toEqual(['build-box has no tmux', 'no tmux on this machine']);
  });

  test('that is removed leaves no alert behind', () => {
    const alerts = openAlerts({ nowMs: T0 });
    alerts.signal(down(T0));
    alerts.signal({ kind: 'target_removed', targetId: box });
    expect(alerts.standing()).toEqual([]);
  });
});

describe('a tmux server', () => {
  const gone = (run: Run) => {
    const before = run.events.length;
    const { targetId, server } = paneFacts(0);
    const listing = { targetId, server, generation: null, panes: [], atMs: T0 + 50 };
    run.observe({ kind: 'listing', listing });
    return endedServerSignals(run.world, { events: run.events.slice(before) }, () => false);
  };

  test('that ended is a message with what was in it, for a while', () => {
    const at = { nowMs: T0 + 60 };
    const alerts = openAlerts(at);
    const run = world().see(evidence('hooks', T0, [claim('running')]));
    const signals = gone(run);
    expect(signals).toEqual([
      { kind: 'server_ended', server: 'local:default', panes: 2, agents: 2 },
    ]);
    for (const signal of signals) alerts.signal(signal);
    expect(outagesOf(run.world, alerts.standing())).toMatchObject([
      {
        code: 'tmux_ended',
        text: 'tmux server default ended',
        detail: '2 agents and 2 panes are gone with it',
      },
    ]);
    at.nowMs += 900_000;
    alerts.tick();
    expect(alerts.standing()).toEqual([]);
  });

  test('counts an agent whose end was seen a moment before that of the server', () => {
    const run = world().see(evidence('hooks', T0, [claim('running')]));
    const end = { reason: 'process_gone', exitCode: null, crashed: false } as const;
    run.apply({ type: 'runtime.ended', atMs: T0 + 40, runtimeId: runtimeId(0), ...end });
    expect(gone(run)).toMatchObject([{ panes: 2, agents: 2 }]);
  });

  test('that lost one pane has not ended', () => {
    const run = world();
    const before = run.events.length;
    run.apply({ type: 'pane.gone', atMs: T0 + 5, paneKey: paneKey(0), reason: 'closed' });
    expect(
      endedServerSignals(run.world, { events: run.events.slice(before) }, () => false),
    ).toEqual([]);
  });

  test('that was never there is an outage only where the machine has no other', () => {
    const alerts = openAlerts({ nowMs: T0 });
    alerts.signal({
      kind: 'server',
      server: 'local:/tmp/x',
      status: 'absent',
      detail: 'no socket',
    });
    expect(outagesOf(world().world, alerts.standing())).toEqual([]);
    const run = world();
    gone(run);
    expect(outagesOf(run.world, alerts.standing())).toMatchObject([
      { code: 'tmux_absent', text: 'no tmux server that is watched on this machine' },
    ]);
  });
});
