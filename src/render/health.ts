// What `status`, `daemon status`, `alerts` and `adapter list` print. Pure.

import type { AdapterList, AlertItem, DaemonInfo, SourceHealthItem } from '../schema/api/health.ts';
import type { SummaryItem } from '../schema/api/panes.ts';
import type { TargetList } from '../schema/api/targets.ts';
import { counted } from '../text/counted.ts';
import { type Cell, renderGrid } from './grid.ts';
import { factLines } from './ledger.ts';
import { summaryLine } from './listings.ts';
import { ageOf, type Ink, sanitise, type View } from './view.ts';
import { wrapText } from './width.ts';

/** Everything that `status` shows; also its JSON output. */
export interface StatusReport {
  readonly schema_version: 1;
  readonly generated_at: string;
  readonly healthy: boolean;
  readonly daemon: DaemonInfo;
  readonly summary: SummaryItem;
  readonly sources: readonly SourceHealthItem[];
  readonly alerts: readonly AlertItem[];
}

const levelInks: Readonly<Record<string, Ink>> = {
  fresh: 'green',
  stale: 'yellow',
  down: 'red',
  warn: 'yellow',
  degraded: 'yellow',
  escalate: 'red',
};

/** True when servers and sources are well and no alert above `warn` is open. */
export function isHealthy(
  daemon: DaemonInfo,
  sources: readonly SourceHealthItem[],
  alerts: readonly AlertItem[],
): boolean {
  return (
    daemon.servers.every(({ status }) => status !== 'degraded') &&
    sources.every(({ status }) => status !== 'down') &&
    alerts.every(({ level, resolved_at }) => resolved_at !== null || level === 'warn')
  );
}

/** Version, process, files and tmux servers of a daemon. */
export function renderDaemon(view: View, daemon: DaemonInfo): string {
  const { version, pid, started_at, socket, database, log_file, servers } = daemon;
  const lines = factLines(view, [
    ['daemon', `${version}, pid ${pid}, up ${ageOf(view, started_at)}`],
    ['socket', socket],
    ['database', database],
    ['log', log_file ?? 'none'],
    ...servers.map(({ target, server, status, detail, panes, taps }): [string, string] => [
      'tmux',
      `${target} ${server}: ${status}${detail === null ? '' : ` (${detail})`}, ` +
        `${counted(panes, 'pane')}, ${counted(taps, 'tap')}`,
    ]),
  ]);
  return `${lines.join('\n')}\n`;
}

export function renderStatus(view: View, report: StatusReport): string {
  const { daemon, summary, sources, alerts } = report;
  const counts = factLines(view, [
    ['agents', summaryLine(summary)],
    ['needs you', String(summary.needs_action)],
  ]);
  return [
    `${renderDaemon(view, daemon)}${counts.join('\n')}\n`,
    sources.length === 0 ? 'No source has reported yet.\n' : `${renderSources(view, sources)}\n`,
    alerts.length === 0 ? 'No alerts.\n' : renderAlerts(view, alerts),
  ].join('\n');
}

function renderSources(view: View, sources: readonly SourceHealthItem[]): string {
  const rows = sources.map(({ channel, status, since, last_beat_at }): readonly Cell[] => [
    { text: sanitise(view, channel) },
    { text: status, ink: levelInks[status] ?? null },
    { text: ageOf(view, since) },
    { text: ageOf(view, last_beat_at) },
  ]);
  return renderGrid(
    view,
    [
      { title: 'SOURCE', rank: 0, min: 6, max: 60 },
      { title: 'HEALTH', rank: 1, min: 5 },
      { title: 'SINCE', rank: 2, min: 3 },
      { title: 'LAST BEAT', rank: 3, min: 3 },
    ],
    rows,
  );
}

/** One line per alert; below them the whole text of those that cannot wait. */
export function renderAlerts(view: View, alerts: readonly AlertItem[]): string {
  if (alerts.length === 0) return 'No alerts.\n';
  const rows = alerts.map((alert): readonly Cell[] => [
    { text: alert.level, ink: levelInks[alert.level] ?? null },
    { text: sanitise(view, alert.code) },
    { text: sanitise(view, alert.about) },
    { text: ageOf(view, alert.opened_at) },
    { text: alertState(alert) },
    { text: sanitise(view, alert.alert_id) },
    { text: sanitise(view, alert.detail ?? '') },
  ]);
  const table = renderGrid(
    view,
    [
      { title: 'LEVEL', rank: 1, min: 4 },
      { title: 'CODE', rank: 0, min: 8, max: 32 },
      { title: 'ABOUT', rank: 2, min: 6, max: 40 },
      { title: 'AGE', rank: 5, min: 3 },
      { title: 'STATUS', rank: 4, min: 4 },
      { title: 'ID', rank: 3, min: 8 },
      { title: 'DETAIL', rank: 6, min: 8 },
    ],
    rows,
  );
  return `${[table, ...urgentLines(view, alerts)].join('\n')}\n`;
}

/** Their end says what to do, and the table cuts it. */
function urgentLines(view: View, alerts: readonly AlertItem[]): readonly string[] {
  return alerts.flatMap(({ level, code, detail, resolved_at }) =>
    level === 'escalate' && detail !== null && resolved_at === null
      ? ['', ...wrapText(sanitise(view, `${code}: ${detail}`), view.width)]
      : [],
  );
}

function alertState({ resolved_at, resolved_by, acknowledged_at }: AlertItem): string {
  if (resolved_at !== null) return `resolved by ${resolved_by === 'operator' ? 'you' : 'itself'}`;
  return acknowledged_at === null ? 'open' : 'acknowledged';
}

/** One line per machine. */
export function renderTargets(view: View, { targets }: TargetList): string {
  const inks: Readonly<Record<string, Ink>> = { ok: 'green', degraded: 'yellow', down: 'red' };
  const rows = targets.map((target): readonly Cell[] => [
    { text: sanitise(view, target.name) },
    { text: target.kind },
    { text: target.health, ink: inks[target.health] ?? null },
    { text: target.last_seen_at === null ? 'never' : `${ageOf(view, target.last_seen_at)} ago` },
    { text: sanitise(view, target.connection_ref ?? '') },
    { text: sanitise(view, target.detail ?? '') },
  ]);
  const table = renderGrid(
    view,
    [
      { title: 'TARGET', rank: 0, min: 4, max: 32 },
      { title: 'KIND', rank: 2, min: 3 },
      { title: 'HEALTH', rank: 1, min: 4 },
      { title: 'ANSWERED', rank: 4, min: 5 },
      { title: 'HOST', rank: 5, min: 6, max: 40 },
      { title: 'DETAIL', rank: 3, min: 8 },
    ],
    rows,
  );
  return `${table}\n`;
}

/** One line per agent, and the rule files that could not be read. */
export function renderAdapters(view: View, { adapters, problems }: AdapterList): string {
  const rows = adapters.map((adapter): readonly Cell[] => [
    { text: sanitise(view, adapter.agent) },
    { text: adapter.enabled ? 'on' : 'off', ink: adapter.enabled ? 'green' : 'dim' },
    { text: sanitise(view, adapter.health) },
    { text: sanitise(view, adapter.contract_version) },
    { text: String(adapter.rules) },
    { text: sanitise(view, adapter.sources.join(', ')) },
  ]);
  const table = renderGrid(
    view,
    [
      { title: 'AGENT', rank: 0, min: 4, max: 24 },
      { title: 'WATCHED', rank: 1, min: 3 },
      { title: 'HEALTH', rank: 2, min: 4, max: 24 },
      { title: 'CONTRACT', rank: 5, min: 4 },
      { title: 'RULES', rank: 4, min: 5 },
      { title: 'SOURCES', rank: 3, min: 8 },
    ],
    rows,
  );
  const notes = problems.map(({ file, problem }) => sanitise(view, `${file}: ${problem}`));
  return `${[table, ...notes].join('\n')}\n`;
}
