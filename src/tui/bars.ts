// The bar at the top, with the counts, and the one at the bottom, with the keys or what is to be
// said. Pure; both fit their width by leaving out what matters least.

import { cutMark, formatAge, markOf, show } from '../render/view.ts';
import { textWidth, wrapText } from '../render/width.ts';
import { states } from '../text/state-words.ts';
import { footerKeys, type KeyPlace, type ShownKey } from './key-table.ts';
import { bodyRows, viewOf } from './layout.ts';
import type { Model, Notice } from './model.ts';
import { fitLine, inkStyle, type Line, lineWidth, type PieceStyle, piece } from './styled.ts';
import { helpTopMax, ledgerTopMax } from './text-pages.ts';

const DIM: PieceStyle = { dim: true };
const BOLD: PieceStyle = { bold: true };
const GAP = '  ';
const NOTICE_LINES_MAX = 4;

/** One line with as many of the parts as fit, in order; the first is always there. */
function joinParts(parts: readonly Line[], cells: number, mark: string): Line {
  let line: Line = [];
  for (const part of parts.filter((each) => lineWidth(each) > 0)) {
    const longer = line.length === 0 ? part : [...line, piece(GAP), ...part];
    if (line.length === 0 || lineWidth(longer) <= cells) line = longer;
  }
  return fitLine(line, cells, mark);
}

/** Who needs a person, counts by state and by agent, filters; or that nothing is known now. */
export function headerLine(model: Model): Line {
  const { columns } = model.size;
  const view = viewOf(model, columns);
  const parts = [
    [piece(' agtmux', BOLD)],
    linkPart(model),
    needsPart(model),
    statesPart(model),
    filterPart(model),
    [piece(totalText(model), DIM)],
    [piece(agentsText(model), DIM)],
  ];
  return joinParts(parts, columns, cutMark(view));
}

function linkPart({ link, nowMs }: Model): Line {
  if (link.kind === 'starting') return [piece('connecting', DIM)];
  if (link.kind === 'up') return [];
  const ago = formatAge(nowMs - link.sinceMs);
  return [piece(`not connected, last seen ${ago} ago`, { foreground: '31', bold: true })];
}

function needsPart({ summary, link }: Model): Line {
  if (summary === null || link.kind !== 'up') return [];
  const { needs_action: count } = summary;
  if (count === 0) return [piece('nobody needs you', DIM)];
  const text = count === 1 ? '1 needs you' : `${count} need you`;
  return [piece(text, { foreground: '33', bold: true })];
}

function statesPart(model: Model): Line {
  const { summary } = model;
  if (summary === null) return [];
  const view = viewOf(model, model.size.columns);
  const isLost = model.link.kind === 'lost';
  return states
    .filter((state) => (summary.by_state[state] ?? 0) > 0)
    .flatMap((state, index) => {
      const { mark, ink } = markOf(view, state);
      const text = `${index === 0 ? '' : ' '}${summary.by_state[state]}${mark}`;
      return [piece(text, isLost ? DIM : inkStyle(ink))];
    });
}

function filterPart(model: Model): Line {
  const { text, attentionOnly, agentsOnly } = model.filter;
  const view = viewOf(model, model.size.columns);
  const words = [
    ...(attentionOnly ? ['attention only'] : []),
    ...(agentsOnly ? ['agents only'] : []),
    ...(text === '' || model.page.kind === 'filter' ? [] : [`/${show(view, text)}`]),
  ];
  return words.length === 0 ? [] : [piece(`[${words.join(', ')}]`, { foreground: '36' })];
}

function totalText({ summary }: Model): string {
  if (summary === null) return '';
  const { agents, panes } = summary;
  return `${agents} agent${agents === 1 ? '' : 's'} in ${panes} pane${panes === 1 ? '' : 's'}`;
}

function agentsText(model: Model): string {
  const view = viewOf(model, model.size.columns);
  return Object.entries(model.summary?.by_agent ?? {})
    .toSorted(([, a], [, b]) => b - a)
    .map(([agent, count]) => `${show(view, agent)} ${count}`)
    .join(', ');
}

/** What is to be said, the filter while it is written, or the keys. */
export function footerLines(model: Model): readonly Line[] {
  if (model.page.kind === 'filter') return [filterLine(model)];
  const notice = model.notice ? noticeLines(model, model.notice) : [];
  return notice.length > 0 ? notice : [keysLine(model)];
}

/** A sentence is never cut to one line: its end says what to do. */
function noticeLines(model: Model, { text, isProblem }: Notice): readonly Line[] {
  const { columns } = model.size;
  const style: PieceStyle = isProblem ? { foreground: '33' } : {};
  return wrapText(show(viewOf(model, columns), text), columns - 2)
    .slice(0, NOTICE_LINES_MAX)
    .map((line) => fitLine([piece(` ${line}`, style)], columns, ''));
}

function keysLine(model: Model): Line {
  const { columns } = model.size;
  const { unicode } = model.look;
  const mark = cutMark(viewOf(model, columns));
  const isText = model.page.kind !== 'list';
  const place: KeyPlace = isText ? 'text' : model.link.kind === 'lost' ? 'lost' : 'list';
  const position = scrollPart(model);
  const room = columns - 1 - (position.length === 0 ? 0 : lineWidth(position) + GAP.length);
  const parts = [...keyParts(footerKeys(place, unicode), room), position];
  return fitLine([piece(' '), ...joinParts(parts, columns - 1, '')], columns, mark);
}

/** As many keys as fit, those that matter most; they stand in the order of the table. */
function keyParts(keys: readonly ShownKey[], room: number): readonly Line[] {
  const shown = new Set<ShownKey>();
  let left = room + GAP.length;
  for (const each of keys.toSorted((a, b) => a.rank - b.rank)) {
    left -= textWidth(`${each.keys} ${each.word}`) + GAP.length;
    if (left < 0) break;
    shown.add(each);
  }
  return keys
    .filter((each) => shown.has(each))
    .map(({ keys: key, word }) => [piece(key, BOLD), piece(` ${word}`, DIM)]);
}

function scrollPart(model: Model): Line {
  const { page } = model;
  if (page.kind !== 'explain' && page.kind !== 'help') return [];
  const topMax = page.kind === 'help' ? helpTopMax(model) : ledgerTopMax(model);
  if (topMax === 0) return [];
  const rows = bodyRows(model.size);
  const from = Math.min(page.top, topMax);
  return [piece(`lines ${from + 1}-${from + rows} of ${topMax + rows}`)];
}

/** The end of what was typed is what is looked at: the beginning goes first. */
function filterLine(model: Model): Line {
  const { columns } = model.size;
  const view = viewOf(model, columns);
  const keys = footerKeys('filter', view.unicode).map(({ keys: key, word }) => `${key} ${word}`);
  const hint = `  ${keys.join('  ')}`;
  const room = columns - textWidth(hint) - 4;
  let typed = show(view, model.filter.text);
  while (textWidth(typed) > room && typed !== '') typed = [...typed].slice(1).join('');
  return fitLine(
    [piece(' /', BOLD), piece(typed), piece(' ', { inverse: true }), piece(hint, DIM)],
    columns,
    cutMark(view),
  );
}
