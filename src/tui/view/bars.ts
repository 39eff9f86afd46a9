// The bar at the top, with the counts, and the one at the bottom, with the keys or a notice. Pure;
// where room is short, both leave out the least important parts.

import { needsYou } from '../../render/listings.ts';
import { outageText } from '../../render/outages.ts';
import { cutMark, markOf, sanitise } from '../../render/view.ts';
import { textWidth, wrapText } from '../../render/width.ts';
import { formatAge } from '../../text/format-age.ts';
import { states } from '../../text/state-words.ts';
import { footerKeys, type KeyContext, type KeyHelp } from '../key-table.ts';
import type { Model, Notice } from '../model.ts';
import { defaultPreferences } from '../preferences.ts';
import { answeredBy, cancelable, openThread } from '../rows/message-threads.ts';
import { hiddenWorkerCount } from '../rows/sections.ts';
import { answerLines, confirmLines } from './confirm-lines.ts';
import { bodyRows, modelView } from './layout.ts';
import {
  BOLD,
  DIM,
  fitLine,
  inkStyle,
  lineWidth,
  OWN,
  type SpanLine,
  type SpanStyle,
  span,
} from './spans.ts';
import { textTopMax } from './text-pages.ts';
import { teamQuestionLines, writeLines } from './write-lines.ts';

const GAP = '  ';
const NOTICE_LINES_MAX = 6;

/** One line with as many parts as fit, in order; the first is always included. */
function joinParts(parts: readonly SpanLine[], cells: number, mark: string): SpanLine {
  let line: SpanLine = [];
  for (const part of parts.filter((each) => lineWidth(each) > 0)) {
    const longer = line.length === 0 ? part : [...line, span(GAP), ...part];
    if (line.length === 0 || lineWidth(longer) <= cells) line = longer;
  }
  return fitLine(line, cells, mark);
}

/** Machines that do not answer, tmux servers that ended. */
function outagePart(model: Model): SpanLine {
  const view = modelView(model, model.size.columns);
  const words = model.outages.map((outage) => sanitise(view, outageText(view, outage)));
  return words.length === 0 ? [] : [span(words.join(', '), { foreground: OWN.red })];
}

/** How many agents need a person, counts by state and by agent, filters, a lost connection. */
export function headerLine(model: Model): SpanLine {
  const { columns } = model.size;
  const view = modelView(model, columns);
  const parts = [
    [span(model.kind === 'sidebar' ? '' : ' agtmux', BOLD)],
    linkPart(model),
    needsPart(model),
    statesPart(model),
    outagePart(model),
    filterPart(model),
    [span(totalText(model), DIM)],
    [span(agentsText(model), DIM)],
  ];
  const indent = model.kind === 'sidebar' ? [span(' ')] : [];
  const line = joinParts(parts, columns - indent.length, cutMark(view));
  return [...indent, ...line];
}

function linkPart({ link, nowMs }: Model): SpanLine {
  if (link.kind === 'starting') return [span('connecting', DIM)];
  if (link.kind === 'up') return [];
  const ago = formatAge(nowMs - link.sinceMs);
  const text = link.isSilent
    ? `the daemon does not answer for ${ago}: agtmux daemon stop ends it`
    : `not connected, last seen ${ago} ago`;
  return [span(text, { foreground: OWN.red, bold: true })];
}

function needsPart({ summary, link }: Model): SpanLine {
  if (summary === null || link.kind !== 'up') return [];
  const { needs_action: count } = summary;
  if (count === 0) return [span('no agent needs you', DIM)];
  return [span(needsYou(count), { foreground: OWN.yellow, bold: true })];
}

function statesPart(model: Model): SpanLine {
  const { summary } = model;
  if (summary === null) return [];
  const view = modelView(model, model.size.columns);
  const isLost = model.link.kind === 'lost';
  return states
    .filter((state) => (summary.by_state[state] ?? 0) > 0)
    .flatMap((state, index) => {
      const { mark, ink } = markOf(view, state);
      const text = `${index === 0 ? '' : ' '}${summary.by_state[state]}${mark}`;
      return [span(text, isLost ? DIM : inkStyle(ink))];
    });
}

function filterPart(model: Model): SpanLine {
  const { text, attentionOnly, agentsOnly } = model.filter;
  const { groupBy, orderBy } = model.preferences;
  const view = modelView(model, model.size.columns);
  const hidden = hiddenWorkerCount(model);
  const words = [
    ...(groupBy === defaultPreferences.groupBy ? [] : [`by ${groupBy}`]),
    ...(orderBy === defaultPreferences.orderBy ? [] : [`order ${orderBy}`]),
    ...(hidden === 0 ? [] : [`${hidden} worker${hidden === 1 ? '' : 's'} hidden`]),
    ...(attentionOnly ? ['attention only'] : []),
    ...(agentsOnly ? ['agents only'] : []),
    ...(text === '' || model.page.kind === 'filter' ? [] : [`/${sanitise(view, text)}`]),
  ];
  return words.length === 0 ? [] : [span(`[${words.join(', ')}]`, { foreground: OWN.cyan })];
}

function totalText({ summary }: Model): string {
  if (summary === null) return '';
  const { agents, panes } = summary;
  return `${agents} agent${agents === 1 ? '' : 's'} in ${panes} pane${panes === 1 ? '' : 's'}`;
}

function agentsText(model: Model): string {
  const view = modelView(model, model.size.columns);
  return Object.entries(model.summary?.by_agent ?? {})
    .toSorted(([, a], [, b]) => b - a)
    .map(([agent, count]) => `${sanitise(view, agent)} ${count}`)
    .join(', ');
}

const promptWords = {
  snooze: 'Snooze for ',
  name: 'Name: ',
  answer: 'Answer: ',
  reason: 'Deny, because: ',
  send: 'Prompt: ',
} as const;

/** The line that is edited or the question of ours, else a notice, else the keys. */
export function footerLines(model: Model): readonly SpanLine[] {
  const { page } = model;
  if (page.kind === 'filter') return [inputLine(model, '/', model.filter.text, 'filter')];
  const notice = model.notice ? noticeLines(model, model.notice) : [];
  if (page.kind === 'prompt') {
    return [
      ...answerLines(model),
      ...notice,
      inputLine(model, promptWords[page.about], page.text, 'prompt'),
    ];
  }
  if (page.kind === 'confirm') return [...confirmLines(model, page), keysLine(model)];
  if (page.kind === 'team-confirm') return [...teamQuestionLines(model, page), keysLine(model)];
  if (page.kind === 'write') {
    const { draft, field } = page;
    const subject = draft.kind === 'new' ? draft.subject : '';
    const words = field === 'subject' ? subject : draft.text;
    const keys = draft.kind === 'new' ? 'write' : 'prompt';
    const label = field === 'subject' ? 'Subject: ' : 'Message: ';
    return [...writeLines(model, draft), ...notice, inputLine(model, label, words, keys)];
  }
  return notice.length > 0 ? notice : [keysLine(model)];
}

/** A notice is wrapped, not cut: its end says what to do. */
function noticeLines(model: Model, { text, isProblem }: Notice): readonly SpanLine[] {
  const { columns } = model.size;
  const style: SpanStyle = isProblem ? { foreground: OWN.yellow } : {};
  const view = modelView(model, columns);
  return text
    .split('\n')
    .flatMap((line) => wrapText(sanitise(view, line), columns - 2))
    .slice(-NOTICE_LINES_MAX)
    .map((line) => fitLine([span(` ${line}`, style)], columns, ''));
}

function keysLine(model: Model): SpanLine {
  const { columns } = model.size;
  const { unicode } = model.look;
  const mark = cutMark(modelView(model, columns));
  const place = keyContext(model);
  const position = scrollPart(model);
  const room = columns - 1 - (position.length === 0 ? 0 : lineWidth(position) + GAP.length);
  const keys = footerKeys(place, unicode).filter(({ word }) => isOfUse(model, word));
  const parts = [...keyParts(keys, room), position];
  return fitLine([span(' '), ...joinParts(parts, columns - 1, '')], columns, mark);
}

/** Some keys have nothing to answer, or to take back. */
function isOfUse(model: Model, word: string): boolean {
  const { page, inbox, messages } = model;
  const thread = openThread(model);
  if (page.kind === 'messages' && messages !== null && thread !== null) {
    if (word === 'take back') return cancelable(messages, thread) !== null;
    const answered = answeredBy(messages, thread);
    if (word === 'reply') return answered !== null;
    return word !== 'to all' || (answered !== null && answered.receipts.length > 1);
  }
  if (page.kind !== 'inbox') return true;
  const request = inbox?.shown?.request;
  if (!request) return word === 'list' || word === 'help';
  if (word === 'choose') return (request.detail?.options?.length ?? 0) > 0;
  return request.kind === 'approval' || (word !== 'approve' && word !== 'deny');
}

function keyContext(model: Model): KeyContext {
  const { page, link } = model;
  switch (page.kind) {
    case 'confirm': {
      const { kind } = page.order;
      return kind === 'kill' || kind === 'deny' ? kind : 'confirm';
    }
    case 'team-confirm':
      return 'confirm';
    case 'ended':
      return 'ended';
    case 'list':
    case 'inbox':
    case 'teams':
      return link.kind === 'lost' ? 'lost' : page.kind;
    case 'messages':
      if (link.kind === 'lost') return 'lost';
      return openThread(model) === null ? 'messages' : 'thread';
    default:
      return 'text';
  }
}

/** As many keys as fit, the most important ones, in the order of the table. */
function keyParts(keys: readonly KeyHelp[], room: number): readonly SpanLine[] {
  const shown = new Set<KeyHelp>();
  let left = room + GAP.length;
  for (const each of keys.toSorted((a, b) => a.rank - b.rank)) {
    left -= textWidth(`${each.keys} ${each.word}`) + GAP.length;
    if (left < 0) break;
    shown.add(each);
  }
  return keys
    .filter((each) => shown.has(each))
    .map(({ keys: key, word }) => [span(key, BOLD), span(` ${word}`, DIM)]);
}

function scrollPart(model: Model): SpanLine {
  const { page } = model;
  if (page.kind !== 'explain' && page.kind !== 'help' && page.kind !== 'log') return [];
  const topMax = textTopMax(model);
  if (topMax === 0) return [];
  const rows = bodyRows(model.size);
  const from = Math.min(page.top, topMax);
  return [span(`lines ${from + 1}-${from + rows} of ${topMax + rows}`)];
}

/** A line that is edited; when it is too long, its end is shown. */
function inputLine(model: Model, label: string, text: string, keys: KeyContext): SpanLine {
  const { columns } = model.size;
  const view = modelView(model, columns);
  const words = footerKeys(keys, view.unicode).map(({ keys: key, word }) => `${key} ${word}`);
  const hint = `  ${words.join('  ')}`;
  const room = columns - textWidth(hint) - textWidth(label) - 3;
  // A cell takes a few characters at most.
  const end = text.slice(-8 * columns).replaceAll('\n', view.unicode ? '⏎' : '|');
  let typed = sanitise(view, end);
  while (textWidth(typed) > room && typed !== '') typed = [...typed].slice(1).join('');
  return fitLine(
    [span(` ${label}`, BOLD), span(typed), span(' ', { inverse: true }), span(hint, DIM)],
    columns,
    cutMark(view),
  );
}
