// What `history --summary` prints: how long agents waited for a person and were in each state, as a
// table with bars, and the longest waits; or as CSV. Pure.

import type { HistorySummary, TimeSumsItem } from '../../schema/api/ledger.ts';
import { counted } from '../../text/counted.ts';
import { formatAge } from '../../text/format-age.ts';
import { states } from '../../text/state-words.ts';
import { type Cell, type Column, renderGrid } from '../grid.ts';
import { stateCell } from '../listings.ts';
import { momentText } from '../pane-notes.ts';
import { safeText } from '../safe-text.ts';
import { paint, sanitise, type View } from '../view.ts';
import { wrapText } from '../width.ts';

const BAR_CELLS = 16;
const groupTitles = { agent: 'AGENT', session: 'SESSION', day: 'DAY' } as const;

export function renderTimeSpent(view: View, summary: HistorySummary): string {
  const { total, groups, longest_waits: waits } = summary;
  const cut = summary.partial ? ' More is stored than can be added up.' : '';
  if (total.observed_ms === 0)
    return `No agent was watched since ${momentText(summary.since)}.${cut}\n`;
  const lines = [
    ...wrapText(sanitise(view, headline(summary) + cut), view.width),
    '',
    groupTable(view, summary),
  ];
  if (groups.length > 1) lines.push('', paint(view, 'dim', statesLine(view, total)));
  if (waits.length > 0)
    lines.push('', paint(view, 'bold', 'Longest waits'), waitTable(view, waits));
  return `${lines.join('\n')}\n`;
}

function headline({ since, total }: HistorySummary): string {
  const { observed_ms: observed, waiting_ms: waiting, waits } = total;
  const waited =
    waits === 0
      ? 'never waited for you'
      : `waited for you for ${longText(waiting)} (${percent(waiting, observed)}), ` +
        `${counted(waits, 'time')}`;
  const sum = `agents were watched for ${longText(observed)} (the sum of all agents)`;
  return `Since ${momentText(since)} ${sum} and ${waited}.`;
}

function groupTable(view: View, { by, groups }: HistorySummary): string {
  const most = Math.max(1, ...groups.map(({ waiting_ms }) => waiting_ms));
  const columns: readonly Column[] = [
    { title: groupTitles[by], rank: 0, min: 8, max: 40 },
    { title: 'WAITED', rank: 1, min: 6 },
    { title: '', rank: 6, min: 4, max: BAR_CELLS },
    { title: 'SHARE', rank: 3, min: 5 },
    { title: 'WAITS', rank: 4, min: 5 },
    { title: 'LONGEST', rank: 2, min: 7 },
    { title: 'RUNNING', rank: 5, min: 7 },
    { title: 'WATCHED', rank: 5, min: 7 },
  ];
  const rows = groups.map((group): readonly Cell[] => [
    { text: sanitise(view, group.name) },
    { text: longText(group.waiting_ms), ink: group.waiting_ms === 0 ? 'dim' : null },
    { text: bar(view, group.waiting_ms / most), ink: 'yellow' },
    { text: percent(group.waiting_ms, group.observed_ms) },
    { text: String(group.waits) },
    { text: longText(group.longest_wait_ms) },
    { text: longText(group.states.running ?? 0) },
    { text: longText(group.observed_ms) },
  ]);
  return renderGrid(view, columns, rows);
}

function waitTable(view: View, waits: HistorySummary['longest_waits']): string {
  const columns: readonly Column[] = [
    { title: 'WAITED', rank: 0, min: 6 },
    { title: 'FOR', rank: 2, min: 1 },
    { title: 'AGENT', rank: 3, min: 4, max: 16 },
    { title: 'PANE', rank: 1, min: 8, max: 40 },
    { title: 'BEGAN', rank: 4, min: 19 },
    { title: 'ENDED', rank: 5, min: 7 },
  ];
  const rows = waits.map((wait): readonly Cell[] => [
    { text: longText(wait.waited_ms) },
    stateCell(view, wait.state, null),
    { text: sanitise(view, wait.agent ?? '-') },
    { text: sanitise(view, wait.pane ?? wait.session ?? wait.pane_key) },
    { text: momentText(wait.began_at) },
    { text: wait.ended_at === null ? 'waits now' : momentText(wait.ended_at) },
  ]);
  return renderGrid(view, columns, rows);
}

function statesLine(view: View, { states: sums, observed_ms: observed }: TimeSumsItem): string {
  const parts = states.flatMap((state) => {
    const lastedMs = sums[state] ?? 0;
    return lastedMs === 0
      ? []
      : [`${state} ${longText(lastedMs)} (${percent(lastedMs, observed)})`];
  });
  return wrapText(`All: ${parts.join(', ')}`, view.width).join('\n');
}

/** As many cells as the share of the greatest says; at least one where there is any. */
function bar(view: View, share: number): string {
  const cells = share === 0 ? 0 : Math.max(1, Math.round(share * BAR_CELLS));
  return (view.unicode ? '█' : '#').repeat(cells);
}

const percent = (part: number, whole: number): string => {
  const share = whole === 0 ? 0 : (100 * part) / whole;
  return share > 0 && share < 1 ? '<1%' : `${Math.round(share)}%`;
};

const HOUR_MS = 3_600_000;

/** `2h 5m`: an hour and more with its minutes; else in one unit. */
function longText(durationMs: number): string {
  if (durationMs < HOUR_MS) return formatAge(durationMs);
  const minutes = Math.floor(durationMs / 60_000);
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

/** One line for each group, in milliseconds. A spreadsheet runs no name as a formula. */
export function timeSpentCsv({ by, groups }: HistorySummary): string {
  const head = [
    ...[by, 'observed_ms', 'waiting_ms', 'waits', 'longest_wait_ms'],
    ...states.map((state) => `${state}_ms`),
  ];
  const rows = groups.map((group) => [
    csvCell(safeText(group.name)),
    ...[group.observed_ms, group.waiting_ms, group.waits, group.longest_wait_ms],
    ...states.map((state) => group.states[state] ?? 0),
  ]);
  return [head, ...rows].map((cells) => `${cells.join(',')}\r\n`).join('');
}

function csvCell(text: string): string {
  const harmless = /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
