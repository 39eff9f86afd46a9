// What the daemon counts of itself, for `agtmux metrics`. Nothing here decides a state.

import { startedChildCount } from '../../platform/process/child.ts';
import type { Change } from '../../schema/change.ts';
import type { AppliedBatch } from '../engine/engine.ts';
import type { HealthWatch } from './health-watch.ts';
import { Metrics } from './metrics.ts';

/** Figures of other parts, read with each request. */
export interface MetricReaders {
  readonly panes: () => readonly { readonly state: string; readonly presence: string }[];
  readonly channels: () => readonly { readonly channel: string; readonly status: string }[];
  readonly watches: () => readonly {
    readonly server: string;
    readonly listings: number;
    readonly captures: number;
    readonly osc: number;
    readonly unreadRows: number;
    readonly unrecognisedLines: number;
  }[];
  /** Who is connected, and what is kept for them. */
  readonly clients: () => Readonly<Record<ClientKind, number>>;
}

type ClientKind = 'connections' | 'subscribers' | 'web' | 'viewers' | 'sized_windows';

export class DaemonMetrics {
  readonly #metrics = new Metrics();
  readonly #readers: MetricReaders;
  readonly #health: HealthWatch;
  readonly #events = this.#metrics.counter('agtmux_events_total', 'Stored events.', ['type']);
  readonly #rows = this.#metrics.counter('agtmux_row_changes_total', 'Changes of rows.');
  readonly #faults = this.#metrics.counter('agtmux_faults_total', 'Faults by code.', ['code']);
  readonly #lag = this.#metrics.histogram(
    'agtmux_evidence_lag_seconds',
    'From the moment that an event names to its commit; what is read has no such moment.',
    ['source'],
  );
  readonly #panes = this.#metrics.gauge('agtmux_panes', 'Panes by state.', ['presence', 'state']);
  readonly #channels = this.#metrics.gauge('agtmux_channel_up', '1 fresh, 0.5 stale, 0 down.', [
    'channel',
  ]);
  readonly #watched = this.#metrics.gauge('agtmux_watch', 'What the watch of a server has done.', [
    'server',
    'what',
  ]);
  readonly #clients = this.#metrics.gauge('agtmux_clients', 'Who is connected.', ['kind']);
  readonly #memory = this.#metrics.gauge('agtmux_resident_bytes', 'Memory of the daemon.');
  readonly #cpu = this.#metrics.gauge('agtmux_cpu_seconds', 'CPU time of the daemon so far.');

  readonly #share = this.#metrics.gauge('agtmux_cpu_percent', 'Of one core, over a minute.');
  readonly #pace = this.#metrics.gauge('agtmux_events_per_minute', 'Events in the last minute.');
  readonly #started = this.#metrics.gauge(
    'agtmux_processes_started',
    'Programs that the daemon has started; taps are not counted.',
  );

  constructor(readers: MetricReaders, health: HealthWatch) {
    this.#readers = readers;
    this.#health = health;
  }

  applied({ events, changes }: AppliedBatch): void {
    this.#health.recordEvents(events.length);
    for (const event of events) {
      this.#events.add({ type: event.type });
      if (event.type !== 'evidence.observed') continue;
      const { backfill, kind, source, ingestedAtMs, eventTimeMs } = event.evidence;
      if (backfill || kind !== 'edge') continue;
      const lagMs = Math.max(0, ingestedAtMs - eventTimeMs);
      this.#lag.observe(lagMs / 1000, { source });
      this.#health.recordLag(lagMs, event.atMs);
    }
    this.#rows.add({}, changes.filter(isRow).length);
  }

  fault(code: string): void {
    this.#faults.add({ code });
  }

  text(): string {
    const counts = new Map<string, number>();
    for (const { presence, state } of this.#readers.panes()) {
      const key = `${presence} ${state}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    for (const [key, count] of counts) {
      const [presence = '', state = ''] = key.split(' ');
      this.#panes.set(count, { presence, state });
    }
    for (const { channel, status } of this.#readers.channels()) {
      this.#channels.set(status === 'fresh' ? 1 : status === 'stale' ? 0.5 : 0, { channel });
    }
    for (const { server, ...done } of this.#readers.watches()) {
      for (const [what, count] of Object.entries(done)) this.#watched.set(count, { server, what });
    }
    for (const [kind, count] of Object.entries(this.#readers.clients())) {
      this.#clients.set(count, { kind });
    }
    this.#memory.set(process.memoryUsage.rss());
    this.#cpu.set(cpuUsedMs() / 1e3);
    const { cpuPercent, eventsPerMinute } = this.#health;
    if (cpuPercent !== null) this.#share.set(cpuPercent);
    if (eventsPerMinute !== null) this.#pace.set(eventsPerMinute);
    this.#started.set(startedChildCount());
    return this.#metrics.text();
  }
}

const isRow = (change: Change): boolean => change.kind === 'row';

/** Processor time of this process so far. */
export function cpuUsedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}
