// A daemon that watches this machine and others over real sshd, with an agent on each; and one at
// home that changes all the time, so that a test can say that this machine was never kept waiting.

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import type { DaemonClient } from '../../src/client/client.ts';
import type { PaneItem } from '../../src/schema/api/panes.ts';
import type { TargetItem } from '../../src/schema/api/targets.ts';
import { eventually } from '../live/tmux-server.ts';
import type { SshdOptions } from '../ssh/sshd.ts';
import { fakeAgent, type LivePane } from './live-agents.ts';
import { LiveDaemon, Subscriber, wordOf } from './live-daemon.ts';
import { introduce, RemoteHost } from './remote-host.ts';

/**
 * Nothing that waits for a host takes as little as this. A busy machine adds its slowness, which
 * the median lag of the same run shows; up to a limit, for a stall may hit every change.
 */
const STALL_MS = 8_000;
const BUSY_STALL_MS_MAX = 20_000;
const LAGS_MIN = 4;
/** Between two changes at home: more of them would keep two cores busy. */
const CHANGE_PAUSE_MS = 200;
/** For what takes a login, a probe and a look, on a busy machine. */
export const REACH_MS = 40_000;

const RUNNING = 'claude/104-running';
const WAITING = 'claude/111-waiting_approval';

export class Fleet implements AsyncDisposable {
  readonly live: LiveDaemon = new LiveDaemon({ attach: 'always' });
  readonly hosts: Readonly<Record<string, RemoteHost>>;
  /** The agent of each host, by its name. */
  readonly agents: ReadonlyMap<string, LivePane>;
  readonly #home: LivePane;
  #client: DaemonClient | null = null;
  #watch: HomeWatch | null = null;

  private constructor(hosts: Readonly<Record<string, RemoteHost>>) {
    this.hosts = hosts;
    introduce(this.live, hosts);
    this.#home = fakeAgent(this.live.tmux, 'claude', 'home');
    this.agents = new Map(
      Object.entries(hosts).map(([name, { tmux }]) => [name, fakeAgent(tmux, 'claude', 'work')]),
    );
  }

  /** Starts the hosts, each with an agent that runs, and a daemon that watches them all. */
  static async start(options: Readonly<Record<string, SshdOptions>>): Promise<Fleet> {
    const started = await Promise.all(
      Object.entries(options).map(
        async ([name, each]) => [name, await RemoteHost.start(each)] as const,
      ),
    );
    const fleet = new Fleet(Object.fromEntries(started));
    await fleet.startDaemon();
    for (const name of Object.keys(fleet.hosts)) await fleet.add(name);
    return fleet;
  }

  /** Starts the daemon and watches the agent at home from then on. */
  async startDaemon(): Promise<number> {
    await this.#watch?.stop();
    const pid = await this.live.start();
    this.#client = await this.live.client(30_000);
    const subscriber = new Subscriber(await this.live.client(30_000));
    this.#watch = new HomeWatch(this.#home, subscriber);
    return pid;
  }

  /** Every state that any row went through, as a subscriber has received it. */
  get subscriber(): Pick<Subscriber, 'states'> {
    if (this.#watch === null) throw new Error('there is no daemon yet');
    return this.#watch.subscriber;
  }

  get client(): DaemonClient {
    if (this.#client === null) throw new Error('there is no daemon yet');
    return this.#client;
  }

  agent(name: string): LivePane {
    const agent = this.agents.get(name);
    if (!agent) throw new Error(`there is no host ${name}`);
    return agent;
  }

  host(name: string): RemoteHost {
    const host = this.hosts[name];
    if (!host) throw new Error(`there is no host ${name}`);
    return host;
  }

  async add(name: string): Promise<void> {
    await this.client.call('add_target', { name, kind: 'ssh' });
  }

  /** The rows of a target; those of panes that are gone as well. */
  async rows(target: string): Promise<readonly PaneItem[]> {
    const { panes } = await this.client.call('list_panes', { target, include_missing: true });
    return panes;
  }

  async row(target: string): Promise<PaneItem | null> {
    const rows = await this.rows(target);
    return rows.find(({ presence }) => presence !== 'missing') ?? null;
  }

  async target(name: string): Promise<TargetItem> {
    const { targets } = await this.client.call('list_targets', {});
    const found = targets.find((each) => each.name === name);
    if (!found) throw new Error(`there is no target ${name}`);
    return found;
  }

  /** Waits until the target's row reads so: `running`, `unknown/target_unreachable`. */
  until(target: string, word: string): Promise<PaneItem> {
    let last = 'not listed';
    return eventually(
      async () => {
        const row = await this.row(target);
        last = row === null ? 'not listed' : `${row.agent} ${wordOf(row)}`;
        return row !== null && wordOf(row) === word ? row : null;
      },
      `${target} is ${word}`,
      REACH_MS,
    ).catch(async (error: unknown) => {
      const { health, detail } = await this.target(target);
      throw new Error(`${String(error)}; it is ${last}, its target ${health}: ${detail}`);
    });
  }

  /** Lets the agent of a target show what it does, and waits until its row says so. */
  async shows(target: string, screen: 'running' | 'waiting_approval'): Promise<PaneItem> {
    this.agent(target).show(screen === 'running' ? RUNNING : WAITING);
    return this.until(target, screen);
  }

  /** Waits until the target's health is so. */
  health(name: string, health: TargetItem['health']): Promise<TargetItem> {
    return eventually(
      async () => {
        const target = await this.target(name);
        return target.health === health ? target : null;
      },
      `${name} is ${health}`,
      REACH_MS,
    );
  }

  /** That each change of the agent at home was published in time, since the last such check. */
  async homeNeverStalled(): Promise<void> {
    const lags = (await this.#watch?.takeLags()) ?? [];
    const median = lags.toSorted((a, b) => a - b)[Math.floor(lags.length / 2)] ?? 0;
    const limitMs = Math.min(STALL_MS + 4 * median, BUSY_STALL_MS_MAX);
    expect(Math.max(...lags)).toBeLessThan(limitMs);
  }

  /** The ssh processes of the daemon, by their control sockets. */
  sshProcesses(): readonly number[] {
    const ours = this.live.processes().filter(({ command }) => /^ssh /.test(command));
    return ours.map(({ pid }) => pid);
  }

  /** How many clients the tmux server of a host has. */
  clientsOf(name: string): number {
    const lines = this.host(name).tmux.run('list-clients', '-F', '#{client_pid}');
    return lines.split('\n').filter((line) => line !== '').length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watch?.stop();
    await this.live[Symbol.asyncDispose]();
    for (const host of Object.values(this.hosts)) {
      host.sshd.thaw();
      await host[Symbol.asyncDispose]();
    }
  }
}

/** Changes the agent at home and measures the time until a subscriber receives it. */
class HomeWatch {
  readonly #agent: LivePane;
  readonly subscriber: Subscriber;
  readonly #done: Promise<void>;
  #lags: number[] = [];
  #isStopped = false;

  constructor(agent: LivePane, subscriber: Subscriber) {
    this.#agent = agent;
    this.subscriber = subscriber;
    this.#done = this.#run();
    this.#done.catch(() => null);
  }

  /** Every lag since the last call, in milliseconds; some at least. */
  async takeLags(): Promise<readonly number[]> {
    // A test may be over soon; one change says little.
    const isEnough = eventually(() => this.#lags.length >= LAGS_MIN, 'home changes', REACH_MS);
    await Promise.race([isEnough, this.#done.then(() => isEnough)]);
    const lags = this.#lags;
    this.#lags = [];
    return lags;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#done.catch(() => null);
    this.subscriber[Symbol.dispose]();
  }

  async #run(): Promise<void> {
    const { paneId } = this.#agent;
    await this.subscriber.until(paneId, ({ agent }) => agent === 'claude', 'home is known');
    while (!this.#isStopped) {
      for (const screen of [RUNNING, WAITING]) {
        const changedAt = performance.now();
        const state = this.#agent.show(screen);
        // A daemon that the test has ended publishes nothing any more.
        const isOver = () => this.#isStopped || this.subscriber.row(paneId)?.state === state;
        await eventually(isOver, `home is ${state}`);
        this.#lags.push(performance.now() - changedAt);
        if (!this.#isStopped) await pause(CHANGE_PAUSE_MS);
      }
    }
  }
}

/** One fleet for all tests of a describe, which leave it as they found it. */
export function sharedFleet(options: Readonly<Record<string, SshdOptions>>): () => Fleet {
  let fleet: Fleet | null = null;
  beforeAll(async () => {
    fleet = await Fleet.start(options);
  });
  afterAll(() => fleet?.[Symbol.asyncDispose]());
  return () => {
    if (fleet === null) throw new Error('the fleet is not started');
    return fleet;
  };
}
