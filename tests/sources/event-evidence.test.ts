// Events that programs tell: what each comes to, from a hook's envelope to evidence.

import { describe, expect, it } from 'vitest';
import type { Adapter } from '../../src/agents/adapter.ts';
import { canonicalSocketPath } from '../../src/platform/files/tmux-sockets.ts';
import type { IngestEvent } from '../../src/schema/api/ingest.ts';
import {
  type AgentName,
  type ChannelName,
  id,
  type PaneKey,
  sourceChannel,
} from '../../src/schema/ids.ts';
import { type EventContext, readIngestEvent } from '../../src/sources/spool/event-evidence.ts';
import { address, registry, T0, TestDaemon } from './fixture.ts';

const daemon = new TestDaemon();
const channel = id<ChannelName>('spool@local');
const pane = { paneKey: id<PaneKey>('pane-1'), agent: id<AgentName>('claude') };

const teller: EventContext = {
  channel,
  targetId: address.targetId,
  canonical: canonicalSocketPath,
  registry: () => registry,
  daemon,
  toDaemonMs: (hostMs) => hostMs,
  pane: null,
};

const read = (event: Partial<IngestEvent>, context: Partial<EventContext> = {}) =>
  readIngestEvent(
    { source: 'claude-hooks', type: 'Stop', agent: 'claude', payload: {}, ...event },
    { ...teller, ...context },
  );

/** The evidence of an event; fails where there is none. */
function evidenceOf(event: Partial<IngestEvent>, context: Partial<EventContext> = {}) {
  const reading = read(event, context);
  if (reading.kind !== 'evidence') throw new Error(`${reading.kind}: ${reading.reason}`);
  return reading.evidence;
}

describe('an event of a third-party source', () => {
  const own = { source: 'mine', type: 'waiting_input', event_id: 'm1' };

  it('is evidence under its own name, on the channel of its registration', () => {
    const result = evidenceOf(own, { channel: sourceChannel('mine') });
    expect(result).toMatchObject({ source: 'mine', channel: 'source:mine', kind: 'edge' });
    expect(result.claims).toMatchObject([{ says: 'waiting_input' }]);
  });

  it('is refused on every other channel', () => {
    const code = 'source_inadmissible';
    expect(read(own)).toMatchObject({ kind: 'refused', code });
    expect(read(own, { channel: sourceChannel('other') })).toMatchObject({ kind: 'refused', code });
  });

  it('with a wrong type is refused with the list of types', () => {
    const reading = read({ ...own, type: 'Stop' }, { channel: sourceChannel('mine') });
    expect(reading).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(
        /^"Stop" is not a known type\. Valid types: running, .*exited$/,
      ),
    });
  });
});

describe('an event of a hook', () => {
  it('is evidence with all that its teller knew', () => {
    const result = evidenceOf(
      {
        type: 'PermissionRequest',
        event_id: 'e-1',
        source_seq: 7,
        event_time_ms: T0 + 5,
        pid: 42,
        session_key: 's-1',
        payload: { hook_event_name: 'PermissionRequest', tool_name: 'Bash' },
      },
      { pane },
    );
    expect(result).toMatchObject({
      eventId: 'e-1',
      source: 'claude-hooks',
      channel,
      kind: 'edge',
      tier: 'deterministic',
      runtimeId: null,
      dedupeKey: 'e-1',
      sourceSeq: 7,
      eventTimeMs: T0 + 5,
      ingestedAtMs: T0,
      backfill: false,
      bind: { targetId: 'local', paneKey: 'pane-1', agent: 'claude', pid: 42, sessionKey: 's-1' },
      claims: [{ says: 'waiting_approval' }],
    });
  });

  it('of a machine whose clock is off is converted to our time, whatever its source', () => {
    const ahead = { toDaemonMs: (hostMs: number) => hostMs - 3_600_000 };
    expect(evidenceOf({ event_time_ms: T0 + 3_600_000 }, ahead).eventTimeMs).toBe(T0);
    const payload = { timestamp: new Date(T0 + 3_600_500).toISOString() };
    expect(evidenceOf({ event_time_ms: T0, payload }, ahead).eventTimeMs).toBe(T0 + 500);
    expect(evidenceOf({ event_time_ms: 5 }, ahead).eventTimeMs).toBe(0);
    expect(evidenceOf({}, ahead).eventTimeMs).toBe(T0);
  });

  it('from before the start of the daemon is old news', () => {
    expect(evidenceOf({ event_time_ms: T0 - 1 }).backfill).toBe(true);
    expect(evidenceOf({ event_time_ms: T0 }).backfill).toBe(false);
    expect(evidenceOf({}).backfill).toBe(false);
  });

  it('gets an id of ours where it has none, another one each time', () => {
    expect(evidenceOf({}).eventId).not.toBe(evidenceOf({}).eventId);
  });

  it('keeps the key by which its repeats are known', () => {
    expect(evidenceOf({ dedupe_key: 'k' }).dedupeKey).toBe('k');
  });

  it('that names a runtime belongs to it', () => {
    expect(evidenceOf({ runtime: 'runtime-9' }).runtimeId).toBe('runtime-9');
  });

  it('from a pane that is not listed yet will find it by its context', () => {
    const env = { TMUX: '/tmp/s,10,0', TMUX_PANE: '%7' };
    const { bind } = evidenceOf({ source: 'emit', type: 'running', env });
    expect(bind).toMatchObject({ paneId: '%7', server: '/tmp/s' });
    expect(evidenceOf({ env: { TMUX_PANE: '%7 x' } }).bind).not.toHaveProperty('paneId');
  });

  it('of codex is never bound by a pane: its daemon has the pane of whoever started it', () => {
    const result = evidenceOf({
      agent: 'codex',
      source: 'codex-hooks',
      type: 'Stop',
      pane: '%7',
      server: '/tmp/s',
      env: { TMUX: '/tmp/s,10,0', TMUX_PANE: '%7' },
      payload: { hook_event_name: 'Stop', session_id: 't-1' },
    });
    expect(result.bind).not.toHaveProperty('paneId');
    expect(result.bind).not.toHaveProperty('paneKey');
    expect(result.bind?.sessionKey).toBe('t-1');
  });
});

describe('the agent of an event', () => {
  it('is the one that it names, else the one in its pane', () => {
    expect(evidenceOf({ agent: undefined }, { pane }).bind?.agent).toBe('claude');
    const other = { agent: 'codex', source: 'emit', type: 'running' };
    expect(evidenceOf(other, { pane }).bind?.agent).toBe('codex');
  });

  it('may be one that nobody has described', () => {
    const result = evidenceOf({ agent: 'my-agent', source: 'emit', type: 'running' });
    expect(result.bind?.agent).toBe('my-agent');
  });

  it('must be known, or its event is refused', () => {
    expect(read({ agent: undefined })).toMatchObject({
      kind: 'refused',
      code: 'source_inadmissible',
    });
  });

  it('must not be switched off', () => {
    const off = registry.adapters.map(
      (each): Adapter =>
        each.agent === 'claude'
          ? { ...each, health: { status: 'disabled', reason: 'by_user' } }
          : each,
    );
    expect(read({}, { registry: () => ({ ...registry, adapters: off }) })).toMatchObject({
      kind: 'refused',
      code: 'source_inadmissible',
    });
  });
});

describe('an event that cannot count', () => {
  it('is refused where its source does not speak for the agent', () => {
    expect(read({ source: 'codex-hooks' })).toMatchObject({ code: 'source_inadmissible' });
    expect(read({ source: 'made-up' })).toMatchObject({ code: 'source_inadmissible' });
  });

  it('is refused where nobody knows what it means', () => {
    expect(read({ source: 'emit', type: 'pondering' })).toMatchObject({
      kind: 'refused',
      code: 'invalid_source_event',
    });
    expect(read({ payload: 'no object' })).toMatchObject({ code: 'invalid_source_event' });
  });
});
