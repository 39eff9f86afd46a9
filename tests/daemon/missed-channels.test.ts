// A silent channel is reported while an agent needs it, and no longer than that.

import { describe, expect, it } from 'vitest';
import { Engine } from '../../src/daemon/engine/engine.ts';
import { channelSignals } from '../../src/daemon/health/missed-channels.ts';
import type { EventDraft } from '../../src/schema/event.ts';
import { type EventId, id } from '../../src/schema/ids.ts';
import { agents, channel, claim, evidence, runtimeId, runtimeStarts, T0 } from '../scenario.ts';
import { makeStore } from '../store/fixture.ts';

/** Two agents that one channel tells of, as an engine that says what became of the channel. */
function twoOfOneChannel() {
  let counter = 0;
  const engine = new Engine({
    store: makeStore(),
    nextEventId: () => id<EventId>(`e${counter++}`),
  });
  const signalsOf = (applied: ReturnType<Engine['tick']>): string[] =>
    channelSignals(engine.world, applied).map((signal) =>
      signal.kind === 'channel' ? `${signal.channel} ${signal.status}` : signal.kind,
    );
  const observeFact = (fact: EventDraft): string[] =>
    signalsOf(engine.observe([{ kind: 'fact', fact }]));
  for (const fact of agents(2)) observeFact(fact);
  const beat = (atMs: number): string[] =>
    signalsOf(engine.observe([{ kind: 'heartbeat', channel: channel('rollout@local'), atMs }]));
  for (const index of [0, 1]) {
    const changes = { runtimeId: runtimeId(index) };
    const piece = evidence('rollout', T0 + 1, [claim('running')], changes);
    engine.observe([{ kind: 'evidence', evidence: piece }]);
  }
  const end = (index: number, atMs: number): string[] =>
    observeFact({
      type: 'runtime.ended',
      atMs,
      runtimeId: runtimeId(index),
      reason: 'process_gone',
      exitCode: null,
      crashed: false,
    });
  return { beat, end, observeFact, tick: (nowMs: number) => signalsOf(engine.tick(nowMs)) };
}

describe('a silent channel', () => {
  it('is missed until it beats again', () => {
    const { beat, tick } = twoOfOneChannel();
    beat(T0 + 2);
    expect(tick(T0 + 4_000)).toEqual(['rollout@local stale']);
    expect(tick(T0 + 20_000)).toEqual(['rollout@local down']);
    expect(tick(T0 + 21_000)).toEqual([]);
    expect(beat(T0 + 22_000)).toEqual(['rollout@local fresh']);
  });

  it('is missed by the last agent that lives by it, and then by nobody', () => {
    const { beat, end, observeFact, tick } = twoOfOneChannel();
    beat(T0 + 2);
    tick(T0 + 20_000);
    expect(end(0, T0 + 21_000)).toEqual(['rollout@local down']);
    expect(end(1, T0 + 22_000)).toEqual(['rollout@local unused']);
    // The same process is found again.
    expect(observeFact({ ...runtimeStarts(1), atMs: T0 + 23_000 })).toEqual(['rollout@local down']);
  });

  it('is not missed when its agents ended before it fell silent', () => {
    const { beat, end, tick } = twoOfOneChannel();
    beat(T0 + 2);
    expect([end(0, T0 + 3), end(1, T0 + 4)]).toEqual([[], []]);
    expect(tick(T0 + 20_000)).toEqual(['rollout@local unused']);
  });
});
