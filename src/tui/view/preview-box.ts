// The preview: the open requests of the selected pane, and its live screen. Pure. The screen is
// cut, not wrapped, and its last lines are shown: agents ask there.

import { locationText } from '../../render/listings.ts';
import { optionsText, requestText, subagentNames, usageText } from '../../render/pane-notes.ts';
import { ageOf, cutMark, sanitise, type View } from '../../render/view.ts';
import { cutToWidth, wrapText } from '../../render/width.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import type { Model, PreviewState } from '../model.ts';
import { selectedRow } from '../rows/selection.ts';
import { ansiLines } from './ansi-lines.ts';
import { type Area, modelView } from './layout.ts';
import { statePieces } from './list-page.ts';
import { dimmed, fitLine, lineText, type SpanLine, type SpanStyle, span } from './spans.ts';

const DIM: SpanStyle = { dim: true };
const ASKING: SpanStyle = { foreground: '33' };
/** Of a request; its whole text is on the screen below. */
const REQUEST_LINES_MAX = 3;

/** The lines of the preview; they fill the area exactly. */
export function previewLines(model: Model, area: Area): readonly SpanLine[] {
  const view = modelView(model, area.columns);
  const pane = selectedRow(model)?.pane ?? null;
  const head = pane ? headLines(view, pane) : [[span(rule(view, area.columns), DIM)]];
  const room = area.rows - head.length;
  // A margin sets the screen of the pane apart from ours.
  const body = (pane ? bodyLines(model, pane, room) : []).map((line) => [span(' '), ...line]);
  const lines = [...head, ...body].slice(0, area.rows);
  const blanks = Array.from({ length: area.rows - lines.length }, (): SpanLine => []);
  const isLost = model.link.kind === 'lost';
  return [...lines, ...blanks].map((line) => {
    const fitted = fitLine(line, area.columns, '');
    return isLost ? dimmed(fitted) : fitted;
  });
}

const rule = (view: View, cells: number): string => (view.unicode ? '─' : '-').repeat(cells);

function headLines(view: View, pane: PaneItem): readonly SpanLine[] {
  const name = sanitise(view, `${pane.agent ?? pane.current_cmd} ${locationText(pane.identity)} `);
  const title: SpanLine = [
    span(`${rule(view, 2)} `, DIM),
    span(name, { bold: true }),
    ...statePieces(view, pane),
    span(` ${rule(view, view.width)}`, DIM),
  ];
  return [title, ...requestLines(view, pane), ...promptLine(view, pane), ...workLine(view, pane)];
}

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

function promptLine(view: View, { activity }: PaneItem): readonly SpanLine[] {
  if (activity.prompt === null) return [];
  const text = sanitise(view, ` last prompt: ${activity.prompt}`);
  return [fitLine([span(text, DIM)], view.width, cutMark(view))];
}

/** Subagents, background work and token usage of the agent. */
function workLine(view: View, pane: PaneItem): readonly SpanLine[] {
  const { background_count: shells } = pane.activity;
  const names = subagentNames(pane).join(', ');
  const parts = [
    names === '' ? '' : `subagents: ${names}`,
    shells === 0 ? '' : `${shells} in the background`,
    usageText(pane),
  ].filter((part) => part !== '');
  if (parts.length === 0) return [];
  const text = sanitise(view, ` ${parts.join('; ')}`);
  return [fitLine([span(text, DIM)], view.width, cutMark(view))];
}

function bodyLines(model: Model, pane: PaneItem, room: number): readonly SpanLine[] {
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
