// The preview: the open requests of the selected pane, what is known of its work, and its live
// screen. Pure. The screen is cut, not wrapped, and its last lines are shown: agents ask there.

import { optionsText, requestText, subagentNames, usageText } from '../../render/pane-notes.ts';
import { locationText } from '../../render/typed-names.ts';
import { ageOf, cutMark, sanitise, type View } from '../../render/view.ts';
import { cutToWidth, wrapText } from '../../render/width.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import type { Model, PreviewState } from '../model.ts';
import { pathText } from '../rows/group-panes.ts';
import { selectedRow } from '../rows/selection.ts';
import { ansiLines } from './ansi-lines.ts';
import { type Area, modelView } from './layout.ts';
import { statePieces } from './list-page.ts';
import {
  DIM,
  dimmed,
  fitLine,
  lineText,
  OWN,
  type SpanLine,
  type SpanStyle,
  span,
} from './spans.ts';

const ASKING: SpanStyle = { foreground: OWN.yellow };
/** Of a request; its whole text is on the screen below. */
const REQUEST_LINES_MAX = 3;
/** `subagents` and a blank. */
const LABEL_CELLS = 10;

/** The lines of the preview; they fill the area exactly. */
export function previewLines(model: Model, area: Area): readonly SpanLine[] {
  const view = modelView(model, area.columns);
  const pane = selectedRow(model)?.pane ?? null;
  const head = pane
    ? headLines(model, view, pane, area.rows)
    : [[span(rule(view, area.columns), DIM)]];
  const room = area.rows - head.length;
  // A margin sets the screen of the pane apart from ours.
  const body = (pane ? screenBody(model, pane, room) : []).map((line) => [span(' '), ...line]);
  const lines = [...head, ...body].slice(0, area.rows);
  const blanks = Array.from({ length: area.rows - lines.length }, (): SpanLine => []);
  const isLost = model.link.kind === 'lost';
  return [...lines, ...blanks].map((line) => {
    const fitted = fitLine(line, area.columns, '');
    return isLost ? dimmed(fitted) : fitted;
  });
}

const rule = (view: View, cells: number): string => (view.unicode ? '─' : '-').repeat(cells);

/** The open requests, then facts: at least half of the rows are left to the screen. */
function headLines(model: Model, view: View, pane: PaneItem, rows: number): readonly SpanLine[] {
  const name = sanitise(view, `${pane.agent ?? pane.current_cmd} ${locationText(pane.identity)} `);
  const title: SpanLine = [
    span(`${rule(view, 2)} `, DIM),
    span(name, { bold: true }),
    ...statePieces(view, pane),
    span(` ${rule(view, view.width)}`, DIM),
  ];
  const requests = [title, ...requestLines(view, pane).slice(0, Math.ceil(rows / 5))];
  const room = Math.max(0, Math.floor(rows / 2) - requests.length);
  return [...requests, ...factLines(view, factsOf(model, pane)).slice(0, room)];
}

type Fact = readonly [label: string, text: string];

/** What is known of the agent's work, the most useful first. */
function factsOf({ home }: Model, pane: PaneItem): readonly Fact[] {
  const { prompt, message, background_count: shells } = pane.activity;
  const folder = pathText(pane, home);
  const place = [pane.git_branch ?? '', folder === '' ? '' : `in ${folder}`];
  const facts: readonly Fact[] = [
    ['prompt', prompt ?? ''],
    ['message', message ?? ''],
    ['usage', usageText(pane)],
    ['branch', pane.git_branch === null ? '' : place.filter((part) => part !== '').join(' ')],
    ['folder', pane.git_branch === null ? folder : ''],
    ['subagents', subagentNames(pane).join(', ')],
    ['shells', shells === 0 ? '' : `${shells} in the background`],
  ];
  return facts.filter(([, text]) => text !== '');
}

/** One line for each fact. */
const factLines = (view: View, facts: readonly Fact[]): readonly SpanLine[] =>
  facts.map(([label, text]) => {
    const line = [span(` ${label.padEnd(LABEL_CELLS)}`, DIM), span(sanitise(view, text))];
    return fitLine(line, view.width, cutMark(view));
  });

/** The open requests of the pane. */
function requestLines(view: View, { attention }: PaneItem): readonly SpanLine[] {
  return attention.requests.flatMap((request) => {
    const { kind, since, seen } = request;
    const detail = requestText(request);
    const text = `${kind} for ${ageOf(view, since)}${seen ? ', seen' : ''}`;
    const whole = detail === '' ? text : `${text}: ${detail}`;
    const width = Math.max(1, view.width - 1);
    const lines = wrapText(sanitise(view, whole), width).slice(0, REQUEST_LINES_MAX);
    const options = optionsText(request);
    if (options !== '') lines.push(cutToWidth(sanitise(view, options), width, cutMark(view)));
    return lines.map((line) => [span(` ${line}`, ASKING)]);
  });
}

/** The screen of a pane, or why there is none. */
export function screenBody(model: Model, pane: PaneItem, room: number): readonly SpanLine[] {
  const preview = model.preview?.paneKey === pane.pane_key ? model.preview : null;
  if (preview?.screen) return screenLines(model, preview.screen, room);
  const text = pane.identity === null ? 'This agent has no pane.' : waitingText(model, preview);
  return [[span(sanitise(modelView(model, 0), text), DIM)]];
}

function waitingText({ link }: Model, preview: PreviewState | null): string {
  if (preview?.problem) return `No preview: ${preview.problem}`;
  return link.kind === 'lost' ? 'No preview without the daemon.' : 'Reading the screen.';
}

function screenLines(
  { look }: Model,
  screen: NonNullable<PreviewState['screen']>,
  room: number,
): readonly SpanLine[] {
  const lines = ansiLines(screen.lines, look.unicode);
  const last = lines.findLastIndex((line) => lineText(line).trim() !== '');
  return lines.slice(Math.max(0, last + 1 - room), last + 1);
}
