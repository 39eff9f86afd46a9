// One seeded run: a fleet, its sources, and a network between them and the engine that drops,
// delays, repeats and reorders; restarts of the daemon, sleeps of the machine, clocks that jump.
// After each storm comes a calm in which every row must become true.

import type { Observation } from '../../src/core/ingest.ts';
import { replay } from '../../src/core/replay.ts';
import { Engine } from '../../src/daemon/engine/engine.ts';
import { type SteadyClock, steadyClock } from '../../src/platform/clock.ts';
import { rowSchema } from '../../src/schema/pane.ts';
import type { State } from '../../src/schema/state.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { pick, randomOf } from '../crash/stream.ts';
import { channel, config, paneAppears, paneKey, T0, worldText } from '../scenario.ts';
import { rowDifferences } from '../store/restore.ts';
import { type Happening, newFleet, type SimAgent, step, type Truth } from './fleet.ts';
import { fileReading, hookEvidence, processLook } from './sources.ts';

const PANES = 6;
const STORMS = 4;
const STEPS = 120;
const STEP_MS = 200;
/** Long enough for settling (1 s), silence (0.5 s) and reconfirmation (2 s). */
const CALM_STEPS = 25;

interface Delivery {
  readonly dueMs: number;
  readonly observation: Observation;
}

/** A broken expectation, with what is needed to see it again. */
export class SimFailure extends Error {
  constructor(seed: number, what: string) {
    super(`seed ${seed}: ${what}. Replay: SIM_SEED=${seed} npm test -- tests/sim`);
  }
}

/** Runs one seed on a store at `path`; throws a SimFailure. Returns how much happened. */
export function simulate(seed: number, path: string): { events: number; restarts: number } {
  const simulation = new Simulation(seed, path);
  try {
    simulation.run();
    return { events: simulation.store.lastSeq(), restarts: simulation.restarts };
  } finally {
    simulation.store[Symbol.dispose]();
  }
}

class Simulation {
  readonly #seed: number;
  readonly #path: string;
  readonly #random: () => number;
  readonly #fleet: SimAgent[] = newFleet(PANES);
  readonly #versions = new Map<string, number>();
  #queue: Delivery[] = [];
  /** Hook events are spooled: a daemon that was down reads them later. */
  #spool: (Happening & { readonly wallMs: number })[] = [];
  /** True time; the daemon sees only what its own clock makes of the wall clock. */
  #trueMs = T0;
  #wallSkewMs = 0;
  #clock: SteadyClock = steadyClock(T0);
  #serial = 0;
  #counter = 0;
  #engine: Engine;
  store: Store;
  restarts = 0;

  constructor(seed: number, path: string) {
    this.#seed = seed;
    this.#path = path;
    this.#random = randomOf(seed);
    this.store = openStore({ path });
    this.#engine = this.#start();
  }

  run(): void {
    for (const { pane } of this.#fleet) {
      this.#observe([{ kind: 'fact', fact: paneAppears(pane, this.#clock()) }]);
    }
    for (let storm = 0; storm < STORMS; storm += 1) {
      for (let index = 0; index < STEPS; index += 1) this.#stormStep();
      this.#calm();
      this.#checkTruth();
      this.#checkStore();
    }
  }

  #stormStep(): void {
    this.#trueMs += STEP_MS;
    const random = this.#random;
    for (const agent of this.#fleet) {
      if (random() < 0.15) this.#happen(step(agent, random, this.#trueMs));
    }
    for (const agent of this.#fleet) {
      if (random() < 0.6) this.#send(processLook(agent, this.#clock()), 0);
      if (agent.alive && random() < 0.5) this.#sendReading(agent);
    }
    if (random() < 0.8) this.#beat();
    if (random() < 0.01) this.#setClock(pick(random, [0, 0, 3_000, -3_000, 60_000, -86_400_000]));
    if (random() < 0.008) this.#restart();
    if (random() < 0.004) this.#sleep();
    this.#deliver();
    this.#tick();
  }

  /** Nothing new happens, nothing is lost, everything is read. */
  #calm(): void {
    for (let index = 0; index < CALM_STEPS; index += 1) {
      this.#trueMs += STEP_MS;
      for (const agent of this.#fleet) {
        this.#queue.push({ dueMs: 0, observation: processLook(agent, this.#clock()) });
        if (agent.alive) {
          const reading = fileReading(agent, this.#clock());
          this.#queue.push({ dueMs: 0, observation: { kind: 'evidence', evidence: reading } });
        }
      }
      this.#beat();
      this.#deliver();
      this.#tick();
    }
  }

  #happen(happening: Happening): void {
    // The agent writes to the spool by itself; the daemon's state does not matter to it.
    const wallMs = happening.agent.sinceMs + this.#wallSkewMs;
    this.#spool.push({ agent: { ...happening.agent }, what: happening.what, wallMs });
    if (this.#random() < 0.9) this.#readSpool(false);
  }

  #readSpool(backfill: boolean): void {
    for (const happening of this.#spool) {
      this.#serial += 1;
      const hook = hookEvidence(happening, {
        serial: this.#serial,
        clockMs: this.#clock.fromWall(happening.wallMs),
        ingestedAtMs: this.#clock(),
        backfill,
      });
      if (hook) this.#send({ kind: 'evidence', evidence: hook }, 0.1);
    }
    this.#spool = [];
  }

  #sendReading(agent: SimAgent): void {
    this.#send({ kind: 'evidence', evidence: fileReading(agent, this.#clock()) }, 0.2);
  }

  /** The network: lost, late, repeated, and so out of order. */
  #send(observation: Observation, lossRate: number): void {
    const random = this.#random;
    if (random() < lossRate) return;
    const delayMs = random() < 0.7 ? 0 : Math.floor(random() * 1_500);
    // Looks and readings are made by the daemon itself: they may fail and never arrive late.
    const isOwn = observation.kind !== 'evidence' || observation.evidence.kind === 'level';
    const dueMs = this.#clock() + (isOwn ? 0 : delayMs);
    this.#queue.push({ dueMs, observation });
    const againMs = isOwn ? dueMs : dueMs + delayMs;
    if (random() < 0.1) this.#queue.push({ dueMs: againMs, observation });
  }

  #beat(): void {
    for (const name of ['spool@local', 'files@local']) {
      this.#queue.push({
        dueMs: 0,
        observation: { kind: 'heartbeat', channel: channel(name), atMs: this.#clock() },
      });
    }
  }

  #deliver(): void {
    const now = this.#queue.filter(({ dueMs }) => dueMs <= this.#clock());
    this.#queue = this.#queue.filter(({ dueMs }) => dueMs > this.#clock());
    this.#observe(now.map(({ observation }) => this.#stamped(observation)));
  }

  /** Evidence is stamped when it arrives. */
  #stamped(observation: Observation): Observation {
    if (observation.kind !== 'evidence' || observation.evidence.kind === 'level') {
      return observation;
    }
    const evidence = { ...observation.evidence, ingestedAtMs: this.#clock() };
    return { kind: 'evidence', evidence };
  }

  #observe(observations: readonly Observation[]): void {
    this.#engine.observe(observations);
    this.#checkRows();
  }

  #tick(): void {
    this.#engine.tick(this.#clock());
    this.#engine.snapshotIfDue(this.#clock());
    this.#checkRows();
  }

  #start(): Engine {
    const nextEventId = () => `n${this.#counter++}` as never;
    const engine = new Engine({ store: this.store, nextEventId });
    this.#clock = steadyClock(engine.world.latestMs + 1, {
      wallMs: () => this.#trueMs + this.#wallSkewMs,
      monotonicMs: () => this.#trueMs,
    });
    const started = { type: 'daemon.started', atMs: this.#clock(), config } as const;
    engine.observe([{ kind: 'fact', fact: started }]);
    return engine;
  }

  /** The daemon dies with what was on its way to it; the spool stays. */
  #restart(): void {
    this.restarts += 1;
    this.#queue = [];
    if (this.#random() < 0.5) this.#engine.snapshot('shutdown', this.#clock());
    this.#wallSkewMs = pick(this.#random, [0, 0, -3_600_000, 45_000]);
    this.store[Symbol.dispose]();
    this.#trueMs += Math.floor(this.#random() * 5_000);
    this.store = openStore({ path: this.#path });
    this.#engine = this.#start();
    this.#readSpool(true);
  }

  /** Somebody sets the clock of the machine; the daemon notices it with its next reading. */
  #setClock(wallSkewMs: number): void {
    this.#wallSkewMs = wallSkewMs;
    this.#clock();
  }

  #sleep(): void {
    this.#trueMs += 3_600_000;
    this.#observe([{ kind: 'fact', fact: { type: 'host.woke', atMs: this.#clock() } }]);
  }

  #fail(what: string): never {
    throw new SimFailure(this.#seed, what);
  }

  /** True of every row at every moment, storm or calm. */
  #checkRows(): void {
    for (const [key, { row, runtimeId }] of this.#engine.world.panes) {
      if (row.state === 'unknown' && row.reasonCode === null) this.#fail('unknown has no reason');
      const before = this.#versions.get(key) ?? 0;
      if (row.stateVersion < before) this.#fail(`state_version went back in ${key}`);
      this.#versions.set(key, row.stateVersion);
      const agent = this.#fleet.find(({ pane }) => paneKey(pane) === key);
      const isCurrent = agent && runtimeId === `r${agent.pane}-${agent.life}`;
      if (isCurrent) this.#checkInvented(agent, row.state);
    }
  }

  /** A state that was never true of this life may not be shown: nothing is invented. */
  #checkInvented(agent: SimAgent, state: State): void {
    const needs: Partial<Record<State, readonly Truth[]>> = {
      waiting_approval: ['waiting_approval'],
      waiting_input: ['waiting_input'],
      error: ['error'],
      running: ['running'],
      completed: ['completed', 'interrupted', 'error', 'running'],
    };
    const proofs = needs[state];
    if (proofs && !proofs.some((truth) => agent.been.has(truth))) {
      this.#fail(`pane ${agent.pane} is called ${state} and never was`);
    }
  }

  /** After a calm every row tells what its sources can know. */
  #checkTruth(): void {
    for (const agent of this.#fleet) {
      const row = this.#engine.world.panes.get(paneKey(agent.pane))?.row;
      const expected = agent.alive ? calmStates[agent.truth] : (['unknown'] as State[]);
      if (!row || !expected.includes(row.state)) {
        const verdict = `${row?.state}/${row?.reasonCode ?? '-'} from ${row?.evidence.source}`;
        this.#fail(
          `pane ${agent.pane} life ${agent.life} is ${agent.truth}, the row says ${verdict}`,
        );
      }
      if (row.presence !== (agent.alive ? 'managed' : 'unmanaged')) {
        this.#fail(`pane ${agent.pane} is called ${row.presence}`);
      }
    }
  }

  #checkStore(): void {
    const events = [...this.store.eventsAfter(0)].map(({ event }) => event);
    const world = replay(events);
    const live = this.#engine.world;
    const difference = firstDifference(worldText(world), worldText(live));
    if (difference) this.#fail(`the replayed world is another: ${difference}`);
    for (const { row } of live.panes.values()) rowSchema.parse(row);
    const [different] = rowDifferences(this.store);
    if (different) this.#fail(`the stored row of ${different.paneKey} is another`);
    const restored = new Engine({ store: this.store, nextEventId: () => 'unused' as never });
    if (worldText(restored.world) !== worldText(live)) {
      this.#fail('snapshot plus tail is not the world from the start');
    }
  }
}

/** Where two texts part, with some of both. */
function firstDifference(a: string, b: string): string | null {
  if (a === b) return null;
  let index = 0;
  while (a[index] === b[index]) index += 1;
  const from = Math.max(0, index - 120);
  return `"${a.slice(from, index + 80)}" and "${b.slice(from, index + 80)}"`;
}

/**
 * Hooks may have been lost in the storm, so the file decides: it proves work and questions, and
 * leaves open how a turn ended unless a hook reported it.
 */
const calmStates: Record<Truth, State[]> = {
  fresh: ['idle'],
  running: ['running'],
  waiting_approval: ['waiting_approval'],
  waiting_input: ['waiting_input'],
  completed: ['completed', 'idle', 'error'],
  interrupted: ['completed', 'idle', 'error'],
  error: ['completed', 'idle', 'error'],
};
