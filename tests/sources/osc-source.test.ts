// OSC 3008 and 7501 as evidence, against real processes: of the agent that is known, of a program
// that no adapter knows, of whoever is behind ssh; and of nobody.

import { beforeEach, describe, expect, it } from 'vitest';
import type { Observation } from '../../src/core/ingest.ts';
import { LocalProcesses } from '../../src/platform/process/processes.ts';
import { defaultConfig } from '../../src/schema/config.ts';
import { type AgentName, type ChannelName, id } from '../../src/schema/ids.ts';
import { OscSource } from '../../src/sources/panes/osc-source.ts';
import { PresenceSource } from '../../src/sources/processes/presence-source.ts';
import {
  address,
  knownPane,
  makeFolder,
  registry,
  row,
  runtime,
  T0,
  TestDaemon,
} from './fixture.ts';

let daemon: TestDaemon;
let osc: OscSource;
let presence: PresenceSource;
let processes: LocalProcesses;

beforeEach(() => {
  daemon = new TestDaemon();
  processes = new LocalProcesses(makeFolder());
  const screenOf = () => null;
  const table = () => registry;
  const config = () => defaultConfig.process;
  const channel = id<ChannelName>('tap@local:/tmp/s');
  presence = new PresenceSource({
    address,
    daemon,
    channel,
    processes,
    registry: table,
    config,
    screenOf,
  });
  osc = new OscSource({ address, daemon, channel, registry: table, presence });
});

const read = (text: string, number: 3008 | 7501 = 3008) =>
  osc.read({ paneId: '%1', number, text, atMs: T0 }, T0 - 5);

const brief = (observations: readonly Observation[]) =>
  observations.map((each) => {
    if (each.kind === 'evidence') {
      return [each.evidence.runtimeId, each.evidence.claims.map(({ says }) => says).join()];
    }
    if (each.kind !== 'fact') return each.kind;
    const { fact } = each;
    return fact.type === 'runtime.started' ? [fact.type, fact.agent] : [fact.type];
  });

describe('an OSC of a known agent', () => {
  it('is its evidence, at the moment at which it was written', () => {
    const current = runtime();
    daemon.panes.set('%1', knownPane(current));
    const [first] = read('state=running');
    expect(first).toMatchObject({
      kind: 'evidence',
      evidence: {
        runtimeId: current.runtimeId,
        source: 'osc-3008',
        kind: 'edge',
        eventTimeMs: T0 - 5,
        ingestedAtMs: T0,
        claims: [{ says: 'running' }],
      },
    });
  });

  it('counts under a name of the user’s own, and not under that of another agent', () => {
    const current = runtime();
    daemon.panes.set('%1', knownPane(current));
    expect(brief(read('state=running;name=reviewer'))).toEqual([[current.runtimeId, 'running']]);
    expect(read('state=running;name=codex')).toEqual([]);
    expect(brief(read('state=working:app=my-tool', 7501))).toEqual([
      [current.runtimeId, 'running'],
    ]);
  });

  it('without a state is somebody else’s', () => {
    daemon.panes.set('%1', knownPane(runtime()));
    expect(read('start=123;user=root')).toEqual([]);
    expect(read('state=pondering')).toEqual([]);
    expect(read('')).toEqual([]);
  });

  it('of a pane that nobody knows is nobody’s', () => {
    expect(read('state=running')).toEqual([]);
  });
});

describe('an agent behind ssh', () => {
  const opaque = { opaque: true, command: 'ssh', birth: { pid: 2 ** 22, startedAtMs: T0 } };

  it('begins with what it says, under the name that it gives', () => {
    daemon.panes.set('%1', knownPane(null, opaque));
    const result = read('state=running;name=codex');
    expect(brief(result)[0]).toEqual(['runtime.started', 'codex']);
    const [start, evidence] = result;
    const startedId = start?.kind === 'fact' && 'runtimeId' in start.fact && start.fact.runtimeId;
    expect(evidence).toMatchObject({ evidence: { runtimeId: startedId } });
  });

  it('ends when it says so', () => {
    const current = runtime({ pid: null, basis: 'osc' });
    daemon.panes.set('%1', knownPane(current, opaque));
    expect(brief(read('state=exited'))).toEqual([['runtime.ended']]);
  });

  it('of another name is another agent, and nothing of it counts for the one before', () => {
    const current = runtime({ pid: null, basis: 'osc' });
    daemon.panes.set('%1', knownPane(current, opaque));
    const result = read('state=running;name=codex');
    expect(brief(result)[0]).toEqual(['runtime.started', 'codex']);
    expect(JSON.stringify(result)).not.toContain(current.runtimeId);
  });

  it('cannot end an agent of another name', () => {
    const current = runtime({ pid: null, basis: 'osc' });
    daemon.panes.set('%1', knownPane(current, opaque));
    expect(read('state=exited;name=codex')).toEqual([]);
  });
});

describe('a program that no adapter knows', () => {
  const ownPane = (opaque = false) => {
    const startedAtMs = processes.startedAtMs(process.pid) ?? 0;
    return knownPane(null, { birth: { pid: process.pid, startedAtMs }, opaque });
  };

  it('becomes an agent by what it says', () => {
    daemon.panes.set('%1', ownPane());
    presence.listed(row({ panePid: process.pid }));
    const result = read('state=running;name=my-agent');
    expect(brief(result)[0]).toEqual(['runtime.started', 'my-agent']);
    expect(result[0]).toMatchObject({ fact: { pid: process.pid, basis: 'osc' } });
    expect(brief(result)[1]?.[1]).toBe('running');
  });

  it('is no agent any more once it says that it has exited, although its process lives', () => {
    const pane = ownPane();
    const current = runtime({
      agent: id<AgentName>('my-agent'),
      basis: 'osc',
      ...pane.facts.birth,
    });
    daemon.panes.set('%1', { ...pane, runtime: current });
    expect(brief(read('state=exited'))).toEqual([['runtime.ended']]);
    expect(read('state=exited;name=other')).toEqual([]);
  });

  it('is no agent for saying that it ends, or nothing at all', () => {
    daemon.panes.set('%1', ownPane());
    expect(read('state=exited')).toEqual([]);
    expect(read('state=unknown')).toEqual([]);
  });

  it('is no agent when its pane has ended', () => {
    const pane = ownPane();
    daemon.panes.set('%1', { ...pane, facts: { ...pane.facts, dead: true } });
    expect(read('state=running')).toEqual([]);
  });

  it('is an agent of nobody’s name where it gives none', () => {
    daemon.panes.set('%1', ownPane());
    expect(brief(read('state=running'))[0]).toEqual(['runtime.started', id<AgentName>('generic')]);
  });
});
