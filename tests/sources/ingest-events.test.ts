// Told events on their way through the real engine and store: what each teller learns, and what the
// pane's row says after it.

import { beforeEach, describe, expect, it } from 'vitest';
import type { Observation } from '../../src/core/ingest.ts';
import { Engine } from '../../src/daemon/engine/engine.ts';
import { type IngestOptions, ingestEvents } from '../../src/daemon/engine/ingest-events.ts';
import { WrappedEnds } from '../../src/daemon/engine/wrapped-ends.ts';
import { steadyClock } from '../../src/platform/clock.ts';
import { canonicalSocketPath } from '../../src/platform/files/tmux-sockets.ts';
import type { IngestEvent } from '../../src/schema/api/ingest.ts';
import {
  type AgentName,
  type ChannelName,
  type EventId,
  id,
  type RuntimeId,
} from '../../src/schema/ids.ts';
import type { PaneFacts } from '../../src/schema/pane.ts';
import { readSpoolFile } from '../../src/sources/spool/spool-file.ts';
import { address, facts, knownPane, registry, T0 } from './fixture.ts';
import { type RealDaemon, realDaemon } from './real-daemon.ts';

const channel = id<ChannelName>('spool@local');
let nowMs = T0;
let real: RealDaemon;
let hints: string[];

beforeEach(() => {
  nowMs = T0;
  hints = [];
  real = realDaemon(() => nowMs);
});

const options = (): IngestOptions => ({
  loop: real.loop,
  daemon: real.daemon,
  registry: () => registry,
  targetId: address.targetId,
  toDaemonMs: (hostMs) => hostMs,
  socketPaths: [address.server],
  canonical: canonicalSocketPath,
  onPaneHint: (_server, { paneId, agent }) => hints.push(`${paneId} ${agent}`),
  onWrappedEnd: (end) => new WrappedEnds(() => real.loop.world, real.daemon).add(end),
});

const tell = (...events: readonly Partial<IngestEvent>[]) =>
  ingestEvents(
    events.map((each) => ({ source: 'emit', type: 'running', pane: '%1', ...each })),
    channel,
    options(),
  );

/** A pane appears, and an agent in it. */
function begin(runtime: { agent?: string; pid?: number | null } = {}, of: Partial<PaneFacts> = {}) {
  const listed = facts(of);
  const { agent = 'claude', pid = 200 } = runtime;
  const observations: Observation[] = [
    {
      kind: 'listing',
      listing: { ...address, generation: listed.generation, panes: [listed], atMs: nowMs },
    },
    {
      kind: 'fact',
      fact: {
        type: 'runtime.started',
        atMs: nowMs,
        runtimeId: id<RuntimeId>(`runtime-${agent}`),
        paneKey: knownPane(null, of).paneKey,
        agent: id<AgentName>(agent),
        pid,
        startedAtMs: nowMs,
        basis: pid === null ? 'osc' : 'process',
        signature: { providerHint: true, cmdMatch: true, pollerMatch: false, titleMatch: false },
      },
    },
  ];
  real.loop.submit(observations);
}

const state = () => real.rowOf(address, '%1')?.state;

describe('ingest events', () => {
  it('change the row of their pane, are stored, and ask for a look at it', () => {
    begin();
    nowMs += 10;
    const before = real.store.lastSeq();
    expect(tell({ event_id: 'e-1' })).toEqual([
      { event_id: 'e-1', outcome: 'applied', code: null, detail: null },
    ]);
    expect(state()).toBe('running');
    expect(real.store.lastSeq()).toBeGreaterThan(before);
    expect(hints).toEqual(['%1 null']);
  });

  it('are applied in the order of their delivery', () => {
    begin();
    nowMs += 10;
    const results = tell(
      { type: 'running', event_id: 'e-1', source_seq: 1 },
      { type: 'waiting_approval', event_id: 'e-2', source_seq: 2 },
    );
    expect(results.map(({ outcome }) => outcome)).toEqual(['applied', 'applied']);
    expect(state()).toBe('waiting_approval');
  });

  it('that come twice count once', () => {
    begin();
    nowMs += 10;
    tell({ event_id: 'e-1' });
    nowMs += 10;
    expect(tell({ event_id: 'e-1' })).toMatchObject([
      { outcome: 'duplicate', code: 'duplicate_event' },
    ]);
  });

  it('that are older than the newest of their source are late', () => {
    begin();
    nowMs += 1_000;
    tell({ type: 'waiting_input', event_id: 'e-2', source_seq: 2 });
    expect(tell({ type: 'running', event_id: 'e-1', source_seq: 1 })).toMatchObject([
      { outcome: 'late', code: 'late_event' },
    ]);
    expect(state()).toBe('waiting_input');
  });

  it('of this machine are bound and in order when its clock is set back', () => {
    const time = { wallMs: nowMs, monotonicMs: 0 };
    const clock = steadyClock(nowMs, {
      wallMs: () => time.wallMs,
      monotonicMs: () => time.monotonicMs,
    });
    const pass = (ms: number): void => {
      time.wallMs += ms;
      time.monotonicMs += ms;
      nowMs = clock();
    };
    const hook = (type: string) =>
      ingestEvents(
        [{ source: 'claude-hooks', agent: 'claude', type, pane: '%1', event_time_ms: time.wallMs }],
        channel,
        { ...options(), toDaemonMs: clock.fromWall },
      );
    begin();
    pass(1_000);
    expect(hook('UserPromptSubmit')).toMatchObject([{ outcome: 'applied' }]);
    time.wallMs -= 90_000;
    pass(1_000);
    expect(hook('PermissionRequest')).toMatchObject([{ outcome: 'applied' }]);
    expect(state()).toBe('waiting_approval');
    pass(1_000);
    expect(hook('Stop')).toMatchObject([{ outcome: 'applied' }]);
    expect(state()).toBe('completed');
  });

  it('that report a moment minutes ago do not end what was asked since then', () => {
    begin();
    nowMs += 300_000;
    tell({ type: 'PermissionRequest', event_id: 'e-1', source: 'claude-hooks' });
    const old = { type: 'completed', event_id: 'e-2', event_time_ms: nowMs - 60_000 };
    expect(tell(old)).toMatchObject([{ outcome: 'applied' }]);
    expect(state()).toBe('waiting_approval');
  });

  it('of an agent that is not known yet wait for it', () => {
    const results = tell({ agent: 'claude', pane: '%1', server: address.server, event_id: 'e-1' });
    expect(results).toMatchObject([{ outcome: 'pending_bind' }]);
    nowMs += 100;
    begin();
    expect(state()).toBe('running');
  });

  it('that nobody understands are refused, and the others count', () => {
    begin();
    nowMs += 10;
    const results = tell({ type: 'pondering', event_id: 'e-1' }, { type: 'running' });
    expect(results[0]).toMatchObject({ event_id: 'e-1', outcome: 'refused' });
    expect(results[0]?.detail).toContain('pondering');
    expect(results[1]?.outcome).toBe('applied');
    expect(tell({ source: 'made-up' })).toMatchObject([{ code: 'source_inadmissible' }]);
  });

  it('find their pane by its id, by the surroundings, by their runtime', () => {
    begin();
    const ways: Partial<IngestEvent>[] = [
      { pane: '%1', server: address.server },
      { pane: undefined, env: { TMUX: `${address.server},10,0`, TMUX_PANE: '%1' } },
      { pane: undefined, runtime: 'runtime-claude' },
    ];
    for (const way of ways) {
      nowMs += 10;
      expect(tell(way)).toMatchObject([{ outcome: 'applied' }]);
    }
    nowMs += 10;
    expect(tell({ pane: '%1', server: '/tmp/another' })[0]?.outcome).not.toBe('applied');
    expect(tell({ pane: '%9' })[0]?.outcome).not.toBe('applied');
  });

  it('with a bare pane id find the one pane of that id on any server, as explain does', () => {
    begin();
    nowMs += 10;
    const bare = (pane: string) =>
      ingestEvents([{ source: 'emit', type: 'running', pane }], channel, {
        ...options(),
        socketPaths: [address.server, '/tmp/another'],
      });
    expect(bare('%1')).toMatchObject([{ outcome: 'applied' }]);
    expect(bare('%9')).toMatchObject([{ outcome: 'refused', code: 'E_REF_NOT_FOUND' }]);
    expect(bare('nowhere:1.1')).toMatchObject([{ outcome: 'refused', code: 'E_REF_NOT_FOUND' }]);
  });

  it('of a type that does not exist are refused with the valid ones and the nearest', () => {
    begin();
    const [emitted] = tell({ type: 'runing' });
    expect(emitted?.detail).toMatch(/"runing" is not a known type; did you mean running\? .*idle/);
    const hook = { source: 'claude-hooks', agent: 'claude', type: 'Stopp' };
    expect(tell(hook)[0]?.detail).toMatch(/did you mean Stop\? .*SessionStart/);
  });

  it('of another agent than the one in the pane do not count for it', () => {
    begin();
    nowMs += 10;
    expect(tell({ agent: 'codex' })).toMatchObject([{ outcome: 'pending_bind' }]);
    expect(state()).toBe('unknown');
  });
});

/** An event as the emitter leaves it in the spool: `pid` is the process that has started it. */
function spooled(headers: Readonly<Record<string, string>>, payload: unknown): IngestEvent {
  const eventId = '1800000000000000-77';
  const lines = Object.entries({
    id: eventId,
    seq: '1800000000000000',
    pid: '4711',
    time: String((nowMs + 1) * 1_000),
    TMUX: `${address.server},10,0`,
    TMUX_PANE: '%1',
    ...headers,
  }).map(([key, value]) => `${key}: ${value}`);
  const text = ['agtmux-event 1', ...lines, '', JSON.stringify(payload)].join('\n');
  const reading = readSpoolFile(`${eventId}.event`, new TextEncoder().encode(text));
  if (typeof reading === 'string') throw new Error(reading);
  return reading;
}

describe('an event out of the spool', () => {
  it('finds the agent of its pane, also with a shell between the agent and its hook', () => {
    begin();
    const event = spooled(
      { source: 'claude-hooks', agent: 'claude', event: 'UserPromptSubmit' },
      { hook_event_name: 'UserPromptSubmit', session_id: 's-1' },
    );
    nowMs += 10;
    expect(ingestEvents([event], channel, options())).toMatchObject([{ outcome: 'applied' }]);
    expect(state()).toBe('running');
  });

  it('of codex is not bound by its pane: its daemon has that of a stranger', () => {
    begin({ agent: 'codex', pid: null }, { opaque: true, command: 'ssh' });
    const event = spooled(
      { source: 'codex-hooks', agent: 'codex', event: 'UserPromptSubmit' },
      { hook_event_name: 'UserPromptSubmit', session_id: 'somebody-else' },
    );
    nowMs += 10;
    expect(ingestEvents([event], channel, options())).toMatchObject([{ outcome: 'pending_bind' }]);
    expect(state()).toBe('unknown');
  });
});

describe('whatever events say', () => {
  /** The world of a daemon that starts after an end without a snapshot. */
  const nextLife = () =>
    new Engine({ store: real.store, nextEventId: () => id<EventId>('none') }).world;

  const odd: Partial<IngestEvent>[] = [
    { session_key: '' },
    { session_key: '', payload: { session_key: '' } },
    { env: { AGTMUX_LINEAGE: '30:5:sh 0:5:node', TMUX_PANE: '%1', CLAUDE_PID: '0' } },
    { pane: undefined, server: '' },
    { event_time_ms: Number.MAX_VALUE },
    { source_seq: Number.MAX_SAFE_INTEGER, dedupe_key: ' ' },
    { payload: { request_id: '', text: 'x'.repeat(9_000) }, type: 'waiting_input' },
  ];

  it.each(odd)('it can be read again after a restart: %j', (event) => {
    for (const isKnown of [false, true]) {
      if (isKnown) begin();
      nowMs += 10;
      const [result] = tell({ agent: 'claude', event_id: `e-${isKnown}`, ...event });
      expect(result?.outcome).toMatch(/^(?:applied|pending_bind)$/);
    }
    expect(nextLife()).toEqual(real.world());
  });

  it('it is refused where it could not be read again, and the others count', () => {
    begin();
    nowMs += 10;
    const env = { TMUX: '/tmp/far,1,0', TMUX_PANE: '%7' };
    const far = { source: 'emit', type: 'running', agent: 'claude', env };
    const results = ingestEvents(
      [
        { ...far, event_id: 'e-far' },
        { ...far, event_id: 'e-near', env: {}, pane: '%1' },
      ],
      channel,
      { ...options(), canonical: (path) => (path === '/tmp/far' ? '/far'.repeat(1_000) : path) },
    );
    expect(results).toMatchObject([
      { event_id: 'e-far', outcome: 'refused', code: 'invalid_source_event' },
      { event_id: 'e-near', outcome: 'applied' },
    ]);
    expect(results[0]?.detail).toContain('bind.server');
    expect(nextLife()).toEqual(real.world());
  });
});

describe('who becomes an agent by an event alone', () => {
  const observe = (event: Partial<IngestEvent>) => {
    nowMs += 10;
    tell(event);
    return hints.at(-1);
  };

  beforeEach(() => {
    const listing = { ...address, generation: facts().generation, panes: [facts()], atMs: nowMs };
    real.loop.submit([{ kind: 'listing', listing }]);
  });

  it('is one that nobody has described', () => {
    expect(observe({ agent: 'my-agent' })).toBe('%1 my-agent');
  });

  it('is none that its process would show', () => {
    expect(observe({ agent: 'claude' })).toBe('%1 null');
  });

  it('is none by old news, nor by its end', () => {
    expect(observe({ agent: 'my-agent', event_time_ms: T0 - 60_000 })).toBe('%1 null');
    hints = [];
    expect(observe({ agent: 'my-agent', type: 'exited' }) ?? '%1 null').toBe('%1 null');
  });
});

describe('an agent that says it is over', () => {
  const behindSsh = { opaque: true, command: 'ssh' };

  it('has ended, where no process could show it', () => {
    begin({ pid: null }, behindSsh);
    nowMs += 10;
    tell({ type: 'exited', agent: 'claude' });
    expect(real.daemon.paneAt(address, '%1')?.runtime).toBeNull();
  });

  it('has not ended while its process lives', () => {
    begin();
    nowMs += 10;
    tell({ type: 'exited', agent: 'claude' });
    expect(real.daemon.paneAt(address, '%1')?.runtime?.agent).toBe('claude');
  });

  it('ends no other agent', () => {
    begin({ pid: null }, behindSsh);
    nowMs += 10;
    tell({ type: 'exited', agent: 'codex' });
    expect(real.daemon.paneAt(address, '%1')?.runtime?.agent).toBe('claude');
  });

  it('does not end the one that came after it, when its word comes late or twice', () => {
    begin({ pid: null }, behindSsh);
    nowMs += 60_000;
    tell({ type: 'exited', agent: 'claude', event_id: 'e-old', event_time_ms: T0 - 600_000 });
    expect(real.daemon.paneAt(address, '%1')?.runtime?.agent).toBe('claude');
  });
});

describe('a listener of the loop', () => {
  it('gets commits in their order, also those that another listener made', () => {
    const heardTypes: string[] = [];
    let isFirst = true;
    real.loop.onApplied(() => {
      if (!isFirst) return;
      isFirst = false;
      real.loop.submit([{ kind: 'heartbeat', channel, atMs: nowMs }]);
    });
    real.loop.onApplied(({ events }) => heardTypes.push(...events.map(({ type }) => type)));
    begin();
    expect(heardTypes.at(-1)).toBe('channel.changed');
    expect(heardTypes[0]).toBe('pane.appeared');
  });
});
