// The parts that the rest of the daemon depends on: configuration, log, store, engine, clock,
// loop, alerts and adapters. Built once by main.ts, in this order.

import { ConfigFile } from '../config/config-file.ts';
import { configInForce, keysWaiting } from '../config/config-keys.ts';
import type { World } from '../core/world.ts';
import { type SteadyClock, steadyClock } from '../platform/clock.ts';
import { eventIds } from '../platform/event-ids.ts';
import { Fault } from '../platform/fault.ts';
import { type Log, LogOutput, logLevelOf } from '../platform/log.ts';
import type { Config } from '../schema/config.ts';
import { type EventId, id, type TargetId } from '../schema/ids.ts';
import { problemOf } from '../schema/problem.ts';
import { userRuleFolder } from '../sources/rule-files.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { AdapterSwitch } from './engine/adapter-switch.ts';
import { type AppliedBatch, Engine } from './engine/engine.ts';
import { Loop } from './engine/loop.ts';
import { Quarantine } from './engine/quarantine.ts';
import { StoreHealth } from './engine/store-health.ts';
import type { AlertSignal } from './health/alert-rules.ts';
import { Alerts } from './health/alerts.ts';
import { HealthWatch } from './health/health-watch.ts';
import type { DaemonPaths } from './life/daemon-paths.ts';

export const LOCAL = id<TargetId>('local');

export interface DaemonCoreOptions {
  readonly pollIntervalMs?: number;
  readonly logLevel?: string;
}

export class DaemonCore {
  readonly place: DaemonPaths;
  readonly configFile: ConfigFile;
  readonly output: LogOutput;
  readonly store: Store;
  readonly engine: Engine;
  /** The one clock; it never goes back. */
  readonly nowMs: SteadyClock;
  readonly startedAtMs: number;
  readonly nextEventId: () => string = eventIds(() => Date.now());
  readonly quarantine: Quarantine;
  readonly loop: Loop;
  readonly alerts: Alerts;
  readonly adapters: AdapterSwitch;
  readonly health: HealthWatch = new HealthWatch();
  readonly storeHealth: StoreHealth = new StoreHealth();
  readonly #options: DaemonCoreOptions;
  /** As read at the start; keys that wait for a start keep this value. */
  readonly #startConfig: Config;
  #config: Config;
  readonly #configListeners: (() => void)[] = [];
  #storeFaultCode: string | null = null;
  /** The last check of the store failed; a commit that fits all the same does not end it. */
  #isStoreBlocked = false;
  /** A source reports the fault of a commit that the loop has reported already. */
  readonly #reported = new WeakSet<Fault>();
  readonly #faultListeners: ((fault: Fault) => void)[] = [];
  readonly #alertListeners: (() => void)[] = [];

  /** Throws a Fault when the store cannot be opened. */
  constructor(place: DaemonPaths, options: DaemonCoreOptions) {
    this.place = place;
    this.#options = options;
    this.configFile = new ConfigFile(place.paths.configFile, () => this.#configured());
    this.#startConfig = this.configFile.config;
    this.#config = this.#inForce();
    this.output = this.#openLog();
    this.store = openStore({ path: place.paths.databaseFile });
    const nextEventId = () => id<EventId>(this.nextEventId());
    this.engine = new Engine({ store: this.store, nextEventId });
    this.nowMs = steadyClock(this.engine.world.latestMs + 1);
    this.startedAtMs = this.nowMs();
    this.quarantine = new Quarantine(place.quarantineFile);
    const { store, engine, nowMs, quarantine } = this;
    const onFault = (error: unknown) => this.fault(error, 'store');
    this.loop = new Loop({
      ...{ engine, quarantine, nowMs },
      onFault: (error) => this.#commitFailed(error),
      onStored: (applied) => this.#stored(applied),
    });
    const openMax = () => this.config.limits.openAlertsMax;
    const onChange = () => {
      for (const listener of this.#alertListeners) listener();
    };
    this.alerts = new Alerts({ store: store.alerts, nowMs, openMax, onFault, onChange });
    this.alerts.begin();
    this.adapters = new AdapterSwitch({
      userFolder: userRuleFolder(place.paths.configDir),
      store: store.adapters,
      nowMs,
      disabledByConfig: () => this.config.adapters.disabled,
      onFault,
      onProblems: (problems) => this.signal({ kind: 'rule_files', problems }),
    });
  }

  /** What is in force. */
  get config(): Config {
    return this.#config;
  }

  #inForce(): Config {
    const config = configInForce(this.#startConfig, this.configFile.config);
    const { pollIntervalMs } = this.#options;
    if (pollIntervalMs === undefined) return config;
    const { engine, tmux } = config;
    return {
      ...config,
      engine: { ...engine, pollIntervalMs },
      tmux: { ...tmux, sweepMs: pollIntervalMs },
    };
  }

  get log(): Log {
    return this.output.log;
  }

  /** Records the start in the world: rows are reconfirming until they are read again. */
  begin(): void {
    const config = this.config.engine;
    const atMs = this.startedAtMs;
    const kind = 'fact';
    const name = 'local';
    const target = { targetId: LOCAL, name, kind: 'local', connectionRef: null } as const;
    this.loop.submit([
      { kind, fact: { type: 'daemon.started', atMs, config } },
      { kind, fact: { type: 'target.changed', atMs, target: { ...target, health: 'ok' } } },
    ]);
    for (const eventId of this.quarantine.refused()) this.signal({ kind: 'quarantined', eventId });
    this.#configured();
    this.#signOfLife();
    this.loop.start();
  }

  /** Calls back when alerts open, change or are resolved. */
  onAlerts(listener: () => void): void {
    this.#alertListeners.push(listener);
  }

  signal(signal: AlertSignal): void {
    this.alerts.signal(signal);
  }

  /** Called when a reload may have changed the configuration. */
  onConfig(listener: () => void): void {
    this.#configListeners.push(listener);
  }

  onFault(listener: (fault: Fault) => void): void {
    this.#faultListeners.push(listener);
  }

  /** Reports a Fault; any other error is our bug and is thrown. */
  fault(error: unknown, part: string): void {
    if (!(error instanceof Fault)) throw error;
    if (this.#reported.has(error)) return;
    this.#reported.add(error);
    const { code, message } = error;
    // A store that fails does so many times a second, and the log may be on the same disk.
    if (code !== this.#storeFaultCode) this.log.warn({ code, part }, message);
    for (const listener of this.#faultListeners) listener(error);
    if (!code.startsWith('store_')) return;
    this.#storeFaultCode = code;
    this.signal({ kind: 'store', code, detail: `${message} ${problemOf(code).hint}` });
  }

  /** The world for readers: no row is shown as current while commits fail. */
  shownWorld(): World {
    return this.storeHealth.shown(this.engine.world);
  }

  /**
   * Finds out whether the file is there and its disk has room, and after commits failed whether
   * they succeed again. Call it now and then. Throws the fault of a store that still fails.
   */
  checkStore(): void {
    try {
      this.store.checkWritable();
      this.#isStoreBlocked = false;
    } catch (error) {
      this.#isStoreBlocked = true;
      this.#commitFailed(error);
    }
    if (this.#isStoreBlocked || this.storeHealth.failure === null) return;
    this.#submitRecovered();
  }

  #submitRecovered(): void {
    const fact = { type: 'store.recovered', atMs: this.nowMs() } as const;
    this.loop.submit([{ kind: 'fact', fact }]);
  }

  /** What a check of the database's pages has found. Commits may succeed all the same. */
  databaseChecked(fault: Fault | null): void {
    const code = fault?.code ?? null;
    const detail = fault && `${fault.message} ${problemOf(fault.code).hint}`;
    if (fault) this.log.error({ code }, fault.message);
    this.signal({ kind: 'store', about: 'database', code, detail });
  }

  #commitFailed(error: unknown): void {
    const isOfStore = error instanceof Fault && error.code.startsWith('store_');
    if (isOfStore) this.storeHealth.failed(error, this.nowMs());
    this.fault(error, 'store');
  }

  /** SIGHUP: reads the configuration and the rule files again, and reopens the log. */
  reload(): void {
    this.output.reopen();
    this.configFile.reload();
    this.adapters.reload();
    this.log.info({}, 'the configuration and the rule files are reloaded');
  }

  /** A commit went through, so the store works again. */
  #stored({ events }: AppliedBatch): void {
    if (this.#isStoreBlocked) return;
    const isRecorded = events.some(({ type }) => type === 'store.recovered');
    if (this.storeHealth.failure !== null && !isRecorded) {
      // Whatever was stored first: what happened before it is not known, and rows must not show it.
      try {
        this.#submitRecovered();
      } catch (error) {
        this.fault(error, 'store');
      }
      return;
    }
    this.storeHealth.stored();
    if (this.#storeFaultCode === null) return;
    this.log.info({ code: this.#storeFaultCode }, 'the store works again');
    this.#storeFaultCode = null;
    this.signal({ kind: 'store', code: null, detail: null });
    this.#followEngineConfig();
  }

  #configured(): void {
    this.#config = this.#inForce();
    const { problems, warnings } = this.configFile;
    const items = problems.map(({ file, line, key, message }) => ({
      file,
      problem: `line ${line}, ${key}: ${message}`,
    }));
    this.output.level = this.#logLevel();
    for (const warning of warnings) this.log.warn({}, warning);
    this.signal({ kind: 'config', problems: items });
    this.adapters.refresh();
    const { fileBytesMax, filesMax } = this.config.log;
    this.output.limit(fileBytesMax, filesMax);
    for (const { section, key } of keysWaiting(this.config, this.configFile.config)) {
      this.log.warn({ key: `${section}.${key}` }, 'a changed setting waits for the next start');
    }
    this.#followEngineConfig();
    for (const listener of this.#configListeners) listener();
  }

  /** As an event, so that replay comes to the same world. */
  #followEngineConfig(): void {
    const config = this.config.engine;
    if (JSON.stringify(config) === JSON.stringify(this.engine.world.config)) return;
    try {
      const atMs = this.nowMs();
      this.loop.submit([{ kind: 'fact', fact: { type: 'config.changed', atMs, config } }]);
      this.log.info({}, 'the configuration of the engine changed');
    } catch (error) {
      // It is tried again when the store works again.
      this.fault(error, 'store');
    }
  }

  #openLog(): LogOutput {
    const { fileBytesMax, filesMax } = this.config.log;
    const file = this.place.logFile;
    const foreground = process.stderr.isTTY === true;
    return new LogOutput({ level: this.#logLevel(), file, fileBytesMax, filesMax, foreground });
  }

  #logLevel(): Config['log']['level'] {
    const requested = logLevelOf(this.#options.logLevel ?? process.env['AGTMUX_LOG']);
    return requested ?? this.config.log.level;
  }

  /** Makes the next start short; without it that one replays more events. */
  #lastSnapshot(): void {
    this.#tryStore(() => this.engine.snapshot('shutdown', this.nowMs()));
  }

  #signOfLife(): void {
    this.#tryStore(() => this.store.daemonRuns.signOfLife(this.nowMs()));
  }

  /** What the daemon can do without. */
  #tryStore(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.log.warn({ code: error.code }, error.message);
    }
  }

  /** Called last: log and store are complete. */
  [Symbol.dispose](): void {
    this.configFile[Symbol.dispose]();
    this.adapters[Symbol.dispose]();
    this.loop[Symbol.dispose]();
    this.#signOfLife();
    this.#lastSnapshot();
    this.store[Symbol.dispose]();
  }
}
