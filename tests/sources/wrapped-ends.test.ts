// The end of a program under `agtmux run`, from its wrapper, through the real engine: whose end
// it is, and when it is a crash.

import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ingestEvents } from '../../src/daemon/engine/ingest-events.ts';
import { WrappedEnds } from '../../src/daemon/engine/wrapped-ends.ts';
import { Fault } from '../../src/platform/fault.ts';
import type { EventDraft } from '../../src/schema/event.ts';
import { type AgentName, type ChannelName, id, type RuntimeId } from '../../src/schema/ids.ts';
import { address, facts, knownPane, registry, T0 } from './fixture.ts';
import { type RealDaemon, realDaemon } from './real-daemon.ts';

let nowMs = T0;
let real: RealDaemon;
let ends: WrappedEnds;
let count = 0;

beforeEach(() => {
  nowMs = T0 + 10_000;
  real = realDaemon(() => nowMs);
  ends = new WrappedEnds(() => real.loop.world, real.daemon);
});

const list = (changes: Parameters<typeof facts>[0] = {}): void => {
  const listed = facts(changes);
  const listing = { ...address, generation: listed.generation, panes: [listed], atMs: nowMs };
  real.loop.submit([{ kind: 'listing', listing }]);
};

const start = (pid: number, startedAtMs: number): void => {
  const fact = {
    type: 'runtime.started' as const,
    atMs: nowMs,
    runtimeId: id<RuntimeId>(`runtime-${pid}`),
    paneKey: knownPane(null).paneKey,
    agent: id<AgentName>('claude'),
    pid,
    startedAtMs,
    basis: 'process' as const,
    signature: { providerHint: true, cmdMatch: true, pollerMatch: false, titleMatch: false },
  };
  real.loop.submit([{ kind: 'fact', fact }]);
};

const end = (pid: number): void => {
  const runtimeId = id<RuntimeId>(`runtime-${pid}`);
  const gone = { reason: 'process_gone' as const, exitCode: null, crashed: false };
  const fact = { type: 'runtime.ended' as const, atMs: nowMs, runtimeId, ...gone };
  real.loop.submit([{ kind: 'fact', fact }]);
};

const exit = (facts: object, eventId?: string) => {
  count += 1;
  return ingestEvents(
    [
      {
        event_id: eventId ?? `e-${count}`,
        event_time_ms: T0 + 10_000,
        source: 'wrapper',
        type: 'exit',
        payload: { pid: 200, lasted_ms: 10_000, program: 'job', ...facts },
        env: { TMUX: `${address.server},1,0`, TMUX_PANE: '%1' },
      },
    ],
    id<ChannelName>('spool@local'),
    {
      loop: real.loop,
      daemon: real.daemon,
      registry: () => registry,
      targetId: address.targetId,
      toDaemonMs: (hostMs) => hostMs,
      socketPaths: [address.server],
      canonical: (path) => path,
      onPaneHint: () => {},
      onWrappedEnd: (end) => ends.add(end),
    },
  );
};

const row = () => real.rowOf(address, '%1');
const notes = () => row()?.attention.requests.map(({ kind, note }) => `${kind}: ${note}`);

describe('the end that a wrapper reports', () => {
  it('ends its agent: completed with 0, as a crash with anything else', () => {
    list();
    start(200, T0);
    exit({ code: 0 });
    expect(row()).toMatchObject({ presence: 'unmanaged', state: 'completed' });
    expect(notes()).toEqual(['completion: claude ended with exit code 0']);
    start(200, T0 + 1);
    exit({ code: 7 });
    expect(notes()).toEqual(['crash: claude ended with exit code 7']);
  });

  it('is neither a crash nor a completion when a person pressed Ctrl-C', () => {
    list();
    start(200, T0);
    exit({ code: null, signal: 'SIGINT' });
    expect(row()).toMatchObject({ presence: 'unmanaged', state: 'unknown' });
    start(200, T0 + 1);
    exit({ code: 130 });
    expect(notes()).toEqual([]);
  });

  it('of a program that no scan has found is shown as well', () => {
    list();
    exit({ code: 0, name: 'nightly' });
    expect(row()).toMatchObject({ agent: 'nightly', state: 'completed', reasonCode: 'exited' });
    exit({ code: 4, name: 'nightly', pid: 201 });
    expect(row()).toMatchObject({ agent: 'nightly', state: 'error', reasonCode: 'crashed' });
  });

  it('takes back a crash that was only inferred from an unfinished turn', () => {
    list();
    start(200, T0);
    const ended = { reason: 'process_gone', exitCode: null, crashed: true, during: 'running' };
    const runtimeId = id<RuntimeId>('runtime-200');
    const fact = { type: 'runtime.ended', atMs: nowMs, runtimeId, ...ended } as EventDraft;
    real.loop.submit([{ kind: 'fact', fact }]);
    expect(notes()).toEqual(['crash: claude ended while running']);
    exit({ code: 0 });
    expect(notes()).toEqual(['completion: claude ended with exit code 0']);
  });

  it('is a crash also after its end was seen, once, and never of another life', () => {
    list();
    start(200, T0);
    end(200);
    expect(notes()).toEqual([]);
    exit({ code: null, signal: 'SIGKILL' }, 'e-once');
    expect(notes()).toEqual(['crash: claude ended with SIGKILL']);
    const requestIds = row()?.attention.requests.map(({ requestId }) => requestId) ?? [];
    const paneKey = knownPane(null).paneKey;
    real.loop.submit([
      { kind: 'fact', fact: { type: 'attention.seen', atMs: nowMs, paneKey, requestIds } },
    ]);
    exit({ code: null, signal: 'SIGKILL' }, 'e-once');
    expect(notes()).toEqual([]);
    start(300, T0 + 60_000);
    exit({ code: 1 });
    expect(notes()).toEqual([]);
  });

  it('of a program in between is that of the agent that it had started', () => {
    list();
    start(201, T0 + 500);
    exit({ code: 1 });
    expect(row()?.presence).toBe('unmanaged');
    expect(notes()).toEqual(['crash: claude ended with exit code 1']);
  });

  it('of a tool does not touch the agent that ran it', () => {
    list();
    start(100, T0 - 60_000);
    exit({ code: 1 });
    expect(row()).toMatchObject({ presence: 'managed', agent: 'claude' });
    expect(notes()).toEqual([]);
  });

  it('waits for a pane that is not listed yet, and not for ever', () => {
    exit({ code: 2 });
    ends.retry();
    list();
    ends.retry();
    expect(notes()).toEqual(['crash: job ended with exit code 2']);
    start(400, T0 + 1_000_000);
    expect(notes()).toEqual([]);
    ends.retry();
    expect(row()?.presence).toBe('managed');
  });

  it('is not of a pane, nor of a program with its number, that came later', () => {
    const born = facts();
    list({ birth: { ...born.birth, startedAtMs: T0 + 60_000 } });
    exit({ code: 2 });
    expect(notes()).toEqual([]);
    list();
    start(200, T0 + 60_000);
    exit({ code: 2 });
    expect(row()).toMatchObject({ presence: 'managed', agent: 'claude' });
  });

  it('is submitted again where the store was full', () => {
    list();
    start(200, T0);
    const daemon = { ...real.daemon, submit: vi.fn(real.daemon.submit) };
    daemon.submit.mockImplementationOnce(() => {
      throw new Fault('store_full', { about: 'x' });
    });
    ends = new WrappedEnds(() => real.loop.world, daemon);
    exit({ code: 7 });
    expect(notes()).toEqual([]);
    ends.retry();
    expect(notes()).toEqual(['crash: claude ended with exit code 7']);
  });

  it.each([[{ pid: 'x' }], [{ pid: -1 }], [{ pid: 2 ** 60, code: 1 }], [{ code: 'a' }], [{}]])(
    'is nothing when it is %j',
    (strange) => {
      list();
      exit(strange);
      expect(notes()).toEqual([]);
    },
  );
});
