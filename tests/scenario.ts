// Builders for tests of the engine: a pane with an agent in it, evidence of any kind, and a run of
// observations over the pure core with no store behind it.

import { type DraftBatch, dueBatch, type Numbering, observeBatch } from '../src/core/batch.ts';
import type { Observation } from '../src/core/ingest.ts';
import { encodeWorld } from '../src/core/replay.ts';
import { noSightings, type Sightings } from '../src/core/sightings.ts';
import { closeDraft, emptyWorld, type World } from '../src/core/world.ts';
import { defaultEngineConfig } from '../src/schema/config.ts';
import type { EventDraft, WorldEvent } from '../src/schema/event.ts';
import { type Claim, type Evidence, TURN } from '../src/schema/evidence.ts';
import {
  type AgentName,
  type ChannelName,
  type EventId,
  id,
  type PaneKey,
  paneKeyOf,
  type RequestId,
  type RuntimeId,
  type SourceName,
  type TargetId,
} from '../src/schema/ids.ts';
import type { PaneFacts, PaneRow } from '../src/schema/pane.ts';
import type { State } from '../src/schema/state.ts';

/** A round moment well after the epoch; every test's time starts here. */
export const T0 = 1_800_000_000_000;
export const config = defaultEngineConfig;
export const local = id<TargetId>('local');
export const claude = id<AgentName>('claude');

export const everyState: State[] = [
  'error',
  'waiting_approval',
  'waiting_input',
  'running',
  'completed',
  'idle',
];

export function paneFacts(index: number, changes: Partial<PaneFacts> = {}): PaneFacts {
  return {
    targetId: local,
    server: 'default',
    generation: { pid: 100, startedAtMs: T0 - 90_000 },
    paneId: `%${index}`,
    birth: { pid: 1_000 + index, startedAtMs: T0 - 60_000 },
    locations: [
      {
        sessionId: '$1',
        sessionName: 'work',
        windowId: `@${index}`,
        windowIndex: index,
        windowName: 'shell',
        paneIndex: 0,
        active: true,
      },
    ],
    title: '',
    command: 'claude',
    path: '/home/someone/project',
    dead: false,
    opaque: false,
    ...changes,
  };
}

export const paneKey = (index: number): PaneKey => paneKeyOf(paneFacts(index));
export const runtimeId = (index: number, life = 1): RuntimeId => id(`r${index}-${life}`);
export const source = (name: string): SourceName => id(name);
export const channel = (name: string): ChannelName => id(name);

export const processSignature = {
  providerHint: true,
  cmdMatch: true,
  pollerMatch: false,
  titleMatch: false,
};

export function paneAppears(index: number, atMs = T0): EventDraft {
  return { type: 'pane.appeared', atMs, paneKey: paneKey(index), facts: paneFacts(index) };
}

export function runtimeStarts(index: number, life = 1, startedAtMs = T0): EventDraft {
  return {
    type: 'runtime.started',
    atMs: startedAtMs,
    runtimeId: runtimeId(index, life),
    paneKey: paneKey(index),
    agent: claude,
    pid: 2_000 + index * 10 + life,
    startedAtMs,
    basis: 'process',
    signature: processSignature,
  };
}

/** A daemon that started, and panes 0..count-1 with an agent in each. */
export function agents(count = 1): EventDraft[] {
  const started: EventDraft = { type: 'daemon.started', atMs: T0 - 1_000, config };
  const panes = Array.from({ length: count }, (_, index) => index);
  return [started, ...panes.flatMap((index) => [paneAppears(index), runtimeStarts(index)])];
}

export function claim(says: Claim['says'], changes: Partial<Claim> = {}): Claim {
  return {
    about: TURN,
    says,
    covers: everyState,
    rank: 3,
    basis: 'signal',
    ...changes,
  };
}

export const about = (requestId: string): RequestId => id(requestId);

/** Evidence that happened and arrived at the same moment, about pane 0's first runtime. */
export function evidence(
  name: string,
  atMs: number,
  claims: readonly Claim[],
  changes: Partial<Evidence> = {},
): Evidence {
  const key = `${name}-${changes.type ?? 'event'}-${atMs}`;
  return {
    eventId: id<EventId>(`${key}-${changes.runtimeId ?? ''}`),
    source: source(name),
    channel: channel(`${name}@local`),
    tier: 'deterministic',
    kind: 'edge',
    type: 'event',
    runtimeId: runtimeId(0),
    bind: null,
    dedupeKey: key,
    eventTimeMs: atMs,
    ingestedAtMs: atMs,
    backfill: false,
    claims: [...claims],
    ...changes,
  };
}

/** The pure core, run by hand: no store, a counter for ids. */
export class Run {
  world: World = emptyWorld;
  readonly sightings: Sightings = noSightings();
  readonly events: WorldEvent[] = [];
  #counter = 0;

  constructor(start: readonly EventDraft[] = agents()) {
    for (const fact of start) this.observe({ kind: 'fact', fact });
  }

  observe(...observations: readonly Observation[]): this {
    return this.#take(observeBatch(this.world, this.sightings, observations, this.#numbering));
  }

  see(...pieces: readonly Evidence[]): this {
    return this.observe(
      ...pieces.map((piece): Observation => ({ kind: 'evidence', evidence: piece })),
    );
  }

  apply(...facts: readonly EventDraft[]): this {
    return this.observe(...facts.map((fact): Observation => ({ kind: 'fact', fact })));
  }

  beat(name: string, atMs: number): this {
    return this.observe({ kind: 'heartbeat', channel: channel(`${name}@local`), atMs });
  }

  /** Applies what is due until nothing more is. */
  tick(nowMs: number): this {
    return this.#take(dueBatch(this.world, this.sightings, nowMs, this.#numbering));
  }

  /** Lets time pass with beats of the named channels and nothing else. */
  pass(fromMs: number, toMs: number, beating: readonly string[], stepMs = 1_000): this {
    for (let nowMs = fromMs; nowMs <= toMs; nowMs += stepMs) {
      for (const name of beating) this.beat(name, nowMs);
      this.tick(nowMs);
    }
    return this;
  }

  row(index = 0): PaneRow {
    const pane = this.world.panes.get(paneKey(index));
    if (!pane) throw new Error(`no pane ${index}`);
    return pane.row;
  }

  eventTypes(): string[] {
    return this.events.map((event) => event.type);
  }

  #numbering: Numbering = (event) => {
    const isNamed = event.type === 'evidence.observed';
    this.#counter += 1;
    const eventId = isNamed ? event.evidence.eventId : id<EventId>(`e${this.#counter}`);
    return { ...event, eventId } as WorldEvent;
  };

  #take({ draft, events }: DraftBatch): this {
    this.events.push(...events);
    this.world = closeDraft(draft).world;
    return this;
  }
}

/** What law 1 calls the current world: every answer and claim, without versions and history. */
export function currentWorld(world: World): unknown {
  const panes = [...world.panes.values()].map(
    ({ row, boundTitles: _titles, held: _held, ...pane }) => {
      const { stateVersion: _v, rowSeq: _s, sinceMs: _si, updatedAtMs: _u, ...answer } = row;
      return { ...pane, answer };
    },
  );
  const runtimes = [...world.runtimes.values()].map((runtime) => ({
    ...runtime,
    slots: sorted(runtime.slots),
    denials: [runtime.denials.turn, sorted(runtime.denials.requests)],
    activity: sorted(runtime.activity),
    sources: sorted(runtime.sources).map(([name, { recentKeys: _keys, ...rest }]) => [name, rest]),
  }));
  return { panes: sortById(panes), runtimes: sortById(runtimes), pending: sorted(world.pending) };
}

function sorted<Key, Value>(table: ReadonlyMap<Key, Value>): [Key, Value][] {
  return [...table].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}

const sortById = <Each extends { paneKey: string }>(records: Each[]): Each[] =>
  records.sort((a, b) => (a.paneKey < b.paneKey ? -1 : 1));

/** A world as text in which only its meaning counts: the order of an object's fields does not. */
export function worldText(world: World): string {
  return JSON.stringify(JSON.parse([...encodeWorld(world)].join('')), (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
