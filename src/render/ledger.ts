// What `explain` and `history` print: all claims about a pane, and its past states. Pure. The
// sentences come from the daemon; this file only lays them out.

import type { Explanation, HistoryList, LedgerClaim } from '../schema/api/ledger.ts';
import type { PaneItem } from '../schema/api/panes.ts';
import { formatAge } from '../text/format-age.ts';
import { type Cell, type Column, renderGrid } from './grid.ts';
import { paneState, stateCell } from './listings.ts';
import { momentText, optionsText, requestText, subagentNames, usageText } from './pane-notes.ts';
import { locationText } from './typed-names.ts';
import { ageOf, type Ink, paint, sanitise, type View } from './view.ts';
import { cutToWidth, wrapText } from './width.ts';

const outcomeInks: Readonly<Record<LedgerClaim['outcome'], Ink | null>> = {
  won: 'green',
  supports: 'green',
  lost_precedence: 'yellow',
  lost_age: 'yellow',
  denied: 'red',
  pending: null,
  silent: 'dim',
};

/** The pane, why it is in its state, every claim with its outcome, and the latest events. */
export function renderExplanation(view: View, explanation: Explanation): string {
  return [
    ...headLines(view, explanation),
    '',
    heading(view, `Claims (${explanation.claims.length}), the winner first`),
    ...(explanation.claims.length === 0 ? ['  none: no source has reported on this pane'] : []),
    ...winnersFirst(explanation.claims).flatMap((claim) => claimLines(view, claim)),
    '',
    heading(view, `Events (${explanation.events.length}), newest first`),
    ...(explanation.events.length === 0 ? ['  none'] : [eventGrid(view, explanation)]),
    '',
  ].join('\n');
}

const heading = (view: View, text: string): string =>
  paint(view, 'bold', cutToWidth(text, view.width, ''));

const winnersFirst = (claims: readonly LedgerClaim[]): readonly LedgerClaim[] =>
  claims.toSorted((a, b) => Number(b.outcome === 'won') - Number(a.outcome === 'won'));

function headLines(view: View, explanation: Explanation): readonly string[] {
  const { pane, process } = explanation;
  const { text, ink } = paneState(view, pane);
  const agent = pane.agent ?? 'no agent';
  const pid = process.pid === null ? 'no process known' : `pid ${process.pid}`;
  const life =
    process.started_at === null ? '' : `, started ${ageOf(view, process.started_at)} ago`;
  const stopped = process.suspended ? ', stopped' : '';
  const basis = process.basis === null ? '' : `, by ${process.basis}`;
  const { evidence } = pane;
  return [
    paint(view, ink ?? null, cutToWidth(`${text} for ${ageOf(view, pane.since)}`, view.width, '')),
    ...factLines(view, [
      ['why', explanation.why],
      ['agent', `${agent} (${pane.presence})`],
      ['pane', `${locationText(pane.identity)}  ${pane.ref}`],
      ...(pane.alias === null ? [] : [['name', pane.alias] as const]),
      ['title', pane.title],
      [
        'path',
        pane.git_branch === null ? pane.current_path : `${pane.current_path} (${pane.git_branch})`,
      ],
      ['process', `${pid}${life}${stopped}${basis}`],
      [
        'evidence',
        `${evidence.mode}, confidence ${evidence.confidence}, ${evidence.source ?? 'no source'}`,
      ],
      [
        'signature',
        `${pane.signature_class}: ${pane.signature_reason} (${pane.signature_confidence})`,
      ],
      ['runtime', pane.runtime_id ?? '-'],
      ['confirmed', `${ageOf(view, pane.last_seen_at)} ago`],
      ...workFacts(pane),
      ...requestFacts(view, pane),
    ]),
  ];
}

type Fact = readonly [string, string];

/** What is known of the agent's work. */
function workFacts(pane: PaneItem): readonly Fact[] {
  const { tool, prompt, message, title, background_count: shells } = pane.activity;
  const facts: readonly Fact[] = [
    ['tool', tool ?? ''],
    ['prompt', prompt ?? ''],
    ['message', message ?? ''],
    ['session', title === pane.title ? '' : (title ?? '')],
    ['shells', shells === 0 ? '' : `${shells} in the background`],
    ['subagents', subagentNames(pane).join(', ')],
    ['usage', usageText(pane)],
  ];
  return facts.filter(([, text]) => text !== '');
}

function requestFacts(view: View, { attention }: PaneItem): readonly Fact[] {
  return attention.requests.flatMap((request): readonly Fact[] => {
    const { kind, since, seen } = request;
    const text = requestText(request);
    const options = optionsText(request);
    const age = `since ${ageOf(view, since)}${seen ? ', seen' : ''}`;
    const fact: Fact = ['needs you', `${kind} ${age}${text === '' ? '' : `: ${text}`}`];
    return options === '' ? [fact] : [fact, ['options', options]];
  });
}

const LABEL_CELLS = 11;

/** One line per fact; long ones are wrapped and indented. */
export function factLines(
  view: View,
  pairs: readonly (readonly [string, string])[],
): readonly string[] {
  return pairs.flatMap(([label, value]) => {
    const indent = view.width > 40 ? LABEL_CELLS : 2;
    const lines = wrapText(sanitise(view, value), Math.max(1, view.width - indent));
    const first = `${label}:`.padEnd(indent);
    if (view.width <= 40) return [cutToWidth(`${label}:`, view.width, ''), ...indented(lines, 2)];
    return [`${first}${lines[0] ?? ''}`, ...indented(lines.slice(1), indent)];
  });
}

const indented = (lines: readonly string[], by: number): readonly string[] =>
  lines.map((line) => ' '.repeat(by) + line);

function claimLines(view: View, claim: LedgerClaim): readonly string[] {
  const reason = claim.reason === null ? '' : ` (${claim.reason})`;
  const about = claim.about === 'turn' ? '' : ` about ${claim.about}`;
  const age = claim.age_ms === null ? '' : `, ${formatAge(claim.age_ms)} ago`;
  const read = claim.last_read_at === null ? '' : `, read ${ageOf(view, claim.last_read_at)} ago`;
  const says =
    claim.says === null ? 'says nothing about a state' : `says ${claim.says}${reason}${about}`;
  const rule = claim.rule === null ? '' : `, rule ${claim.rule}`;
  const origin = `${claim.tier} ${claim.kind}, rank ${claim.rank}${rule}`;
  const channel = `channel ${claim.channel} ${claim.channel_status}`;
  const backfill = claim.backfill ? ', from before the daemon started' : '';
  const first = `${claim.outcome} ${sanitise(view, `${claim.source} ${says}${age}${read}`)}`;
  const [head = '', ...rest] = wrapText(first, view.width - 6);
  const painted = paint(view, outcomeInks[claim.outcome], claim.outcome);
  const more = sanitise(view, `${origin}, ${channel}${backfill}`);
  return [
    `  ${head.startsWith(claim.outcome) ? painted + head.slice(claim.outcome.length) : head}`,
    ...indented([...rest, ...wrapText(sanitise(view, claim.why), view.width - 6)], 6),
    ...indented(wrapText(more, view.width - 6), 6).map((line) => paint(view, 'dim', line)),
  ];
}

function eventGrid(view: View, { events }: Explanation): string {
  const columns: readonly Column[] = [
    { title: 'SEQ', rank: 5, min: 3 },
    { title: 'AGE', rank: 1, min: 3 },
    { title: 'TYPE', rank: 0, min: 8, max: 32 },
    { title: 'SOURCE', rank: 2, min: 6, max: 24 },
    { title: 'OUTCOME', rank: 4, min: 6, max: 20 },
    { title: 'SUMMARY', rank: 3, min: 8 },
  ];
  const rows = events.map((event): readonly Cell[] => [
    { text: String(event.seq) },
    { text: ageOf(view, event.event_time) },
    { text: sanitise(view, event.type) },
    { text: sanitise(view, event.source ?? '-') },
    { text: sanitise(view, event.disposition ?? '-') },
    { text: sanitise(view, event.summary) },
  ]);
  return renderGrid(view, columns, rows);
}

/** Past states of panes, one per line, in the daemon's order. */
export function renderHistory(view: View, { entries }: HistoryList): string {
  if (entries.length === 0) return 'No state changes.\n';
  const columns: readonly Column[] = [
    { title: 'AT', rank: 3, min: 19 },
    { title: 'STATE', rank: 0, min: 1 },
    { title: 'LASTED', rank: 2, min: 4 },
    { title: 'AGENT', rank: 4, min: 4, max: 16 },
    { title: 'PANE', rank: 1, min: 8, max: 40, isWhole: true },
    { title: 'SOURCE', rank: 5, min: 6, max: 24 },
  ];
  const rows = entries.map((entry): readonly Cell[] => [
    { text: momentText(entry.at) },
    entry.presence === 'managed' || entry.state !== 'unknown'
      ? stateCell(view, entry.state, entry.reason_code)
      : { text: `  ${sanitise(view, entry.presence)}`, short: '', ink: 'dim' },
    { text: entry.lasted_ms === null ? 'ongoing' : formatAge(entry.lasted_ms) },
    { text: sanitise(view, entry.agent ?? '-') },
    { text: sanitise(view, entry.pane ?? entry.ref ?? entry.pane_key) },
    { text: sanitise(view, entry.source ?? '-') },
  ]);
  return `${renderGrid(view, columns, rows)}\n`;
}
